"""Tables on which more lies than in any game: what draws a table must have room for them."""

import numpy as np

from ra_env import Game, Rules
from ra_env.layout import EPOCH, EPOCH_POINTS, HELD, HELD_KINDS, NUM_EPOCHS, SCORE, State
from ra_env.rules import END_HELD, FIRST_CIVILIZATION, GOD, MAX_PLAYERS


def crowded_row(num_players: int) -> State:
    """The last epoch, with 25 of every small tile and 5 of every other in front of every seat."""
    state = Game(num_players, seed=0).state
    tiles = [25 if tile < FIRST_CIVILIZATION else 5 for tile in range(GOD, END_HELD)]
    state[HELD : HELD + num_players * HELD_KINDS] = np.tile(tiles, num_players)
    state[SCORE : SCORE + num_players] = 1234
    state[EPOCH] = state[NUM_EPOCHS]
    for epoch in range(2):
        start = EPOCH_POINTS + epoch * MAX_PLAYERS
        state[start : start + num_players] = 188
    return state


def many_suns_row() -> State:
    """A variant with all the suns there are, some face down, and more than a thousand niles."""
    rules = Rules(
        2,
        suns=((16, 15, 14, 13, 12, 11, 10), (9, 8, 7, 6, 5, 4, 3)),
        ra_spaces=10,
        bag={"ra": 30, "nile": 1500},
    )
    game = Game(rules=rules, suns=rules.suns, seed=0)
    for bid in ("bid 16", "bid 10"):
        game.play("draw", tile="nile")
        game.play("draw", tile="nile")
        game.play("invoke")
        while game.phase == "auction":
            game.play(bid if bid in game.legal_moves() else "pass")
    state = game.state
    state[HELD + 2] += 1000
    return state
