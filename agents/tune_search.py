"""Fits what the search judges a position by: `python -m agents.tune_search`.

The heuristic plays games with itself. From what each seat has when an epoch ends, and from who has
won in the end, follow the chances to win: a seat's are in proportion to e to the power of a sum of
its points, its tiles and its suns, with the weights that make the results most likely (softmax
regression). Prints the weights of `agents.judgement`, and how surprising the winners of other games
are to them: the mean of minus the logarithm of the winner's chance.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import choose
from agents.heuristic_auction import WORK_SIZE
from agents.heuristic_parameters import tuned_parameters
from agents.judgement import NUM_FEATURES, read_features
from ra_env import Rules, batch
from ra_env._jit import njit
from ra_env.actions import NUM_ACTIONS
from ra_env.layout import EPOCH, NUM_PLAYERS, OVER, PHASE
from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS
from ra_env.scoring import rank
from ra_env.transitions import step

FIRST_SEED = 720_000
CHECKED = 0.2
"""The share of the games that are kept for checking."""

Numbers = NDArray[np.float64]


@njit
def play(
    states: batch.States,
    words: batch.Words,
    parameters: Numbers,
    work: Numbers,
    values: Numbers,
    features: Numbers,
    wins: Numbers,
) -> None:
    """Play games to the end. Writes the features of all seats after each epoch but the last, and
    1 for the winner."""
    for game in range(len(states)):
        state = states[game]
        epoch = state[EPOCH]
        while state[PHASE] != OVER:
            words[game] = step(state, choose(state, parameters, work, values), words[game])
            if state[EPOCH] > epoch:
                read_features(state, parameters, work, features[game, epoch - 1])
                epoch = state[EPOCH]
        for seat in range(state[NUM_PLAYERS]):
            wins[game, seat] = 1.0 if rank(state, seat) == 0 else 0.0


def collect(players: int, games: int) -> tuple[Numbers, Numbers]:
    """Features `(games, 2, players, NUM_FEATURES)` and wins `(games, players)`."""
    states, words = batch.new_games(Rules(players), np.arange(FIRST_SEED, FIRST_SEED + games))
    features = np.zeros((games, 2, players * NUM_FEATURES))
    wins = np.zeros((games, players))
    scratch = tuned_parameters(), np.zeros(WORK_SIZE), np.zeros(NUM_ACTIONS)
    play(states, words, *scratch, features, wins)
    return features.reshape(games, 2, players, NUM_FEATURES), wins


def chances(weights: Numbers, features: Numbers) -> Numbers:
    """Each seat's chance to win."""
    sums = features @ weights
    powers = np.exp(sums - sums.max(axis=1, keepdims=True))
    shares: Numbers = powers / powers.sum(axis=1, keepdims=True)
    return shares


def fit(features: Numbers, wins: Numbers, rounds: int = 20) -> Numbers:
    """The weights that make these wins most likely, by Newton's method."""
    weights: Numbers = np.zeros(features.shape[-1])
    for _ in range(rounds):
        expected = chances(weights, features)
        slope = np.einsum("gs,gsf->f", wins - expected, features)
        spread = features - np.einsum("gs,gsf->gf", expected, features)[:, np.newaxis]
        curve = np.einsum("gs,gsf,gsh->fh", expected, spread, spread)
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def surprise(weights: Numbers, features: Numbers, wins: Numbers) -> float:
    """The mean of minus the logarithm of the winner's chance."""
    return float(-np.log((chances(weights, features) * wins).sum(axis=1)).mean())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Fit what the search judges a position by.")
    parser.add_argument("--games", type=int, default=50_000, help="for each number of players")
    options = parser.parse_args()
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        features, wins = collect(players, options.games)
        used = int(options.games * (1 - CHECKED))
        for epoch in range(2):
            weights = fit(features[:used, epoch], wins[:used])
            found = surprise(weights, features[used:, epoch], wins[used:])
            print(
                f"{players} players, after epoch {epoch + 1}: "
                f"({', '.join(f'{weight:.3f}' for weight in weights)}),  "
                f"surprise {found:.3f}, equal chances {np.log(players):.3f}"
            )


if __name__ == "__main__":
    main()
