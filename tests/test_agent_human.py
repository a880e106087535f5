"""The person at the terminal: what is shown, which answers are understood, and how to leave."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.human import HELP, Human, QuitGame, human
from ra_env import ACTION_TEXTS, NUM_ACTIONS, Game
from ra_env.agent import AgentError, make_agent
from ra_env.ansi import draw_ansi
from ra_env.layout import State

WORD = np.uint64(0)


class Terminal:
    """Answers in the given order, and keeps what was shown."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)

    @property
    def text(self) -> str:
        return "\n".join(self.shown)


def in_auction() -> Game:
    """Seat 0 may pass or bid 5, 9 or 10."""
    game = Game(4, suns=[[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]], seed=1)
    while game.current_seat != 3:
        game.play("draw", tile="nile")
    game.play("invoke")
    assert game.current_seat == 0
    return game


def answer_of(game: Game, *answers: str) -> tuple[str, Terminal]:
    """The text of the move that these answers lead to, and what the terminal saw."""
    terminal = Terminal(*answers)
    person = Human(ask=terminal.ask, show=terminal.shown.append)
    action = person.act(game.state, WORD)
    assert not terminal.answers, "more was asked for than needed, or less"
    return ACTION_TEXTS[action], terminal


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("1", "pass"),
        ("2", "bid 5"),
        (" 4 ", "bid 10"),
        ("bid 9", "bid 9"),
        ("  BID   9 ", "bid 9"),
        ("p", "pass"),
        ("bid 1", "bid 10"),
    ],
)
def test_a_number_a_text_and_the_beginning_of_a_text_are_understood(answer: str, move: str) -> None:
    """One answer is enough, in any spelling that leaves no doubt."""
    assert answer_of(in_auction(), answer)[0] == move


def test_the_table_and_the_numbered_moves_are_shown() -> None:
    """Before the first question everything needed to answer it is there."""
    game = in_auction()
    _, terminal = answer_of(game, "1")
    assert draw_ansi(game.state) in terminal.text
    assert "  1  pass\n  2  bid 5\n  3  bid 9\n  4  bid 10" in terminal.text
    assert len(terminal.prompts) == 1
    assert "Seat 0" in terminal.prompts[0]


@pytest.mark.parametrize(
    ("nonsense", "reply"),
    [
        ("0", "'0' is not possible; possible are 1 to 4: pass, bid 5, bid 9, bid 10."),
        ("5", "'5' is not possible"),
        ("-1", "'-1' is not possible"),
        ("bid 13", "'bid 13' is not possible"),
        ("", "'' is not possible"),
        ("b", "'b' can mean bid 5, bid 9, bid 10."),
        ("²", "'²' is not possible"),
    ],
)
def test_nonsense_is_answered_and_asked_again(nonsense: str, reply: str) -> None:
    """What cannot be understood changes nothing and says what is possible."""
    move, terminal = answer_of(in_auction(), nonsense, "2")
    assert move == "bid 5"
    assert reply in terminal.text
    assert len(terminal.prompts) == 2


def test_a_question_mark_shows_the_help() -> None:
    """The help comes with the table and the moves, and then the question again."""
    move, terminal = answer_of(in_auction(), "?", "1")
    assert move == "pass"
    assert HELP in terminal.shown
    assert terminal.text.count("  2  bid 5") == 2


@pytest.mark.parametrize("answers", [["q"], ["QUIT"], ["nonsense", "q"], []])
def test_leaving_is_an_exception_of_its_own(answers: list[str]) -> None:
    """`q` and the end of the input raise `QuitGame`, nothing else."""
    terminal = Terminal(*answers)
    with pytest.raises(QuitGame):
        Human(ask=terminal.ask, show=terminal.shown.append).act(in_auction().state, WORD)


def test_a_move_without_alternative_is_not_asked_for() -> None:
    """With a full track and no god there is only one move: it is played and named."""
    game = Game(4, suns=[[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]], seed=1)
    for _ in range(8):
        game.play("draw", tile="nile")
    assert game.legal_moves() == ["invoke"]
    move, terminal = answer_of(game)
    assert move == "invoke"
    assert "can only 'invoke'" in terminal.text
    assert not terminal.prompts


class Miser:
    """An advisor that likes the pass best."""

    def preferences(self, state: State) -> NDArray[np.float64]:
        liked = np.full(NUM_ACTIONS, -np.inf)
        liked[ACTION_TEXTS.index("pass")] = 1.25
        for sun in (5, 9, 10):
            liked[ACTION_TEXTS.index(f"bid {sun}")] = -sun
        return liked


def test_an_advisor_comments_each_move() -> None:
    """Hints stand beside the moves, the best one marked."""
    terminal = Terminal("1")
    person = Human(ask=terminal.ask, show=terminal.shown.append, advisor=Miser())
    person.act(in_auction().state, WORD)
    lines = terminal.text.splitlines()
    assert any(line.split() == ["1", "pass", "+1.25", "<-", "best"] for line in lines)
    assert any(line.split() == ["4", "bid", "10", "-10.00"] for line in lines)
    assert terminal.text.count("<- best") == 1


def test_the_drawing_can_be_chosen() -> None:
    """A program may show the table in its own way."""
    terminal = Terminal("1")
    Human(ask=terminal.ask, show=terminal.shown.append, draw=lambda state: "MY TABLE").act(
        in_auction().state, WORD
    )
    assert terminal.shown[0] == "MY TABLE"


def test_it_is_found_by_name_with_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """`human:hints=heuristic` plays through the terminal and shows the heuristic's opinion."""
    agent = make_agent("human:hints=heuristic")
    assert isinstance(agent, Human)
    terminal = Terminal("pass")
    # The functions are bound when the agent is made, so they are replaced in it.
    monkeypatch.setattr(agent, "_ask", terminal.ask)
    monkeypatch.setattr(agent, "_show", terminal.shown.append)
    assert ACTION_TEXTS[agent.act(in_auction().state, WORD)] == "pass"
    assert terminal.text.count("<- best") == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: human(hints="random"), "cannot give hints"),
        (lambda: human(hints="nobody"), "unknown agent 'nobody'"),
    ],
)
def test_hints_need_an_agent_that_has_opinions(make: Callable[[], Human], message: str) -> None:
    """The error names the agent and what is wrong with it."""
    with pytest.raises(AgentError, match=message):
        make()
