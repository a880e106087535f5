"""Files of records: written whole or not at all, read game by game, every fault with its line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from random_play import SMALL, random_game
from test_notation import FINISHED, UNDER_WAY

import ra_env.record
from ra_env import Game, RecordError
from ra_env.record import append_game, read_games, read_records, write_games


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


def line_of(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --- writing and reading -------------------------------------------------------------------------


def test_games_come_back_as_they_were_written(path: Path) -> None:
    games = [random_game(players, seed=players) for players in (2, 3, 4, 5)]
    games += [random_game(4, moves=moves) for moves in (0, 7, 80)]
    games += [random_game(rules=SMALL), random_game(rules=SMALL, moves=5)]
    write_games(path, games)
    assert list(read_games(path)) == games


def test_a_file_is_one_json_object_a_line(path: Path) -> None:
    games = [random_game(2, seed=1), random_game(rules=SMALL, seed=2)]
    write_games(path, games)
    lines = path.read_text().splitlines()
    assert [json.loads(line) for line in lines] == [game.to_record() for game in games]
    standard, variant = map(json.loads, lines)
    assert list(standard) == [
        *("format", "players", "seed", "suns", "moves", "epoch_points", "scores", "ranking"),
    ]
    assert variant["rules"] == SMALL.to_dict()


def test_records_may_be_written_too_with_all_that_is_in_them(path: Path) -> None:
    record = {**FINISHED, "agents": ["a", "b"], "comment": "Günther's \u2603 \ud800"}
    write_games(path, [record, UNDER_WAY])
    assert list(read_records(path)) == [(1, record), (2, UNDER_WAY)]


def test_a_file_written_by_hand_is_read(path: Path) -> None:
    """With a mark at its beginning, other line ends, blanks, blank lines, and no end of its own."""
    finished, under_way = json.dumps(FINISHED).encode(), json.dumps(UNDER_WAY).encode()
    path.write_bytes(b"\xef\xbb\xbf" + finished + b"\r\n\n  \r\n  " + under_way + b" \n" + finished)
    assert [number for number, _ in read_records(path)] == [1, 4, 5]
    assert [game.is_over for game in read_games(path)] == [True, False, True]


@pytest.mark.parametrize("content", [b"", b"\n", b" \n\n\t\r\n"])
def test_an_empty_file_and_blank_lines_are_no_games(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert list(read_games(path)) == []


def test_writing_no_games_leaves_an_empty_file(path: Path) -> None:
    write_games(path, [])
    assert files_in(path.parent) == {path.name: b""}


def test_reading_goes_game_by_game(path: Path) -> None:
    """What comes before a broken line is read; nothing is read ahead."""
    path.write_bytes(line_of(FINISHED) + b"not a game\n")
    games = read_games(path)
    assert next(games).scores == [12, 3]
    with pytest.raises(RecordError, match="line 2"):
        next(games)


def test_a_file_that_is_not_there_is_the_systems_to_report(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read_games(path))
    with pytest.raises(FileNotFoundError):
        write_games(path.parent / "missing" / "games.jsonl", [])


# --- broken files --------------------------------------------------------------------------------

WHOLE = line_of(FINISHED)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (WHOLE[: len(WHOLE) // 2], r"the record is cut off \("),
        (WHOLE[:-2], r"the record is cut off \("),
        (b"{", r"the record is cut off \("),
        (b"hello", r"the record is not JSON \("),
        (b"{'format': 'ra-game/1'}\n", r"the record is not JSON \("),
        (WHOLE[: len(WHOLE) // 2] + b"\n", r"the record is not JSON \("),
        (WHOLE[:-1] + WHOLE, r"the record is not JSON \(Extra data"),
        (b"[" * 100_000 + b"\n", r"the record is not JSON \("),
        (b'{"seed": ' + b"9" * 5000 + b"}\n", r"the record is not JSON \(.*4300 digits"),
        (b"\xff\xfe{\x00}\x00\n", "the record is not text in UTF-8"),
        (b'{"comment": "\xe9"}\n', "the record is not text in UTF-8"),
        (b"\x00\n", r"the record is not JSON \("),
        (b"[]\n", r"a record is an object, not \[\]"),
        (b"7\n", "a record is an object, not 7"),
        (b"null\n", "a record is an object, not None"),
        (line_of({"a": 1}), "'suns' must be there, as a list"),
        (line_of({**FINISHED, "format": "ra-game/9"}), "the format is 'ra-game/9'"),
        (line_of({**FINISHED, "rules": {"epochs": 0}}), "the rules are impossible: epochs"),
        (line_of({**FINISHED, "moves": ["1 invoke"]}), r"move 1 \('1 invoke'\): seat 0 is on turn"),
        (line_of({**FINISHED, "moves": ["0 pass"]}), r"move 1 \('0 pass'\): seat 0 cannot 'pass'"),
        (line_of({**FINISHED, "moves": ["0 draw god"]}), r"move 1 .*: no god is left in the bag"),
        (line_of({**FINISHED, "scores": [3, 12]}), r"'scores' should be \[12, 3\]"),
        (line_of({**FINISHED, "scores": [float("nan"), 3]}), "'scores' must be a list of whole"),
        (
            line_of({**FINISHED, "epoch_points": [[0, 0]]}),
            r"'epoch_points' should be \[\[2, -7\]\]",
        ),
        (line_of({**FINISHED, "ranking": [1, 0]}), r"'ranking' should be \[0, 1\]"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_line_is_named_with_its_file_and_fault(
    path: Path, broken: bytes, reason: str
) -> None:
    path.write_bytes(line_of(UNDER_WAY) + b"\n" + broken)
    with pytest.raises(RecordError, match=reason) as refused:
        list(read_games(path))
    message = str(refused.value)
    assert message.startswith(f"{path}, line 3: ")
    assert len(message) < len(str(path)) + 300


def test_a_file_cut_off_anywhere_is_told_from_a_whole_one(path: Path) -> None:
    """Only a cut before the record or after its last bracket leaves nothing to complain about."""
    for size in range(len(WHOLE)):
        path.write_bytes(WHOLE[:size])
        if size in (0, len(WHOLE) - 1):
            list(read_games(path))
        else:
            with pytest.raises(RecordError, match=r"line 1: the record is cut off"):
                list(read_games(path))


# --- whole or not at all -------------------------------------------------------------------------


class Unwritable:
    """A value that JSON does not know."""


UNWRITABLE: list[tuple[object, str]] = [
    (7, "a record is an object, not a int"),
    (None, "a record is an object"),
    ([FINISHED], "a record is an object"),
    ({}, "'suns' must be there"),
    ({**FINISHED, "comment": Unwritable()}, "cannot be written as JSON"),
    ({**FINISHED, "comment": float("inf")}, "cannot be written as JSON"),
    ({**FINISHED, (1, 2): 3}, "cannot be written as JSON"),
]


@pytest.mark.parametrize(("unfit", "reason"), UNWRITABLE, ids=[why for _, why in UNWRITABLE])
@pytest.mark.parametrize("old", [None, WHOLE], ids=["new", "existing"])
def test_what_cannot_be_written_leaves_everything_as_it_was(
    path: Path, old: bytes | None, unfit: Any, reason: str
) -> None:
    if old is not None:
        path.write_bytes(old)
    before = files_in(path.parent)
    with pytest.raises(RecordError, match=reason):
        write_games(path, [random_game(2), unfit, FINISHED])
    with pytest.raises(RecordError, match=reason):
        append_game(path, unfit)
    assert files_in(path.parent) == before


def test_an_endless_record_is_refused(path: Path) -> None:
    record: dict[str, Any] = dict(FINISHED)
    record["comment"] = record
    with pytest.raises(RecordError, match="cannot be written as JSON"):
        write_games(path, [record])
    assert files_in(path.parent) == {}


def failing(*_: object, **__: object) -> None:
    raise OSError("the disk is full")


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("old", [None, WHOLE], ids=["new", "existing"])
def test_a_failing_disk_leaves_the_old_file_and_nothing_else(
    path: Path, old: bytes | None, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if old is not None:
        path.write_bytes(old)
    before = files_in(path.parent)
    monkeypatch.setattr(ra_env.record.os, step, failing)
    with pytest.raises(OSError, match="the disk is full"):
        write_games(path, [FINISHED, UNDER_WAY])
    assert files_in(path.parent) == before


def test_an_interruption_while_the_games_are_made_leaves_the_old_file(path: Path) -> None:
    def interrupted() -> Iterator[Game]:
        yield random_game(2)
        raise KeyboardInterrupt

    path.write_bytes(WHOLE)
    with pytest.raises(KeyboardInterrupt):
        write_games(path, interrupted())
    assert files_in(path.parent) == {path.name: WHOLE}


def test_a_file_can_be_read_by_whom_the_system_allows(path: Path) -> None:
    """A new file gets the permissions that any new file gets, not those of a private one."""
    write_games(path, [FINISHED])
    (path.parent / "plain").write_text("")
    assert path.stat().st_mode == (path.parent / "plain").stat().st_mode


# --- adding games --------------------------------------------------------------------------------


def test_games_are_added_to_a_new_and_to_an_existing_file(path: Path) -> None:
    append_game(path, FINISHED)
    append_game(str(path), random_game(3))
    append_game(path, UNDER_WAY)
    assert [game.num_players for game in read_games(path)] == [2, 3, 4]
    assert path.read_bytes().count(b"\n") == 3


def test_a_whole_last_line_without_an_end_gets_one(path: Path) -> None:
    path.write_bytes(WHOLE + WHOLE[:-1])
    append_game(path, UNDER_WAY)
    assert [record for _, record in read_records(path)] == [FINISHED, FINISHED, UNDER_WAY]


@pytest.mark.parametrize("tail", [WHOLE[:40], b"{", b"hello", b"\xff", b"7"])
def test_nothing_is_added_behind_a_game_that_is_cut_off(path: Path, tail: bytes) -> None:
    path.write_bytes(WHOLE + tail)
    with pytest.raises(RecordError, match=r"games\.jsonl cannot be added to, for at its end "):
        append_game(path, FINISHED)
    assert path.read_bytes() == WHOLE + tail


@pytest.mark.parametrize("old", [b"", WHOLE], ids=["empty", "existing"])
def test_a_disk_that_fills_up_while_a_game_is_added_leaves_the_file_as_it_was(
    path: Path, old: bytes
) -> None:
    """The system lets files grow by ten more bytes, so that the write stops halfway."""
    resource = pytest.importorskip("resource")
    path.write_bytes(old)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(old) + 10, hard))
    try:
        with pytest.raises(OSError, match=r"games\.jsonl: there is no room for another game"):
            append_game(path, FINISHED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == old
