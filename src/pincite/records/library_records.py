"""Records about a library's contents: files, their problems, ingest reports and kept answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CATALOG_FILE = "catalog.sqlite3"
"""Its presence makes a folder a library."""

UNFINISHED_FILE = "unfinished.json"
"""Lists operations that were started but not finished."""

SHARED_FILES = ("settings.toml", "calibration.json")
"""Files of a library that decide what it answers."""

UPLOADS_FOLDER = "uploads"
"""Files uploaded by clients of the server."""

PARTS_OF_A_LIBRARY = frozenset(
    {
        CATALOG_FILE,
        f"{CATALOG_FILE}-shm",
        f"{CATALOG_FILE}-wal",
        "settings.toml",
        "calibration.json",
        "index",
        "encoder",
        "write.lock",
        UNFINISHED_FILE,
        "reencode.lock",
        UPLOADS_FOLDER,
    }
)
"""Files and folders that a library keeps in its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProblem:
    """A file that could not be read, or could be read only in part, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable(FileProblem):
    """A file that could not be read. `failed_bytes` is as in `FileRead`."""

    failed_bytes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a file could not be read.

    `document_id` is that of its bytes at that time, empty if they were not available. `recipe` is how
    they were read if the same recipe would fail again, otherwise empty.
    """

    reason: str
    document_id: str = ""
    recipe: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldVersion:
    """An earlier version of a file. Its text is kept but not searched."""

    document_id: str
    replaced_by: str
    replaced_at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """A file in the library. `coverage` has the fields of `FileCoverage` (coverage.py)."""

    collection: str
    path: str
    document_id: str
    title: str
    media_type: str
    passages: int
    coverage: Mapping[str, Any]
    old_versions: tuple[OldVersion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The contents of a library."""

    documents: int
    passages: int
    pages: int
    collections: dict[str, int]
    corpus_version: str
    generation: int
    bytes_on_disk: int
    failures: tuple[FileProblem, ...]
    files: tuple[FileEntry, ...]
    """Every file with its coverage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """The result of an ingest: counts of files, then the library's contents afterwards.

    `failed` files are not in the library, or only in their earlier version. `warnings` lists gaps and
    other problems of ingested files; `partial` counts incomplete files. `flagged` files have content
    that may be meant to deceive. `ignored` counts what ignore files excluded, a folder as one;
    `stale_answers` counts kept answers whose quotes are no longer there. `notices` says why passages
    have no vectors, or not those that the settings ask for.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    failed: tuple[FileProblem, ...]
    warnings: tuple[FileProblem, ...]
    documents: int
    passages: int
    pages: int
    seconds: float
    moved: int = 0
    ignored: int = 0
    partial: int = 0
    flagged: tuple[FileProblem, ...] = ()
    stale_answers: int = 0
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer in the library's history: its JSON form, and the quotes that are no longer there."""

    number: int
    kept_at: str
    """ISO 8601, UTC."""
    collection: str | None
    form: Mapping[str, Any]
    stale: tuple[str, ...]
