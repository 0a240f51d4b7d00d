"""How is a file opened by its name, so that nothing else that may stand there does harm?

A pipe under the name of a file is waited for, and a device has no end. What is opened here is looked
at after it was opened: whatever is put in its place meanwhile, it is the thing that is read.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
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
