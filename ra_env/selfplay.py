"""Games side by side in which every seat learns: the plain batch interface for self-play.

At each step every game has exactly one seat on turn, so one batched forward pass decides in all of
them. Moves that leave no choice are played here and are no decisions, finished games start anew in
the same step, and games of different numbers of players share one batch, because observations and
actions have one layout. No framework is needed: everything is a numpy array.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.batch import (
    Masks,
    Observations,
    States,
    Words,
    check_array,
    check_legal,
    check_states,
    checked_actions,
    run,
    seeds_to_words,
    write_mask,
)
from ra_env.errors import RulesError, shown
from ra_env.layout import (
    AUCTION_SPACES,
    NOBODY,
    NUM_PLAYERS,
    OVER,
    PHASE,
    SCORE,
    SEAT,
    STATE_SIZE,
    copy_row,
    count_bits,
    starting_row,
)
from ra_env.legality import legal_actions, lowest_action
from ra_env.observation import OBSERVATION_SIZE, observe, view_id
from ra_env.rewards import reward, reward_id
from ra_env.rules import MAX_PLAYERS, Rules
from ra_env.scoring import rank
from ra_env.transitions import deal
from ra_env.transitions import step as step_one

Table: TypeAlias = int | Rules
"""What a game is played with: a number of players, or the rules of a variant."""
Seed: TypeAlias = int | Sequence[int] | NDArray[np.uint64] | None
"""A whole number for all games, or one for each."""


class Tables:
    """Games side by side and how they are played: what `SelfPlay` and `OneSeat` have in common."""

    states: States
    """`(B, STATE_SIZE)` the games' rows."""
    words: Words
    """`(B,)` the random words of their bags."""
    num_players: NDArray[np.int64]
    """`(B,)` the number of players, the same for all games of a row."""
    seeds: Words
    """`(B,)` the seeds of the games that the last `reset` began."""

    def __init__(
        self, tables: object, num_games: int, reward: str, view: str, threads: int
    ) -> None:
        self.tables = _checked_tables(tables)
        self.num_games = _checked_count("num_games", num_games)
        self.threads = _checked_count("threads", threads)
        self.reward, self.view = reward, view
        self._reward, self._view = reward_id(reward), view_id(view)
        rows = np.stack([starting_row(rules) for rules in self.tables])
        self._starts: States = rows[np.arange(num_games) % len(rows)]
        self.num_players = self._starts[:, NUM_PLAYERS].astype(np.int64)
        self.states = np.empty((num_games, STATE_SIZE), np.int16)
        self.words = np.empty(num_games, np.uint64)
        self._rng = np.random.default_rng()

    def _draw_words(self, seed: Seed) -> None:
        """Give each game its first random word, as `seed` says; without one, as luck goes on."""
        rng, seeds = self._rng, seed
        if isinstance(seed, (int, np.integer)):
            if isinstance(seed, bool) or seed < 0:
                raise ValueError(f"seed must be a whole number from 0, not {shown(seed)}")
            rng, seeds = np.random.default_rng(int(seed)), None
        if seeds is None:
            seeds = rng.integers(2**64, size=self.num_games, dtype=np.uint64)
        words = seeds_to_words(seeds)
        if len(words) != self.num_games:
            raise ValueError(f"{len(words)} seeds are given for {self.num_games} games")
        self._rng, self.words[:], self.seeds = rng, words, np.array(seeds, np.uint64)


class SelfPlay(Tables):
    """`num_games` games side by side, all seats of which are played from outside.

    >>> games = SelfPlay(4, num_games=256, seed=7)
    >>> actions = games.masks.argmax(axis=1)     # before the step, seats[i] is on turn in game i
    >>> rewards, done = games.step(actions)      # after it, seats[i] is whoever decides next
    >>> rewards.shape, done.shape
    ((256, 5), (256,))

    `tables` is a number of players, a `Rules`, or a sequence of these: game i is played with
    `tables[i % len(tables)]`, again and again. `seed` is a whole number, or one for each game;
    game i begins as `Game(seed=games.seeds[i])` does, and the luck of the games after it goes on
    from there. `threads` changes the speed alone.

    The arrays belong to the object, and the next `step` or `reset` overwrites them: copy what has
    to last.
    """

    seats: NDArray[np.int64]
    """`(B,)` the seat on turn; it always has a choice."""
    observations: Observations
    """`(B, OBSERVATION_SIZE)` what the seat on turn sees."""
    masks: Masks
    """`(B, 54)` the actions it may choose from: 1 legal, 0 not."""
    rewards: NDArray[np.float32]
    """`(B, 5)` what every seat got during the last step: by the action, by the forced moves after
    it, and by the end of the game. 0 for seats that are not there."""
    done: NDArray[np.bool_]
    """`(B,)` whether the game ended in the last step; everything else shows the next one by now."""
    final_scores: NDArray[np.int16]
    """`(B, 5)` each seat's points in the last game that ended in this row."""
    final_ranks: NDArray[np.int8]
    """`(B, 5)` each seat's place in it: 0 is first, -1 a seat that is not there."""

    def __init__(
        self,
        tables: Table | Sequence[Table] = 4,
        num_games: int = 1024,
        seed: Seed = None,
        *,
        reward: str = "placement",
        view: str = "memory",
        threads: int = 1,
    ) -> None:
        super().__init__(tables, num_games, reward, view, threads)
        self.seats = np.empty(num_games, np.int64)
        self.observations = np.empty((num_games, OBSERVATION_SIZE), np.float32)
        self.masks = np.empty((num_games, NUM_ACTIONS), np.int8)
        self.rewards = np.empty((num_games, MAX_PLAYERS), np.float32)
        self.done = np.empty(num_games, np.bool_)
        self.final_scores = np.zeros((num_games, MAX_PLAYERS), np.int16)
        self.final_ranks = np.full((num_games, MAX_PLAYERS), NOBODY, np.int8)
        self._before = np.empty((num_games, MAX_PLAYERS), np.int16)
        self.reset(seed)

    def reset(self, seed: Seed = None) -> None:
        """Begin all games anew: with this seed; without one, as the luck of before goes on."""
        self._draw_words(seed)
        run(_begin, self.threads, self.states, self.words, self._starts)
        self._show()

    def step(self, actions: Any) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in each game, and all forced moves after it; returns `rewards, done`.

        A game that ends is followed by a new one at once. An action that is not legal raises
        `IllegalAction`, and nothing is played in any game.
        """
        actions = checked_actions(actions, self.num_games)
        check_legal(self.states, actions)
        run(
            _step,
            self.threads,
            *(self.states, self.words, actions, self._starts, self._reward, self._view),
            *(self.seats, self.observations, self.masks, self.rewards, self.done),
            *(self.final_scores, self.final_ranks, self._before),
        )
        return self.rewards, self.done

    def restore(self, states: States, words: Words) -> None:
        """Set all games back to rows and random words that were copied from here before.

        Every game must have something to decide, as between two steps it has.
        """
        check_states(states)
        check_array("words", words, np.uint64, 1)
        if states.shape != self.states.shape or words.shape != self.words.shape:
            raise ValueError(
                f"{len(states)} rows and {len(words)} words for {self.num_games} games"
            )
        settings = slice(NUM_PLAYERS, AUCTION_SPACES + 1)
        if (states[:, settings] != self._starts[:, settings]).any():
            raise ValueError("the rows are of games with other rules")
        if (states[:, PHASE] == OVER).any():
            raise ValueError("some of the games are over")
        self.states[:], self.words[:] = states, words
        self._show()

    def _show(self) -> None:
        """Fill the arrays for games that nothing has happened in yet."""
        self.rewards[:] = 0.0
        self.done[:] = False
        run(
            _look,
            self.threads,
            *(self.states, self._view, self.seats, self.observations, self.masks),
        )

    def observe_seats(self, seats: Any, out: Observations) -> None:
        """Write what a seat sees in each game into `out (B, OBSERVATION_SIZE)`, on turn or not.

        `seats` is one seat, or one for each game. A seat that is not there sees nothing but zeros.
        """
        seats = self._checked_seats(seats)
        check_array("out", out, np.float32, 2)
        if out.shape != self.observations.shape:
            raise ValueError(f"out has shape {out.shape}, not {self.observations.shape}")
        run(_observe, self.threads, self.states, seats, self._view, out)

    def _checked_seats(self, seats: Any) -> NDArray[np.int64]:
        array = np.asarray(seats)
        if array.dtype.kind not in "iu" or array.shape not in ((), (self.num_games,)):
            raise ValueError(
                f"seats must be one seat, or one for each of {self.num_games} games, "
                f"not {array.dtype} of shape {array.shape}"
            )
        if array.min() < 0 or array.max() >= MAX_PLAYERS:
            raise ValueError(f"seats are 0 to {MAX_PLAYERS - 1}")
        return np.ascontiguousarray(np.broadcast_to(array, self.num_games), np.int64)


# --- checks --------------------------------------------------------------------------------------


def _checked_tables(tables: Any) -> tuple[Rules, ...]:
    if isinstance(tables, str) or not isinstance(tables, Sequence):
        tables = (tables,)
    if not tables:
        raise RulesError("tables must name at least one number of players or Rules")
    return tuple(table if isinstance(table, Rules) else Rules(table) for table in tables)


def _checked_count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1, not {shown(value)}")
    return int(value)


# --- compiled loops over a range of games --------------------------------------------------------


@njit
def _begin(states: States, words: Words, starts: States, start: int, stop: int) -> None:
    for game in range(start, stop):
        copy_row(starts[game], states[game])
        words[game] = deal(states[game], words[game])


@njit
def _look(
    states: States,
    view: int,
    seats: NDArray[np.int64],
    observations: Observations,
    masks: Masks,
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        state = states[game]
        seats[game] = state[SEAT]
        write_mask(legal_actions(state), masks[game])
        observe(state, seats[game], view, observations[game])


@njit
def _step(
    states: States,
    words: Words,
    actions: NDArray[np.int64],
    starts: States,
    reward_kind: int,
    view: int,
    seats: NDArray[np.int64],
    observations: Observations,
    masks: Masks,
    rewards: NDArray[np.float32],
    done: NDArray[np.bool_],
    final_scores: NDArray[np.int16],
    final_ranks: NDArray[np.int8],
    before: NDArray[np.int16],
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        state = states[game]
        word = words[game]
        for seat in range(MAX_PLAYERS):
            before[game, seat] = state[SCORE + seat]
        action = actions[game]
        while True:
            word = step_one(state, action, word)
            bits = legal_actions(state)
            if count_bits(bits) != 1:
                break
            action = lowest_action(bits)
        num_players = int(state[NUM_PLAYERS])
        for seat in range(num_players):
            rewards[game, seat] = reward(state, before[game], seat, reward_kind)
        done[game] = state[PHASE] == OVER
        if done[game]:
            for seat in range(num_players):
                final_scores[game, seat] = state[SCORE + seat]
                final_ranks[game, seat] = rank(state, seat)
            copy_row(starts[game], state)
            word = deal(state, word)
            bits = legal_actions(state)  # more than one: at the start nobody is forced
        words[game] = word
        seats[game] = state[SEAT]
        write_mask(bits, masks[game])
        observe(state, seats[game], view, observations[game])


@njit
def _observe(
    states: States,
    seats: NDArray[np.int64],
    view: int,
    out: Observations,
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        if seats[game] < states[game, NUM_PLAYERS]:
            observe(states[game], seats[game], view, out[game])
        else:
            for i in range(OBSERVATION_SIZE):
                out[game, i] = 0.0
