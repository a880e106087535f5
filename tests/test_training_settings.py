"""Settings of a training run: read, checked, and told what is wrong."""

from pathlib import Path

import pytest

from training.settings import Settings, SettingsError


def test_settings_survive_being_stored() -> None:
    settings = Settings(minutes=3, players=(2, 4), hidden=(64,), opponents=("random",))
    assert Settings.from_dict(settings.to_dict()) == settings


def test_a_toml_file_changes_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('players = [4]\nlearning_rate = 1e-3\nreward = "win"\nminutes = 5\n')
    assert Settings.from_toml(path) == Settings(
        players=(4,), learning_rate=1e-3, reward="win", minutes=5.0
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"game": 3}, "unknown setting 'game'; settings: minutes"),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"games": 1.5}, "games must be a int, not 1.5"),
        ({"games": True}, "games must be a int, not True"),
        ({"players": [6]}, "players must be numbers from 2 to 5"),
        ({"players": []}, "players must be numbers from 2 to 5"),
        ({"players": 4}, "players must be a list, not 4"),
        ({"players": ["4"]}, "players must be a list of int"),
        ({"hidden": []}, "hidden must be widths from 1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
        ({"discount": 1.5}, "discount must be from 0 to 1"),
        ({"reward": "money"}, "reward must be one of placement, win, score, margin"),
        ({"view": "x-ray"}, "view must be one of memory, table"),
        ({"advice": "me"}, "advice must be one of heuristic, none"),
        ({"view": "table"}, "advice must be none with view 'table'"),
        ({"minutes": 0}, "minutes must be above 0"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_impossible_settings_are_refused_by_name(values: dict, message: str) -> None:
    with pytest.raises(SettingsError) as error:
        Settings.from_dict(values)
    assert message in str(error.value)


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("players = [")
    with pytest.raises(SettingsError, match=r"run\.toml is not a TOML file"):
        Settings.from_toml(path)
