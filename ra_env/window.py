"""One window that shows pictures, for `render_mode="human"`. Knows arrays of pixels, not the game.

The window is tkinter's, which comes with Python, so it needs no further package: only a screen.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import tkinter

TITLE = "Ra"

_window: "tuple[tkinter.Tk, tkinter.Label] | None" = None


def show_array(pixels: NDArray[np.uint8]) -> None:
    """Show a picture (height, width, 3) in the window, which is opened the first time.

    Returns at once; the window stays until `close_window` or until the user closes it. The next
    picture opens it again. `RuntimeError` if there is no tkinter or no screen.
    """
    global _window
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.ndim != 3:
        raise ValueError("a picture is a uint8 array of shape (height, width, 3)")
    height, width, channels = pixels.shape
    if channels != 3 or not height or not width:
        raise ValueError(f"a picture has the shape (height, width, 3), not {pixels.shape}")
    tk = _tkinter()
    if _window is not None and not _is_open(tk, _window[0]):
        _window = None
    if _window is None:
        _window = _open(tk)
    root, label = _window
    # PPM is the one format that Tk reads from memory without help.
    data = b"P6 %d %d 255 " % (width, height) + pixels.tobytes()
    image = tk.PhotoImage(master=root, data=data, format="PPM")
    label.configure(image=image)
    label.image = image  # type: ignore[attr-defined]  # Tk does not keep it, so the label does
    root.update()


def close_window() -> None:
    """Close the window, if one is open."""
    global _window
    if _window is not None:
        root, _window = _window[0], None
        if _is_open(_tkinter(), root):
            root.destroy()


def _tkinter() -> Any:
    try:
        import tkinter
    except ImportError as error:
        raise RuntimeError(
            f"a window needs tkinter, which this Python lacks ({error}); on Debian and Ubuntu: apt "
            'install python3-tk. Without it use render_mode="rgb_array" or "ansi"'
        ) from None
    return tkinter


def _open(tk: Any) -> "tuple[tkinter.Tk, tkinter.Label]":
    try:
        root = tk.Tk()
    except tk.TclError as error:
        raise RuntimeError(
            f'no window can be opened ({error}); use render_mode="rgb_array" or "ansi"'
        ) from None
    root.title(TITLE)
    root.resizable(False, False)
    label = tk.Label(root, borderwidth=0)
    label.pack()
    return root, label


def _is_open(tk: Any, root: "tkinter.Tk") -> bool:
    """Whether the user has not closed the window: that cannot be asked without an exception."""
    try:
        root.update()
        return bool(root.winfo_exists())
    except tk.TclError:
        return False
