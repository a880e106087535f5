"""Did anything become slower? `python -m benchmarks.check [--update]`.

Every figure of `benchmarks.throughput` is taken as a ratio to a reference that is measured in the
same run, and compared with the ratio in the stored baseline. The exit code is 1 if a figure became
slower by more than its tolerance, and still is when measured again.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.throughput import measure_all
from benchmarks.timing import Timing, machine, table
from ra_env.files import whole_file

BASELINE: Final = Path(__file__).with_name("baseline.json")
FORMAT: Final = "ra-benchmark/1"
ATTEMPTS: Final = 3
"""What looks slower is measured so often before it is said."""

REFERENCE: Final = "reference/compiled"
REFERENCE_THREADS_2: Final = "reference/compiled_threads_2"
REFERENCES: Final = {
    "random_play_threads_2": REFERENCE_THREADS_2,
    "batch_step/checked/1": "reference/python",
    "batch_step/unchecked/1": "reference/python",
    "copy_from_python": "reference/python",
    "game_play": "reference/python",
    "cold_start": "reference/start",
    "warm_start": "reference/start",
    "import": "reference/start",
    "import_game": "reference/start",
}
"""What a figure, or all figures of a group, is a ratio to, if not to REFERENCE."""

TOLERANCES: Final = {
    "reference/compiled": 0.1,
    "reference/compiled_threads_2": 0.5,
    "reference/python": 0.2,
    "reference/start": 0.35,
}
"""Changes up to this share are noise; `docs/benchmarks.md` shows the measurements behind it."""
SECOND_CORE: Final = 1.5
"""Two threads are measured where they make the reference so many times as fast as one."""


class BaselineError(ValueError):
    """The baseline cannot be used."""


class Comparison(NamedTuple):
    """One figure, now and in the baseline, as ratio to its reference; smaller is faster."""

    name: str
    before: float
    now: float

    @property
    def factor(self) -> float:
        """How many times the time of the baseline it takes now."""
        return self.now / self.before

    @property
    def verdict(self) -> str:
        """Whether the change is more than noise."""
        tolerance = 1 + TOLERANCES[reference_of(self.name)]
        if self.factor > tolerance:
            return "slower"
        return "faster" if self.factor < 1 / tolerance else "same"


def reference_of(name: str) -> str:
    """The name of the reference that a figure is a ratio to."""
    return REFERENCES.get(name) or REFERENCES.get(name.rpartition("/")[0]) or REFERENCE


def ratios(timings: Mapping[str, Timing]) -> dict[str, float]:
    """Each figure's time for a unit, as a ratio to that of its reference.

    Without those on two threads if there was no second core for them.
    """
    left_out = {name for name in timings if name.startswith("reference/")}
    if has_no_second_core(timings):
        left_out |= {name for name in timings if reference_of(name) == REFERENCE_THREADS_2}
    return {
        name: timing.seconds / timings[reference_of(name)].seconds
        for name, timing in timings.items()
        if name not in left_out
    }


def has_no_second_core(timings: Mapping[str, Timing]) -> bool:
    """Whether the machine has one core, or was busy with something else on the others."""
    one, two = timings[REFERENCE].seconds, timings[REFERENCE_THREADS_2].seconds
    return one / two < SECOND_CORE


def compare(before: Mapping[str, float], now: Mapping[str, float]) -> list[Comparison]:
    """The figures that are in both."""
    return [Comparison(name, before[name], now[name]) for name in now if name in before]


def read_baseline(path: Path) -> dict[str, Any]:
    """The stored baseline: `ratios` by name, and the `machine` they were measured on."""
    try:
        baseline = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BaselineError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise BaselineError(f"{path} is not JSON") from None
    if not isinstance(baseline, dict) or baseline.get("format") != FORMAT:
        raise BaselineError(f"{path} is not a baseline of format {FORMAT!r}")
    stored = baseline.get("ratios")
    if not isinstance(stored, dict) or not all(map(_is_ratio, stored.values())):
        raise BaselineError(f"{path}: 'ratios' must be a positive number for each figure")
    if not isinstance(baseline.get("machine"), dict):
        raise BaselineError(f"{path}: 'machine' must say where it was measured")
    return baseline


def _is_ratio(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value) and value > 0


def write_baseline(path: Path, measured: Mapping[str, float]) -> None:
    """Store a baseline, whole or not at all."""
    rounded = {name: float(f"{ratio:.4g}") for name, ratio in measured.items()}
    text = json.dumps({"format": FORMAT, "machine": machine(), "ratios": rounded}, indent=2)
    with whole_file(path) as file:
        file.write(f"{text}\n".encode())


def measure_until_sure(before: Mapping[str, float], quick: bool) -> dict[str, float]:
    """The ratios now. While something looks slower it is measured again, and the best counts."""
    best = ratios(measure_all(quick))
    for _ in range(0 if quick else ATTEMPTS - 1):
        slower = [c.name for c in compare(before, best) if c.verdict == "slower"]
        if not slower:
            break
        print(f"Measuring again, as these look slower: {', '.join(slower)}", file=sys.stderr)
        again = ratios(measure_all(quick))
        best |= {name: min(ratio, best.get(name, ratio)) for name, ratio in again.items()}
    return best


def as_text(comparisons: Sequence[Comparison]) -> str:
    """The comparison for people."""
    rows = [("figure", "baseline", "now", "factor", "")]
    for c in comparisons:
        rows.append((c.name, f"{c.before:.4g}", f"{c.now:.4g}", f"{c.factor:.2f}", c.verdict))
    return table("Time for a unit as a ratio to a reference of the same run", rows)


def summary(before: Mapping[str, float], now: Mapping[str, float]) -> str:
    """What became slower or faster, in a sentence each."""
    comparisons = compare(before, now)
    slower = [f"{c.name} ({c.factor:.2f} times)" for c in comparisons if c.verdict == "slower"]
    faster = [f"{c.name} ({c.factor:.2f} times)" for c in comparisons if c.verdict == "faster"]
    lines = [f"Slower than the baseline: {', '.join(slower) or 'nothing'}."]
    if faster:
        lines.append(f"Faster: {', '.join(faster)}. Keep that with --update.")
    added, missing = sorted(now.keys() - before), sorted(before.keys() - now)
    if added:
        lines.append(f"Not in the baseline: {', '.join(added)}. Add them with --update.")
    if missing:
        lines.append(f"Not measured: {', '.join(missing)}. Two threads need two free cores.")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Find out whether the engine became slower.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--update", action="store_true", help="store what is measured as baseline")
    choice.add_argument("--quick", action="store_true", help="few repetitions: rough figures")
    parser.add_argument("--baseline", type=Path, default=BASELINE, help="another baseline file")
    options = parser.parse_args(arguments)
    if options.update:
        timings = measure_all(quick=False)
        measured = ratios(timings)
        write_baseline(options.baseline, measured)
        print(f"Stored {len(measured)} figures in {options.baseline}.")
        if has_no_second_core(timings):
            print("Without those on two threads, as no second core was free.")
        return 0
    try:
        baseline = read_baseline(options.baseline)
    except BaselineError as error:
        parser.error(f"{error}; --update writes a new one")
    before = baseline["ratios"]
    if baseline["machine"] != machine():
        elsewhere = ", ".join(f"{name} {value}" for name, value in baseline["machine"].items())
        print(
            f"The baseline is from another machine ({elsewhere}), whose ratios may differ. For one "
            "of your own, run --update --baseline FILE on the code that you compare with.",
            file=sys.stderr,
        )
    now = measure_until_sure(before, options.quick)
    print(as_text(compare(before, now)), summary(before, now), sep="\n\n")
    return int(any(c.verdict == "slower" for c in compare(before, now)))


if __name__ == "__main__":
    sys.exit(main())
