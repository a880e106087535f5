"""What an auction brings: the utility of every outcome to every seat, and how it will end.

An outcome is the sun that wins, or 0 for no sale: suns are unique, so the sun says whose it is. Its
utility to a seat is what the seat gains (lot, sun spent, middle sun won, rivals' suns gone), less a
share of what its rivals gain. Everyone is taken to bid for the best outcome, knowing that those
who answer later do the same; so an auction is solved backwards, from the Ra player's answer.

Scratch numbers live in a `work` array of the caller's, as compiled code here must not allocate.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic_parameters import (
    PHARAOH_RIVALS,
    RIVALRY,
    SUN_DANGER,
    SUN_HALF,
    SUN_LATER,
    SUN_NEXT,
    SUN_RANK,
    SUN_TOTAL,
    SUN_TOTALS,
    SUN_WORTH,
    Parameters,
)
from agents.heuristic_tiles import (
    changes_pharaohs,
    count_epochs_left,
    count_ra_left,
    pharaoh_prize,
    pharaohs_after,
    soft,
    tiles_worth,
    time_left,
)
from ra_env._jit import njit
from ra_env.layout import (
    BAG,
    BAG_COUNT,
    BIDS,
    FACE_UP,
    HIGH_BID,
    HIGH_SEAT,
    MIDDLE_SUN,
    NUM_PLAYERS,
    State,
    count_bits,
    held,
    sun_bits,
)
from ra_env.rules import MAX_BAG, MAX_PLAYERS, MAX_SUN, PHARAOH, RA
from ra_env.scoring import sun_total

Work = NDArray[np.float64]

# Where things lie in a work array: first one number per seat each, then the table of utilities.
SUNS: Final = 0
"""Face-up suns."""
BELOW: Final = SUNS + MAX_PLAYERS
"""How many pairs of an own sun and a lower sun of a rival there are."""
WORTH: Final = BELOW + MAX_PLAYERS
"""What the seat's face-up suns are worth."""
TILES: Final = WORTH + MAX_PLAYERS
"""What its tiles are worth: of seats that can win the lot, and after `weigh_seats` of all."""
TOTAL: Final = TILES + MAX_PLAYERS
"""The sum of all its suns."""
LOSS: Final = TOTAL + MAX_PLAYERS
"""What it loses in pharaoh prizes by the winner's pharaohs."""
GAIN: Final = LOSS + MAX_PLAYERS
"""What it gains by the outcome at hand."""
REST: Final = GAIN + MAX_PLAYERS
SLOPE: Final = REST + MAX_PLAYERS
"""What its suns gain when a rival's sun is spent: REST - SLOPE x own suns above it."""
UTILITY: Final = SLOPE + MAX_PLAYERS
"""What each outcome is worth to each seat: one row of seats for each outcome."""
WORK_SIZE: Final = UTILITY + (MAX_SUN + 1) * MAX_PLAYERS

AS_IT_STANDS: Final = -0x0123456789ABCDF0
"""The table of outcomes when nobody answers: four bits for each sun, `sun - 1` for sun `sun`."""


# --- suns ----------------------------------------------------------------------------------------


@njit
def sun_price(state: State, suns: int, ra_left: int, p: Parameters) -> float:
    """What a middling sun brings in the rest of the epoch, when so many suns share the tiles that
    come before the last of `ra_left` Ra tiles."""
    if suns == 0:
        return 0.0
    tiles_per_ra = (state[BAG_COUNT] - state[BAG + RA]) / state[BAG + RA]
    share = (ra_left - p[SUN_DANGER]) * 0.2 * tiles_per_ra / suns
    worth = p[SUN_WORTH] + p[SUN_LATER] * count_epochs_left(state)
    return float(worth * share / (share + p[SUN_HALF]))


@njit
def suns_worth(suns: int, below: float, rival_suns: int, p: Parameters) -> float:
    """What a seat's suns are worth, in prices of a middling one: suns are ordinal, so it counts
    how many of the rivals' suns lie below them."""
    rank = below / rival_suns if rival_suns > 0 else float(suns)
    return float(suns * (1.0 - p[SUN_RANK]) + 2.0 * p[SUN_RANK] * rank)


@njit
def sun_prize(total: float, most: float, fewest: float, softness: float) -> float:
    """The final prize for a sum of suns, when the others have from `fewest` to `most`."""
    return 5.0 * (soft(total - most + 0.5, softness) - soft(fewest - total + 0.5, softness))


# --- the utility of every outcome ----------------------------------------------------------------


@njit
def weigh_outcomes(state: State, p: Parameters, work: Work) -> None:
    """Fill the tables of `work`: what each seat has, and the utility of every outcome."""
    num_players = int(state[NUM_PLAYERS])
    every = 0
    for seat in range(num_players):
        every |= sun_bits(state, FACE_UP + seat)
    _weigh_suns(state, every, p, work)
    for seat in range(num_players):
        work[UTILITY + seat] = 0.0
        work[LOSS + seat] = 0.0
    for winner in range(num_players):
        suns = _winning_suns(state, winner)
        if suns:
            if changes_pharaohs(state):
                _weigh_pharaohs(state, winner, p, work)
            _weigh_wins(state, winner, suns, every, p, work)


@njit
def _winning_suns(state: State, seat: int) -> int:
    """The suns with which a seat can win the lot: in a running auction those that have answered
    can only win with the highest bid."""
    if state[BIDS + seat] == 0:
        return sun_bits(state, FACE_UP + seat)
    return 1 << (int(state[HIGH_BID]) - 1) if state[HIGH_SEAT] == seat else 0


@njit
def weigh_seats(state: State, every: int, p: Parameters, work: Work) -> None:
    """What each seat has in suns (WORTH) and tiles (TILES), to judge a position by; `every` is the
    bit set of all face-up suns."""
    _weigh_suns(state, every, p, work)
    for seat in range(state[NUM_PLAYERS]):
        time = time_left(int(work[SUNS + seat]), count_ra_left(state), p)
        work[TILES + seat] = tiles_worth(state, seat, 0, -1, 0, time, p)


@njit
def _weigh_suns(state: State, every: int, p: Parameters, work: Work) -> None:
    """What each seat has in suns."""
    num_players = int(state[NUM_PLAYERS])
    ra_left = count_ra_left(state)
    total = count_bits(every)
    price = sun_price(state, total, ra_left, p)
    price_after = sun_price(state, total - 1, ra_left, p)
    for seat in range(num_players):
        own = sun_bits(state, FACE_UP + seat)
        suns = count_bits(own)
        below = _count_below(own, every & ~own)
        worth = price * suns_worth(suns, below, total - suns, p)
        work[SUNS + seat] = suns
        work[BELOW + seat] = below
        work[WORTH + seat] = worth
        work[TOTAL + seat] = sun_total(state, seat)
        # When a rival's sun is spent, the price rises; suns above it lose a sun below them.
        fewer = total - suns - 1
        work[REST + seat] = price_after * suns_worth(suns, below, fewer, p) - worth
        work[SLOPE + seat] = price_after * 2.0 * p[SUN_RANK] / fewer if fewer > 0 else 0.0


@njit
def _count_below(own: int, others: int) -> int:
    """Pairs of an own sun and a lower one of the others."""
    below = 0
    while own:
        lowest = own & -own
        below += count_bits(others & (lowest - 1))
        own ^= lowest
    return below


@njit
def _weigh_pharaohs(state: State, winner: int, p: Parameters, work: Work) -> None:
    """What the others lose in pharaoh prizes when `winner` wins the lot."""
    num_players = int(state[NUM_PLAYERS])
    now = int(state[held(winner, PHARAOH)])
    then = pharaohs_after(state, winner, 1, -1, 0)
    for seat in range(num_players):
        if seat == winner:
            continue
        most = 0
        fewest = MAX_BAG
        for other in range(num_players):
            if other != winner and other != seat:
                number = int(state[held(other, PHARAOH)])
                most = max(most, number)
                fewest = min(fewest, number)
        work[LOSS + seat] = 0.0
        if max(most, now) != max(most, then) or min(fewest, now) != min(fewest, then):
            own = int(state[held(seat, PHARAOH)])
            work[LOSS + seat] = p[PHARAOH_RIVALS] * (
                pharaoh_prize(state, own, max(most, now), min(fewest, now), p)
                - pharaoh_prize(state, own, max(most, then), min(fewest, then), p)
            )


@njit
def _weigh_wins(
    state: State, winner: int, bits: int, every: int, p: Parameters, work: Work
) -> None:
    """The utility of the win of `winner` with each of the suns in `bits`, to every seat."""
    num_players = int(state[NUM_PLAYERS])
    ra_left = count_ra_left(state)
    epochs = count_epochs_left(state)
    total = count_bits(every)
    suns = int(work[SUNS + winner])
    own = sun_bits(state, FACE_UP + winner)
    others = every & ~own
    middle = int(state[MIDDLE_SUN])
    sum_now = work[TOTAL + winner]
    most = 0.0
    fewest = 1e9
    for other in range(num_players):
        if other != winner:
            most = max(most, work[TOTAL + other])
            fewest = min(fewest, work[TOTAL + other])
    softness = p[SUN_TOTAL] * total / num_players + p[SUN_TOTALS] * epochs
    price = sun_price(state, total - 1, ra_left, p)
    rival_suns = total - suns
    tiles = tiles_worth(state, winner, 0, -1, 0, time_left(suns, ra_left, p), p)
    work[TILES + winner] = tiles
    rivalry = p[RIVALRY] / (num_players - 1)
    # The gain by a sun that has no rival's sun below it, before the middle sun is counted.
    lowest_gain = (
        tiles_worth(state, winner, 1, -1, 0, time_left(suns - 1, ra_left, p), p)
        - tiles
        + price * suns_worth(suns - 1, work[BELOW + winner], rival_suns, p)
        - work[WORTH + winner]
        - sun_prize(sum_now, most, fewest, softness)
    )
    slope = price * 2.0 * p[SUN_RANK] / rival_suns if rival_suns > 0 else 0.0
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        sun = count_bits(lowest - 1) + 1
        gain = (
            lowest_gain
            - slope * count_bits(others & (lowest - 1))
            + p[SUN_NEXT] * epochs * (middle - sun)
            + sun_prize(sum_now + middle - sun, most, fewest, softness)
        )
        whole = 0.0
        for seat in range(num_players):
            if seat != winner:
                above = count_bits(sun_bits(state, FACE_UP + seat) >> sun)
                work[GAIN + seat] = (
                    work[REST + seat] - work[SLOPE + seat] * above - work[LOSS + seat]
                )
            else:
                work[GAIN + seat] = gain
            whole += work[GAIN + seat]
        for seat in range(num_players):
            own_gain = work[GAIN + seat]
            work[UTILITY + sun * MAX_PLAYERS + seat] = own_gain - rivalry * (whole - own_gain)


# --- how an auction ends -------------------------------------------------------------------------


@njit
def utility(work: Work, outcome: int, seat: int) -> float:
    """The utility of an outcome to a seat, after `weigh_outcomes`."""
    return float(work[UTILITY + outcome * MAX_PLAYERS + seat])


@njit
def outcome_of(table: int, sun: int) -> int:
    """The outcome after a bid of `sun` that the table holds."""
    return ((table >> (4 * (sun - 1))) & 15) + 1


@njit
def solve_auction(
    state: State, first: int, last: int, standing: int, work: Work
) -> tuple[int, int, int]:
    """How an auction ends when the seats from `first` to `last`, clockwise, still answer.

    `standing` is the bit set of the bids that can stand before `first` answers (bit 0: none, bit
    `sun`: that sun). Returns the table of outcomes after each bid; the outcome when nobody has
    bid and nobody has to; and the same when the last one has to bid if nobody else does.
    """
    num_players = int(state[NUM_PLAYERS])
    possible = standing
    seat = first
    while seat != last:
        possible |= sun_bits(state, FACE_UP + seat) << 1
        seat = seat + 1 if seat + 1 < num_players else 0
    table = AS_IT_STANDS
    free = 0
    forced = 0
    while True:
        own = sun_bits(state, FACE_UP + seat) << 1
        best = 0
        most = 0.0
        for sun in range(MAX_SUN, 0, -1):
            if (own >> sun) & 1:
                outcome = outcome_of(table, sun)
                gain = utility(work, outcome, seat)
                if best == 0 or gain > most:
                    best = outcome
                    most = gain
            elif (
                (possible >> sun) & 1
                and best > 0
                and most > utility(work, outcome_of(table, sun), seat)
            ):
                shift = 4 * (sun - 1)
                table = (table & ~(15 << shift)) | ((best - 1) << shift)
        if best > 0:
            if most > utility(work, free, seat):
                free = best
            if forced == 0 or most > utility(work, forced, seat):
                forced = best
        if seat == first:
            return table, free, forced
        seat = seat - 1 if seat > 0 else num_players - 1
        possible &= ~(sun_bits(state, FACE_UP + seat) << 1) | standing
