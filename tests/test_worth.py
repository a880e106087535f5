"""Teaching to look ahead: the games it is learnt from, what is learnt, and the command."""

from pathlib import Path

import numpy as np
import pytest

from agents.advice import INPUT_SIZE, POSITION_SIZE
from agents.lookahead import chance_to_win
from agents.policy import load_policy, save_policy
from ra_env.actions import NUM_ACTIONS
from ra_env.observation import OBSERVATION_SIZE, describe
from training import worth
from training.worth import new_layers, parts, play, to_numpy

pytestmark = pytest.mark.compiled

PIECES = {piece.name: piece.slice for piece in describe()}


@pytest.fixture(scope="module")
def played() -> tuple[np.ndarray, np.ndarray]:
    return play(1, 4000)


def test_results_are_chances_of_the_seats_that_are_there(
    played: tuple[np.ndarray, np.ndarray],
) -> None:
    inputs, results = played
    assert results.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert (results >= 0).all()
    assert not results[inputs[:, PIECES["present"]] == 0].any()


def test_positions_are_turns_in_all_epochs_at_all_tables(
    played: tuple[np.ndarray, np.ndarray],
) -> None:
    inputs, results = played
    assert inputs.shape == (4000, POSITION_SIZE)
    assert (inputs[:, PIECES["phase"]][:, 0] == 1).all()
    for name in ("epochs_left", "players"):
        shares = inputs[:, PIECES[name]].mean(axis=0)
        assert (shares > 0.1).all()
    is_last = inputs[:, PIECES["epochs_left"]][:, 0] == 1
    decided = np.isin(results, (0, 1)).all(axis=1)
    assert decided[is_last].all()
    assert decided[~is_last].mean() < 0.01


def test_whoever_looks_comes_first_in_inputs_and_results(
    played: tuple[np.ndarray, np.ndarray],
) -> None:
    """The judgement in the inputs foretells the results, seat by seat."""
    inputs, results = played
    foretold = inputs[:, OBSERVATION_SIZE : OBSERVATION_SIZE + 5]
    right = (foretold.argmax(axis=1) == results.argmax(axis=1)).mean()
    turned = (foretold.argmax(axis=1) == np.roll(results, 1, axis=1).argmax(axis=1)).mean()
    assert right > 0.45 > 0.35 > turned


def test_the_same_seed_gives_the_same_positions_on_any_number_of_threads() -> None:
    one, two = parts(3, 64, 1), parts(3, 64, 2)
    for _ in range(5):
        for mine, theirs in zip(next(one), next(two), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_network_learns_to_foretell(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some seconds it foretells better than equal chances would."""
    monkeypatch.setattr(worth, "PART", 4096)
    layers = new_layers(0)
    facts = worth.learn(layers, 0.05, seed=0, threads=1)
    assert facts["positions"] >= 4096
    inputs, results = play(99, 3000)
    players = inputs[:, PIECES["present"]].sum(axis=1).astype(np.int16)
    chances = chance_to_win(to_numpy(layers), inputs, players)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert np.mean((chances - results[:, 0]) ** 2) < np.mean((1 / players - results[:, 0]) ** 2)


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    """A policy that does not look ahead."""
    sizes = {"trunk.0": (16, INPUT_SIZE), "policy": (NUM_ACTIONS, 16), "value": (1, 16)}
    tensors = {}
    for name, shape in sizes.items():
        tensors[f"{name}.weight"] = np.zeros(shape, np.float32)
        tensors[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    save_policy(tmp_path / "policy.safetensors", tensors, {"view": "memory", "advice": "heuristic"})
    return tmp_path / "policy.safetensors"


def test_the_command_gives_a_policy_the_network(
    policy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worth, "PART", 4096)
    out, other = tmp_path / "ahead.safetensors", tmp_path / "other.safetensors"
    worth.main([str(policy_file), "--out", str(out), "--minutes", "0.01", "--threads", "1"])
    taught = load_policy(out)
    assert len(taught.worth) == 3
    assert taught.metadata["worth"]["minutes"] == 0.01
    worth.main([str(policy_file), "--out", str(other), "--take", str(out)])
    assert load_policy(other).metadata == taught.metadata
    for (weight, _), (same, _) in zip(taught.worth, load_policy(other).worth, strict=True):
        np.testing.assert_array_equal(weight, same)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minutes", "0"], "minutes must be above 0"),
        (["--minutes", "nan"], "minutes must be above 0"),
        (["--out", "nowhere/policy.safetensors"], "there is no folder nowhere"),
        (["--take", "nothing.safetensors"], "there is no policy file nothing.safetensors"),
        (["--take", "policy.safetensors"], "does not look ahead itself"),
    ],
)
def test_what_cannot_be_done_is_named(
    arguments: list[str],
    message: str,
    policy_file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(policy_file.parent)
    with pytest.raises(SystemExit):
        worth.main([policy_file.name, "--out", "out.safetensors", *arguments])
    assert message in capsys.readouterr().err
    assert not Path("out.safetensors").exists()
