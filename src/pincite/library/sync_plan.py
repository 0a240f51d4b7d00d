"""Plans an ingest: the differences between the disk and the library."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pincite.ingest.discover import Discovery
from pincite.records.document import Document, file_digest
from pincite.records.library_records import FileProblem


class ChangeKind(StrEnum):
    """How a file differs from the library."""

    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"
    DELETED = "deleted"
    READ_AGAIN = "read again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference. `document_id` is None for a file that is gone or cannot be opened.

    `read again` means that the bytes are the same, but the settings or the version of Pincite have
    changed the way they are read.
    """

    kind: ChangeKind
    path: str
    document_id: str | None = None
    moved_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncPlan:
    """All differences, ordered by path, and the number of unchanged files.

    `left_alone` lists folders in which no files were found, and why their files are kept.
    """

    changes: tuple[Change, ...]
    unchanged: int
    left_alone: tuple[FileProblem, ...] = ()

    def count(self, kind: ChangeKind) -> int:
        """The number of differences of a kind."""
        return sum(change.kind is kind for change in self.changes)


class Digests:
    """Document ids of files, cached while their size, times and inode are the same.

    The cache is not stored, so that the next process finds a change that a wrong clock has hidden.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}

    def document_id(self, path: Path) -> str | None:
        """The document id for the file's bytes; None if the file cannot be opened."""
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):  # Opening a pipe would block.
                return None
            # Includes ctime, which, unlike mtime, cannot be set back.
            state = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
            known = self._known.get(str(path))
            if known is None or known[0] != state:
                known = self._known[str(path)] = (state, file_digest(path)[0])
        except OSError:
            return None
        return known[1]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a stored document was read: `always`, plus `reading` if that could affect it.

    Only documents with OCR text or gaps depend on the OCR engine and the page limit, so only those
    are read again after OCR is installed. What a newer Pincite has read stays as it is, so that old and
    new workers of one library do not undo each other's work.
    """

    always: str
    reading: str = ""
    limits: str = ""
    version: int = 0

    def for_document(self, document: Document) -> str:
        """The recipe to store with a document."""
        return str(self) if document.gaps or document.recognised else self._without_reading

    def holds(self, stored: str | None) -> bool:
        """Whether a document stored with the recipe `stored` needs no reading by this one."""
        return stored in (self._without_reading, str(self)) or _version_of(stored) > self.version

    @property
    def tried(self) -> str:
        """The recipe of a failed attempt, with limits: the file may be readable under others."""
        return f"{self}/{self.limits}"

    @property
    def _without_reading(self) -> str:
        return f"{self.version}-{self.always}"

    def __str__(self) -> str:
        return f"{self._without_reading}/{self.reading}"


def _version_of(stored: str | None) -> int:
    """The version in a stored recipe; 0 in those of old releases, which have none."""
    version, dash, _ = (stored or "").partition("-")
    return int(version) if dash and version.isdecimal() else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """The contents of one collection: documents by path, and recipes by document."""

    paths: Mapping[str, str]
    recipes: Mapping[str, str]
    recipe: Recipe
    """The recipe that applies now."""


def make_plan(
    found: Discovery, folders: Sequence[Path], holding: Holding, digests: Digests
) -> SyncPlan:
    """Compare the files found, and `folders`, with the contents of the library."""
    gone = dict.fromkeys(_gone(found, folders, holding))
    by_document = _by_document(holding)
    changes: list[Change] = []
    unchanged = 0
    for file in found.files:
        change = _change(str(file), digests.document_id(file), holding)
        if change is None:
            unchanged += 1
            continue
        if change.kind is ChangeKind.ADDED:
            change = _moved(change, by_document, gone) or change
        changes.append(change)
    changes += [Change(kind=ChangeKind.DELETED, path=path) for path in gone]
    changes.sort(key=lambda change: change.path)
    return SyncPlan(
        changes=tuple(changes),
        unchanged=unchanged,
        left_alone=tuple(_left_alone(found, folders, holding)),
    )


def _change(path: str, document_id: str | None, holding: Holding) -> Change | None:
    held = holding.paths.get(path)
    if held is None:
        return Change(kind=ChangeKind.ADDED, path=path, document_id=document_id)
    if held != document_id:
        return Change(kind=ChangeKind.CHANGED, path=path, document_id=document_id)
    if not holding.recipe.holds(holding.recipes.get(held)):
        return Change(kind=ChangeKind.READ_AGAIN, path=path, document_id=document_id)
    return None


def _by_document(holding: Holding) -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {}
    for path, document_id in holding.paths.items():
        paths.setdefault(document_id, []).append(path)
    return paths


def _moved(
    added: Change, by_document: Mapping[str, list[str]], gone: dict[str, None]
) -> Change | None:
    """The addition as a move, if a file with the same bytes is gone from its old path."""
    for old in by_document.get(added.document_id or "", ()):
        # The file may have been moved from a folder that is not part of this run.
        if old in gone or is_gone(old):
            gone.pop(old, None)
            by_document[added.document_id or ""].remove(old)
            return Change(
                kind=ChangeKind.MOVED,
                path=added.path,
                document_id=added.document_id,
                moved_from=old,
            )
    return None


def _gone(found: Discovery, folders: Sequence[Path], holding: Holding) -> Iterator[str]:
    """The library's paths below the folders that are now gone or ignored.

    A folder in which no files were found is skipped: a missing drive is more likely than a user who
    deleted everything.
    """
    there = set(map(str, found.files))
    for folder in folders:
        if any(_below(folder, there)):
            for path in _below(folder, holding.paths):
                if path not in there and _has_left(path, found):
                    yield path


def _left_alone(
    found: Discovery, folders: Sequence[Path], holding: Holding
) -> Iterator[FileProblem]:
    there = list(map(str, found.files))
    for folder in folders:
        held = 0 if any(_below(folder, there)) else len(list(_below(folder, holding.paths)))
        if held:
            reason = (
                f"nothing was found in it, as if a drive were missing, so the {held} files ingested "
                "from it are kept; to remove them, use 'pincite remove'"
            )
            yield FileProblem(path=os.path.realpath(folder), reason=reason)


def _below(folder: Path, paths: Iterable[str]) -> Iterator[str]:
    start = os.path.join(os.path.realpath(folder), "")
    return (path for path in paths if path.startswith(start))


def _has_left(path: str, found: Discovery) -> bool:
    return found.ignores(path) or (is_gone(path) and not found.is_out_of_sight(path))


def is_gone(path: str | bytes) -> bool:
    """Whether a path does not exist; a path that cannot be accessed is not gone."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
