"""Intervals that mean what they say.

Games with the same seed share their luck, so they are no independent observations: seeds are. All
functions here take one value for each seed.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LEVEL: Final = 0.95
ALPHA: Final = 1 - LEVEL

GRID: Final = 1000
"""An anytime interval ends at multiples of one part in so many."""
MAX_STAKE: Final = 0.5
"""Of its capital a bet risks at most this share."""


def mean_interval(values: Floats) -> Interval | None:
    """Student's interval for a mean; None with fewer than two values."""
    if len(values) < 2:
        return None
    half = _quantile(len(values)) * float(values.std(ddof=1)) / np.sqrt(len(values))
    mean = float(values.mean())
    return mean - half, mean + half


def share_interval(values: Floats, games: int) -> Interval | None:
    """Wilson's interval for a share, such as a win rate; None with fewer than two values.

    `values` are the shares of the seeds, `games` is how many games they are of. The interval is
    that of as many independent games as would vary as much as the seeds do, though of no more than
    were played. Unlike Student's it stays inside 0 to 1, and keeps its width when everything was
    won: then each seed counts as one game.
    """
    seeds = len(values)
    if seeds < 2:
        return None
    share = float(values.mean())
    variance = float(values.var(ddof=1)) / seeds
    if share <= 0 or share >= 1:
        effective = float(seeds)
    elif variance == 0:
        effective = float(games)
    else:
        effective = min(share * (1 - share) / variance, float(games))
    q = _quantile(seeds) ** 2 / effective
    middle = (share + q / 2) / (1 + q)
    half = np.sqrt(q * (share * (1 - share) + q / 4)) / (1 + q)
    low = 0.0 if share <= 0 else float(middle - half)
    high = 1.0 if share >= 1 else float(middle + half)
    return low, high


def _quantile(count: int) -> float:
    return float(stdtrit(count - 1, (1 + LEVEL) / 2))


# --- stopping when the answer is clear -----------------------------------------------------------
#
# Whoever looks at an ordinary interval after every game and stops when it suits will be wrong far
# more often than in 5 % of cases. These intervals stay right however often one looks: a gambler
# bets, in each round before seeing the next value, that the mean is not m. If it is m, the bets are
# fair, and capital rarely grows: it ever reaches 1 / alpha with probability alpha at most (Ville's
# inequality). So a value m against which that much was won can be ruled out. Half of the capital
# bets on "more", half on "less". From Waudby-Smith and Ramdas, "Estimating means of bounded random
# variables by betting" (2024), section 4.


def first_clear(values: Floats, mean: float, alpha: float = ALPHA) -> int | None:
    """After how many values from 0 to 1 it is clear that their mean is not `mean`; None if not."""
    capital = _log_capital(values, np.array([mean]), alpha)[:, 0]
    clear = np.flatnonzero(capital >= -np.log(alpha))
    return int(clear[0]) + 1 if len(clear) else None


def anytime_interval(values: Floats, alpha: float = ALPHA) -> Interval:
    """Where the mean of values from 0 to 1 is, however the number of values was chosen."""
    means = np.arange(GRID + 1) / GRID
    most = np.full(len(means), -np.inf)
    # In pieces, for a thousand means and a hundred thousand values are a lot of numbers.
    for part in np.array_split(np.arange(len(means)), 20):
        if len(values):
            most[part] = _log_capital(values, means[part], alpha).max(axis=0)
    kept = np.flatnonzero(most < -np.log(alpha))
    if not len(kept):  # narrower than the grid
        nearest = round(float(values.mean()) * GRID)
        kept = np.array([nearest])
    # One step outwards: the end lies between the last mean kept and the first one ruled out.
    return float(means[max(kept[0] - 1, 0)]), float(means[min(kept[-1] + 1, GRID)])


def _log_capital(values: Floats, means: Floats, alpha: float) -> Floats:
    """The log of the capital won against each mean, after each value: `(values, means)`."""
    count = np.arange(1, len(values) + 1)
    running = (0.5 + np.cumsum(values)) / (count + 1)
    variance = (0.25 + np.cumsum((values - running) ** 2)) / (count + 1)
    # Bets are placed before the value is seen, so they stand on the values before.
    variance = np.concatenate([[0.25], variance[:-1]])
    bet = np.sqrt(2 * np.log(2 / alpha) / (variance * count * np.log(count + 1)))
    bet = bet[:, np.newaxis]
    with np.errstate(divide="ignore"):
        more = np.minimum(bet, MAX_STAKE / means)
        less = np.minimum(bet, MAX_STAKE / (1 - means))
    gain = values[:, np.newaxis] - means
    won = np.cumsum(np.log1p(more * gain), axis=0), np.cumsum(np.log1p(-less * gain), axis=0)
    capital: Floats = np.maximum(*won) - np.log(2)
    return capital
