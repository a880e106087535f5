"""Files of game records: JSON Lines, one game a line.

Reading replays every game, so what comes back is known to be right; an error names the file, the
line and the move. Blank lines mean nothing, and an empty file holds no games. A file is written
whole or not at all, and so is a game that is added to it.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ra_env.errors import RecordError, shown
from ra_env.files import whole_file
from ra_env.game import Game
from ra_env.notation import parse_record


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
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    record = _parse_line(line)
                except RecordError as error:
                    raise RecordError(f"{path}, line {number}: {error}") from None
                yield number, record


def write_games(path: str | Path, games: "Iterable[Game | Mapping[str, Any]]") -> None:
    """Write games (or their records) to a new file, or in place of an old one."""
    with whole_file(path) as file:
        file.writelines(map(_to_line, games))


def append_game(path: str | Path, game: "Game | Mapping[str, Any]") -> None:
    """Add a game (or its record) at the end of a file, which need not exist yet."""
    line = _to_line(game)
    with open(path, "ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        if file.read(1) not in (b"", b"\n"):
            file.seek(0)
            _check_last_line(path, file.readall().rpartition(b"\n")[2])
            line = b"\n" + line
        try:
            if file.write(line) != len(line):
                raise OSError(f"{path}: there is no room for another game")
        except BaseException:
            file.truncate(size)
            raise


def _to_line(game: "Game | Mapping[str, Any]") -> bytes:
    record = game.to_record() if isinstance(game, Game) else game
    parse_record(record)
    try:
        text = json.dumps(dict(record), separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"the record cannot be written as JSON: {error}") from None
    return text.encode() + b"\n"


def _parse_line(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise RecordError("the record is not text in UTF-8") from None
    except (ValueError, RecursionError) as error:
        is_cut_off = line.lstrip().startswith(b"{") and not line.endswith(b"\n")
        reason = "cut off" if is_cut_off else "not JSON"
        raise RecordError(f"the record is {reason} ({error})") from None
    if not isinstance(record, dict):
        raise RecordError(f"a record is an object, not {shown(record)}")
    return record


def _check_last_line(path: str | Path, line: bytes) -> None:
    """A last line without an end may be whole all the same, if another program wrote it."""
    try:
        _parse_line(line)
    except RecordError as error:
        raise RecordError(f"{path} cannot be added to, for at its end {error}") from None
