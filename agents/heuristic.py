"""The heuristic: what each action is worth to the seat on turn, and the agent that takes the best.

All worths are in points, measured from "nothing happens". The strategy, its numbers and what each
part gains are described in docs/heuristic.md.
"""

import numpy as np
from numpy.typing import NDArray

from agents.heuristic_auction import (
    AS_IT_STANDS,
    SUNS,
    TILES,
    WORK_SIZE,
    WORTH,
    Work,
    outcome_of,
    solve_auction,
    utility,
    weigh_outcomes,
)
from agents.heuristic_parameters import (
    DRAW_ALONE,
    DRAW_BASE,
    DRAW_LEAD,
    Parameters,
    tuned_parameters,
)
from agents.heuristic_tiles import (
    count_ra_left,
    god_price,
    seat_time,
    tiles_worth,
)
from ra_env._jit import njit, njit_apart
from ra_env.actions import (
    BID,
    DISCARD_TILE,
    DRAW,
    END,
    INVOKE,
    NUM_ACTIONS,
    PASS,
    TAKE,
    action_bits_to_list,
)
from ra_env.layout import (
    AUCTION,
    AUCTION_KIND,
    AUCTION_SPACES,
    BAG,
    BAG_COUNT,
    DISCARD,
    FACE_UP,
    HIGH_BID,
    NUM_PLAYERS,
    PHASE,
    RA_SEAT,
    SEAT,
    TRACK,
    TRACK_COUNT,
    TURN,
    VOLUNTARY,
    State,
    count_bits,
    held,
    sun_bits,
)
from ra_env.legality import legal_actions, lowest_action
from ra_env.rules import (
    END_MONUMENT,
    FIRST_CIVILIZATION,
    GOD,
    MIN_PLAYERS,
    NUM_TILES,
    PHARAOH,
    RA,
)

Values = NDArray[np.float64]
"""One number for each action."""


class Heuristic:
    """Plays by points, suns and rivals: a strong strategy, and a fast one."""

    def __init__(self) -> None:
        self._parameters = tuned_parameters()

    @classmethod
    def with_parameters(cls, parameters: NDArray[np.float64]) -> "Heuristic":
        """The heuristic with other numbers: one row for each number of players, from 2 to 5."""
        agent = cls()
        if parameters.shape != agent._parameters.shape or not np.isfinite(parameters).all():
            raise ValueError(
                f"parameters must be finite numbers of shape {agent._parameters.shape}"
            )
        agent._parameters = np.ascontiguousarray(parameters, dtype=np.float64)
        return agent

    def act(self, state: State, word: np.uint64) -> int:
        """The best action. It leaves nothing to chance: `word` is not used."""
        return int(choose(state, self._parameters, np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS)))

    def act_batch(
        self,
        states: NDArray[np.int16],
        words: NDArray[np.uint64],
        out: NDArray[np.int64],
    ) -> None:
        """Write the best action of each row into `out`; 0 where the game is over."""
        _act_batch(states, self._parameters, np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS), out)

    def preferences(self, state: State) -> Values:
        """What each action is worth in points, more or less; -inf where it is not legal."""
        values = np.zeros(NUM_ACTIONS)
        legal = action_bits_to_list(int(legal_actions(state)))
        if legal:
            p = self._parameters[state[NUM_PLAYERS] - MIN_PLAYERS]
            value_actions(state, p, np.zeros(WORK_SIZE), values)
        liked = np.full(NUM_ACTIONS, -np.inf)
        liked[legal] = values[legal]
        return liked


@njit
def _act_batch(
    states: NDArray[np.int16],
    parameters: NDArray[np.float64],
    work: Work,
    values: Values,
    out: NDArray[np.int64],
) -> None:
    for game in range(len(states)):
        out[game] = choose(states[game], parameters, work, values)


@njit_apart
def value_actions(state: State, p: Parameters, work: Work, out: Values) -> None:
    """Write what each legal action is worth; the other entries of `out` mean nothing."""
    phase = state[PHASE]
    if phase == AUCTION:
        _value_bids(state, p, work, out)
        return
    if phase == TURN:
        _value_turn(state, p, work, out)
    else:
        out[END] = 0.0
    if phase != TURN or state[held(state[SEAT], GOD)] > 0:
        _value_tiles(state, p, out)


@njit
def choose(state: State, parameters: NDArray[np.float64], work: Work, out: Values) -> int:
    """The best action (of equals the first); 0 when the game is over. `parameters` has a row for
    each number of players; `work` and `out` are scratch."""
    bits = legal_actions(state)
    if bits == 0:
        return 0
    best = lowest_action(bits)
    bits &= bits - 1
    if bits == 0:
        return best
    value_actions(state, parameters[state[NUM_PLAYERS] - MIN_PLAYERS], work, out)
    while bits:
        action = lowest_action(bits)
        bits &= bits - 1
        if out[action] > out[best]:
            best = action
    return best


@njit
def _seat_after(state: State, seat: int) -> int:
    return seat + 1 if seat + 1 < state[NUM_PLAYERS] else 0


# --- bids ----------------------------------------------------------------------------------------


@njit
def _value_bids(state: State, p: Parameters, work: Work, out: Values) -> None:
    """Pass or bid: the utility of what the seats that still answer make of it."""
    seat = int(state[SEAT])
    ra_seat = int(state[RA_SEAT])
    high = int(state[HIGH_BID])
    own = sun_bits(state, FACE_UP + seat) << 1
    weigh_outcomes(state, p, work)
    table = AS_IT_STANDS
    unsold = 0
    if seat != ra_seat:
        table, free, forced = solve_auction(
            state, _seat_after(state, seat), ra_seat, own | (1 << high), work
        )
        unsold = forced if state[AUCTION_KIND] == VOLUNTARY else free
    out[PASS] = utility(work, unsold if high == 0 else outcome_of(table, high), seat)
    bits = own & ~((2 << high) - 1)
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        sun = count_bits(lowest - 1)
        out[BID + sun] = utility(work, outcome_of(table, sun), seat)


# --- turns ---------------------------------------------------------------------------------------


@njit
def _value_turn(state: State, p: Parameters, work: Work, out: Values) -> None:
    """Call, or leave the lot to the others by drawing or by spending a god.

    A call is worth what its auction brings. To wait is worth more to those who are ahead in suns.
    """
    seat = int(state[SEAT])
    num_players = int(state[NUM_PLAYERS])
    if state[TRACK_COUNT] == 0:  # nothing to call for but the middle sun
        out[DRAW] = 0.0
        out[INVOKE] = -1.0
        return
    weigh_outcomes(state, p, work)
    _, free, forced = solve_auction(state, _seat_after(state, seat), seat, 1, work)
    is_full = state[TRACK_COUNT] == state[AUCTION_SPACES]
    out[INVOKE] = utility(work, free if is_full else forced, seat)
    own = work[WORTH + seat]
    rivals = -own
    rival_suns = -work[SUNS + seat]
    for other in range(num_players):
        rivals += work[WORTH + other]
        rival_suns += work[SUNS + other]
    if rival_suns == 0.0:
        out[DRAW] = _value_waiting(state, out[INVOKE], p, work)
    else:
        out[DRAW] = p[DRAW_BASE] + p[DRAW_LEAD] * (own - rivals / (num_players - 1))
    out[END] = out[DRAW]  # a god's tile comes on top of it, see `_value_tiles`


@njit
def _value_waiting(state: State, invoke: float, p: Parameters, work: Work) -> float:
    """Draw on when no rival has a sun left: one more tile, unless the epoch ends before it."""
    more = invoke + p[DRAW_ALONE]
    if count_ra_left(state) > 1:
        return float(more)
    seat = int(state[SEAT])
    end = tiles_worth(state, seat, 0, -1, 0, 0.0, p) - work[TILES + seat] - work[WORTH + seat]
    chance = state[BAG + RA] / state[BAG_COUNT]
    return float(chance * end + (1.0 - chance) * more)


# --- gods and disasters --------------------------------------------------------------------------


@njit
def _value_tiles(state: State, p: Parameters, out: Values) -> None:
    """Spend a god on a tile: what it gains, on top of the value of END; or give up a tile."""
    seat = int(state[SEAT])
    time = seat_time(state, seat, p)
    is_discard = state[PHASE] == DISCARD
    first = FIRST_CIVILIZATION if is_discard else PHARAOH
    end = END_MONUMENT if is_discard else NUM_TILES
    place = held(seat, 0) if is_discard else TRACK
    action = DISCARD_TILE if is_discard else TAKE
    change = -1 if is_discard else 1
    extra = 0.0 if is_discard else out[END] - god_price(time, p)
    # The kind before the first, unchanged, shows what the tiles are worth as they are.
    for tile in range(first - 1, end):
        if tile < first or state[place + tile] > 0:
            worth = tiles_worth(state, seat, 0, tile, change if tile >= first else 0, time, p)
            if tile < first:
                extra -= worth
            else:
                out[action + tile] = extra + worth
