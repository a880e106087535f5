"""The picture of the table: everything is in it, nothing is cut off, nothing lies on words."""

import subprocess
import sys
from functools import cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image
from positions import draw_all, play_all
from random_play import SMALL, game_in, random_game
from tables import crowded_row, many_suns_row

from ra_env import Game, canvas, picture
from ra_env.layout import PHASE_NAMES, State
from ra_env.picture import DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH, draw_picture, show

pytestmark = pytest.mark.compiled  # pictures compile nothing, so drawing them once is enough

LONG = "W" * 60


@cache
def state_in(phase: str, num_players: int) -> State:
    return game_in(phase, num_players).state


# --- what a picture is ---------------------------------------------------------------------------


def test_every_phase_is_drawn_for_every_number_of_players(num_players: int) -> None:
    """Shape and type are always the same, so that frames can be put together to a film."""
    shapes = set()
    for phase in PHASE_NAMES:
        pixels = draw_picture(state_in(phase, num_players))
        assert pixels.dtype == np.uint8
        assert pixels.flags.writeable
        shapes.add(pixels.shape)
    ((height, width, channels),) = shapes
    assert (width, channels) == (DEFAULT_WIDTH, 3)
    assert height % 2 == 0


def test_the_same_state_gives_the_same_picture() -> None:
    """To the pixel, whatever was drawn before; and the row is left alone."""
    state = state_in("auction", 4)
    before = state.copy()
    first = draw_picture(state)
    draw_picture(state_in("over", 4))
    for kept in (canvas._text_mask, canvas._fitted, canvas.panel_image, canvas.tile_image):
        kept.cache_clear()
    assert np.array_equal(draw_picture(state), first)
    assert np.array_equal(state, before)


def test_every_move_can_be_seen() -> None:
    """Whatever is played, the picture after it is another one."""
    game = random_game(rules=SMALL, seed=3)
    pictures = [draw_picture(game.state, width=MIN_WIDTH)]
    while game.moves:
        game.undo()
        pictures.append(draw_picture(game.state, width=MIN_WIDTH))
    assert len(pictures) > 20
    assert not any(np.array_equal(one, other) for one, other in pairwise(pictures))


def test_names_and_caption_are_drawn() -> None:
    state = state_in("turn", 2)
    plain = draw_picture(state)
    named = draw_picture(state, names=["anna", "ben"])
    swapped = draw_picture(state, names=["ben", "anna"])
    captioned = draw_picture(state, caption="move 1: 0 draw nile")
    for one, other in combinations((plain, named, swapped, captioned), 2):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("width", [MIN_WIDTH, 777, MAX_WIDTH])
def test_the_width_is_as_asked_for(width: int) -> None:
    """A smaller or larger picture shows the same."""
    pixels = draw_picture(state_in("turn", 2), width=width)
    standard = draw_picture(state_in("turn", 2))
    assert pixels.shape[1] == width
    assert pixels.shape[0] % 2 == 0
    assert pixels.shape[0] / width == pytest.approx(standard.shape[0] / DEFAULT_WIDTH, abs=0.003)
    size = (DEFAULT_WIDTH // 4, standard.shape[0] // 4)
    small, same = (Image.fromarray(each).resize(size) for each in (pixels, standard))
    assert np.abs(np.asarray(small, float) - np.asarray(same, float)).mean() < 4


@pytest.mark.parametrize("width", [MIN_WIDTH - 1, MAX_WIDTH + 1, 1000.0, True, "wide"])
def test_an_impossible_width_is_refused(width: Any) -> None:
    with pytest.raises(ValueError, match=f"of {MIN_WIDTH} to {MAX_WIDTH} pixels, not"):
        draw_picture(state_in("turn", 2), width=width)


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(ValueError, match="a state is one int16 row"):
        draw_picture(np.zeros(5, dtype=np.int16))
    with pytest.raises(ValueError, match="names must be a list of 2 names"):
        draw_picture(state_in("turn", 2), names=["a", "b", "c"])


# --- where things stand --------------------------------------------------------------------------


class Box(NamedTuple):
    """A rectangle of pixels."""

    left: int
    top: int
    right: int
    bottom: int

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_inside(self, other: "Box") -> bool:
        return (
            other.left <= self.left
            and other.top <= self.top
            and self.right <= other.right
            and self.bottom <= other.bottom
        )


class Drawing:
    """Remembers where texts, panels and tiles of the pictures are drawn."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, Box]] = []
        self.shapes: list[Box] = []
        self.last_text = ""

    def clear(self) -> None:
        self.texts.clear()
        self.shapes.clear()

    def words(self) -> list[str]:
        return [text for text, _ in self.texts]


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Drawing:
    """Everything is drawn by pasting: a colour through the mask of a text, or an image."""
    seen = Drawing()
    paste = Image.Image.paste
    text_mask = canvas._text_mask

    def spy_on_text(text: str, *arguments: Any) -> Any:
        seen.last_text = text
        return text_mask(text, *arguments)

    def spy_on_paste(self: Any, what: Any, at: Any = None, mask: Any = None) -> None:
        left, top = at
        if isinstance(what, str):
            ink = mask.getbbox()
            if ink is not None:
                box = Box(left + ink[0], top + ink[1], left + ink[2], top + ink[3])
                seen.texts.append((seen.last_text, box))
        else:
            seen.shapes.append(Box(left, top, left + what.width, top + what.height))
        paste(self, what, at, mask)

    monkeypatch.setattr(canvas, "_text_mask", spy_on_text)
    monkeypatch.setattr(Image.Image, "paste", spy_on_paste)
    return seen


def assert_tidy(drawing: Drawing, state: State, **options: Any) -> None:
    """Nothing leaves the picture, no text lies on another, and none crosses an edge."""
    drawing.clear()
    height, width, _ = draw_picture(state, **options).shape
    whole = Box(0, 0, width, height)
    assert len(drawing.texts) > 50
    for shape in drawing.shapes:
        assert shape.is_inside(whole)
    for (text, box), (other_text, other) in combinations(drawing.texts, 2):
        assert not box.overlaps(other), (text, other_text)
    for text, box in drawing.texts:
        assert box.is_inside(whole), text
        for shape in drawing.shapes:
            assert not box.overlaps(shape) or box.is_inside(shape), (text, box, shape)


def test_nothing_is_cut_off_in_any_phase(drawing: Drawing, num_players: int) -> None:
    """With names of usual length every word is there in full."""
    for phase in PHASE_NAMES:
        assert_tidy(drawing, state_in(phase, num_players))
        assert not [word for word in drawing.words() if word.endswith("...")]


def test_there_is_room_for_every_number_of_tiles(drawing: Drawing, num_players: int) -> None:
    """Twenty-five niles and five of every monument: no number is ever cut."""
    assert_tidy(drawing, crowded_row(num_players))
    assert drawing.words().count("25") == 5 * num_players
    assert drawing.words().count("5") >= 13 * num_players
    assert not [word for word in drawing.words() if word.endswith("...")]


def test_there_is_room_for_the_suns_and_tiles_of_a_variant(drawing: Drawing) -> None:
    state = many_suns_row()
    assert_tidy(drawing, state)
    words = drawing.words()
    assert [str(sun) for sun in range(1, 17) if str(sun) not in words] == []
    assert [word for word in words if len(word) == 4 and word.startswith("100")]


def test_a_full_track_has_room_for_its_names(drawing: Drawing) -> None:
    game = Game(5, seed=0)
    draw_all(game, step_pyramid=2, agriculture=2, earthquake=2, astronomy=2)
    assert_tidy(drawing, game.state)
    words = drawing.words()
    for name in ("step pyramid", "agriculture", "earthquake", "astronomy"):
        assert words.count(name) == 2


def test_long_names_are_cut_and_the_sentence_is_not(drawing: Drawing, num_players: int) -> None:
    """Of a name that is too long the beginning is shown, and what the seat has to do in full."""
    for phase in PHASE_NAMES:
        state = state_in(phase, num_players)
        assert_tidy(drawing, state, names=[LONG.lower()] * num_players, caption=LONG)
    assert_tidy(drawing, state_in("turn", num_players), names=["agent " * 9] * num_players)
    sentence = next(word for word in drawing.words() if word.endswith("takes a turn"))
    assert sentence.startswith("agent agent")


def test_letters_that_the_font_lacks_are_replaced(drawing: Drawing) -> None:
    """An accent is left out, another script becomes question marks, and a line stays a line."""
    assert_tidy(drawing, state_in("turn", 2), names=["Zoë\nRené", "王"])
    assert "Zoe Rene" in drawing.words()
    assert "?" in drawing.words()


def test_a_larger_picture_is_as_tidy(drawing: Drawing) -> None:
    state = state_in("auction", 5)
    drawing.clear()
    draw_picture(state, width=2 * DEFAULT_WIDTH)
    large = dict(drawing.texts)
    drawing.clear()
    draw_picture(state)
    assert large.keys() == dict(drawing.texts).keys()
    for (text, box), (other_text, other) in combinations(large.items(), 2):
        assert not box.overlaps(other), (text, other_text)


# --- what is to be read --------------------------------------------------------------------------


def test_an_auction_is_told_in_words(drawing: Drawing) -> None:
    """Who opened it and how, what was said, and who is asked."""
    game = Game(4, suns=[[10, 9, 5], [13, 6, 2], [12, 7, 3], [11, 8, 4]], seed=0)
    play_all(game, "draw nile", "draw ra", "pass", "bid 10")
    draw_picture(game.state, names=["anna", "ben", "cleo", "dan"], caption="a caption")
    words = drawing.words()
    for expected in (
        *("Epoch 1 of 3", "ben bids or passes", "a caption"),
        *("drawn auction by cleo, highest bid 10 by anna", "1 of 8 tiles"),
        *(
            "bids 10",
            "passed",
            "to bid",
            "Ra player",
            "the boat is at 1 of 9; the last ends the epoch",
        ),
        *("Bag: 178 tiles", "29 of them Ra (16 %)"),
    ):
        assert words.count(expected) == 1, expected


def test_the_end_shows_the_ranking(drawing: Drawing, num_players: int) -> None:
    """Best first, with the points of each epoch; and everyone's place in the seat's own row."""
    game = random_game(num_players, seed=1)
    draw_picture(game.state)
    words = drawing.words()
    ranking = words[words.index("Final ranking") :]
    assert [word for word in ranking if word.startswith("seat")][:num_players] == [
        f"seat {seat}" for seat in game.ranking()
    ]
    for seat in range(num_players):
        points = ", ".join(f"{points[seat]:+}" for points in game.epoch_points)
        assert f"epochs {points}" in words
        assert str(game.scores[seat]) in words
    assert words.count("1st") == 2
    assert "Auction track" not in words


def test_points_if_scored_now_are_those_of_the_game(drawing: Drawing, num_players: int) -> None:
    game = random_game(num_players, moves=40, seed=2)
    draw_picture(game.state)
    now = [word for word in drawing.words() if word[0] in "+-" and word.endswith(" now")]
    assert now == [f"{points:+} now" for points in game.points_if_scored_now()]


# --- showing -------------------------------------------------------------------------------------


def test_show_takes_a_state_or_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(picture, "show_array", shown.append)
    state = state_in("turn", 2)
    pixels = draw_picture(state)
    show(state)
    show(pixels)
    assert np.array_equal(shown[0], pixels)
    assert shown[1] is pixels
    with pytest.raises(ValueError, match="a state is one int16 row"):
        show(np.zeros((2, 2), dtype=np.int16))


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"ra-env\[render\]"):
        draw_picture(state_in("turn", 2))


def test_importing_needs_neither_pillow_nor_a_window() -> None:
    """The environments import these modules, and most people never ask for a picture."""
    code = (
        "import sys, ra_env.animation, ra_env.ansi, ra_env.picture\n"
        "sys.exit(any(name in sys.modules for name in ('PIL', 'tkinter')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_number_of_players_decides_the_height() -> None:
    heights = [draw_picture(state_in("turn", n)).shape[0] for n in (2, 3, 4, 5)]
    assert heights == sorted(set(heights))
