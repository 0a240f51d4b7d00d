"""What does a file hold now?

A digest is remembered while nothing can have been written since. Size and dates alone do not tell: a
write through a page of a mapping that is dirty already leaves them as they are.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader

from pincite.regular_files import open_regular

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_SETTLED_SECONDS = 2.5
"""The coarsest dates of files count two seconds. What was written later has another date."""
_WRITTEN_BACK_SECONDS = 90.0
"""Where nobody tells whether a file is open for writing: by then Linux has written a dirty page back
(35 s, as it is set up), and the next write to it changes the dates again."""
_MOST_KEPT = 1_000

_State = tuple[int, ...]
_kept: dict[str, tuple[_State, str]] = {}
_of_this_answer: ContextVar[dict[str, str] | None] = ContextVar("digests", default=None)


@contextmanager
def one_answer() -> Iterator[None]:
    """Within this block each file is read once at most, however often it is asked for."""
    token = _of_this_answer.set({})
    try:
        yield
    finally:
        _of_this_answer.reset(token)


def digest_now(path: str) -> str | None:
    """The SHA-256 of what a file holds now; None if it cannot be read, or is no regular file."""
    of_this_answer = _of_this_answer.get()
    if of_this_answer is not None and path in of_this_answer:
        return of_this_answer[path]
    try:
        with open_regular(path) as file:
            digest = _digest(path, file)
    except OSError:
        return None
    if of_this_answer is not None:
        of_this_answer[path] = digest
    return digest


def first_intact(paths: Sequence[str], sha256: str) -> str:
    """Of files that were the same, the first that still has these bytes; else the first of all."""
    if len(paths) == 1:
        return paths[0]
    return next((path for path in paths if digest_now(path) == sha256), paths[0])


def _digest(path: str, file: BufferedReader) -> str:
    before = _state(file)
    known = _kept.get(path)
    if known is not None and known[0] == before:
        return known[1]
    # Whoever opens it for writing after this look changes its dates with the first write.
    settles = _settles_after(file)
    began = time.time()
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    changed_at = os.fstat(file.fileno()).st_ctime
    if before == _state(file) and changed_at + settles < began:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[path] = (before, digest)
    return digest


def _state(file: BufferedReader) -> _State:
    found = os.fstat(file.fileno())
    return (
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )


def _settles_after(file: BufferedReader) -> float:
    """How old a change must be for a digest to be kept, in seconds."""
    is_written = _is_open_for_writing(file.fileno())
    if is_written is None:
        return _WRITTEN_BACK_SECONDS
    return float("inf") if is_written else _SETTLED_SECONDS


def _is_open_for_writing(descriptor: int) -> bool | None:
    """Whether anybody has the file open or mapped to write; None where the system does not tell.

    Linux grants a lease to read only while nobody has, to the owner of the file.
    """
    if fcntl is None or not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        # Who would be told that somebody opens it meanwhile: by a signal that does nothing.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False
