"""One game as an environment plays it: settings, deal, checked steps, views, rewards, pictures.

The environments of one game, PettingZoo's and Gymnasium's, stand on this and add only what their
frameworks ask for. It knows the engine and the pictures, but neither framework.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ra_env._jit import njit
from ra_env.actions import ACTION_TEXTS, NUM_ACTIONS, action_bits_to_list, parse_action
from ra_env.ansi import draw_ansi
from ra_env.batch import check_states, write_mask
from ra_env.errors import IllegalAction, RulesError, shown
from ra_env.layout import (
    AUCTION_SPACES,
    EPOCH,
    FACE_UP,
    NUM_PLAYERS,
    SCORE,
    SEAT,
    STATE_SIZE,
    State,
    copy_row,
    count_bits,
    set_sun_bits,
    starting_row,
)
from ra_env.legality import legal_actions, lowest_action
from ra_env.observation import OBSERVATION_SIZE, Observation, observe, view_id
from ra_env.rewards import reward, reward_id
from ra_env.rng import seed_word
from ra_env.rules import MAX_BAG, MAX_PLAYERS, Rules
from ra_env.transitions import begin, deal, step
from ra_env.window import close_window

Mask = NDArray[np.int8]

RENDER_MODES: Final = ("ansi", "rgb_array", "human")
RENDER_FPS: Final = 2

OBSERVATION_LOW: Final = -1.0
OBSERVATION_HIGH: Final = float(MAX_BAG)
"""No number of an observation is outside these, whatever the rules. In standard games most lie
between 0 and 1 and hardly any above 2."""

DEFAULT_PLAYERS: Final = 4
RANDOM_SEAT: Final = "random"
MAX_SEED: Final = 2**64 - 1

_ILLEGAL: Final = -2
_SCORED: Final = 16
"""Added to the seat on turn when points were scored."""


class LiveGame:
    """One game that is dealt again and again, with everything about it checked."""

    def __init__(
        self,
        num_players: int | None = None,
        *,
        rules: Rules | None = None,
        suns: Sequence[Sequence[int]] | None = None,
        reward: str = "placement",
        view: str = "memory",
        play_forced: bool = False,
    ) -> None:
        self.rules = _checked_rules(num_players, rules)
        self._start = starting_row(self.rules)
        self._has_fixed_suns = suns is not None
        if suns is not None:
            for seat, seat_suns in enumerate(self.rules.dealt(suns)):
                set_sun_bits(self._start, FACE_UP + seat, sum(1 << (sun - 1) for sun in seat_suns))
        self._reward = reward_id(reward)
        self._view = view_id(view)
        self._play_forced = bool(play_forced)
        self.seed = 0
        self.state: State = self._start.copy()
        self._words = np.zeros(1, dtype=np.uint64)
        self.settle()
        self.seat = -1
        """The seat on turn, -1 when the game is over or not dealt yet."""
        self.mask: Mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        """What the seat on turn may do. The next step overwrites it: give copies away."""
        self.has_scored = False
        """Whether the last step brought points or the end of the game."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.seat < 0

    @property
    def word(self) -> int:
        """The random word of the bag."""
        return int(self._words[0])

    def deal(self, seed: int) -> None:
        """Start the game that `Game(seed=...)` starts."""
        self.seed = checked_seed(seed)
        word = np.uint64(self.seed)
        self.seat = _deal(
            self._start, self._has_fixed_suns, word, self.state, self._words, self.mask
        )
        self.has_scored = False
        self.settle()

    def play(self, action: object) -> None:
        """Play an action of the seat on turn, and forced moves after it if that is wanted.

        Raises `IllegalAction` and changes nothing if it cannot be played.
        """
        number = parse_action(action)
        result = _play(self.state, self._words, number, self._play_forced, self.mask)
        if result == _ILLEGAL:
            raise IllegalAction(self._why_not(number))
        self.has_scored = result > MAX_PLAYERS
        self.seat = result - _SCORED if self.has_scored else result

    def is_legal(self, action: object) -> bool:
        """Whether the seat on turn may play an action; raises `IllegalAction` if there is none
        such."""
        return bool(self.mask[parse_action(action)])

    def reward(self, seat: int) -> float:
        """What a seat has earned since the deal or the last `settle`."""
        return float(reward(self.state, self._paid, seat, self._reward))

    def settle(self) -> None:
        """Everybody has been paid up to here."""
        self._paid = self.state[SCORE : SCORE + MAX_PLAYERS].copy()

    def observe(self, seat: int) -> Observation:
        """What a seat sees, as a new array."""
        view = np.empty(OBSERVATION_SIZE, dtype=np.float32)
        observe(self.state, seat, self._view, view)
        return view

    def restore(self, row: State, word: int, seed: int) -> None:
        """Set back a position. Nothing is checked here: see `checked_row` and `checked_seed`."""
        self.seed = seed
        self.state[:] = row
        self._words[0] = word
        write_mask(legal_actions(row), self.mask)
        self.seat = int(row[SEAT])
        self.has_scored = False
        self.settle()

    def checked_row(self, state: object) -> State:
        """A copy of `state`, if it is a position of a game with these rules."""
        if not isinstance(state, np.ndarray) or state.shape != (STATE_SIZE,):
            raise ValueError(f"state must be a row of {STATE_SIZE} int16 numbers")
        rows = state.reshape(1, STATE_SIZE).copy()
        check_states(rows)
        row: State = rows[0]
        # Players, epochs, Ra spaces and auction spaces lie side by side at the beginning.
        settings = slice(NUM_PLAYERS, AUCTION_SPACES + 1)
        if (row[settings] != self._start[settings]).any():
            raise ValueError(
                "state is of another game: players, epochs, ra spaces, auction spaces are "
                f"{row[settings].tolist()}, not {self._start[settings].tolist()}"
            )
        return row

    def _why_not(self, action: int) -> str:
        if self.is_over:
            return f"action {action} ({ACTION_TEXTS[action]}) is not possible: the game is over"
        legal = action_bits_to_list(int(legal_actions(self.state)))
        return (
            f"action {action} ({ACTION_TEXTS[action]}) is not legal for seat {self.seat}; legal: "
            + ", ".join(f"{a} ({ACTION_TEXTS[a]})" for a in legal)
        )


# --- compiled ------------------------------------------------------------------------------------


@njit
def _deal(
    start: State,
    has_fixed_suns: bool,
    seed: np.uint64,
    state: State,
    words: NDArray[np.uint64],
    out: Mask,
) -> int:
    """Deal a game; returns the seat on turn. Fixed suns leave the luck of the bag as it is."""
    copy_row(start, state)
    words[0] = deal(state, seed_word(seed))
    if has_fixed_suns:
        for seat in range(MAX_PLAYERS):
            state[FACE_UP + seat] = start[FACE_UP + seat]
        begin(state)
    write_mask(legal_actions(state), out)
    return int(state[SEAT])


@njit
def _play(
    state: State, words: NDArray[np.uint64], action: int, play_forced: bool, out: Mask
) -> int:
    """Play an action; returns the seat on turn, plus _SCORED if points were scored."""
    if not (legal_actions(state) >> action) & 1:
        return _ILLEGAL
    epoch = int(state[EPOCH])
    words[0] = step(state, action, words[0])
    bits = legal_actions(state)
    while play_forced and count_bits(bits) == 1:
        words[0] = step(state, lowest_action(bits), words[0])
        bits = legal_actions(state)
    write_mask(bits, out)
    has_scored = bits == 0 or state[EPOCH] != epoch
    return int(state[SEAT]) + (_SCORED if has_scored else 0)


# --- pictures ------------------------------------------------------------------------------------


def render(state: State, mode: str, names: Sequence[str]) -> Any:
    """The table as `"ansi"` text or `"rgb_array"`, or shown to a `"human"`."""
    if mode == "ansi":
        return draw_ansi(state, names=names)
    # Pictures need more than the engine does, so only who asks for one pays for it.
    from ra_env.picture import draw_picture, show

    picture = draw_picture(state, names=names)
    if mode == "rgb_array":
        return picture
    show(picture)
    return None


def close(mode: str | None) -> None:
    """Close what `render` has opened."""
    if mode == "human":
        close_window()


# --- checks --------------------------------------------------------------------------------------


def _checked_rules(num_players: int | None, rules: Rules | None) -> Rules:
    if rules is None:
        return Rules(DEFAULT_PLAYERS if num_players is None else num_players)
    if not isinstance(rules, Rules):
        raise RulesError(f"rules must be a Rules, not a {type(rules).__name__}")
    if num_players is not None and num_players != rules.num_players:
        raise RulesError(f"num_players is {num_players}, but rules say {rules.num_players}")
    return rules


def checked_seed(seed: Any, name: str = "seed") -> int:
    """A seed that a game can start with."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ValueError(f"{name} must be a whole number, not {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"{name} must be from 0 to 2**64 - 1, not {seed}")
    return int(seed)


def checked_seat(seat: object, num_players: int) -> int | None:
    """The learner's seat; None for another one in each game."""
    if isinstance(seat, str) and seat == RANDOM_SEAT:
        return None
    if type(seat) is not int or not 0 <= seat < num_players:
        raise ValueError(
            f"seat must be {RANDOM_SEAT!r} or a seat from 0 to {num_players - 1}, not {shown(seat)}"
        )
    return seat


def checked_render_mode(mode: str | None) -> str | None:
    """A render mode that there is, or None."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"unknown render mode {mode!r}; render modes: {', '.join(RENDER_MODES)}")
    return mode


def next_seed(generator: np.random.Generator) -> int:
    """The seed of another game; small enough to be a number in any program that reads JSON."""
    return int(generator.integers(2**53))
