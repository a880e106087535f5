"""`SelfPlay` does for many games what a plain loop over `Game` does for one.

The plain loop stands below, written with `Game` alone and one game at a time: it plays the action,
the forced moves after it, adds up what each seat got, and deals the next game when one is over.
"""

import copy
import doctest
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ra_env.selfplay
from ra_env import TILE_NAMES, Game, IllegalAction, Rules, RulesError, batch
from ra_env.actions import DRAW
from ra_env.layout import FACE_UP, OVER, PHASE, SEAT, starting_row, suns_at
from ra_env.observation import OBSERVATION_SIZE, VIEWS, observe, view_id
from ra_env.rewards import REWARDS
from ra_env.rng import next_word, seed_word
from ra_env.selfplay import SelfPlay
from ra_env.transitions import deal, draw_tile

SHORT = Rules(2, epochs=2, ra_spaces=2, auction_spaces=2, suns=((5, 3), (4, 2)))
"""A variant whose games last a few moves, so that the end is often reached."""


class PlainGame:
    """One row of a batch, game after game, by `Game`."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules = rules
        self.word = np.uint64(seed_word(np.uint64(seed)))
        self.seen: Counter[str] = Counter()
        self.begin()

    def begin(self) -> None:
        """Deal the next game: its luck goes on where that of the last one stopped."""
        row = starting_row(self.rules)
        self.word = np.uint64(deal(row, self.word))
        suns = [suns_at(row, FACE_UP + seat) for seat in range(self.rules.num_players)]
        self.game = Game(rules=self.rules, suns=suns)

    def play(self, action: int) -> None:
        """Play one move, a draw with the tile that the random word brings."""
        tile = None
        if action == DRAW:
            self.word = np.uint64(next_word(self.word))
            tile = TILE_NAMES[draw_tile(self.game.state, self.word)]
        self.game.play(action, tile=tile)

    def step(self, action: int, reward: str) -> tuple[list[float], bool]:
        """What `SelfPlay.step` does: each seat's rewards, and whether the game has ended."""
        before, epoch, seat = self.game.scores, self.game.epoch, self.game.current_seat
        self.play(action)
        while len(self.game.legal_actions()) == 1:
            self.seen["forced"] += 1
            self.seen["forced of another seat"] += self.game.current_seat != seat
            self.play(self.game.legal_actions()[0])
            self.seen["end by a forced move"] += self.game.is_over
        self.seen["epoch"] += self.game.epoch != epoch
        self.seen["end"] += self.game.is_over
        return plain_rewards(self.game, before, reward), self.game.is_over


def plain_rewards(game: Game, before: list[int], reward: str) -> list[float]:
    """The rewards by name, as the documents define them."""
    gains = [now - then for now, then in zip(game.scores, before, strict=True)]
    others = game.num_players - 1
    if reward == "score":
        return [float(gain) for gain in gains]
    if reward == "margin":
        return [gain - (sum(gains) - gain) / others for gain in gains]
    if not game.is_over:
        return [0.0] * game.num_players
    if reward == "win":
        return [float(game.ranking()[0] == seat) for seat in range(game.num_players)]
    return [1 - 2 * game.ranking().index(seat) / others for seat in range(game.num_players)]


def random_actions(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal action for each row."""
    chosen: NDArray[np.int64] = (masks * (1 - rng.random(masks.shape))).argmax(axis=1)
    return chosen


def compare(games: SelfPlay, plain: list[PlainGame]) -> None:
    """The same position, seat on turn, mask and view in every game."""
    view = np.empty(OBSERVATION_SIZE, np.float32)
    for i, row in enumerate(plain):
        assert games.states[i].tolist() == row.game.state.tolist()
        assert games.words[i] == row.word
        assert games.seats[i] == row.game.current_seat
        assert np.flatnonzero(games.masks[i]).tolist() == row.game.legal_actions()
        observe(games.states[i], games.seats[i], view_id(games.view), view)
        assert (games.observations[i] == view).all()


def play_along(tables: Any, reward: str, view: str, count: int, steps: int) -> Counter[str]:
    """Random games through `SelfPlay` and through the plain loop, compared at each step."""
    rng = np.random.default_rng(0)
    games = SelfPlay(tables, count, seed=3, reward=reward, view=view)
    listed = tables if isinstance(tables, list) else [tables]
    rules = [table if isinstance(table, Rules) else Rules(table) for table in listed]
    plain = [PlainGame(rules[i % len(rules)], int(games.seeds[i])) for i in range(count)]
    assert games.num_players.tolist() == [row.rules.num_players for row in plain]
    compare(games, plain)
    for _ in range(steps):
        actions = random_actions(games.masks, rng)
        rewards, done = games.step(actions)
        for i, row in enumerate(plain):
            wanted, is_over = row.step(int(actions[i]), reward)
            missing = [0.0] * (5 - row.rules.num_players)
            assert rewards[i].tolist() == pytest.approx([*wanted, *missing])
            assert done[i] == is_over
            if is_over:
                seats = range(row.rules.num_players)
                places = [row.game.ranking().index(seat) for seat in seats]
                assert games.final_scores[i].tolist() == row.game.scores + [0] * len(missing)
                assert games.final_ranks[i].tolist() == places + [-1] * len(missing)
                row.begin()
        compare(games, plain)
    return sum((row.seen for row in plain), Counter[str]())


# --- the plain loop and the batch ----------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.boundscheck
@pytest.mark.parametrize("reward", REWARDS)
def test_mixed_tables_as_plain_games(reward: str) -> None:
    """Tables of 2 to 5 in one batch: the same positions, views, rewards and ends as one by one."""
    seen = play_along([2, 3, 4, 5], reward, "memory", count=16, steps=220)
    assert min(seen[key] for key in ("forced", "forced of another seat", "epoch", "end")) > 0


@pytest.mark.parametrize("view", VIEWS)
def test_short_games_as_plain_games(view: str) -> None:
    """Games that end in a forced move end, and begin anew, within the step that led there."""
    seen = play_along(SHORT, "margin", view, count=4, steps=40)
    assert min(seen[key] for key in ("end by a forced move", "epoch", "end")) > 0


@pytest.mark.compiled
def test_threads_change_nothing() -> None:
    """The same seed gives the same games on one thread and on two, and another seed others."""
    games = [SelfPlay([3, 5], 256, seed=seed, threads=threads) for seed, threads in RUNS]
    rng = np.random.default_rng(1)
    for _ in range(150):
        actions = random_actions(games[0].masks, rng)
        for same in games[:2]:
            same.step(actions)
        for name in ("states", "words", "seats", "observations", "masks", "rewards", "done"):
            assert (getattr(games[0], name) == getattr(games[1], name)).all(), name
    assert games[0].done.any() or games[0].final_scores.any()
    assert not set(games[2].seeds.tolist()) & set(games[0].seeds.tolist())


RUNS = ((8, 1), (8, 2), (9, 1))


# --- seeds ---------------------------------------------------------------------------------------


def test_games_begin_as_game_does(num_players: int) -> None:
    """Game i begins as `Game(seed=seeds[i])`, also where the seeds are given one by one."""
    given = [5, 0, 2**64 - 1]
    for games in (SelfPlay(num_players, 3, seed=1), SelfPlay(num_players, 3, seed=given)):
        for i, seed in enumerate(games.seeds):
            assert (games.states[i] == Game(num_players, seed=int(seed)).state).all()
    assert games.seeds.tolist() == given


def test_reset() -> None:
    """With a seed everything is as at the start; without one, luck goes on in a way that the seed
    decides."""
    games, same = SelfPlay(2, 3, seed=5), SelfPlay(2, 3, seed=5)
    start = games.states.copy(), games.seeds.copy()
    games.step(games.masks.argmax(axis=1))
    games.reset()
    same.reset()
    assert (games.seeds == same.seeds).all()
    assert (games.seeds != start[1]).all()
    games.reset(5)
    assert (games.states == start[0]).all()
    assert (games.seeds == start[1]).all()
    assert not games.rewards.any()
    assert not games.done.any()


@pytest.mark.compiled
def test_without_a_seed_games_differ() -> None:
    """Nobody gets the same games twice without asking."""
    assert (SelfPlay(2, 8).seeds != SelfPlay(2, 8).seeds).all()


# --- what else it promises -----------------------------------------------------------------------


@pytest.mark.compiled
def test_buffers_stay_the_same_arrays() -> None:
    """A trainer may keep the arrays: each step writes into them and makes no new ones."""
    games = SelfPlay(2, 8, seed=0)
    names = ("states", "words", "seats", "observations", "masks", "rewards", "done")
    before = [getattr(games, name) for name in names]
    rewards, done = games.step(games.masks.argmax(axis=1))
    games.reset()
    assert all(getattr(games, name) is array for name, array in zip(names, before, strict=True))
    assert rewards is games.rewards
    assert done is games.done


@pytest.mark.compiled
def test_the_seat_on_turn_has_a_choice() -> None:
    """Forced moves are no decisions: there are always two legal actions or more."""
    games = SelfPlay([2, SHORT], 64, seed=0)
    rng = np.random.default_rng(2)
    for _ in range(200):
        games.step(random_actions(games.masks, rng))
        assert (games.masks.sum(axis=1) > 1).all()
        assert (games.masks == batch.legal_masks(games.states)).all()


@pytest.mark.parametrize("view", VIEWS)
def test_observe_seats(view: str) -> None:
    """Any seat's view of each game, on turn or not; zeros for a seat that is not there."""
    games = SelfPlay([2, 5], 4, seed=0, view=view)
    out = np.full((4, OBSERVATION_SIZE), 7, np.float32)
    games.observe_seats(games.seats, out)
    assert (out == games.observations).all()
    wanted = np.empty(OBSERVATION_SIZE, np.float32)
    for seats in (0, 3, [1, 4, 0, 3]):
        games.observe_seats(seats, out)
        for i, seat in enumerate(np.broadcast_to(seats, 4)):
            if seat < games.num_players[i]:
                observe(games.states[i], int(seat), view_id(view), wanted)
            else:
                wanted[:] = 0
            assert (out[i] == wanted).all()


@pytest.mark.compiled
def test_copies_go_on_alike() -> None:
    """A copy or a pickle in mid-game is a batch of its own with the same luck to come."""
    games = SelfPlay([2, 4], 8, seed=0)
    rng = np.random.default_rng(3)
    for _ in range(50):
        games.step(random_actions(games.masks, rng))
    others = [copy.deepcopy(games), pickle.loads(pickle.dumps(games))]
    for _ in range(100):
        actions = random_actions(games.masks, rng)
        games.step(actions)
        for other in others:
            other.step(actions)
            assert (other.states == games.states).all()
            assert (other.observations == games.observations).all()


def test_docstring_is_true() -> None:
    """The example that `help(SelfPlay)` shows works."""
    result = doctest.testmod(ra_env.selfplay)
    assert result.attempted > 0
    assert result.failed == 0


# --- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0, 0, 2], IllegalAction, r"action 2 \(end\) is not legal in game 2; legal: 0 \(draw\)"),
        ([0, -1, 0], IllegalAction, "not legal in game 1"),
        ([54, 0, 0], IllegalAction, "not legal in game 0"),
        ([0, 0], ValueError, "one whole number for each of 3 games"),
        ([0.0, 0.0, 0.0], ValueError, "one whole number for each of 3 games"),
        (None, ValueError, "one whole number for each of 3 games"),
    ],
)
def test_wrong_actions_change_nothing(actions: Any, error: type[Exception], message: str) -> None:
    """One action that cannot be played, and no game is touched."""
    games = SelfPlay(3, 3, seed=0)
    before = copy.deepcopy(games.__dict__)
    with pytest.raises(error, match=message):
        games.step(actions)
    for name in ("states", "words", "seats", "observations", "masks", "rewards", "done"):
        assert (getattr(games, name) == before[name]).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tables": 6}, RulesError, "num_players must be a whole number from 2 to 5, not 6"),
        ({"tables": []}, RulesError, "at least one"),
        ({"tables": [4, "5"]}, RulesError, "not '5'"),
        ({"tables": "45"}, RulesError, "not '45'"),
        ({"num_games": 0}, ValueError, "num_games must be a whole number from 1, not 0"),
        ({"num_games": True}, ValueError, "num_games must be a whole number from 1, not True"),
        ({"num_games": 2.0}, ValueError, "num_games must be a whole number from 1, not 2.0"),
        ({"threads": 0}, ValueError, "threads must be a whole number from 1, not 0"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0, not -1"),
        ({"seed": True}, ValueError, "seed must be a whole number from 0, not True"),
        ({"seed": [1]}, ValueError, "1 seeds are given for 2 games"),
        ({"seed": [1, -1]}, ValueError, "seeds must be one whole number from 0"),
        ({"seed": "7"}, ValueError, "seeds must be one whole number from 0"),
        ({"reward": "points"}, ValueError, "unknown reward 'points'; rewards: placement"),
        ({"view": "all"}, ValueError, "unknown view 'all'; views: memory"),
    ],
)
def test_wrong_settings(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """Settings that cannot be are refused by name."""
    with pytest.raises(error, match=message):
        SelfPlay(**{"tables": 2, "num_games": 2, **arguments})


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (5, "seats are 0 to 4"),
        ([0, -1], "seats are 0 to 4"),
        ([0, 1, 2], "one for each of 2 games"),
        (0.5, "one for each of 2 games"),
    ],
)
def test_wrong_seats(seats: Any, message: str) -> None:
    """Seats that no table has, or not one for each game."""
    games = SelfPlay(2, 2, seed=0)
    with pytest.raises(ValueError, match=message):
        games.observe_seats(seats, games.observations)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros((2, 5), np.float32), "shape"),
        (np.zeros((2, OBSERVATION_SIZE)), "float32"),
        (None, "numpy array"),
    ],
)
def test_wrong_out(out: Any, message: str) -> None:
    """A buffer that does not fit is refused before anything is written."""
    with pytest.raises(ValueError, match=message):
        SelfPlay(2, 2, seed=0).observe_seats(0, out)


def test_games_go_on_from_restored_rows_and_words_as_they_would_have() -> None:
    games, others = SelfPlay((2, 4), num_games=6, seed=1), SelfPlay((2, 4), num_games=6, seed=2)
    for _ in range(20):
        games.step(games.masks.argmax(axis=1))
    others.restore(games.states.copy(), games.words.copy())
    for _ in range(60):
        for name in ("states", "words", "seats", "observations", "masks"):
            np.testing.assert_array_equal(getattr(games, name), getattr(others, name))
        for those in (games, others):
            those.step(those.masks.argmax(axis=1))


def test_rows_that_cannot_be_restored_are_refused_and_nothing_changes() -> None:
    games = SelfPlay(2, num_games=3, seed=1)
    states, words = games.states.copy(), games.words.copy()
    broken, over = states.copy(), states.copy()
    broken[1, SEAT] = 9
    over[1, PHASE], over[1, SEAT] = OVER, -1
    other = SelfPlay(3, num_games=3, seed=1)
    for wrong, message in (
        ((states[:2], words), "2 rows and 3 words for 3 games"),
        ((states, words[:2]), "3 rows and 2 words"),
        ((broken, words), "not a position of the game"),
        ((over, words), "over|position"),
        ((other.states, words), "other rules"),
    ):
        with pytest.raises(ValueError, match=message):
            games.restore(*wrong)
    np.testing.assert_array_equal(games.states, states)
