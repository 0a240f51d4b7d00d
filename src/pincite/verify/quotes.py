"""Are these words really there? Checks a quote against the stored text and against the file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from pincite.regular_files import open_regular


class FileCheck(StrEnum):
    """What the file on disk says about a quote."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"


def check_in_file(
    path: Path, *, start_byte: int, end_byte: int, encoding: str, quote: str
) -> FileCheck:
    """Whether the file's bytes at this place are the quote in this encoding."""
    try:
        with open_regular(path) as file:
            file.seek(start_byte)
            found = file.read(end_byte - start_byte)
    except OSError:
        return FileCheck.MISSING
    try:
        return FileCheck.SAME if found.decode(encoding) == quote else FileCheck.CHANGED
    except UnicodeDecodeError:
        return FileCheck.CHANGED
