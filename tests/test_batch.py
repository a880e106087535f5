"""Many games at once: the same as one by one, on any number of threads, and checked at the door."""

import multiprocessing
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from random_play import SMALL, mixed_games, random_actions

from ra_env import NUM_ACTIONS, Game, IllegalAction, Rules, RulesError, batch, observation
from ra_env.batch import MIN_PER_THREAD, Masks, States, Words
from ra_env.layout import BAG_COUNT, FACE_UP, OVER, PHASE, SEAT, STATE_SIZE, starting_row

COMPILED = not numba.config.DISABLE_JIT
COUNT = 1000 if COMPILED else 20
"""Games in a batch; enough for several threads when compiled."""

Arrays = tuple[States, Words]


@pytest.fixture(scope="module", params=[2, 3, 4, 5, "small"], ids=str)
def rules(request: pytest.FixtureRequest) -> Rules:
    return SMALL if request.param == "small" else Rules(request.param)


@pytest.fixture(scope="module")
def games_once(rules: Rules) -> Arrays:
    return mixed_games(rules, COUNT)


@pytest.fixture
def games(games_once: Arrays) -> Arrays:
    """Games at all points of their course, some of them over, for this test alone."""
    states, words = games_once
    over = (states[:, PHASE] == OVER).mean()
    assert 0 < over < 1
    return states.copy(), words.copy()


def some_actions(states: States) -> NDArray[np.int64]:
    return random_actions(states, np.random.default_rng(5))


# --- the same as one by one ----------------------------------------------------------------------


@pytest.mark.boundscheck
def test_a_batch_plays_the_same_games_as_game(rules: Rules) -> None:
    """From the deal to the end: the same rows, masks and tiles."""
    seeds = [0, 7, 2**64 - 1]
    singles = [Game(rules=rules, seed=seed) for seed in seeds]
    states, words = batch.new_games(rules, seeds)
    masks = batch.legal_masks(states)
    choose = np.random.default_rng(1)
    while not all(game.is_over for game in singles):
        for game, state, mask in zip(singles, states, masks, strict=True):
            assert (state == game.state).all()
            assert np.flatnonzero(mask).tolist() == game.legal_actions()
        actions = random_actions(states, choose)
        batch.step(states, words, actions, out=masks)
        for game, action in zip(singles, actions.tolist(), strict=True):
            if not game.is_over:
                game.play(action)
    assert (states == [game.state for game in singles]).all()
    assert not masks.any()


@pytest.mark.parametrize(
    "seeds",
    [
        range(3),
        [0, 1, 2],
        (0, 1, 2),
        np.arange(3),
        np.arange(3, dtype=np.uint8),
        np.arange(3, dtype=np.uint64),
        np.arange(9)[::3] // 3,
    ],
    ids=lambda seeds: type(seeds).__name__,
)
def test_seeds_may_come_in_any_form(seeds: Any) -> None:
    states, words = batch.new_games(Rules(3), seeds)
    wanted = batch.new_games(Rules(3), [0, 1, 2])
    assert (states == wanted[0]).all()
    assert (words == wanted[1]).all()


def test_seeds_small_and_large_may_be_mixed() -> None:
    """numpy would make floats of them, and forget the last digits."""
    states, _ = batch.new_games(Rules(3), [1, 2**63 + 1, 2**64 - 1])
    for seed, state in zip((1, 2**63 + 1, 2**64 - 1), states, strict=True):
        assert (state == Game(3, seed=seed).state).all()


def test_no_games_are_a_batch_too() -> None:
    for seeds in ([], range(0), np.empty(0, np.int64)):
        states, words = batch.new_games(Rules(4), seeds)
        assert states.shape == (0, STATE_SIZE)
        assert batch.legal_masks(states).shape == (0, NUM_ACTIONS)
        batch.step(states, words, np.empty(0, np.int64))
        assert batch.play_random(states, words, words.copy()).shape == (0,)
        assert batch.reset_finished(states, words, Rules(4)).shape == (0,)


@pytest.mark.parametrize(
    "seeds",
    [
        *(5, None, "012", [0.0], [0.5], [-1], [0, -1], [2**64], [10**5000], [True], [None], ["1"]),
        *([False, 0], (7, True), [np.True_, 1]),
        *([[0, 1]], [[0], [1, 2]], {0, 1}, {0: 1}, np.zeros((2, 2), int), np.array([1.0]), int),
    ],
    ids=lambda seeds: type(seeds).__name__,
)
def test_anything_else_is_no_seeds(seeds: Any) -> None:
    with pytest.raises(ValueError, match=r"seeds must be one whole number from 0 to 2\*\*64 - 1"):
        batch.new_games(Rules(4), seeds)


# --- what each function does ---------------------------------------------------------------------


def test_a_finished_game_stays_as_it_is_whatever_its_action(games: Arrays) -> None:
    states, words = games
    over = states[:, PHASE] == OVER
    actions = some_actions(states)
    actions[over] = np.resize([0, 53, -1, 10**12], over.sum())
    before = states[over].copy(), words[over].copy()
    masks = np.ones((len(states), NUM_ACTIONS), np.int8)
    batch.step(states, words, actions, out=masks)
    assert (states[over] == before[0]).all()
    assert (words[over] == before[1]).all()
    assert not masks[over].any()
    assert masks[states[:, PHASE] != OVER].any(axis=1).all()


def test_step_writes_the_masks_that_legal_masks_would(games: Arrays) -> None:
    states, words = games
    other_states, other_words = states.copy(), words.copy()
    actions = some_actions(states)
    out = np.full((len(states), NUM_ACTIONS), 7, np.int8)
    batch.step(states, words, actions, out=out)
    batch.step(other_states, other_words, actions)
    assert (states == other_states).all()
    assert (words == other_words).all()
    assert (out == batch.legal_masks(states)).all()
    again = np.full_like(out, 7)
    assert batch.legal_masks(states, out=again) is again
    assert (again == out).all()


def test_only_a_draw_moves_the_random_word(games: Arrays) -> None:
    states, words = games
    before = words.copy()
    going = states[:, PHASE] != OVER
    actions = some_actions(states)
    batch.step(states, words, actions)
    assert ((words != before) == (going & (actions == 0))).all()


@pytest.mark.boundscheck
def test_reset_finished_deals_anew_where_a_game_is_over(rules: Rules, games: Arrays) -> None:
    states, words = games
    before = states.copy(), words.copy()
    over = states[:, PHASE] == OVER
    finished = batch.reset_finished(states, words, rules)
    assert (finished == over).all()
    assert (states[~over] == before[0][~over]).all()
    assert (words[~over] == before[1][~over]).all()
    assert (states[over, PHASE] == 0).all()
    assert (words[over] != before[1][over]).all()
    batch.check_states(states)
    start = starting_row(rules)
    dealt = slice(FACE_UP, FACE_UP + 5)
    assert (np.sort(states[over, dealt]) == np.sort(start[dealt])).all()
    same = np.setdiff1d(np.arange(STATE_SIZE), [PHASE, SEAT, *range(FACE_UP, FACE_UP + 5)])
    assert (states[np.ix_(over, same)] == start[same]).all()
    assert not batch.reset_finished(states, words, rules).any()


def test_reset_finished_may_change_the_rules() -> None:
    states, words = batch.new_games(SMALL, range(3))
    batch.play_random(states, words, words.copy())
    batch.reset_finished(states, words, Rules(5))
    batch.check_states(states)
    assert (states[:, 0] == 5).all()


@pytest.mark.boundscheck
def test_play_forced_plays_what_leaves_no_choice_and_stops_there(games: Arrays) -> None:
    states, words = games
    by_hand, by_hand_words = states.copy(), words.copy()
    counts = np.zeros(len(states), np.int64)
    while True:
        masks = batch.legal_masks(by_hand)
        forced = masks.sum(axis=1) == 1
        if not forced.any():
            break
        rows, luck = by_hand[forced], by_hand_words[forced]
        batch.step(rows, luck, masks[forced].argmax(axis=1))
        by_hand[forced], by_hand_words[forced] = rows, luck
        counts += forced
    moves = batch.play_forced(states, words)
    assert (states == by_hand).all()
    assert (words == by_hand_words).all()
    assert (moves == counts).all()
    assert not batch.play_forced(states, words).any()


@pytest.mark.boundscheck
def test_play_random_plays_every_game_to_its_end(games: Arrays) -> None:
    states, words = games
    choices = words + np.uint64(1)
    over = states[:, PHASE] == OVER
    before = states.copy(), words.copy(), choices.copy()
    moves = batch.play_random(states, words, choices)
    assert (states[:, PHASE] == OVER).all()
    batch.check_states(states)
    assert ((moves == 0) == over).all()
    for array, old in zip((states, words, choices), before, strict=True):
        assert (array[over] == old[over]).all()
    assert (choices[~over] != before[2][~over]).all()


def test_the_choices_of_random_play_leave_the_luck_of_the_bag_alone() -> None:
    """Other choices, other games; but a game that draws equally often ends with the same word."""
    games = [batch.new_games(Rules(3), [8] * 50) for _ in range(2)]
    for (states, words), first in zip(games, (0, 1000), strict=True):
        batch.play_random(states, words, np.arange(first, first + 50, dtype=np.uint64))
    (states, words), (other_states, other_words) = games
    assert (states != other_states).any(axis=1).all()
    luck = {
        (int(word), int(state[BAG_COUNT]))
        for state, word in zip((*states, *other_states), (*words, *other_words), strict=True)
    }
    assert 1 < len(luck) < 100
    assert (
        len({word for word, _ in luck}) == len({tiles_left for _, tiles_left in luck}) == len(luck)
    )


# --- threads, processes, and going without checks ------------------------------------------------


def everything_once(
    states: States, words: Words, rules: Rules, **options: Any
) -> list[NDArray[Any]]:
    """Every function once, and all that comes of it."""
    actions = some_actions(states)
    masks = np.empty((len(states), NUM_ACTIONS), np.int8)
    batch.step(states, words, actions, **options)
    batch.step(states, words, some_actions(states), out=masks, **options)
    found = [masks, batch.legal_masks(states, **options)]
    found.append(batch.play_forced(states, words, **options))
    found.append(batch.reset_finished(states, words, rules, **options))
    choices = words ^ np.uint64(12345)
    found.append(batch.play_random(states, words, choices, **options))
    return [*found, choices, states, words]


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 10**6, np.int64(2)])
def test_any_number_of_threads_gives_the_same(
    rules: Rules, games: Arrays, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not COMPILED:  # the batch is small then
        monkeypatch.setattr(batch, "MIN_PER_THREAD", 2)
    assert len(games[0]) > 7 * batch.MIN_PER_THREAD
    wanted = everything_once(*(array.copy() for array in games), rules)
    found = everything_once(*games, rules, threads=threads)
    for one, other in zip(found, wanted, strict=True):
        assert (one == other).all()


def test_without_checks_the_same_comes_out(rules: Rules, games: Arrays) -> None:
    wanted = everything_once(*(array.copy() for array in games), rules)
    found = everything_once(*games, rules, check=False)
    for one, other in zip(found, wanted, strict=True):
        assert (one == other).all()


def moves_of_random_play(seed: int) -> list[int]:
    states, words = batch.new_games(Rules(4), range(seed, seed + 4 * MIN_PER_THREAD))
    return batch.play_random(states, words, words.copy(), threads=2).tolist()


@pytest.mark.compiled
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_play_on_threads_of_their_own(method: str) -> None:
    """Threads do not survive a fork: a child must not wait for those of its parent."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    wanted = [moves_of_random_play(seed) for seed in (0, 1000)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(moves_of_random_play, [0, 1000]) == wanted


# --- what is refused -----------------------------------------------------------------------------

Change = Callable[[NDArray[Any]], Any]


def unaligned(array: NDArray[Any]) -> NDArray[Any]:
    room = np.zeros(array.nbytes + 1, np.uint8)
    shifted = room[1:].view(array.dtype).reshape(array.shape)
    shifted[:] = array
    return shifted


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    copied = array.copy()
    copied.flags.writeable = False
    return copied


def every_other(array: NDArray[Any]) -> NDArray[Any]:
    return np.repeat(array, 2, axis=0)[::2]


UNFIT_ARRAYS: dict[str, Change] = {
    "a list": lambda array: array.tolist(),
    "nothing": lambda array: None,
    "a number": lambda array: 7,
    "a text": lambda array: "states",
    "wider numbers": lambda array: array.astype(np.int32),
    "floats": lambda array: array.astype(np.float64),
    "objects": lambda array: array.astype(object),
    "the other byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "fewer dimensions": lambda array: array[0],
    "more dimensions": lambda array: array[None],
    "a game too few": lambda array: array[:-1].copy(),
    "a game too many": lambda array: np.concatenate([array, array[:1]]),
    "unaligned": unaligned,
    "read-only": read_only,
    "with gaps": every_other,
    "a masked array": np.ma.asarray,
    "a subclass": lambda array: array.view(np.recarray),
}
CALLS: dict[str, Callable[..., Any]] = {
    "step": lambda a: batch.step(a["states"], a["words"], a["actions"], out=a["out"]),
    "legal_masks": lambda a: batch.legal_masks(a["states"], out=a["out"]),
    "reset_finished": lambda a: batch.reset_finished(a["states"], a["words"], Rules(2)),
    "play_forced": lambda a: batch.play_forced(a["states"], a["words"]),
    "play_random": lambda a: batch.play_random(a["states"], a["words"], a["choices"]),
}
TAKES = {
    "step": ("states", "words", "out"),
    "legal_masks": ("states", "out"),
    "reset_finished": ("states", "words"),
    "play_forced": ("states", "words"),
    "play_random": ("states", "words", "choices"),
}


def arguments() -> dict[str, NDArray[Any]]:
    states, words = mixed_games(SMALL, 6)
    return {
        "states": states,
        "words": words,
        "choices": words.copy(),
        "actions": some_actions(states),
        "out": np.full((6, NUM_ACTIONS), 7, np.int8),
    }


def unfit_arguments() -> list[tuple[str, str, str]]:
    """Every array of every function in every way that does not fit."""
    # Masks may be left out, and a single byte has neither an order nor an alignment.
    fits = {("out", "nothing"), ("out", "the other byte order"), ("out", "unaligned")}
    return [
        (call, name, unfit)
        for call, names in TAKES.items()
        for name in names
        for unfit in UNFIT_ARRAYS
        if (name, unfit) not in fits
    ]


@pytest.mark.parametrize(("call", "name", "unfit"), unfit_arguments())
def test_an_array_that_does_not_fit_is_refused_by_name(call: str, name: str, unfit: str) -> None:
    given: dict[str, Any] = arguments()
    given[name] = UNFIT_ARRAYS[unfit](given[name])
    others = {key: value.copy() for key, value in given.items() if key != name}
    # If the number of games differs, it is the next array that does not fit any more.
    named = "words has|out has" if unfit.startswith("a game") and name == "states" else f"^{name} "
    with pytest.raises(ValueError, match=named):
        CALLS[call](given)
    for key, value in others.items():
        assert (given[key] == value).all(), f"{key} was changed"


@pytest.mark.parametrize("columns", [0, 1, STATE_SIZE - 1, STATE_SIZE + 1])
def test_a_row_of_another_length_is_refused(columns: int) -> None:
    with pytest.raises(
        ValueError, match=rf"a row of states has {STATE_SIZE} numbers, not {columns}"
    ):
        batch.check_states(np.zeros((3, columns), np.int16))


@pytest.mark.parametrize("columns", [NUM_ACTIONS - 1, NUM_ACTIONS + 1, 0])
def test_masks_of_another_width_are_refused(columns: int) -> None:
    states, _ = batch.new_games(SMALL, range(3))
    with pytest.raises(ValueError, match=rf"out has shape \(3, {columns}\), not \(3, 54\)"):
        batch.legal_masks(states, out=np.zeros((3, columns), np.int8))


@pytest.mark.parametrize(
    "actions",
    [
        *(0, None, "abc", int, {}, [0, 0], [0, 0, 0, 0], [[0], [0], [0]], [0, 0.0, 0]),
        *([0, None, 0], [True] * 3, [0, True, 0], ["0"] * 3, [0, 10**30, 0], [[0], [0, 0], 0]),
        *(np.zeros(3), np.zeros((3, 1), int)),
    ],
    ids=repr,
)
def test_actions_of_another_kind_or_number_are_refused(actions: Any) -> None:
    states, words = batch.new_games(SMALL, range(3))
    before = states.copy(), words.copy()
    with pytest.raises(ValueError, match="actions must be one whole number for each"):
        batch.step(states, words, actions)
    assert (states == before[0]).all()
    assert (words == before[1]).all()


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        (2, r"2 \(end\)"),
        (19, r"19 \(bid 16\)"),
        (54, r"54 \(no action\)"),
        (-1, r"-1 \(no action\)"),
        (2**62, r"\d+ \(no action\)"),
        (-(2**63), r"-\d+ \(no action\)"),
    ],
)
def test_an_illegal_action_is_named_with_its_game_and_changes_none(action: int, shown: str) -> None:
    states, words = batch.new_games(Rules(4), range(5))
    before = states.copy(), words.copy()
    out = np.full((5, NUM_ACTIONS), 7, np.int8)
    expected = rf"action {shown} is not legal in game 3; legal: 0 \(draw\), 1 \(invoke\)$"
    with pytest.raises(IllegalAction, match=expected):
        batch.step(states, words, [0, 0, 0, action, 99], out=out)
    assert (states == before[0]).all()
    assert (words == before[1]).all()
    assert (out == 7).all()


def test_a_huge_unsigned_action_does_not_turn_into_a_small_one() -> None:
    states, words = batch.new_games(Rules(4), [0])
    with pytest.raises(IllegalAction, match=r"action \d{19} \(no action\)"):
        batch.step(states, words, np.array([2**64 - 1], np.uint64))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_actions_may_be_of_any_integer_type(dtype: type) -> None:
    states, words = batch.new_games(Rules(4), range(4))
    wanted = states.copy(), words.copy()
    batch.step(*wanted, [1, 1, 0, 0])
    spread = np.repeat(np.array([1, 1, 0, 0], dtype), 2)[::2]
    batch.step(states, words, spread)
    assert (states == wanted[0]).all()
    assert (words == wanted[1]).all()


@pytest.mark.parametrize("threads", [0, -1, -(10**5000), 1.0, True, None, "2", [2]], ids=type)
@pytest.mark.parametrize("check", [True, False])
def test_a_number_of_threads_that_cannot_be_changes_nothing(threads: Any, check: bool) -> None:
    states, words = batch.new_games(SMALL, range(3))
    before = states.copy(), words.copy()
    actions = np.zeros(3, np.int64)
    for call in (
        lambda **options: batch.step(states, words, actions, **options),
        lambda **options: batch.legal_masks(states, **options),
        lambda **options: batch.play_forced(states, words, **options),
        lambda **options: batch.play_random(states, words, words, **options),
        lambda **options: batch.reset_finished(states, words, SMALL, **options),
    ):
        with pytest.raises(ValueError, match="threads must be a whole number from 1, not"):
            call(threads=threads, check=check)
    assert (states == before[0]).all()
    assert (words == before[1]).all()


@pytest.mark.parametrize("rules", [None, 4, "standard", {"epochs": 1}, Rules], ids=repr)
def test_rules_must_be_rules(rules: Any) -> None:
    states, words = batch.new_games(SMALL, range(3))
    with pytest.raises(RulesError, match="rules must be a Rules, not"):
        batch.new_games(rules, [0])
    with pytest.raises(RulesError, match="rules must be a Rules, not"):
        batch.reset_finished(states, words, rules)


def test_arrays_on_disk_will_do(tmp_path: Any) -> None:
    states, words = batch.new_games(SMALL, range(3))
    mapped = np.memmap(tmp_path / "states", np.int16, "w+", shape=states.shape)
    mapped[:] = states
    batch.play_random(mapped, words.copy(), words.copy())
    batch.play_random(states, words.copy(), words.copy())
    assert (mapped == states).all()


def test_write_mask_writes_every_bit_where_it_belongs() -> None:
    for bits in (0, 1, 1 << 53, 2**54 - 1, 0x15A5A5A5A5A5A5):
        out: Masks = np.full(NUM_ACTIONS, 7, np.int8)
        batch.write_mask(bits, out)
        assert out.tolist() == [bits >> action & 1 for action in range(NUM_ACTIONS)]


# --- observations --------------------------------------------------------------------------------


@pytest.mark.parametrize("view", observation.VIEWS)
@pytest.mark.parametrize("num_players", [2, 5])
def test_step_writes_what_the_seat_on_turn_sees(num_players: int, view: str) -> None:
    states, words = batch.new_games(Rules(num_players), range(6))
    masks = batch.legal_masks(states)
    seen = np.full((6, observation.OBSERVATION_SIZE), np.nan, np.float32)
    expected = np.zeros(observation.OBSERVATION_SIZE, np.float32)
    for _ in range(120):
        alone = states.copy(), words.copy()
        actions = masks.argmax(axis=1)
        batch.step(*alone, actions)
        batch.step(states, words, actions, out=masks, observations=seen, view=view)
        assert (states == alone[0]).all()
        assert (masks == batch.legal_masks(states)).all()
        for state, row in zip(states, seen, strict=True):
            seat = max(int(state[SEAT]), 0)
            observation.observe(state, seat, observation.view_id(view), expected)
            assert row.tobytes() == expected.tobytes()


def test_a_game_that_is_over_is_seen_from_seat_0() -> None:
    states, words = batch.new_games(SMALL, range(3))
    batch.play_random(states, words, words.copy())
    masks = np.ones((3, NUM_ACTIONS), np.int8)
    seen = np.full((3, observation.OBSERVATION_SIZE), np.nan, np.float32)
    batch.step(states, words, [0, 0, 0], out=masks, observations=seen)
    expected = np.zeros(observation.OBSERVATION_SIZE, np.float32)
    observation.observe(states[1], 0, observation.MEMORY, expected)
    assert seen[1].tobytes() == expected.tobytes()
    assert not masks.any()


def test_observations_are_refused_where_they_cannot_be_written() -> None:
    states, words = batch.new_games(SMALL, range(3))
    before = states.copy()
    masks = batch.legal_masks(states)
    seen = np.zeros((3, observation.OBSERVATION_SIZE), np.float32)
    for problem, options in (
        ("out is needed too", {"observations": seen}),
        ("observations has shape", {"out": masks, "observations": seen[:2]}),
        ("2-dimensional float32", {"out": masks, "observations": seen.astype(np.float64)}),
    ):
        with pytest.raises(ValueError, match=problem):
            batch.step(states, words, [0, 0, 0], **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown view"):
        batch.step(states, words, [0, 0, 0], out=masks, observations=seen, view="all")
    assert (states == before).all()
