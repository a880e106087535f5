"""The project's own `njit`: compiled code is kept on disk, and never outlives its sources.

Numba's cache looks at the file of one function only; it does not notice an edit in another file
whose functions or constants were compiled in. So every cache folder here carries a hash of all
engine sources (outside the engine also of the bundled agents, whose functions others call, and of
the package that the function lives in), of the versions of Python and numba, and of the compiler
switches: change any of these and the folder is another one.

This module knows nothing about the game.
"""

import hashlib
import os
import platform
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import numba

ENGINE_FOLDER = Path(__file__).parent
AGENTS_FOLDER = ENGINE_FOLDER.parent / "agents"
ENGINE_MODULES = (
    "_jit",
    "errors",
    "rules",
    "rng",
    "layout",
    "actions",
    "scoring",
    "legality",
    "transitions",
    "integrity",
    "lanes",
    "observation",
    "rewards",
    "batch",
)
"""What compiled code is made of. A module that compiled code imports belongs in this list."""

KEPT_FOLDERS = 8
"""So many cache folders are kept, the last used ones; older ones are removed."""

_PREFIX = "ra-env-"
_in_use: set[Path] = set()
"""The cache folders of this process."""

_Function = TypeVar("_Function", bound=Callable[..., object])


def njit(function: _Function) -> _Function:
    """Compile `function` when it is first called, without the GIL, and keep the result on disk.

    It must not allocate: arrays come from the caller, results go into arrays of the caller.
    A function that stands in no file, as in a notebook, is compiled anew in each process.
    """
    return _compile(function, inline=True)


def njit_apart(function: _Function) -> _Function:
    """Like `njit`, but callers do not get a copy of it inlined: for large functions with several
    callers, which would take long to compile."""
    return _compile(function, inline=False)


def _compile(function: _Function, inline: bool) -> _Function:
    # Numba counts references to an array at each call, with two atomic instructions, and passes it
    # as seven arguments. The engine is many small functions on one row that allocate nothing, so
    # it does without the counting and inlines all: a random step takes 19 ns instead of 50.
    # The numpy error model spares a test for zero before every division.
    source = Path(function.__code__.co_filename)
    folder = cache_folder(_package_folder(source)) if source.is_file() else None
    previous = numba.config.CACHE_DIR
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)
    try:
        compiled: _Function = numba.njit(
            cache=folder is not None,
            nogil=True,
            _nrt=False,
            forceinline=inline,
            error_model="numpy",
        )(function)
    finally:
        numba.config.CACHE_DIR = previous
    return compiled


def _package_folder(source: Path) -> Path | None:
    """The top folder of the package that a source file belongs to; None for the engine itself.

    Code outside a package goes with the agents: numba watches its one file.
    """
    package = AGENTS_FOLDER
    for folder in source.parents:
        if not (folder / "__init__.py").is_file():
            break
        package = folder
    return None if package == ENGINE_FOLDER else package


@cache
def cache_folder(package: Path | None = None) -> Path | None:
    """The folder for compiled code of `package` (the engine's own without one).

    It lies beside the sources; where these cannot be written, in the user's cache folder; None,
    with a warning, where neither can be written.
    """
    name = _PREFIX + fingerprint(package)
    for parent in _cache_parents():
        folder = parent / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
            os.utime(folder)
        except OSError:
            continue
        _in_use.add(folder)
        _prune(parent)
        return folder
    warnings.warn(
        "no folder for compiled code can be written, so the engine is compiled at every start; "
        "set NUMBA_CACHE_DIR to a folder that can",
        RuntimeWarning,
        stacklevel=3,
    )
    return None


def _cache_parents() -> list[Path]:
    if numba.config.CACHE_DIR:
        return [Path(numba.config.CACHE_DIR)]
    parents = [ENGINE_FOLDER / "__pycache__"]
    user = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache"))
    if os.path.isabs(user):  # a user without a home has no cache folder
        parents.append(Path(user) / "ra-env")
    return parents


def fingerprint(package: Path | None = None) -> str:
    """A hash of everything that compiled code depends on."""
    sources = [ENGINE_FOLDER / f"{name}.py" for name in ENGINE_MODULES]
    if package is not None:
        sources += sorted({*AGENTS_FOLDER.rglob("*.py"), *package.rglob("*.py")})
    switches = (numba.config.BOUNDSCHECK, numba.config.OPT, numba.config.FULL_TRACEBACKS)
    digest = hashlib.sha256()
    for part in (platform.python_version(), numba.__version__, str(switches)):
        digest.update(part.encode() + b"\0")
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _prune(parent: Path) -> None:
    """Remove all but the last used cache folders. Another process may be doing the same."""

    def last_used(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except OSError:
            return 0.0

    folders = sorted(parent.glob(_PREFIX + "*"), key=last_used, reverse=True)
    for folder in folders[KEPT_FOLDERS:]:
        if folder not in _in_use:
            shutil.rmtree(folder, ignore_errors=True)
