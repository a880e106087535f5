"""A file is there whole or not at all."""

import os
from pathlib import Path

import pytest

from ra_env.files import whole_file


def test_what_was_written_is_there_in_place_of_the_old_and_nothing_beside_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file.txt"
    for content in (b"first", b"second"):
        with whole_file(path) as file:
            file.write(content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_until_all_is_written_the_old_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failing_disk_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError("the disk is full")

    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="full"), whole_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_or_interruption_of_the_writer_leaves_everything_as_it_was(
    tmp_path: Path,
) -> None:
    def write_half(problem: type[BaseException]) -> None:
        with whole_file(tmp_path / "file.txt") as file:
            file.write(b"half")
            raise problem

    for problem in (ValueError, KeyboardInterrupt):
        with pytest.raises(problem):
            write_half(problem)
        assert not list(tmp_path.iterdir())
