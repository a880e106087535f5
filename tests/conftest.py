"""What all tests share: how warnings are treated, and each number of players in turn."""

import numba
import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Silence the one warning that uncompiled code gives by design.

    Random words are 64-bit numbers that wrap round. Compiled code does so silently; with
    NUMBA_DISABLE_JIT=1 numpy does the same arithmetic and warns of each overflow.
    """
    if numba.config.DISABLE_JIT:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(params=[2, 3, 4, 5], ids=lambda n: f"{n}-players")
def num_players(request: pytest.FixtureRequest) -> int:
    """Every number of players in turn."""
    players: int = request.param
    return players
