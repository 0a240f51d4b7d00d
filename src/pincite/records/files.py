"""Opens regular files safely, and computes digests of their current content."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import signal
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path, PurePath
from typing import Any, NoReturn

MEBIBYTE = 1024 * 1024
SMALL_BYTES = 16 * MEBIBYTE
"""Maximum size of a file with settings, rules or records."""

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
    """Open a file for reading in binary. Raises OSError unless it is regular and not too large.

    With `root`, files outside that folder, also by links, are reported as missing.
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
    """The content of a file. Raises OSError as `open_regular` does, also if it grows meanwhile."""
    with open_regular(path, most_bytes=most_bytes, root=root) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise _too_large(path, most_bytes)
    return content


def read_regular_text(
    path: str | os.PathLike[str], *, most_bytes: int = SMALL_BYTES, encoding: str = "utf-8"
) -> str:
    """The content of a text file. Raises OSError as `open_regular` does, and UnicodeDecodeError."""
    written = read_regular(path, most_bytes=most_bytes).decode(encoding)
    return written.replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: str | os.PathLike[str], *, most_bytes: int = SMALL_BYTES) -> Any:
    """The value in a JSON file. Raises OSError as `open_regular` does, ValueError for invalid JSON."""
    return strict_json(read_regular(path, most_bytes=most_bytes))


def strict_json(content: bytes | str, **hooks: Any) -> Any:
    """Standard JSON, without NaN. Raises ValueError, also if it is nested too deeply."""
    try:
        return json.loads(content, parse_constant=_refuse_constant, **hooks)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}, which is not valid JSON")


def _opened_below(path: str | os.PathLike[str], root: Path) -> int:
    """Resolve a path's links, then open it step by step so that no new link is followed."""
    top = os.path.realpath(root)
    try:
        parts = Path(os.path.realpath(path)).relative_to(top).parts
    except ValueError:
        parts = ()
    if not parts:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if os.open not in os.supports_dir_fd:  # Windows cannot open relative to a folder.
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
    message = f"it is larger than {most_bytes / MEBIBYTE:,.0f} MB, the limit for such a file"
    return OSError(errno.EFBIG, message, os.fspath(path))


# Digests of the current content.

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_SETTLED_SECONDS = 2.5
"""The coarsest file times have a resolution of two seconds; a later write changes the time."""
_WRITTEN_BACK_SECONDS = 90.0
"""Used if it is unknown whether a file is open for writing: by then Linux has written back dirty pages
(35 s by default), and the next write changes the file's times again."""
_MOST_KEPT = 1_000

_State = tuple[int, ...]
_kept: dict[str, tuple[_State, str]] = {}
_of_this_answer: ContextVar[dict[str, str] | None] = ContextVar("digests", default=None)


@contextmanager
def one_answer() -> Iterator[None]:
    """Within this context each file is read at most once."""
    token = _of_this_answer.set({})
    try:
        yield
    finally:
        _of_this_answer.reset(token)


def digest_now(path: str) -> str | None:
    """The SHA-256 of a file's current content; None if it cannot be read or is not a regular file."""
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
    """The first of several once identical files that still has these bytes, or the first path."""
    if len(paths) == 1:
        return paths[0]
    return next((path for path in paths if digest_now(path) == sha256), paths[0])


def _digest(path: str, file: BufferedReader) -> str:
    before = _state(file)
    known = _kept.get(path)
    if known is not None and known[0] == before:
        return known[1]
    # If it is opened for writing after this check, the first write changes its times.
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
    """How old the last change must be for a digest to be cached, in seconds."""
    is_written = _is_open_for_writing(file.fileno())
    if is_written is None:
        return _WRITTEN_BACK_SECONDS
    return float("inf") if is_written else _SETTLED_SECONDS


def _is_open_for_writing(descriptor: int) -> bool | None:
    """Whether the file is open or mapped for writing anywhere; None if the system cannot say.

    Linux grants a read lease only to the file's owner, and only while no one is writing.
    """
    if fcntl is None or not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        # If the file is opened meanwhile, this process gets a signal; SIGURG is ignored by default.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def title_of_name(name: str) -> str:
    """What a document is called that has no title, from its file's name."""
    return re.sub(r"[_-]+", " ", PurePath(name).stem).strip() or name
