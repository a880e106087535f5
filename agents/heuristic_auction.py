"""What an auction brings: the utility of every outcome to every seat, and how it will end.

An outcome is the sun that wins, or 0 for no sale: suns are unique, so the sun says whose it is. Its
utility to a seat is what the seat gains (lot, sun spent, middle sun won, rivals' suns gone), less a
share of what its rivals gain. Everyone is taken to bid for the best outcome, knowing that those
after him do the same; so an auction is solved backwards, exactly, from the Ra player's bid.

Scratch numbers live in a `work` array of the caller's, as compiled code here must not allocate.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic_parameters import (
    LEADER,
    PHARAOH_RIVALS,
    RIVALRY,
    SUN_DANGER,
    SUN_HALF,
    SUN_MANY,
    SUN_NEXT,
    SUN_RANK,
    SUN_TOTAL,
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
    FACE_UP,
    MIDDLE_SUN,
    NUM_PLAYERS,
    SCORE,
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
"""What its tiles are worth."""
TOTAL: Final = TILES + MAX_PLAYERS
"""The sum of all its suns."""
WEIGHT: Final = TOTAL + MAX_PLAYERS
"""How much its gain counts for its rivals."""
RIVALS: Final = WEIGHT + MAX_PLAYERS
"""The factor for the weighted gain of its rivals."""
LOSS: Final = RIVALS + MAX_PLAYERS
"""What it loses in pharaoh prizes by the winner's pharaohs."""
GAIN: Final = LOSS + MAX_PLAYERS
"""What it gains by the outcome at hand."""
REST: Final = GAIN + MAX_PLAYERS
SLOPE: Final = REST + MAX_PLAYERS
"""What its suns gain when a rival's sun is spent: REST - SLOPE x own suns above it."""
UTILITY: Final = SLOPE + MAX_PLAYERS
WORK_SIZE: Final = UTILITY + (MAX_SUN + 1) * MAX_PLAYERS

AS_IT_STANDS: Final = -0x0123456789ABCDF0
"""The table of outcomes when nobody answers: four bits for each sun, `sun - 1` for sun `sun`."""
NEVER: Final = -1e9


# --- suns ----------------------------------------------------------------------------------------


@njit
def sun_price(state: State, suns: int, ra_left: int, p: Parameters) -> float:
    """What a middling sun brings in the rest of the epoch, when so many suns share the tiles that
    come before the last of `ra_left` Ra tiles."""
    if suns == 0:
        return 0.0
    tiles_per_ra = (state[BAG_COUNT] - state[BAG + RA]) / state[BAG + RA]
    share = (ra_left - p[SUN_DANGER]) * 0.2 * tiles_per_ra / suns
    return p[SUN_WORTH] * share / (share + p[SUN_HALF])


@njit
def crowding(suns: int, ra_left: int, p: Parameters) -> float:
    """How much of their price a seat's suns keep: with little time not all can be used well."""
    return 1.0 / (1.0 + p[SUN_MANY] * max(suns - 1, 0) / ra_left)


@njit
def suns_worth(suns: int, below: float, rival_suns: int, p: Parameters) -> float:
    """What a seat's suns are worth, in prices of a middling one: suns are ordinal, so it counts
    how many of the rivals' suns lie below them."""
    rank = below / rival_suns if rival_suns > 0 else float(suns)
    return suns * (1.0 - p[SUN_RANK]) + 2.0 * p[SUN_RANK] * rank


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
    _weigh_seats(state, every, p, work)
    for seat in range(num_players):
        work[UTILITY + seat] = 0.0
        work[LOSS + seat] = 0.0
    for winner in range(num_players):
        if work[SUNS + winner] > 0.0:
            if changes_pharaohs(state):
                _weigh_pharaohs(state, winner, p, work)
            _weigh_wins(state, winner, every, p, work)


@njit
def _weigh_seats(state: State, every: int, p: Parameters, work: Work) -> None:
    """What each seat has, and how much its gain counts for the others."""
    num_players = int(state[NUM_PLAYERS])
    ra_left = count_ra_left(state)
    total = count_bits(every)
    price = sun_price(state, total, ra_left, p)
    price_after = sun_price(state, total - 1, ra_left, p)
    top = 0.0
    for seat in range(num_players):
        own = sun_bits(state, FACE_UP + seat)
        suns = count_bits(own)
        below = _count_below(own, every & ~own)
        share = crowding(suns, ra_left, p)
        worth = price * share * suns_worth(suns, below, total - suns, p)
        work[SUNS + seat] = suns
        work[BELOW + seat] = below
        work[WORTH + seat] = worth
        work[TOTAL + seat] = sun_total(state, seat)
        # When a rival's sun is spent, the price rises; suns above it lose a sun below them.
        fewer = total - suns - 1
        after = price_after * share
        work[REST + seat] = after * suns_worth(suns, below, fewer, p) - worth
        work[SLOPE + seat] = after * 2.0 * p[SUN_RANK] / fewer if fewer > 0 else 0.0
        tiles = tiles_worth(state, seat, 0, -1, 0, time_left(suns, ra_left, p), p)
        work[TILES + seat] = tiles
        standing = state[SCORE + seat] + worth + tiles
        work[WEIGHT + seat] = standing
        top = max(top, standing)
    weights = 0.0
    for seat in range(num_players):
        weight = 1.0 / (1.0 + p[LEADER] * (top - work[WEIGHT + seat]))
        work[WEIGHT + seat] = weight
        weights += weight
    for seat in range(num_players):
        work[RIVALS + seat] = p[RIVALRY] / (weights - work[WEIGHT + seat])


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
        own = int(state[held(seat, PHARAOH)])
        work[LOSS + seat] = p[PHARAOH_RIVALS] * (
            pharaoh_prize(state, own, max(most, now), min(fewest, now), p)
            - pharaoh_prize(state, own, max(most, then), min(fewest, then), p)
        )


@njit
def _weigh_wins(state: State, winner: int, every: int, p: Parameters, work: Work) -> None:
    """The utility of the win of `winner` with each of its suns, to every seat."""
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
    softness = p[SUN_TOTAL] * (total / num_players + 3.0 * epochs)
    price = sun_price(state, total - 1, ra_left, p) * crowding(suns - 1, ra_left, p)
    before = (
        tiles_worth(state, winner, 1, -1, 0, time_left(suns - 1, ra_left, p), p)
        - work[TILES + winner]
        - work[WORTH + winner]
        - sun_prize(sum_now, most, fewest, softness)
    )
    bits = own
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        sun = count_bits(lowest - 1) + 1
        below = work[BELOW + winner] - count_bits(others & (lowest - 1))
        gain = (
            before
            + price * suns_worth(suns - 1, below, total - suns, p)
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
            whole += work[WEIGHT + seat] * work[GAIN + seat]
        for seat in range(num_players):
            rivals = whole - work[WEIGHT + seat] * work[GAIN + seat]
            work[UTILITY + sun * MAX_PLAYERS + seat] = (
                work[GAIN + seat] - work[RIVALS + seat] * rivals
            )


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
    state: State, first: int, last: int, standing: int, must_sell: bool, work: Work
) -> tuple[int, int]:
    """How an auction ends when the seats from `first` to `last`, clockwise, still answer.

    `standing` is the bit set of the bids that can stand before `first` answers (bit 0: none, bit
    `sun`: that sun). With `must_sell` the last one has to bid if nobody has. Returns the table of
    outcomes after each bid, and the outcome when nobody has bid.
    """
    num_players = int(state[NUM_PLAYERS])
    possible = standing
    seat = first
    while seat != last:
        possible |= sun_bits(state, FACE_UP + seat) << 1
        seat = seat + 1 if seat + 1 < num_players else 0
    table = AS_IT_STANDS
    unsold = 0
    while True:
        own = sun_bits(state, FACE_UP + seat) << 1
        highs = possible if own else 0
        while highs:
            lowest = highs & -highs
            highs ^= lowest
            high = count_bits(lowest - 1)
            best = unsold if high == 0 else outcome_of(table, high)
            most = utility(work, best, seat)
            if must_sell and seat == last and high == 0:
                most = NEVER
            bids = own & ~((lowest << 1) - 1)
            while bids:
                bid = bids & -bids
                bids ^= bid
                outcome = outcome_of(table, count_bits(bid - 1))
                gain = utility(work, outcome, seat)
                if gain > most:
                    most = gain
                    best = outcome
            if high == 0:
                unsold = best
            else:
                shift = 4 * (high - 1)
                table = (table & ~(15 << shift)) | ((best - 1) << shift)
        if seat == first:
            return table, unsold
        seat = seat - 1 if seat > 0 else num_players - 1
        possible &= ~(sun_bits(state, FACE_UP + seat) << 1) | standing
