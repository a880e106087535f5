"""Many games side by side: rows `states (B, STATE_SIZE)` and random words `words (B,)`.

Every function works in place on arrays that belong to the caller. Games do not know each other, so
any number of threads gives the same result. The functions check all they are given, rows included,
and raise without having changed anything; `check=False` leaves that out, for inner loops whose
arrays come from here anyway.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.actions import ACTION_TEXTS, NUM_ACTIONS, action_bits_to_list
from ra_env.errors import IllegalAction, RulesError, shown
from ra_env.integrity import SOUND, first_fault
from ra_env.lanes import write_bits
from ra_env.layout import (
    FIELDS,
    OVER,
    PHASE,
    SEAT,
    STATE_SIZE,
    State,
    copy_row,
    count_bits,
    starting_row,
)
from ra_env.legality import legal_actions, lowest_action, nth_action
from ra_env.observation import OBSERVATION_SIZE, observe, view_id
from ra_env.rng import below, next_word, seed_word
from ra_env.rules import Rules, whole_number
from ra_env.transitions import deal
from ra_env.transitions import step as step_one

States = NDArray[np.int16]
Words = NDArray[np.uint64]
Masks = NDArray[np.int8]
Observations = NDArray[np.float32]

MIN_PER_THREAD: Final = 64
"""Fewer games than this are not worth a thread."""


# --- what users call -----------------------------------------------------------------------------


def new_games(rules: Rules, seeds: Any) -> tuple[States, Words]:
    """Fresh games, one per seed, each the same as `Game(seed=...)`: `(states, words)`."""
    check_rules(rules)
    words = seeds_to_words(seeds)
    states = np.empty((len(words), STATE_SIZE), dtype=np.int16)
    _deal(states, words, starting_row(rules), 0, len(words))
    return states, words


def step(
    states: States,
    words: Words,
    actions: Any,
    *,
    out: Masks | None = None,
    observations: Observations | None = None,
    view: str = "memory",
    threads: int = 1,
    check: bool = True,
) -> None:
    """Play one action in each game; `out (B, 54)` receives the legal masks after it, and
    `observations (B, OBSERVATION_SIZE)` what the seat on turn then sees in this view.

    A game that is over stays as it is, whatever its action; it is seen from seat 0.
    """
    if observations is not None and out is None:
        raise ValueError("observations are written together with masks: out is needed too")
    if check:
        check_states(states)
        _check_words(words, states)
        actions = checked_actions(actions, len(states))
        _check_masks(out, states)
        _check_observations(observations, states)
        check_legal(states, actions)
    if out is None:
        run(_step, threads, states, words, actions)
    elif observations is None:
        run(_step_masks, threads, states, words, actions, out)
    else:
        run(_step_observe, threads, states, words, actions, view_id(view), out, observations)


def legal_masks(
    states: States, *, out: Masks | None = None, threads: int = 1, check: bool = True
) -> Masks:
    """The legal actions of each game as int8 `(B, 54)`; all zero when it is over."""
    if check:
        check_states(states)
        _check_masks(out, states)
    if out is None:
        out = np.empty((len(states), NUM_ACTIONS), dtype=np.int8)
    run(_legal_masks, threads, states, out)
    return out


def reset_finished(
    states: States, words: Words, rules: Rules, *, threads: int = 1, check: bool = True
) -> NDArray[np.bool_]:
    """Start a new game in place of each that is over; returns which ones were.

    The new game's luck goes on where the random word of the old one stopped.
    """
    if check:
        check_states(states)
        _check_words(words, states)
        check_rules(rules)
    finished: NDArray[np.bool_] = states[:, PHASE] == OVER
    run(_reset_finished, threads, states, words, starting_row(rules))
    return finished


def play_forced(
    states: States, words: Words, *, threads: int = 1, check: bool = True
) -> NDArray[np.int64]:
    """Play on while a game has exactly one legal action; returns the moves played in each."""
    if check:
        check_states(states)
        _check_words(words, states)
    moves = np.zeros(len(states), dtype=np.int64)
    run(_play_forced, threads, states, words, moves)
    return moves


def play_random(
    states: States, words: Words, choices: Words, *, threads: int = 1, check: bool = True
) -> NDArray[np.int64]:
    """Play each game to its end with random legal actions; returns the moves played in each.

    `choices` are the random words of the players, moved on in place; `words` are those of the bag.
    """
    if check:
        check_states(states)
        _check_words(words, states)
        _check_words(choices, states, "choices")
    moves = np.zeros(len(states), dtype=np.int64)
    run(_play_random, threads, states, words, choices, moves)
    return moves


def check_states(states: object) -> None:
    """Raise `ValueError` unless every row is a position of the game."""
    check_array("states", states, np.int16, 2)
    assert isinstance(states, np.ndarray)
    if states.shape[1] != STATE_SIZE:
        raise ValueError(f"a row of states has {STATE_SIZE} numbers, not {states.shape[1]}")
    index, offset = _find_fault(states)
    if offset != SOUND:
        field = next(f for f in reversed(FIELDS) if f.offset <= offset)
        raise ValueError(
            f"states[{index}] is not a position of the game: {field.name} "
            f"({field.meaning}) cannot be {states[index, offset]}"
        )


# --- compiled loops over a range of games --------------------------------------------------------


@njit
def _deal(states: States, words: Words, row: State, start: int, stop: int) -> None:
    for game in range(start, stop):
        state = states[game]
        copy_row(row, state)
        words[game] = deal(state, words[game])


@njit
def _step(states: States, words: Words, actions: NDArray[np.int64], start: int, stop: int) -> None:
    for game in range(start, stop):
        if states[game, PHASE] != OVER:
            words[game] = step_one(states[game], actions[game], words[game])


@njit
def _step_masks(
    states: States,
    words: Words,
    actions: NDArray[np.int64],
    out: Masks,
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        state = states[game]
        if state[PHASE] != OVER:
            words[game] = step_one(state, actions[game], words[game])
        write_mask(legal_actions(state), out[game])


@njit
def _step_observe(
    states: States,
    words: Words,
    actions: NDArray[np.int64],
    view: int,
    out: Masks,
    observations: Observations,
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        state = states[game]
        if state[PHASE] != OVER:
            words[game] = step_one(state, actions[game], words[game])
        write_mask(legal_actions(state), out[game])
        observe(state, max(int(state[SEAT]), 0), view, observations[game])


@njit
def _legal_masks(states: States, out: Masks, start: int, stop: int) -> None:
    for game in range(start, stop):
        write_mask(legal_actions(states[game]), out[game])


@njit
def write_mask(bits: int, out: Masks) -> None:
    """Write a bit set of actions as one int8 per action."""
    write_bits(bits, NUM_ACTIONS, out, 0)


@njit
def _reset_finished(states: States, words: Words, row: State, start: int, stop: int) -> None:
    for game in range(start, stop):
        state = states[game]
        if state[PHASE] == OVER:
            copy_row(row, state)
            words[game] = deal(state, words[game])


@njit
def _play_forced(
    states: States, words: Words, moves: NDArray[np.int64], start: int, stop: int
) -> None:
    for game in range(start, stop):
        state = states[game]
        bits = legal_actions(state)
        while count_bits(bits) == 1:
            words[game] = step_one(state, lowest_action(bits), words[game])
            moves[game] += 1
            bits = legal_actions(state)


@njit
def _play_random(
    states: States,
    words: Words,
    choices: Words,
    moves: NDArray[np.int64],
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        state = states[game]
        word = words[game]
        choice = choices[game]
        count = 0
        bits = legal_actions(state)
        while bits != 0:
            choice = next_word(choice)
            word = step_one(state, random_action(bits, choice), word)
            count += 1
            bits = legal_actions(state)
        words[game] = word
        choices[game] = choice
        moves[game] = count


@njit
def random_action(bits: int, word: np.uint64) -> int:
    """The action of a bit set that the random word picks, all equally likely."""
    return nth_action(bits, below(word, count_bits(bits)))


@njit
def _words_of_seeds(seeds: Words, out: Words) -> None:
    for game in range(len(seeds)):
        out[game] = seed_word(seeds[game])


@njit
def _find_fault(states: States) -> tuple[int, int]:
    for game in range(len(states)):
        offset = first_fault(states[game])
        if offset != SOUND:
            return game, offset
    return 0, SOUND


@njit
def _find_illegal(states: States, actions: NDArray[np.int64]) -> int:
    for game in range(len(states)):
        action = actions[game]
        if states[game, PHASE] != OVER and (
            action < 0 or action >= NUM_ACTIONS or not (legal_actions(states[game]) >> action) & 1
        ):
            return game
    return -1


# --- threads -------------------------------------------------------------------------------------


def run(kernel: Callable[..., None], threads: int, *arrays: Any) -> None:
    """Run a compiled loop over all games, on several threads if asked and worth it."""
    if type(threads) is int and threads == 1:  # most calls, and the loop may be short
        kernel(*arrays, 0, len(arrays[0]))
        return
    wanted = whole_number(threads)
    if wanted is None or wanted < 1:
        raise ValueError(f"threads must be a whole number from 1, not {shown(threads)}")
    count = len(arrays[0])
    threads = min(wanted, max(count // MIN_PER_THREAD, 1))
    if threads == 1:
        kernel(*arrays, 0, count)
        return
    cuts = [count * i // threads for i in range(threads + 1)]
    pool = _pool(threads, os.getpid())
    parts = [pool.submit(kernel, *arrays, a, b) for a, b in pairwise(cuts)]
    for part in parts:
        part.result()


@lru_cache(maxsize=8)
def _pool(threads: int, pid: int) -> ThreadPoolExecutor:
    """One pool per process: threads do not survive a fork, so the process is part of the key."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"ra-env-{pid}")


# --- checks --------------------------------------------------------------------------------------


def check_rules(rules: object) -> None:
    """Raise `RulesError` unless it is a `Rules`."""
    if not isinstance(rules, Rules):
        raise RulesError(f"rules must be a Rules, not {shown(rules)}")


def check_array(name: str, array: object, dtype: type, ndim: int) -> None:
    """Raise `ValueError` unless compiled code can work in place on the array."""
    # Subclasses such as matrices and masked arrays index and compare in ways of their own.
    if not isinstance(array, np.ndarray) or type(array) not in (np.ndarray, np.memmap):
        raise ValueError(f"{name} must be a plain numpy array, not a {type(array).__name__}")
    wanted = np.dtype(dtype)
    if array.dtype != wanted or array.ndim != ndim:
        raise ValueError(
            f"{name} must be {ndim}-dimensional {wanted}, not {array.ndim}-dimensional "
            f"{array.dtype}"
        )
    if not array.flags.c_contiguous or not array.flags.writeable or not array.flags.aligned:
        raise ValueError(f"{name} must be contiguous, aligned and writeable")


def _check_words(words: object, states: States, name: str = "words") -> None:
    check_array(name, words, np.uint64, 1)
    assert isinstance(words, np.ndarray)
    if len(words) != len(states):
        raise ValueError(f"{name} has {len(words)} entries for {len(states)} games")


def _check_masks(out: object, states: States) -> None:
    if out is None:
        return
    check_array("out", out, np.int8, 2)
    assert isinstance(out, np.ndarray)
    if out.shape != (len(states), NUM_ACTIONS):
        raise ValueError(f"out has shape {out.shape}, not {(len(states), NUM_ACTIONS)}")


def _check_observations(observations: object, states: States) -> None:
    if observations is None:
        return
    check_array("observations", observations, np.float32, 2)
    assert isinstance(observations, np.ndarray)
    if observations.shape != (len(states), OBSERVATION_SIZE):
        raise ValueError(
            f"observations has shape {observations.shape}, not {(len(states), OBSERVATION_SIZE)}"
        )


def checked_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """One action id for each game, as compiled code takes them; whether they are legal is open."""
    try:
        array = _as_array(actions)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("actions must be one whole number for each game") from None
    if array.dtype.kind not in "iu" or array.shape != (count,):
        raise ValueError(
            f"actions must be one whole number for each of {count} games, "
            f"not {array.dtype} of shape {array.shape}"
        )
    if array.dtype == np.uint64:  # the upper half would turn negative
        array = np.minimum(array, np.iinfo(np.int64).max)
    return np.ascontiguousarray(array, dtype=np.int64)


def _as_array(values: Any) -> NDArray[Any]:
    """Numbers as an array. A truth value among them stays one; numpy would make it 0 or 1."""
    is_list = isinstance(values, (list, tuple))
    if is_list and any(isinstance(value, (bool, np.bool_)) for value in values):
        return np.array(values, dtype=object)
    return np.asarray(values)


def check_legal(states: States, actions: NDArray[np.int64]) -> None:
    """Raise `IllegalAction` unless each action is legal in its game, if that is not over."""
    game = _find_illegal(states, actions)
    if game >= 0:
        action = int(actions[game])
        name = ACTION_TEXTS[action] if 0 <= action < NUM_ACTIONS else "no action"
        legal = action_bits_to_list(int(legal_actions(states[game])))
        raise IllegalAction(
            f"action {action} ({name}) is not legal in game {game}; legal: "
            + ", ".join(f"{a} ({ACTION_TEXTS[a]})" for a in legal)
        )


def seeds_to_words(seeds: Any) -> Words:
    """The first random word of the game with each seed."""
    try:
        array = _as_array(seeds)
        if array.dtype.kind not in "iu":  # whole numbers above and below 2**63 become floats
            array = np.asarray(seeds, dtype=object)
            if all(type(seed) is int and seed >= 0 for seed in array.flat):
                array = array.astype(np.uint64)
    except (ValueError, TypeError, OverflowError):
        array = np.empty(0, dtype=object)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
        raise ValueError("seeds must be one whole number from 0 to 2**64 - 1 for each game")
    words = np.empty(len(array), dtype=np.uint64)
    _words_of_seeds(array.astype(np.uint64), words)
    return words
