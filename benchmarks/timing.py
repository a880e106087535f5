"""How something is timed: best of several short repetitions, taken in turns.

Other programs can only make a measurement longer, so the shortest repetition says most about the
code. Workloads that will be compared are measured together, one repetition of each after the
other, so that whatever else the machine does hits them alike.

Three fixed references measure the machine: compiled code, Python, and the start of a process. They
use nothing of this project, so figures as ratios to them say more about the code and less about the
machine than figures in seconds. Never change them: stored ratios would lose their meaning.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter

import numba
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
"""The project's folder, from which fresh processes are started."""


def _nothing() -> None:
    """What a workload prepares that needs no preparation."""


@dataclass(frozen=True)
class Workload:
    """Something to time.

    `run` does the work and returns how many units it was (steps, copies, starts); `prepare` sets
    up each repetition and is not timed.
    """

    run: Callable[[], int]
    prepare: Callable[[], None] = _nothing


@dataclass(frozen=True)
class Timing:
    """The time that one unit of a workload takes."""

    seconds: float
    """In the best repetition."""
    spread: float
    """How much longer the median repetition took, as a share of the best."""

    @property
    def per_second(self) -> float:
        """Units in a second."""
        return 1 / self.seconds

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds for a unit."""
        return self.seconds * 1e9


def measure(workloads: Mapping[str, Workload], repetitions: int) -> dict[str, Timing]:
    """Time all workloads in turns: each once, untimed, to settle, then `repetitions` rounds."""
    times: dict[str, list[float]] = {name: [] for name in workloads}
    for workload in workloads.values():
        workload.prepare()
        workload.run()
    for _ in range(repetitions):
        for name, workload in workloads.items():
            workload.prepare()
            times[name].append(_seconds_per_unit(workload))
    return {name: _timing(seconds) for name, seconds in times.items()}


def measure_once(workload: Workload) -> Timing:
    """Time the very first run of a workload, for what is different when it is repeated."""
    workload.prepare()
    return _timing([_seconds_per_unit(workload)])


def _seconds_per_unit(workload: Workload) -> float:
    start = perf_counter()
    units = workload.run()
    return (perf_counter() - start) / units


def _timing(seconds: Sequence[float]) -> Timing:
    best = min(seconds)
    return Timing(best, median(seconds) / best - 1)


def fresh_process(program: str, cache: Path) -> Workload:
    """A Python process that runs `program`, with compiled code kept in the folder `cache`."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}

    def run() -> int:
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True)
        return 1

    return Workload(run)


# --- references ----------------------------------------------------------------------------------

REFERENCE_START = "import numba"
"""A program whose start is the reference for other starts."""


def compiled_reference(threads: int, draws: int) -> Workload:
    """Drawing from bags of counted tiles, as branchy as the engine; a unit is a draw.

    `draws` is the number for each thread.
    """
    bags = np.ones((threads, 64, 32), dtype=np.int16)
    pool = ThreadPoolExecutor(threads)

    def run() -> int:
        if threads == 1:
            _draw_and_return(bags[0], draws)
        else:
            list(pool.map(_draw_and_return, bags, [draws] * threads))
        return draws * threads

    return Workload(run)


# numba's own compiler settings, not the project's, which are part of what is measured.
@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _draw_and_return(bags: NDArray[np.int16], draws: int) -> None:
    word = np.uint64(1)
    for draw in range(draws):
        bag = bags[draw & 63]
        word = word * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        left = np.int64(word >> np.uint64(59))
        tile = 0
        while left >= bag[tile]:
            left -= bag[tile]
            tile += 1
        bag[tile] -= 1
        bag[(tile * 7 + draw) & 31] += 1


def python_reference(rounds: int = 3_000) -> Workload:
    """Calls, numbers, lists and texts in plain Python; a unit is a round.

    No sets or dictionaries of texts: their hashes, and so their speed, differ between processes.
    """

    def step(counts: list[int], number: int) -> str:
        tile = (number * 7 + counts[number & 15]) & 15
        counts[tile] += 1
        return f"{number & 3} take {tile}"

    def run() -> int:
        counts = [0] * 16
        history: list[tuple[int, str]] = []
        for number in range(rounds):
            text = step(counts, number)
            if number & 1:
                history.append((number, text))
        return rounds

    return Workload(run)


# --- what is said about them ---------------------------------------------------------------------


def machine() -> dict[str, str | int]:
    """What the figures were measured with."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count() or 1,
        "system": platform.system(),
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
    }


def _cpu_name() -> str:
    """As Linux names it; elsewhere what Python knows, which may be the family alone."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def table(title: str, rows: Iterable[Sequence[str]]) -> str:
    """Rows of text in aligned columns, the first to the left and the others to the right."""
    cells = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells
    ]
    return "\n".join([title, *(f"  {line.rstrip()}" for line in lines)])
