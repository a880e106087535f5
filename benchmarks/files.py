"""Files that are there whole or not at all."""

import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a new file, or one in place of an old one."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def check_folders(*files: Path | None) -> None:
    """Raise `ValueError` for a file that could not be written: better now than after an hour of games."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise ValueError(f"there is no folder {file.parent}, so {file} cannot be written")
