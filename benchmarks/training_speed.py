"""How fast training is, beside the same learner on games that do nothing, in turns.

    python -m benchmarks.training_speed --json

Network, batch, passes and threads are the same on both sides, so the ratio says what the games,
the opponents and the bookkeeping cost. Also shown: where the time goes, and the memory at its peak.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ra_env.batch import Observations
from ra_env.observation import OBSERVATION_SIZE
from ra_env.selfplay import SelfPlay
from training.learner import SelfPlayPPO
from training.settings import Settings, SettingsError


class Nothing(SelfPlay):
    """Games that show the same positions for ever, whatever is played."""

    def step(self, actions: Any) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Nothing happens and nobody is paid."""
        return self.rewards, self.done


class Idle(SelfPlayPPO):
    """The same learner, who asks nobody for advice."""

    def look(self, seats: NDArray[np.int64], observations: Observations, out: Observations) -> None:
        """Copy what is seen; the advice of before is still there."""
        out[:, :OBSERVATION_SIZE] = observations


def measure(settings: Settings, updates: int) -> dict[str, Any]:
    """Training and idling in turns, `updates` each; the best of each counts."""
    learner = SelfPlayPPO(settings)
    _update(learner)  # compiles
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    idle = Idle(replace(settings, opponent_share=0.0))
    idle.games = Nothing(settings.players, settings.games, 0)
    _update(idle)
    learner.seconds = dict.fromkeys(learner.seconds, 0.0)
    training, idling = [], []
    for _ in range(updates):
        training.append(_update(learner))
        idling.append(_update(idle))
    spent = sum(learner.seconds.values())
    return {
        "decisions_per_second": max(training),
        "decisions_per_second_idle": max(idling),
        "ratio": max(training) / max(idling),
        "share_of_time": {name: seconds / spent for name, seconds in learner.seconds.items()},
        "memory_mib": memory / 1024 if sys.platform != "darwin" else memory / 1024**2,
        "updates": updates,
        "threads": settings.threads,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "settings": settings.to_dict(),
    }


def _update(learner: SelfPlayPPO) -> float:
    """Decisions per second of one update."""
    before, started = learner.num_timesteps, time.perf_counter()
    learner.update()
    return float(learner.num_timesteps - before) / (time.perf_counter() - started)


def as_text(figures: dict[str, Any]) -> str:
    """The figures for people."""
    shares = ", ".join(f"{n} {100 * s:.0f} %" for n, s in figures["share_of_time"].items())
    return (
        f"training           {figures['decisions_per_second']:>9,.0f} decisions/s\n"
        f"on idle games      {figures['decisions_per_second_idle']:>9,.0f} decisions/s\n"
        f"ratio              {figures['ratio']:>9.2f}\n"
        f"time goes into     {shares}\n"
        f"memory at its peak {figures['memory_mib']:>9,.0f} MiB\n"
        f"{figures['threads']} threads on {figures['cores']} cores, "
        f"best of {figures['updates']} updates"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(description="Measure the speed of training.")
    parser.add_argument("--updates", type=int, default=6, help="of each side [%(default)s]")
    parser.add_argument("--hidden", default="256,256", help="widths of layers [%(default)s]")
    parser.add_argument("--threads", type=int, default=Settings.threads, help="[%(default)s]")
    parser.add_argument("--precision", default=Settings.precision, help="[%(default)s]")
    parser.add_argument("--advice", default=Settings.advice, help="[%(default)s]")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        if given.updates < 1:
            raise ValueError("updates must be at least 1")
        hidden = tuple(int(width) for width in given.hidden.split(","))
        settings = Settings(
            hidden=hidden,
            threads=given.threads,
            precision=given.precision,
            advice=given.advice,
        )
    except (SettingsError, ValueError) as error:
        parser.error(str(error))
    figures = measure(settings, given.updates)
    print(json.dumps(figures, indent=2) if given.json else as_text(figures))


if __name__ == "__main__":
    main()
