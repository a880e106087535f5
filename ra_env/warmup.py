"""Getting compiled code ready."""

import numpy as np

from ra_env import batch
from ra_env.game import Game
from ra_env.live_game import LiveGame
from ra_env.observation import OBSERVATION_SIZE
from ra_env.rules import Rules
from ra_env.selfplay import SelfPlay
from ra_env.vector import OneSeat


def warm_up() -> None:
    """Compile the engine and the environments, or load them from disk where that is done already.

    Takes a minute the first time after a change of the sources, and a fraction of a second
    from then on. Call it once before starting worker processes, so that they find the work done.
    """
    _warm_up_game()
    _warm_up_batch()
    _warm_up_environments()


def _warm_up_game() -> None:
    game = Game(2, seed=0)
    str(game)
    while not game.is_over:
        game.play(game.legal_actions()[0])
    str(Game.from_record(game.to_record()))


def _warm_up_batch() -> None:
    rules = Rules(2)
    states, words = batch.new_games(rules, [0])
    masks = batch.legal_masks(states)
    batch.step(states, words, [int(masks[0].argmax())])
    batch.step(states, words, [int(batch.legal_masks(states)[0].argmax())], out=masks)
    seen = np.empty((1, OBSERVATION_SIZE), np.float32)
    action = int(masks[0].argmax())
    batch.step(states, words, [action], out=masks, observations=seen)
    batch.play_forced(states, words)
    batch.play_random(states, words, words.copy())
    batch.reset_finished(states, words, rules)


def _warm_up_environments() -> None:
    live = LiveGame(2)
    live.deal(0)
    live.play(int(live.mask.argmax()))
    live.observe(0)
    live.reward(0)
    live.restore(live.state, live.word, live.seed)
    games = SelfPlay(2, num_games=1, seed=0)
    games.step(games.masks.argmax(axis=1))
    games.observe_seats(0, games.observations.copy())
    seats = OneSeat(2, num_games=1)
    _, masks = seats.reset(0)
    step = seats.step(masks.argmax(axis=1))
    while not step.done.any():
        step = seats.step(step.masks.argmax(axis=1))
    seats.endings(step.done)
