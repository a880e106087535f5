"""Finished games in a folder, so that a contest can be continued.

    plan.json       what is played; another contest is refused
    blocks.jsonl    one line for each seed, with all its games
    failures.jsonl  the records of games that an agent could not finish

A line is there whole or not at all: what an interruption has cut off is dropped.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.contest import Store
from benchmarks.files import write_whole
from benchmarks.plan import Plan
from benchmarks.play import Block, Failure
from ra_env.record import write_games
from ra_env.scoring import NUM_CATEGORIES

FORMAT: Final = "ra-contest/1"
_ARRAYS: Final = ("seats", "scores", "ranks", "points")


class StoreError(ValueError):
    """The folder cannot be used for this contest."""


class Folder(Store):
    """Keeps blocks in a folder, and finds those of an earlier run there."""

    def __init__(self, path: Path, plan: Plan, versions: dict[str, Any]) -> None:
        super().__init__()
        self._file = path / "blocks.jsonl"
        self._failures = path / "failures.jsonl"
        path.mkdir(parents=True, exist_ok=True)
        _check_plan(path / "plan.json", plan, versions)
        if self._file.exists():
            _drop_cut_off_line(self._file)
            super().add(list(_read(self._file, plan)))

    def add(self, blocks: Sequence[Block]) -> None:
        """Keep blocks, in memory and on disk."""
        text = "".join(_to_line(block) for block in blocks)
        with open(self._file, "ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        super().add(blocks)

    def write_failures(self, failures: Sequence[Failure]) -> None:
        """Keep the records of games that failed, in place of those of an earlier run."""
        self._failures.unlink(missing_ok=True)
        if failures:
            write_games(self._failures, map(failure_record, failures))


def failure_record(failure: Failure) -> dict[str, Any]:
    """The record of a game up to the decision that failed, with a word about it."""
    blame = {"agent": failure.agent, "seat": failure.seat, "reason": failure.reason}
    return {**failure.record, "failure": blame}


def _check_plan(path: Path, plan: Plan, versions: dict[str, Any]) -> None:
    """Write the plan, or compare it with the one that is there. Only the number of seeds may
    differ: a contest can be made longer."""
    wanted = {
        "format": FORMAT,
        "kind": plan.kind,
        "agents": list(plan.agents),
        "players": plan.players,
        "first_seed": plan.first_seed,
        "versions": versions,
    }
    if not path.exists():
        write_whole(path, (json.dumps(wanted, indent=2) + "\n").encode())
        return
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise StoreError(f"{path} is not JSON; use another folder") from None
    for key, value in wanted.items():
        found = there.get(key) if isinstance(there, dict) else None
        if found != value:
            raise StoreError(
                f"{path.parent} holds another contest: {key} is {found!r} there and {value!r} "
                "here; use another folder"
            )


def _to_line(block: Block) -> str:
    content: dict[str, Any] = {"seed": block.seed}
    content |= {name: getattr(block, name).tolist() for name in _ARRAYS}
    content["decisions"] = [decisions.hex() for decisions in block.decisions]
    return json.dumps(content, separators=(",", ":")) + "\n"


def _read(path: Path, plan: Plan) -> Iterator[Block]:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield _from_line(line, plan)
            except (ValueError, KeyError, TypeError) as error:
                raise StoreError(
                    f"{path}, line {number} is damaged ({error}); use another folder"
                ) from None


def _from_line(line: str, plan: Plan) -> Block:
    content = json.loads(line)
    seats, scores, ranks, points = (np.array(content[name], np.int64) for name in _ARRAYS)
    decisions = tuple(bytes.fromhex(text) for text in content["decisions"])
    seating = plan.seating(content["seed"])
    wanted = (seating.shape, seating.shape, (*seating.shape, NUM_CATEGORIES), len(seating))
    found = (scores.shape, ranks.shape, points.shape, len(decisions))
    if not np.array_equal(seats, seating) or found != wanted:
        raise ValueError("these are not the games of this seed")
    return Block(content["seed"], seats, scores, ranks, points, decisions)


def _drop_cut_off_line(path: Path) -> None:
    with open(path, "rb+") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)
