"""Who changed what: a log in which nothing can be altered or left out unseen.

Each line holds the digest of the one before (a hash chain). Who can write the file can still write it
anew as a whole, or cut off its end: compare the last digest with one that was noted elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from pincite.regular_files import open_regular

AUDIT_FILE = "audit.jsonl"
_BEGINNING = "0" * 64
_LONGEST_LINE = 65_536
_SHOWN_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """A log: its lines, the digest of the last, and what is wrong with it, if anything."""

    lines: int
    last: str
    problem: str = ""


class AuditLog:
    """Several processes may write to one."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / AUDIT_FILE
        self._here = threading.Lock()
        self._others = FileLock(f"{self.file}.lock")

    def add(self, event: str, **fields: Any) -> None:
        """Write a line, and to the disk, before what it tells of goes on. Raises OSError."""
        with self._here, self._others:
            opened = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(opened, "r+b") as file:
                before, is_cut = _last_line(file.fileno())
                line = _line(event, fields, before)
                # A line that a crash cut off stays, and is told of, and does not spoil the next.
                os.write(file.fileno(), b"\n" * is_cut + line + b"\n")
                os.fsync(file.fileno())


def check_audit_log(file: Path) -> AuditCheck:
    """Follow the chain from the first line. Raises OSError for a file that cannot be read."""
    before, lines = _BEGINNING, 0
    with open_regular(file) as opened:
        while line := opened.readline(_LONGEST_LINE):
            lines += 1
            found = line.rstrip(b"\n")
            if _before(found) != before:
                told = (
                    f"line {lines} does not follow from the one before: one was changed or left out"
                )
                return AuditCheck(lines=lines, last=before, problem=told)
            before = hashlib.sha256(found).hexdigest()
    return AuditCheck(lines=lines, last=before)


def _line(event: str, fields: dict[str, Any], before: str) -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    told = {name: _short(value) for name, value in fields.items()}
    # JSON keeps it on one line whatever a name holds.
    return json.dumps({"time": now, "event": event, **told, "before": before}).encode()


def _short(value: Any) -> Any:
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)[:_SHOWN_CHARS]


def _last_line(descriptor: int) -> tuple[str, bool]:
    """The digest of the last line, and whether it lacks its end."""
    size = os.fstat(descriptor).st_size
    if not size:
        return _BEGINNING, False
    tail = os.pread(descriptor, _LONGEST_LINE, max(0, size - _LONGEST_LINE))
    is_cut = not tail.endswith(b"\n")
    return hashlib.sha256(tail.rstrip(b"\n").rpartition(b"\n")[2]).hexdigest(), is_cut


def _before(line: bytes) -> str:
    try:
        return str(json.loads(line)["before"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
