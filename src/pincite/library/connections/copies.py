"""Copies what is kept elsewhere (`s3://bucket/manuals`) into a folder, which is then ingested.

The copies are ordinary files: quotes are checked against their bytes, and every host of a shared folder
can read them. Only what is new or has changed is fetched, and the copies of what vanished are removed.
Nothing is ever written to the other side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, urlsplit

from pincite.errors import PinciteError, UsageError
from pincite.ingest.detect import is_readable
from pincite.library.connections.git_repository import list_repository
from pincite.library.connections.listing import Listing, Remote
from pincite.library.connections.mailboxes import list_imap, list_maildir
from pincite.library.connections.object_store import list_objects, list_webdav
from pincite.library.connections.zotero import list_zotero
from pincite.records.files import read_regular_text
from pincite.records.library_records import FileProblem

_MARKS = ".objects"
"""A folder of marks that say which version of a file was copied. Dot folders are not ingested."""

_FETCHED_TOGETHER = 8

_KINDS: Mapping[str, Callable[[SplitResult, Path], Listing]] = {
    "imap": list_imap,
    "imaps": list_imap,
    "maildir": list_maildir,
    "webdav": list_webdav,
    "webdavs": list_webdav,
    "git+https": list_repository,
    "git+http": list_repository,
    "git+ssh": list_repository,
    "git+file": list_repository,
    "zotero": list_zotero,
}
"""By the scheme of the address. Other schemes are those of fsspec's object stores."""

_EXTRAS = {"imap": "imap", "imaps": "imap", "webdav": "webdav", "webdavs": "webdav"}
"""The extra with the packages for an address; `objects`, and the store's own, for other schemes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """The folder with the copies, and the files that could not be copied."""

    folder: Path
    problems: tuple[FileProblem, ...]


def copied(url: str, folder: Path) -> Copies:
    """Bring the copies of all readable files at an address up to date.

    Raises UsageError for an address that cannot be right and without the package for its kind,
    PinciteError if it cannot be listed or has no such files.
    """
    folder = folder.absolute()
    listing = _listed(url, folder)
    try:
        wanted = {
            listing.below / name: remote
            for name, remote in listing.files.items()
            if is_readable(name.suffix)
        }
        if not wanted:
            raise PinciteError(f"{url} has no files that Pincite reads; check the spelling")
        fetch = partial(_fetch, folder, frozenset(wanted))
        with ThreadPoolExecutor(_FETCHED_TOGETHER) as threads:
            reasons = list(threads.map(fetch, wanted.items()))
    finally:
        listing.close()
    _remove_others(folder, listing.below, set(wanted))
    problems = (
        FileProblem(path=remote.label, reason=reason)
        for remote, reason in zip(wanted.values(), reasons, strict=True)
        if reason
    )
    return Copies(folder=folder / listing.below, problems=tuple(problems))


def _listed(url: str, folder: Path) -> Listing:
    try:
        address = urlsplit(url)
        _ = address.port
    except ValueError as error:
        raise UsageError(f"{url} is not an address: {error}") from error
    lists = _KINDS.get(address.scheme, partial(list_objects, url))
    try:
        return lists(address, folder)
    except PinciteError:
        raise
    except ImportError as error:
        extra = _EXTRAS.get(address.scheme, "")
        needed = f"'pincite[{extra}]'" if extra else "'pincite[objects]' and that"
        raise UsageError(f"{url}: {error}; pip install {needed}") from error
    except Exception as error:  # Each kind has errors of its own.
        raise PinciteError(f"{url} cannot be listed: {_plain(error)}") from error


def _fetch(folder: Path, all_of: Set[PurePosixPath], given: tuple[PurePosixPath, Remote]) -> str:
    """Copy one file if it has changed; returns why it could not be copied."""
    path, remote = given
    if not all_of.isdisjoint(path.parents):
        return "its name cannot be that of a file: another object is its folder"
    # An absolute name would lead out of the folder, whatever it is joined to.
    if path.is_absolute() or ".." in path.parts or "\\" in str(path) or "\0" in str(path):
        return "its name cannot be that of a file"
    target, marked = folder / path, folder / _MARKS / path
    try:
        if target.is_file() and marked.is_file() and read_regular_text(marked) == remote.mark:
            return ""
        for place in (target, marked):
            place.parent.mkdir(parents=True, exist_ok=True)
        arriving = target.with_name(f".{target.name}.part")
        changed = remote.fetch(arriving)
        if changed is not None:  # The copy has the date of the file.
            os.utime(arriving, (changed, changed))
        marked.unlink(missing_ok=True)
        arriving.replace(target)
        marked.write_text(remote.mark)
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
