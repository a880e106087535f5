"""Settings on the command line: every one is there, explained, and read as its own type."""

from dataclasses import fields

import pytest
import typer
from typer.testing import CliRunner

from training.options import with_settings
from training.settings import Settings, help_texts


def given(*arguments: str) -> dict:
    """The settings that a command gets from these arguments."""
    app = typer.Typer()
    seen: list[dict] = []

    @app.command()
    @with_settings
    def command(own: int = 3, changes: dict = {}) -> None:  # noqa: B006 - never changed
        seen.append({"own": own, **changes})

    result = CliRunner().invoke(app, list(arguments))
    if result.exit_code:
        raise ValueError(" ".join(result.output.split()))
    return seen[0]


def test_every_setting_has_a_help_text() -> None:
    assert set(help_texts()) == {field.name for field in fields(Settings)}
    assert all(text.endswith(".") and "\n" not in text for text in help_texts().values())


def test_only_what_is_given_is_passed_on_and_as_its_own_type() -> None:
    assert given() == {"own": 3}
    assert given("--own", "5", "--players", "2,4", "--minutes", "3", "--games", "64") == {
        "own": 5,
        "players": (2, 4),
        "minutes": 3.0,
        "games": 64,
    }
    assert given("--opponents", "heuristic mcts:sims=9,c=1", "--reward", "win") == {
        "own": 3,
        "opponents": ("heuristic", "mcts:sims=9,c=1"),
        "reward": "win",
    }


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(ValueError, match="games must be a int, not 'many'"):
        given("--games", "many")
    with pytest.raises(ValueError, match="players must be a int, not 'two'"):
        given("--players", "2,two")
