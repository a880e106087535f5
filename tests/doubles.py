"""Agents for tests that need one of a certain kind, installed like anybody's package.

`install` writes them with their entry points into a folder and puts that on the path, where worker
processes find them too.
"""

from pathlib import Path

import pytest

SOURCE = '''
import os
import time

from ra_env.actions import action_bits_to_list
from ra_env.layout import AUCTION, EPOCH, PHASE
from ra_env.legality import legal_actions

ILLEGAL = 53


def legal(state):
    return action_bits_to_list(int(legal_actions(state)))


class First:
    """Does what comes first in the list."""

    def act(self, state, word):
        return legal(state)[0]


class Last:
    """Does what comes last in the list, unless that is `skip` places too far."""

    def __init__(self, skip: int = 0):
        self.skip = skip

    def act(self, state, word):
        actions = legal(state)
        return actions[-1 - self.skip % len(actions)]


class Fails(First):
    """Cannot cope with the auctions of the second epoch."""

    def act(self, state, word):
        if state[PHASE] == AUCTION and state[EPOCH] == 2:
            return self.fail()
        return super().act(state, word)


class Cheats(Fails):
    def fail(self):
        return ILLEGAL


class Raises(Fails):
    def fail(self):
        raise KeyError("what now?")


class Hangs(Fails):
    def fail(self):
        time.sleep(3600)


class Dies(Fails):
    def fail(self):
        os._exit(3)


class Leaves:
    """Is gone before the first game."""

    def act(self, state, word):
        os._exit(3)
'''

METADATA = """\
Metadata-Version: 2.1
Name: doubles-package
Version: 1.0
"""

ENTRY_POINTS = """
[ra_env.agents]
first = doubles_package:First
last = doubles_package:Last
cheats = doubles_package:Cheats
raises = doubles_package:Raises
hangs = doubles_package:Hangs
dies = doubles_package:Dies
leaves = doubles_package:Leaves
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the agents known to this process and to those it starts."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "doubles_package.py").write_text(SOURCE, encoding="utf-8")
    metadata = folder / "doubles_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: doubles-package\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
