"""The drawings of the tiles: one for each, all different, smooth and small."""

from itertools import combinations

import numpy as np
import pytest

from ra_env.rules import NUM_TILES, TILE_NAMES
from ra_env.symbols import SYMBOLS, Ellipse, panel_image, tile_image

pytestmark = pytest.mark.compiled


def test_every_tile_has_a_symbol_of_its_own() -> None:
    """Also at the small size in which the tiles of a seat are drawn, no two look alike."""
    assert set(SYMBOLS) == set(TILE_NAMES)
    images = [np.asarray(tile_image(tile, 38), dtype=float) for tile in range(NUM_TILES)]
    for one, other in combinations(range(NUM_TILES), 2):
        assert np.abs(images[one] - images[other]).mean() > 5, (TILE_NAMES[one], TILE_NAMES[other])


def test_no_symbol_leaves_its_tile() -> None:
    for name, symbol in SYMBOLS.items():
        for shape in symbol.shapes:
            points = shape.box if isinstance(shape, Ellipse) else shape.points
            assert 0 <= min(points) <= max(points) <= 100, name


def test_a_tile_that_is_not_there_is_only_hinted_at() -> None:
    there = np.asarray(tile_image(3, 38))
    hint = np.asarray(tile_image(3, 38, False))
    assert there.shape == hint.shape == (38, 38, 4)
    assert there[19, 19, 3] == 255
    assert 0 < hint[19, 19, 3] < 64
    assert there[0, 0, 3] < 64  # the corners are round


def test_a_panel_has_a_rim_and_with_a_large_radius_it_is_a_disc() -> None:
    panel = np.asarray(panel_image(40, 20, 4, "#ffffff", "#ff0000", 2))
    assert panel.shape == (20, 40, 4)
    assert panel[10, 20].tolist() == [255, 255, 255, 255]
    assert panel[0, 20].tolist() == [255, 0, 0, 255]
    disc = np.asarray(panel_image(20, 20, 10, "#ffffff", "#ff0000", 2))
    assert disc[2, 2, 3] == 0
    assert disc[10, 10, 3] == 255
