"""The window: opened once, given one picture after the other, and closed; or a clear error.

No screen is needed: a stand-in for tkinter writes down what is asked of it.
"""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ra_env import window

PICTURE = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)


class TclError(Exception):
    """What tkinter raises."""


class Tk:
    """A window that can be closed by its user."""

    opened = 0

    def __init__(self) -> None:
        type(self).opened += 1
        self.is_open = True
        self.updates = 0

    def update(self) -> None:
        if not self.is_open:
            raise TclError("application has been destroyed")
        self.updates += 1

    def winfo_exists(self) -> int:
        return 1

    def destroy(self) -> None:
        self.is_open = False

    def title(self, text: str) -> None:
        self.name = text

    def resizable(self, width: bool, height: bool) -> None:
        pass


class Label:
    """Holds the picture."""

    def __init__(self, root: Tk, **options: Any) -> None:
        self.shown: list[Any] = []

    def pack(self) -> None:
        pass

    def configure(self, *, image: Any) -> None:
        self.shown.append(image)


def no_screen() -> None:
    raise TclError("no display name and no $DISPLAY environment variable")


@pytest.fixture
def tkinter(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A stand-in for tkinter, in a process that has no window yet."""
    fake = SimpleNamespace(TclError=TclError, Tk=Tk, Label=Label, PhotoImage=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "tkinter", fake)
    monkeypatch.setattr(window, "_window", None)
    monkeypatch.setattr(Tk, "opened", 0)
    return fake


def the_window() -> tuple[Any, Any]:
    assert window._window is not None
    return window._window


@pytest.mark.usefixtures("tkinter")
def test_one_window_takes_all_pictures() -> None:
    """The second picture replaces the first; Tk gets the pixels row by row, as PPM."""
    window.show_array(PICTURE)
    window.show_array(PICTURE[:, ::-1])
    root, label = the_window()
    assert Tk.opened == 1
    assert root.updates >= 2
    assert [image.data for image in label.shown] == [
        b"P6 3 2 255 " + bytes(PICTURE.ravel().tolist()),
        b"P6 3 2 255 " + bytes(PICTURE[:, ::-1].ravel().tolist()),
    ]
    assert label.image is label.shown[-1]


@pytest.mark.usefixtures("tkinter")
def test_a_window_that_the_user_has_closed_is_opened_again() -> None:
    window.show_array(PICTURE)
    the_window()[0].destroy()
    window.show_array(PICTURE)
    assert Tk.opened == 2
    assert the_window()[0].is_open


@pytest.mark.usefixtures("tkinter")
def test_closing() -> None:
    """Closing closes; without a window, or with one that is closed already, nothing happens."""
    window.close_window()
    window.show_array(PICTURE)
    root = the_window()[0]
    window.close_window()
    assert not root.is_open
    assert window._window is None
    window.show_array(PICTURE)
    the_window()[0].destroy()
    window.close_window()
    assert window._window is None


def test_without_a_screen_the_other_modes_are_named(tkinter: SimpleNamespace) -> None:
    tkinter.Tk = no_screen
    with pytest.raises(RuntimeError, match=r'no display name.*render_mode="rgb_array" or "ansi"'):
        window.show_array(PICTURE)
    assert window._window is None


def test_without_tkinter_the_other_modes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tkinter", None)
    with pytest.raises(RuntimeError, match=r'needs tkinter.*render_mode="rgb_array" or "ansi"'):
        window.show_array(PICTURE)


@pytest.mark.usefixtures("tkinter")
@pytest.mark.parametrize(
    "pixels",
    [None, PICTURE.astype(float), PICTURE[0], PICTURE[:, :, :2], PICTURE[:0]],
    ids=["none", "floats", "flat", "two channels", "empty"],
)
def test_what_is_no_picture_is_refused(pixels: Any) -> None:
    with pytest.raises(ValueError, match=r"\(height, width, 3\)"):
        window.show_array(pixels)
    assert Tk.opened == 0
