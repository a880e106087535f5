"""All settings of a training run, in one place.

The text under each field is its help on the command line. Settings can be read from a TOML file and
are stored with every checkpoint and policy.

The command line reads this module at every start, so it imports nothing that takes time.
"""

import ast
import sys
from dataclasses import asdict, dataclass, fields
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from ra_env.rules import MAX_PLAYERS, MIN_PLAYERS

PRECISIONS: Final = ("auto", "bfloat16", "float32")


class SettingsError(ValueError):
    """A setting that no training can run with."""


@dataclass(frozen=True)
class Settings:
    """What a training run is made of."""

    minutes: float = 2.0
    """Train for so many minutes, unless `decisions` says how long."""
    decisions: int = 0
    """Train for so many decisions; 0 leaves it to `minutes`. Only this way a run can be repeated
    exactly."""
    players: tuple[int, ...] = (2, 3, 4, 5)
    """Numbers of players to train at, in equal shares of the games."""
    seed: int = 0
    """Decides the network's start, the games and the order of the samples."""
    games: int = 1024
    """Games side by side."""
    steps: int = 128
    """Decisions of each game between two updates."""
    batch: int = 4096
    """Decisions in one gradient step."""
    epochs: int = 2
    """Passes over the collected decisions in an update."""
    hidden: tuple[int, ...] = (256, 256)
    """Width of each layer of the network, which policy and value share."""
    learning_rate: float = 1e-3
    """Step size at the start; falls in a straight line to a tenth at the end."""
    entropy: float = 0.005
    """Weight of the entropy bonus at the start; falls in a straight line to a tenth at the end."""
    clip: float = 0.2
    """How far an update may move the probability of an action."""
    certain_share: float = 0.15
    """Share of the decisions that were all but certain (one action above 99 %) to learn from; there
    is little to find out in them, and in trained play they are most."""
    discount: float = 1.0
    """Discount of later rewards, per decision of a seat."""
    smoothing: float = 0.95
    """Lambda of the generalised advantage estimate."""
    value_weight: float = 0.5
    """Weight of the value error in the loss."""
    reward: str = "win"
    """What a seat is paid for: placement, win, score or margin."""
    view: str = "memory"
    """What a seat sees: memory (perfect memory) or table (opponents' points and bag hidden)."""
    advice: str = "heuristic"
    """Whose opinion the network gets beside its observation: heuristic or none."""
    opponent_share: float = 0.7
    """Share of the games in which all seats but one belong to an opponent."""
    opponents: tuple[str, ...] = ("heuristic", "heuristic", "heuristic")
    """Agents that take these seats, in equal shares with earlier selves; who is named more often
    sits there more often."""
    teacher: str = "heuristic"
    """The agent whose play is imitated at the beginning of the run."""
    teacher_share: float = 0.15
    """Share of the run that is spent on imitating; with 0 everything is learnt from own play."""
    start: str = ""
    """A policy file to begin with, in place of random weights; it decides the layers' width."""
    snapshot_every: int = 20
    """Updates between two earlier selves kept as opponents."""
    snapshots: int = 8
    """Earlier selves that are kept; when there is one more, a random one of them goes."""
    threads: int = 2
    """Threads of the network and of the games."""
    precision: str = "auto"
    """Numbers inside the network while it learns: float32, or bfloat16, which is faster where the
    processor knows them; auto looks whether it does."""
    evaluations: int = 8
    """How often during the run the policy is measured, for the learning curve."""
    evaluation_games: int = 200
    """Games against each yardstick in such a measurement."""
    checkpoint_minutes: float = 1.0
    """Minutes between two checkpoints."""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _of_type(field.name, getattr(self, field.name)))
        from agents.advice import ADVISERS  # these three load numba
        from ra_env.observation import VIEWS
        from ra_env.rewards import REWARDS

        for name in ("games", "steps", "batch", "epochs", "threads", "snapshot_every", "snapshots"):
            _check(name, getattr(self, name) >= 1, "at least 1", self)
        for name in ("evaluations", "evaluation_games"):
            _check(name, getattr(self, name) >= 1, "at least 1", self)
        for name in ("learning_rate", "clip"):
            _check(name, 0 < getattr(self, name) <= 1, "above 0 and at most 1", self)
        for name in (
            *("discount", "smoothing", "opponent_share", "teacher_share", "certain_share"),
        ):
            _check(name, 0 <= getattr(self, name) <= 1, "from 0 to 1", self)
        for name in ("entropy", "value_weight", "decisions", "seed", "checkpoint_minutes"):
            _check(name, getattr(self, name) >= 0, "at least 0", self)
        _check("minutes", self.decisions > 0 or self.minutes > 0, "above 0", self)
        _check("hidden", self.hidden and min(self.hidden) >= 1, "widths from 1", self)
        allowed = range(MIN_PLAYERS, MAX_PLAYERS + 1)
        valid = self.players and all(n in allowed for n in self.players)
        _check("players", valid, f"numbers from {MIN_PLAYERS} to {MAX_PLAYERS}", self)
        _check("reward", self.reward in REWARDS, f"one of {', '.join(REWARDS)}", self)
        _check("view", self.view in VIEWS, f"one of {', '.join(VIEWS)}", self)
        _check("advice", self.advice in ADVISERS, f"one of {', '.join(ADVISERS)}", self)
        is_fair = self.view == "memory" or self.advice == "none"
        _check("advice", is_fair, f"none with view {self.view!r}: the heuristic sees more", self)
        allowed_precisions = f"one of {', '.join(PRECISIONS)}"
        _check("precision", self.precision in PRECISIONS, allowed_precisions, self)

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Settings":
        """Settings from JSON or TOML values; what is not named keeps its default."""
        known = [field.name for field in fields(cls)]
        unknown = [key for key in values if key not in known]
        if unknown:
            raise SettingsError(f"unknown setting {unknown[0]!r}; settings: {', '.join(known)}")
        return cls(**values)

    @classmethod
    def from_toml(cls, path: str | Path) -> "Settings":
        """Settings from a TOML file."""
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib  # from the extra `train`

        try:
            return cls.from_dict(tomllib.loads(Path(path).read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path} is not a TOML file: {error}") from None


@cache
def help_texts() -> dict[str, str]:
    """What each setting means: the text under its field."""
    module = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    body = next(n.body for n in module.body if isinstance(n, ast.ClassDef) and n.name == "Settings")
    texts = {}
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            assert isinstance(field.target, ast.Name)
            texts[field.target.id] = " ".join(ast.literal_eval(text.value).split())
    return texts


_DEFAULTS = {field.name: field.default for field in fields(Settings)}


def _of_type(name: str, value: Any) -> Any:
    """The value as the type of the setting's default."""
    default = _DEFAULTS[name]
    if isinstance(default, tuple):
        if not isinstance(value, (list, tuple)):
            raise SettingsError(f"{name} must be a list, not {value!r}")
        kind: type = type(default[0])
        if any(type(item) is not kind for item in value):
            raise SettingsError(f"{name} must be a list of {kind.__name__}, not {value!r}")
        return tuple(value)
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if type(value) is not type(default):
        raise SettingsError(f"{name} must be a {type(default).__name__}, not {value!r}")
    return value


def _check(name: str, is_right: object, wanted: str, settings: Settings) -> None:
    if not is_right:
        raise SettingsError(f"{name} must be {wanted}, not {getattr(settings, name)!r}")
