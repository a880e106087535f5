"""Getting compiled code ready."""

from ra_env import batch
from ra_env.game import Game
from ra_env.rules import Rules


def warm_up() -> None:
    """Compile all of the engine, or load it from disk where it is compiled already.

    Takes half a minute the first time after a change of the sources, and a fraction of a second
    from then on. Call it once before starting worker processes, so that they find the work done.
    """
    game = Game(2, seed=0)
    str(game)
    while not game.is_over:
        game.play(game.legal_actions()[0])
    str(Game.from_record(game.to_record()))
    rules = Rules(2)
    states, words = batch.new_games(rules, [0])
    masks = batch.legal_masks(states)
    batch.step(states, words, [int(masks[0].argmax())])
    batch.step(states, words, [int(batch.legal_masks(states)[0].argmax())], out=masks)
    batch.play_forced(states, words)
    batch.play_random(states, words, words.copy())
    batch.reset_finished(states, words, rules)
