"""Opens files by name so that nothing else there can do harm, and says what they hold."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

MEBIBYTE = 1024 * 1024
SMALL_BYTES = 16 * MEBIBYTE
"""What a file of settings, rules or records has at most."""

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_regular(
    path: str | os.PathLike[str], *, most_bytes: int | None = None, root: Path | None = None
) -> BufferedReader:
    """A file to read in binary. Raises OSError for all but a regular file, and for a larger one.

    With `root`, what lies outside that folder is as if it were not there, links that lead out too.
    """
    opened = _opened_below(path, root) if root else os.open(path, _FLAGS)
    try:
        found = os.fstat(opened)
        _require_regular(found.st_mode, path)
        if most_bytes is not None and found.st_size > most_bytes:
            raise _too_large(path, most_bytes)
        return os.fdopen(opened, "rb")
    except BaseException:
        os.close(opened)
        raise


def read_regular(
    path: str | os.PathLike[str], *, most_bytes: int = SMALL_BYTES, root: Path | None = None
) -> bytes:
    """All of a file. Raises OSError as `open_regular` does, also when it grows meanwhile."""
    with open_regular(path, most_bytes=most_bytes, root=root) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise _too_large(path, most_bytes)
    return content


def read_regular_text(
    path: str | os.PathLike[str], *, most_bytes: int = SMALL_BYTES, encoding: str = "utf-8"
) -> str:
    """All of a text file. Raises OSError as `open_regular` does, and UnicodeDecodeError."""
    written = read_regular(path, most_bytes=most_bytes).decode(encoding)
    return written.replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: str | os.PathLike[str], *, most_bytes: int = SMALL_BYTES) -> Any:
    """What a JSON file holds. Raises OSError as `open_regular` does, ValueError for anything else."""
    return strict_json(read_regular(path, most_bytes=most_bytes))


def strict_json(content: bytes | str, **hooks: Any) -> Any:
    """JSON as the standard has it, without NaN. Raises ValueError also where it is nested too deep."""
    try:
        return json.loads(content, parse_constant=_refuse_constant, **hooks)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no number")


def _opened_below(path: str | os.PathLike[str], root: Path) -> int:
    """The path with its links followed, opened step by step so that no new link is followed."""
    top = os.path.realpath(root)
    try:
        parts = Path(os.path.realpath(path)).relative_to(top).parts
    except ValueError:
        parts = ()
    if not parts:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if os.open not in os.supports_dir_fd:  # Windows: nothing is open below which to look.
        return os.open(Path(top, *parts), _FLAGS | _NO_LINK)
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _FLAGS | _NO_LINK, dir_fd=folder)
    finally:
        os.close(folder)


def _require_regular(mode: int, path: str | os.PathLike[str]) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", os.fspath(path))
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    raise OSError(errno.EINVAL, f"it is {kind}, not a file", os.fspath(path))


def _too_large(path: str | os.PathLike[str], most_bytes: int) -> OSError:
    told = f"it is larger than {most_bytes / MEBIBYTE:,.0f} MB, the limit for such a file"
    return OSError(errno.EFBIG, told, os.fspath(path))


# What does a file hold now?

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
