"""A person at the terminal. Input and output are functions that are handed in.

Knows how a move is asked for and read; knows nothing of the game's course. A program that seats a
person decides what it shows between the person's moves.
"""

import sys
from collections.abc import Callable

import numpy as np

from ra_env.actions import ACTION_TEXTS, action_bits_to_list
from ra_env.agent import Advisor, Agent, AgentError, make_agent
from ra_env.ansi import draw_ansi
from ra_env.layout import SEAT, State
from ra_env.legality import legal_actions

HELP = """\
Type the number of a move, its text (bid 7), or as much of the text as tells it from the others (b).
  ?  shows this help and the table again
  q  leaves the game"""


class QuitGame(Exception):
    """The person wants to leave the game."""


class Human:
    """Asks a person: shows the table and the legal moves, and reads a number or a text.

    `ask` is given a prompt and returns a line, as `input` does; `show` takes a text, as `print`
    does; `draw` turns a state into a text. With an advisor, each move comes with the advisor's
    opinion of it.
    """

    def __init__(
        self,
        *,
        ask: Callable[[str], str] = input,
        show: Callable[[str], None] = print,
        draw: Callable[[State], str] = draw_ansi,
        advisor: Advisor | None = None,
    ) -> None:
        self._ask = ask
        self._show = show
        self._draw = draw
        self._advisor = advisor

    def act(self, state: State, word: np.uint64) -> int:
        """The move that the person chooses; a move without alternative is played unasked.

        Raises `QuitGame` when the person leaves, or when there is nobody to answer.
        """
        actions = action_bits_to_list(int(legal_actions(state)))
        texts = [ACTION_TEXTS[action] for action in actions]
        self._show(self._draw(state))
        if len(actions) == 1:
            self._show(f"Seat {state[SEAT]} can only {texts[0]!r}.")
            return actions[0]
        self._show(self._menu(state, actions))
        while True:
            answer = self._answer(f"Seat {state[SEAT]}, your move (? for help): ")
            if answer == "?":
                self._show(HELP)
                self._show(self._draw(state))
                self._show(self._menu(state, actions))
                continue
            found = _matches(answer, texts)
            if len(found) == 1:
                return actions[found[0]]
            self._show(_complaint(answer, [texts[i] for i in found], texts))

    def _answer(self, prompt: str) -> str:
        try:
            answer = " ".join(self._ask(prompt).lower().split())
        except EOFError:
            raise QuitGame("there is no more input") from None
        if answer in ("q", "quit"):
            raise QuitGame("the person at the terminal left the game")
        return answer

    def _menu(self, state: State, actions: list[int]) -> str:
        lines = [f"{i:3}  {ACTION_TEXTS[action]}" for i, action in enumerate(actions, start=1)]
        if self._advisor is not None:
            opinion = self._advisor.preferences(state)
            best = max(actions, key=lambda action: opinion[action])
            width = max(map(len, lines))
            lines = [
                f"{line:{width}}  {opinion[action]:+8.2f}{'  <- best' if action == best else ''}"
                for line, action in zip(lines, actions, strict=True)
            ]
        return "\n".join(lines)


def human(hints: str = "") -> Human:
    """Asks a person in the terminal; hints=NAME shows what that agent thinks of each move."""
    return Human(
        draw=lambda state: draw_ansi(state, colour=sys.stdout.isatty()),
        advisor=make_advisor(hints) if hints else None,
    )


def make_advisor(name: str) -> Advisor:
    """The agent of a name, if it can say what it thinks of a move."""
    agent: Agent = make_agent(name)
    if not isinstance(agent, Advisor):
        raise AgentError(f"agent {name!r} cannot give hints: it has no preferences; try heuristic")
    return agent


def _matches(answer: str, texts: list[str]) -> list[int]:
    """Which moves an answer can mean: one by its number or full text, all by a beginning."""
    if answer.isdecimal():
        number = int(answer)
        return [number - 1] if 1 <= number <= len(texts) else []
    if answer in texts:
        return [texts.index(answer)]
    return [i for i, text in enumerate(texts) if answer and text.startswith(answer)]


def _complaint(answer: str, found: list[str], texts: list[str]) -> str:
    if found:
        return f"{answer!r} can mean {', '.join(found)}."
    return f"{answer!r} is not possible; possible are 1 to {len(texts)}: {', '.join(texts)}."
