"""Every setting of a training run as an option of a command."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any

import typer

from training.settings import Settings, SettingsError, help_texts

PANELS = {
    "How long": ("minutes", "decisions", "evaluations", "evaluation_games", "checkpoint_minutes"),
    "Games": ("players", "reward", "view", "advice", "seed"),
    "Opponents and teacher": (
        *("opponent_share", "opponents", "snapshots", "snapshot_every"),
        *("teacher", "teacher_share", "start"),
    ),
}
"""Under which heading the help shows a setting; the others are about learning."""


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each setting.

    The command's last parameter is a dictionary: the settings that were given, as their own types.
    """
    own = list(inspect.signature(command).parameters.values())[:-1]
    names = [field.name for field in fields(Settings)]

    def with_options(**values: Any) -> None:
        given = {name: values.pop(name) for name in names}
        try:
            changes = {n: _typed(n, text) for n, text in given.items() if text is not None}
        except SettingsError as error:
            raise typer.BadParameter(str(error)) from None
        command(*values.values(), changes)

    parameters = [*own, *(_option(name) for name in names)]
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    with_options.__doc__ = command.__doc__
    with_options.__name__ = command.__name__
    return with_options


def _option(name: str) -> inspect.Parameter:
    default = Settings.__dataclass_fields__[name].default
    panel = next((panel for panel, names in PANELS.items() if name in names), "Learning")
    metavar = type(default).__name__.upper()
    if isinstance(default, tuple):
        metavar = "'A B ...'" if isinstance(default[0], str) else "A,B,..."
    option = typer.Option(
        f"--{name.replace('_', '-')}",
        help=f"{help_texts()[name]} [{_shown(default)}]",
        metavar=metavar,
        rich_help_panel=panel,
        show_default=False,
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[str | None, option],
    )


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return str(default) if default != "" else "none"


def _typed(name: str, text: str) -> Any:
    """The value that a text means for this setting."""
    default: Any = Settings.__dataclass_fields__[name].default
    if isinstance(default, tuple):
        kind: Any = type(default[0])
        # Commas belong to the names of agents: mcts:sims=100,c=1
        parts = text.split() if kind is str else text.replace(",", " ").split()
        return tuple(_converted(name, part, kind) for part in parts)
    return _converted(name, text, type(default))


def _converted(name: str, text: str, kind: Any) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise SettingsError(f"{name} must be a {kind.__name__}, not {text!r}") from None
