"""Are these words really there? Checks a quote against the stored text and against the file."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pincite.regular_files import open_regular


class FileCheck(StrEnum):
    """What the file on disk says about a quote."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    """Its folder can be looked at and does not hold it."""
    MISSING = "missing"
    """It cannot be opened, or its folder is not there: it may be on a disk that is not mounted."""

    @property
    def withholds(self) -> bool:
        """Whether a quote may not be shown as what the file says."""
        return self in (FileCheck.CHANGED, FileCheck.GONE)


def check_in_file(
    path: Path, *, start_byte: int, end_byte: int, encoding: str, quote: str, modified: str = ""
) -> FileCheck:
    """Whether the file's bytes at this place are the quote in this encoding."""
    try:
        with open_regular(path) as file:
            file.seek(start_byte)
            found = file.read(end_byte - start_byte)
    except OSError:
        return why_not_there(path, modified)
    try:
        return FileCheck.SAME if found.decode(encoding) == quote else FileCheck.CHANGED
    except UnicodeDecodeError:
        return FileCheck.CHANGED


def why_not_there(path: Path, modified: str = "") -> FileCheck:
    """Whether a file that cannot be opened is gone, or only out of reach.

    An empty folder may be where a disk is mounted. If it was changed since the file was (`modified`,
    ISO 8601), somebody took the file out of it.
    """
    try:
        if not stat.S_ISLNK(kind := path.lstat().st_mode):
            return FileCheck.MISSING if stat.S_ISREG(kind) else FileCheck.GONE
        return FileCheck.MISSING
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError):
        return FileCheck.MISSING
    try:
        is_empty = not any(path.parent.iterdir())
        changed = datetime.fromtimestamp(path.parent.stat().st_mtime, UTC).isoformat(
            timespec="seconds"
        )
    except OSError:
        return FileCheck.MISSING
    return FileCheck.MISSING if is_empty and changed < modified else FileCheck.GONE
