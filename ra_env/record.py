"""Files of game records: JSON Lines, one game a line.

Reading replays every game, so what comes back is known to be right; an error names the file, the
game and the move. A file is written whole or not at all.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ra_env.errors import RecordError
from ra_env.game import Game


def read_games(path: str | Path) -> Iterator[Game]:
    """The games of a file, one after the other, each replayed and checked."""
    for number, record in read_records(path):
        try:
            game = Game.from_record(record)
        except RecordError as error:
            raise RecordError(f"{path}, line {number}: {error}") from None
        yield game


def read_records(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file as they stand there, not yet replayed: `(line number, record)`."""
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _parse_line(path, number, line)
    except UnicodeDecodeError:
        raise RecordError(f"{path} is not a text file in UTF-8") from None


def write_games(path: str | Path, games: "Iterable[Game | Mapping[str, Any]]") -> None:
    """Write games (or their records) to a new file, or in place of an old one."""
    path = Path(path)
    lines = [_to_line(game) for game in games]
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def append_game(path: str | Path, game: "Game | Mapping[str, Any]") -> None:
    """Add a game (or its record) at the end of a file, in one write."""
    line = _to_line(game).encode()
    with open(path, "ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                raise RecordError(f"{path} ends in the middle of a line: its last game is cut off")
        file.write(line)


def _to_line(game: "Game | Mapping[str, Any]") -> str:
    record = game.to_record() if isinstance(game, Game) else dict(game)
    return json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"


def _parse_line(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = "cut off" if not line.endswith("\n") else "not JSON"
        raise RecordError(f"{path}, line {number}: the record is {reason} ({error})") from None
    if not isinstance(record, dict):
        raise RecordError(f"{path}, line {number}: a record is an object, not {line.strip()[:40]}")
    return record
