"""Files that results go to."""

from pathlib import Path

from ra_env.files import whole_file


def write_whole(path: Path, content: bytes) -> None:
    """Write a new file, or one in place of an old one, whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


def check_folders(*files: Path | None) -> None:
    """Raise `ValueError` for a file that could not be written: sooner than after all games."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise ValueError(f"there is no folder {file.parent}, so {file} cannot be written")
