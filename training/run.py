"""A training run: a learner, a folder for what comes out, and how far it is.

`OUT/policy.safetensors` is the policy for everybody; `OUT/resume.pt` is what only going on needs;
`OUT/curve.json` is the learning curve; `OUT/tensorboard` holds the logs. Each is written whole or
not at all, so a run that is killed can go on from its last checkpoint.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import configure

from agents.policy import load_policy, save_policy, with_advice
from agents.ppo import PPO
from ra_env.agent import act_batch, make_agent
from ra_env.files import whole_file
from training.checkpoint import (
    CheckpointError,
    read_checkpoint,
    restore,
    save_checkpoint,
    settings_of,
)
from training.imitation import imitate
from training.learner import SelfPlayPPO
from training.measure import win_rates
from training.settings import Settings, SettingsError

POLICY: Final = "policy.safetensors"
CHECKPOINT: Final = "resume.pt"
CURVE: Final = "curve.json"
LOGS: Final = "tensorboard"


@dataclass
class Run:
    """A run as it stands."""

    learner: SelfPlayPPO
    out: Path
    seconds: float = 0.0
    """Trained so far, in earlier sittings too."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    """What was measured so far, a point for each time."""

    @property
    def settings(self) -> Settings:
        """What the run is made of."""
        return self.learner.settings

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1."""
        settings = self.settings
        if settings.decisions:
            return float(min(self.learner.num_timesteps / settings.decisions, 1.0))
        return min(self.seconds / (60 * settings.minutes), 1.0)

    @property
    def yardstick_players(self) -> int:
        """At how many players the learning curve is measured: four, if that is trained at all."""
        return 4 if 4 in self.settings.players else max(self.settings.players)


def begin(settings: Settings, out: Path) -> Run:
    """A new run in the folder `out`, which must not hold one already."""
    if (out / CHECKPOINT).exists() or (out / POLICY).exists():
        raise SettingsError(
            f"{out} holds a run already; go on with it (--resume) or choose another folder (--out)"
        )
    for name in (*settings.opponents, settings.teacher):
        make_agent(name)
    start = None
    if settings.start:
        start = load_policy(settings.start)
        if start.view != settings.view:
            raise SettingsError(
                f"{settings.start} was trained with view {start.view!r}, not {settings.view!r}"
            )
        if start.adviser not in (settings.advice, "none"):
            raise SettingsError(
                f"{settings.start} needs advice {start.adviser!r}, not {settings.advice!r}"
            )
        settings = replace(settings, hidden=tuple(len(bias) for _, bias in start.trunk))
    run = _prepared(settings, out)
    if start is not None:
        run.learner.begin_with(start if settings.advice == "none" else with_advice(start))
    return run


def resume(out: Path, changes: dict[str, Any]) -> Run:
    """The run in the folder `out` where its last checkpoint was; only its length may change."""
    content = read_checkpoint(out / CHECKPOINT)
    settings = settings_of(content)
    for name in changes:
        if name not in ("minutes", "decisions"):
            raise SettingsError(
                f"{name} is fixed when a run begins; what a resumed run may change: "
                "minutes, decisions"
            )
    settings = Settings.from_dict(settings.to_dict() | changes)
    run = _prepared(settings, out)
    try:
        restore(run.learner, content)
        run.seconds, run.curve = content["facts"]["seconds"], content["facts"]["curve"]
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{out / CHECKPOINT} cannot be gone on from: {error}") from None
    return run


def _prepared(settings: Settings, out: Path) -> Run:
    learner = SelfPlayPPO(settings)
    out.mkdir(parents=True, exist_ok=True)
    learner.set_logger(configure(str(out / LOGS), ["tensorboard"]))
    return Run(learner, out)


def warm_up(run: Run) -> None:
    """Compile all that a run needs, so that its clock does not count it. The run stays as it is."""
    settings = run.settings
    random = torch.get_rng_state()
    learner = SelfPlayPPO(replace(settings, games=64, steps=8, hidden=(8,), opponent_share=1.0))
    imitate(learner, make_agent(settings.teacher))
    learner.update()
    for name in settings.opponents:
        actions = np.zeros(len(learner.games.states), np.int64)
        act_batch(make_agent(name), learner.games.states, learner.games.words, actions)
    measure(Run(learner, run.out), games=1)
    torch.set_rng_state(random)


def train(
    run: Run,
    *,
    watch: Callable[[Run], None] = lambda run: None,
    is_asked_to_stop: Callable[[], bool] = lambda: False,
    callbacks: Sequence[BaseCallback] = (),
) -> None:
    """Train to the end of the run, or until asked to stop, and save what there is then.

    `watch` is called after each update and each measurement. `callbacks` are those of
    stable-baselines3.
    """
    learner, settings = run.learner, run.settings
    teacher = make_agent(settings.teacher)
    callback = CallbackList(list(callbacks))
    callback.init_callback(learner)
    callback.on_training_start({}, {})
    saved = run.seconds
    while run.progress < 1 and not is_asked_to_stop():
        started = time.perf_counter()
        if run.progress >= len(run.curve) / settings.evaluations:
            run.curve.append(measure(run))
        learner.progress = run.progress
        if run.progress < settings.teacher_share:
            imitate(learner, teacher)
        else:
            learner.update(callback)
        run.seconds += time.perf_counter() - started
        _log(run)
        if run.seconds - saved >= 60 * settings.checkpoint_minutes:
            save(run)
            saved = run.seconds
        watch(run)
    if run.progress >= 1:
        run.curve.append(measure(run))
    save(run)
    watch(run)
    callback.on_training_end()


def measure(run: Run, games: int | None = None) -> dict[str, Any]:
    """A point of the learning curve: how the policy, greedy, does against the yardsticks."""
    games = run.settings.evaluation_games if games is None else games
    players = run.yardstick_players
    return {
        "decisions": run.learner.num_timesteps,
        "minutes": run.seconds / 60,
        "games": run.learner.games_played,
        "players": players,
        "against": win_rates(PPO.of(run.learner.export()), players, games),
    }


def save(run: Run) -> None:
    """Write the policy, the learning curve, and last what the run can go on from."""
    learner = run.learner
    facts = {
        **learner.facts(),
        "settings": run.settings.to_dict(),
        "decisions": learner.num_timesteps,
        "games": learner.games_played,
        "minutes": run.seconds / 60,
        "versions": {name: version(name) for name in ("ra-env", "torch", "sb3-contrib", "numpy")},
    }
    save_policy(run.out / POLICY, learner.export().tensors(), facts)
    with whole_file(run.out / CURVE) as file:
        curve = {"settings": run.settings.to_dict(), "points": run.curve}
        file.write(json.dumps(curve, indent=2).encode())
    save_checkpoint(
        run.out / CHECKPOINT, learner, {"seconds": run.seconds, "curve": list(run.curve)}
    )


def _log(run: Run) -> None:
    """Hand the figures of an update to the logs."""
    learner = run.learner
    logger = learner.logger
    logger.record("run/games", learner.games_played)
    logger.record("run/decisions_per_second", learner.num_timesteps / max(run.seconds, 1e-9))
    for name, result in run.curve[-1]["against"].items():
        logger.record(f"win_rate/{name}", result["win_rate"])
    for name, seconds in learner.seconds.items():
        logger.record(f"seconds/{name}", seconds)
    logger.dump(learner.num_timesteps)
