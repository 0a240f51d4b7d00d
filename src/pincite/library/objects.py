"""Copies the objects of a store (`s3://bucket/manuals`) into a folder, which is then ingested.

The copies are ordinary files: quotes are checked against their bytes, and every host of a shared folder
can read them. Only new and changed objects are fetched, and the copies of vanished ones are removed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from pincite.errors import PinciteError, UsageError
from pincite.ingest.detect import is_readable
from pincite.records.files import read_regular_text
from pincite.records.library_records import FileProblem

_MARKS = ".objects"
"""A folder of marks that say which version of an object was copied. Dot folders are not ingested."""

_FETCHED_TOGETHER = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """The folder with the copies, and the objects that could not be copied."""

    folder: Path
    problems: tuple[FileProblem, ...]


def copied(url: str, folder: Path) -> Copies:
    """Bring the copies of all readable objects below a URL up to date.

    Raises UsageError without fsspec or the package for this kind of store, PinciteError if the store
    cannot be listed or has no such objects.
    """
    try:
        from fsspec.core import url_to_fs

        store, root = url_to_fs(url)
        found = store.find(root, detail=True)
    except ImportError as error:
        raise UsageError(f"{url}: {error}; pip install 'pincite[objects]' and that") from error
    except Exception as error:  # Each kind of store has errors of its own.
        raise PinciteError(f"{url} cannot be listed: {_plain(error)}") from error
    below = PurePosixPath(url.partition("://")[0], root.strip("/"))
    names = {name: below / _name_below(name, root) for name in found}
    wanted = {name: path for name, path in names.items() if is_readable(path.suffix)}
    if not wanted:
        raise PinciteError(f"{url} has no objects that Pincite reads; check the spelling")
    fetch = partial(_fetch, store, folder.absolute(), frozenset(wanted.values()))
    with ThreadPoolExecutor(_FETCHED_TOGETHER) as threads:
        given = [(name, path, _mark(found[name])) for name, path in wanted.items()]
        reasons = list(threads.map(fetch, given))
    _remove_others(folder.absolute(), below, set(wanted.values()))
    problems = (
        FileProblem(path=store.unstrip_protocol(name), reason=reason)
        for name, reason in zip(wanted, reasons, strict=True)
        if reason
    )
    return Copies(folder=folder.absolute() / below, problems=tuple(problems))


def _name_below(name: str, root: str) -> str:
    return name.removeprefix(root).lstrip("/") or name.rpartition("/")[2]


def _mark(details: Mapping[str, Any]) -> str:
    """Differs whenever the store says anything new of an object: its checksum, size or time."""
    return sha256(repr(sorted(details.items(), key=lambda item: item[0])).encode()).hexdigest()


def _fetch(
    store: Any, folder: Path, all_of: Set[PurePosixPath], given: tuple[str, PurePosixPath, str]
) -> str:
    """Copy one object if it has changed; returns why it could not be copied."""
    name, path, mark = given
    if not all_of.isdisjoint(path.parents):
        return "the name of the object cannot be that of a file: another object is its folder"
    if ".." in path.parts or "\\" in name or "\0" in name:
        return "the name of the object cannot be that of a file"
    target, marked = folder / path, folder / _MARKS / path
    try:
        if target.is_file() and marked.is_file() and read_regular_text(marked) == mark:
            return ""
        for place in (target, marked):
            place.parent.mkdir(parents=True, exist_ok=True)
        arriving = target.with_name(f".{target.name}.part")
        store.get_file(name, str(arriving))
        with suppress(NotImplementedError):  # The copy has the date of the object.
            changed = store.modified(name).timestamp()
            os.utime(arriving, (changed, changed))
        marked.unlink(missing_ok=True)
        arriving.replace(target)
        marked.write_text(mark)
    except Exception as error:  # noqa: BLE001  (as above)
        return f"it cannot be copied: {_plain(error)}"
    return ""


def _remove_others(folder: Path, below: PurePosixPath, kept: set[PurePosixPath]) -> None:
    marks = folder / _MARKS
    for marked in [path for path in (marks / below).rglob("*") if path.is_file()]:
        path = marked.relative_to(marks)
        if PurePosixPath(path) not in kept:
            (folder / path).unlink(missing_ok=True)
            marked.unlink()


def _plain(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
