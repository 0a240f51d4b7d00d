"""What a library tells about what it holds: files, what is wrong with them, answers that were kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CATALOG_FILE = "catalog.sqlite3"
"""Its presence makes a folder a library."""

UNFINISHED_FILE = "unfinished.json"
"""Says what was begun and is not done."""

UPLOADS_FOLDER = "uploads"
"""Files that clients of a server gave it."""

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
    """A file that a reader gave up. `failed_bytes` is as in `FileRead`."""

    failed_bytes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a file could not be read.

    `document_id` is that of its bytes then, empty where they could not be had. `recipe` is how they
    were read, where the same recipe would fail again, else empty.
    """

    reason: str
    document_id: str = ""
    recipe: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldVersion:
    """What a path held before. Its text is kept; it is not searched."""

    document_id: str
    replaced_by: str
    replaced_at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """A file the library holds. `coverage` has the fields of `FileCoverage` (coverage.py)."""

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
    """What a library holds."""

    documents: int
    passages: int
    pages: int
    collections: dict[str, int]
    corpus_version: str
    generation: int
    bytes_on_disk: int
    failures: tuple[FileProblem, ...]
    files: tuple[FileEntry, ...]
    """Every file with how much of it can be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What an ingest did. Counts of files, then what the library holds afterwards.

    `failed` files are not in the library (or in their version from before). `warnings` tell what is
    missing of files that are, and what else is the matter with them; `partial` counts those of which
    something is missing. `flagged` files hold something that may be meant to deceive. `ignored`
    counts what an ignore file left out, a folder as one; `stale_answers` those of the history whose
    quotes are not there any more. `notices` tell why passages have no vectors, or not those that the
    settings want.
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
    """An answer in the library's history: its saved form, and which quotes are not there any more."""

    number: int
    kept_at: str
    """ISO 8601, UTC."""
    collection: str | None
    form: Mapping[str, Any]
    stale: tuple[str, ...]
