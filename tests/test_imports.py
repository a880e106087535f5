"""`import ra_env` brings the engine, the environments and nothing heavy."""

import json
import subprocess
import sys

import ra_env

HEAVY = ["torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib", "pandas"]
ABOVE = ["agents", "training", "benchmarks"]
"""What stands on the environment, so that it must do without them."""


def modules_after(code: str) -> set[str]:
    """The top names of all modules that are there after the code has run in a fresh process."""
    tell = "import json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    found = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(found.stdout))


def test_importing_the_package_imports_nothing_heavy_and_nothing_above_it() -> None:
    modules = modules_after("import ra_env, ra_env.batch, ra_env.record")
    assert "ra_env" in modules
    assert modules.isdisjoint([*HEAVY, *ABOVE])


def test_nor_does_playing_a_game() -> None:
    modules = modules_after("import ra_env; ra_env.Game(seed=0).play('draw')")
    assert modules.isdisjoint([*HEAVY, *ABOVE])


def test_everything_promised_is_there() -> None:
    assert sorted(ra_env.__all__) == sorted(set(ra_env.__all__))
    for name in ra_env.__all__:
        assert getattr(ra_env, name) is not None
    assert issubclass(ra_env.IllegalAction, ValueError)
    assert issubclass(ra_env.RecordError, ValueError)
    assert issubclass(ra_env.RulesError, ValueError)
