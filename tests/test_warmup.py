"""After `warm_up` everything is ready: nothing is compiled or loaded any more while playing."""

import subprocess
import sys

import pytest

from ra_env import warm_up

SCRIPT = """
import numpy as np
import sys
from numba.core.dispatcher import Dispatcher
import ra_env
from ra_env import Game, Rules, batch

def ready():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("ra_env"):
            for value in vars(module).values():
                if isinstance(value, Dispatcher):
                    found[value.py_func.__module__, value.__name__] = len(value.overloads)
    return found

ra_env.warm_up()
before = ready()
assert sum(before.values()) > 10, before

for players in (2, 3, 4, 5):
    game = Game(players, seed=1)
    while not game.is_over:
        str(game), game.legal_moves(), game.points_if_scored_now(), game.ranking()
        game.chance_outcomes()
        game.play(game.legal_actions()[-1])
    again = Game.from_record(game.to_record())
    again.undo()
Game(suns=[[13, 6, 2], [12, 7, 3], [11, 8, 4], [10, 9, 5]])

rules = Rules(4, epochs=1)
states, words = batch.new_games(rules, range(200))
masks = batch.legal_masks(states, threads=2)
for kind in (np.int64, np.int8):
    batch.step(states, words, masks.argmax(axis=1).astype(kind), threads=2)
    masks = batch.legal_masks(states)
batch.step(states, words, masks.argmax(axis=1).tolist())
masks = batch.legal_masks(states)
batch.step(states, words, masks.argmax(axis=1), out=masks, check=False)
batch.play_forced(states, words, threads=2)
batch.play_random(states, words, words.copy(), threads=2)
batch.reset_finished(states, words, rules, threads=2)
try:
    batch.step(states, words, np.full(200, 53))
except ra_env.IllegalAction:
    pass

more = {name: count for name, count in ready().items() if before.get(name, 0) != count}
assert not more, more
"""


@pytest.mark.compiled
def test_nothing_is_left_to_compile() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_it_may_be_called_again_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    warm_up()
    warm_up()
    assert capsys.readouterr() == ("", "")
