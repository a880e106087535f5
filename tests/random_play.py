"""Games in the middle of play, for tests that need one and do not care which."""

import random

import numpy as np

from ra_env import Game, Rules, batch
from ra_env.batch import Words
from ra_env.layout import State

SMALL = Rules(
    2,
    epochs=2,
    ra_spaces=2,
    auction_spaces=3,
    bag={"ra": 5, "god": 3, "nile": 2, "flood": 2, "art": 3, "religion": 3, "unrest": 2},
    suns=((7, 3), (6, 4)),
    middle_sun=5,
)
"""A variant that differs from the standard game in every setting, and is soon over."""


def random_game(
    num_players: int = 4, seed: int = 0, *, moves: int | None = None, rules: Rules | None = None
) -> Game:
    """A game after so many random moves; played to its end without a number."""
    game = Game(num_players, seed=seed) if rules is None else Game(rules=rules, seed=seed)
    choose = random.Random(seed)
    while not game.is_over and (moves is None or len(game.moves) < moves):
        game.play(choose.choice(game.legal_actions()))
    return game


def game_in(phase: str, num_players: int = 4) -> Game:
    """A game in which a seat has to decide something of the kind named."""
    game = Game(num_players, seed=0)
    choose = random.Random(0)
    seed = 0
    while game.phase != phase:
        if game.is_over:
            seed += 1
            game = Game(num_players, seed=seed)
        game.play(choose.choice(game.legal_actions()))
    return game


def mixed_games(rules: Rules, count: int, seed: int = 0) -> tuple[State, Words]:
    """Many games side by side, each at another point of its course, some of them over."""
    states, words = batch.new_games(rules, range(seed, seed + count))
    choose = np.random.default_rng(seed)
    rows, luck = states.copy(), words.copy()
    stop_after = choose.integers(0, 20 * rules.epochs * rules.num_players, count)
    for played in range(int(stop_after.max()) + 1):
        stopped = stop_after == played
        rows[stopped], luck[stopped] = states[stopped], words[stopped]
        batch.step(states, words, random_actions(states, choose), check=False)
    return rows, luck


def random_actions(states: State, choose: np.random.Generator) -> np.ndarray:
    """A legal action for each game; 0 for one that is over."""
    masks = batch.legal_masks(states, check=False)
    actions: np.ndarray = (masks * (1 + choose.random(masks.shape))).argmax(axis=1)
    return actions
