"""Checks the arguments of public functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from pincite.errors import UsageError


def checked_text(given: object, what: str) -> str:
    """A string in valid UTF-8. Raises UsageError otherwise; `what` names it in the message."""
    if not isinstance(given, str):
        raise UsageError(f"{what} is {_kind(given)}; give a text (str)")
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} {given!r} is not valid UTF-8; write it in UTF-8") from error
    return given


def checked_name(given: object, what: str, *, example: str) -> str:
    """A name that can be read and written. Raises UsageError if it is empty or not printable."""
    name = checked_text(given, what)
    if not name.strip():
        raise UsageError(f"{what} has no name; give one, such as '{example}'")
    if not name.isprintable():
        raise UsageError(
            f"{what} is {name[:100]!r}, with characters that cannot be seen; give a name such as "
            f"'{example}'"
        )
    return name


def checked_texts(given: object, what: str) -> tuple[str, ...]:
    """Several such strings. Raises UsageError for a single one, which would be split into letters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UsageError(f"{what} is {_kind(given)}; give a list of texts")
    return tuple(checked_text(one, f"one of {what}") for one in given)


def checked_limit(given: object, what: str) -> int:
    """An integer of 1 or more. Raises UsageError otherwise."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise UsageError(f"{what} is {given!r}; give a whole number of 1 or more")
    return given


def checked_path(given: object) -> Path:
    """A path. Raises UsageError for an empty one, which would mean the current folder."""
    if not isinstance(given, str | os.PathLike) or isinstance(os.fspath(given), bytes):
        raise UsageError(f"a path is {_kind(given)}; give a text (str) or a Path")
    if not os.fspath(given):
        raise UsageError("a path is empty; name a file or a folder ('.' is the current folder)")
    if "\0" in os.fspath(given):
        raise UsageError(
            f"the path {os.fspath(given)!r} contains a NUL character; file names cannot"
        )
    return Path(given)


def checked_paths(
    given: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
) -> list[Path]:
    """One path or several. Raises UsageError as `checked_path` does."""
    if isinstance(given, str | os.PathLike):
        given = [given]
    if not isinstance(given, Iterable):
        raise UsageError(f"the paths are {_kind(given)}; give a path or a list of paths")
    return [checked_path(path) for path in given]


def _kind(given: object) -> str:
    return "None" if given is None else f"{given!r} ({type(given).__name__})"
