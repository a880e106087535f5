"""Draw the images of the page about pictures.

    python docs/draw_images.py            into docs/images
    python docs/draw_images.py FOLDER     elsewhere

The games are played by a simple rule from a fixed seed, so the images are the same every time.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ra_env import Game
from ra_env.animation import write_animation
from ra_env.picture import draw_picture

IMAGES = Path(__file__).resolve().parent / "images"
NAMES = ["anna", "ben", "cleo", "dan", "eve"]


def play(num_players: int, seed: int, until: Callable[[Game], bool]) -> Game:
    """A game up to the first position that is wanted; long lots fetch more than short ones."""
    game = Game(num_players, seed=seed)
    choose = random.Random(seed)
    while not until(game) and not game.is_over:
        moves = game.legal_moves()
        tiles = sum(game.track.values())
        if game.phase == "turn":
            wanted = "draw" if tiles < choose.randint(4, 9) else "invoke"
        elif game.phase == "auction":
            wanted = "bid" if choose.random() < tiles / 10 else "pass"
        else:
            wanted = ""
        fitting = [move for move in moves if move.startswith(wanted)]
        game.play(choose.choice(fitting or moves))
    return game


def save(pixels: NDArray[np.uint8], path: Path) -> None:
    """A PNG with a palette: half the size, and no difference to see."""
    image = Image.fromarray(pixels).quantize(256, method=Image.Quantize.FASTOCTREE)
    image.save(path, optimize=True)


def main(folder: Path = IMAGES) -> None:
    """Draw everything into a folder."""
    start = play(2, 1, lambda game: True)
    save(draw_picture(start.state, names=NAMES[:2]), folder / "start.png")

    def is_heated(game: Game) -> bool:
        bids = [bid for bid in game.bids.values() if bid is not None]
        return game.epoch == 3 and sum(game.track.values()) > 5 and len(bids) > 2

    auction = play(5, 36, is_heated)
    save(draw_picture(auction.state, names=NAMES), folder / "auction.png")
    over = play(4, 1, lambda game: game.is_over)
    save(draw_picture(over.state, names=NAMES[:4]), folder / "over.png")
    first_epoch = play(3, 2, lambda game: game.epoch == 2)
    write_animation(first_epoch, folder / "epoch.gif", names=NAMES[:3])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
