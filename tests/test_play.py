"""Games between agents: decided by seed and seating alone, fully recorded, faults with a name."""

from typing import Any

import numpy as np
import pytest

from agents.random import Random
from benchmarks.play import (
    AgentFailed,
    Block,
    block_records,
    first_stream,
    moves_of,
    play_blocks,
)
from benchmarks.schedule import match_seating
from ra_env import Game, Rules
from ra_env.actions import action_bits_to_list
from ra_env.agent import act_batch
from ra_env.layout import AUCTION, PHASE, State
from ra_env.legality import legal_actions
from ra_env.notation import parse_move
from ra_env.rng import mix, next_word
from ra_env.scoring import CATEGORIES, category_points

NAMES = ["challenger", "field"]


def legal(state: State) -> list[int]:
    return action_bits_to_list(int(legal_actions(state)))


class Spy:
    """Plays at random, and writes down what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[State, int]] = []

    def act(self, state: State, word: np.uint64) -> int:
        self.asked.append((state.copy(), int(word)))
        return Random().act(state, word)


def play(first: Any, second: Any, players: int, seeds: list[int], **options: Any) -> list[Block]:
    agents = [("challenger", first), ("field", second)]
    return play_blocks(
        agents, Rules(players), seeds, [match_seating(players)] * len(seeds), **options
    )


def same(one: Block, other: Block) -> bool:
    arrays = ("seats", "scores", "ranks", "points")
    return (
        one.seed == other.seed
        and one.decisions == other.decisions
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    )


def points_by_hand(record: dict[str, Any]) -> np.ndarray:
    """Points by category, from replaying the beginning of a game as a game of 1, 2, 3 epochs.

    After the end of a game everything lies where it was scored.
    """
    players = record["players"]
    points = np.zeros((players, len(CATEGORIES)), int)
    for epochs in (1, 2, 3):
        game = Game(rules=Rules(players, epochs=epochs), suns=record["suns"])
        for move in map(parse_move, record["moves"]):
            if not game.is_over:
                game.play(move.action, tile=move.tile)
        assert game.is_over
        for seat in range(players):
            for category in range(7 if epochs == 3 else 5):
                points[seat, category] += category_points(game.state, seat, category)
    return points


def test_a_block_has_the_games_that_are_played_one_by_one(num_players: int) -> None:
    """Scores, places and points by category are those of the same games in `Game`."""
    (block,) = play(Spy(), Random(), num_players, [5])
    records = list(block_records(block, Rules(num_players), NAMES))
    assert len(records) == num_players
    for row, record in enumerate(records):
        game = Game(num_players, seed=5)
        moves = list(moves_of(game, [Random()] * num_players))
        assert record["moves"] == moves
        assert record["agents"] == [NAMES[i] for i in match_seating(num_players)[row]]
        assert record["scores"] == block.scores[row].tolist()
        assert record["ranking"] == block.ranks[row].argsort().tolist()
    # Everybody plays at random with the words of the seat, so all these games are the same.
    assert (block.points == points_by_hand(records[0])).all()


def test_categories_add_up_to_the_points_of_the_epochs() -> None:
    """What the categories have brought is what the record says of the epochs."""
    for block in play(Random(), Random(), 3, [1, 2]):
        for row, record in enumerate(block_records(block, Rules(3), NAMES)):
            assert (
                block.points[row].sum(axis=1).tolist()
                == np.sum(record["epoch_points"], axis=0).tolist()
            )


def test_games_do_not_know_of_each_other() -> None:
    """Together or alone, in any order, a seed gives the same block."""
    together = play(Random(), Spy(), 3, [8, 9, 10])
    alone = [play(Random(), Spy(), 3, [seed])[0] for seed in (10, 8, 9)]
    assert all(same(a, b) for a, b in zip(together, [alone[1], alone[2], alone[0]], strict=True))


def test_words_come_from_seed_and_seat_alone() -> None:
    """The k-th choice of a seat has the same word whoever sits there, as `first_stream` says."""
    spy = Spy()
    game = Game(2, seed=77)
    list(moves_of(game, [spy, Random()]))
    stream = np.uint64(first_stream(np.uint64(77), 0))
    for _, word in spy.asked:
        stream = np.uint64(next_word(stream))
        assert word == int(mix(stream))
    starts = {int(first_stream(np.uint64(seed), seat)) for seed in range(50) for seat in range(5)}
    assert len(starts) == 250


def test_nobody_is_asked_without_a_choice() -> None:
    """Agents are asked only where there are at least two actions."""
    spy = Spy()
    play(spy, Random(), 2, [1])
    assert spy.asked
    assert all(len(legal(state)) > 1 for state, _ in spy.asked)


def test_an_agent_cannot_change_the_game() -> None:
    """What an agent does to the rows it is given stays without effect."""

    class Vandal:
        def act(self, state: State, word: np.uint64) -> int:
            action = Random().act(state, word)
            state[:] = 0
            return action

    class BatchVandal(Vandal):
        def act_batch(self, states: Any, words: Any, out: Any) -> None:
            act_batch(Random(), states, words, out)
            states[:] = 0

    for vandal in (Vandal(), BatchVandal()):
        assert same(play(vandal, Random(), 2, [3])[0], play(Random(), Random(), 2, [3])[0])


def test_announced_decisions_are_the_same_ones() -> None:
    """Asking one by one changes nothing, and every decision is announced with what came before."""
    announced: list[tuple[int, int, bytes]] = []

    def announce(*args: Any) -> None:
        announced.append(args)

    (block,) = play(Random(), Random(), 2, [4], announce=announce)
    assert same(block, play(Random(), Random(), 2, [4])[0])
    assert len(announced) == sum(map(len, block.decisions))
    for game, decisions in enumerate(block.decisions):
        so_far = [before for row, _, before in announced if row == game]
        assert so_far == [decisions[:count] for count in range(len(decisions))]


# --- agents that fail ----------------------------------------------------------------------------


class Failing:
    """Plays at random, and in auctions does what it is told."""

    def __init__(self, fault: Any) -> None:
        self.fault = fault

    def act(self, state: State, word: np.uint64) -> Any:
        if state[PHASE] != AUCTION:
            return Random().act(state, word)
        if isinstance(self.fault, Exception):
            raise self.fault
        return self.fault


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (53, "action 53 (discard sphinx) is not legal; legal: "),
        (-7, "action -7 (no action) is not legal; legal: "),
        (10**9, "action 1000000000 (no action) is not legal"),
        (None, "TypeError: "),
        (KeyError("what?"), "KeyError: 'what?'"),
    ],
    ids=["illegal", "negative", "huge", "nothing", "exception"],
)
def test_a_fault_is_reported_with_name_reason_and_game(fault: Any, reason: str) -> None:
    """The block of a game that fails names the agent, and has the record up to the decision."""
    (block,) = play(Failing(fault), Random(), 2, [1])
    failure = block.failures[0]
    assert failure.agent == "challenger"
    assert failure.seed == 1
    assert failure.reason.startswith(reason)
    game = Game.from_record(failure.record)
    assert game.current_seat == failure.seat
    assert game.phase == "auction"
    assert failure.record["agents"][failure.seat] == "challenger"


def test_other_seeds_go_on_when_one_fails() -> None:
    """A failure costs its own seed and no other."""

    refused = mix(np.uint64(next_word(np.uint64(first_stream(np.uint64(2), 1)))))

    class Picky:
        """Refuses to play the first decision of seat 1 with seed 2."""

        def act(self, state: State, word: np.uint64) -> int:
            if word == refused:
                raise RuntimeError("not with me")
            return Random().act(state, word)

    blocks = play(Picky(), Random(), 3, [1, 2, 3])
    assert [len(block.failures) for block in blocks] == [0, 1, 0]
    unhindered = play(Random(), Random(), 3, [1, 3])
    assert same(blocks[0], unhindered[0])
    assert same(blocks[2], unhindered[1])


def test_a_batch_that_fails_as_a_whole_is_noticed() -> None:
    """An agent whose batch raises, though each decision alone does not, has failed as well."""

    class OnlyAlone(Random):
        def act_batch(self, states: Any, words: Any, out: Any) -> None:
            raise MemoryError("too many")

    (block,) = play(OnlyAlone(), Random(), 2, [1])
    assert block.failures[0].reason == "MemoryError: too many"


def test_a_single_game_names_the_seat_that_failed() -> None:
    """`moves_of` stops with `AgentFailed`, and the game stands before the move."""
    game = Game(2, seed=1)
    with pytest.raises(AgentFailed, match="seat 1: IllegalAction: ") as caught:
        list(moves_of(game, [Random(), Failing(53)]))
    assert caught.value.seat == game.current_seat == 1
