"""Exports and imports a library as one file: catalog, settings, calibration and perhaps its sources."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pincite
from pincite.errors import BundleError, LibraryError
from pincite.interfaces.offline.archive import LIBRARY, Entry, Manifest, entry_of, verify, write
from pincite.library.library import Library
from pincite.records.files import MEBIBYTE, read_regular, strict_json
from pincite.records.library_records import CATALOG_FILE
from pincite.store.catalog.catalog import Catalog

_LISTED, _SOURCES = "library.json", "sources"
_SMALL_PARTS = ("settings.toml", "calibration.json")
_LARGEST_LIST_BYTES = 256 * MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The contents of a library's bundle. `gone` lists files that could not be included, and why."""

    documents: int
    sources: int
    gone: tuple[str, ...]
    sha256: str


def export_library(library: Path, target: Path, *, with_sources: bool) -> Carried:
    """Write a consistent snapshot of a library, which may be in use, to one file.

    Indexes are left out: the first question rebuilds them. Raises LibraryError and BundleError.
    """
    with Library.open(library, create=False) as opened:
        opened.check_output(target)
        files = [(one.collection, one.path, one.document_id) for one in opened.files()]
    with tempfile.TemporaryDirectory(prefix="pincite-export-") as temporary:
        folder = Path(temporary)
        sources = {CATALOG_FILE: _snapshot(library / CATALOG_FILE, folder / CATALOG_FILE)}
        sources |= {name: library / name for name in _SMALL_PARTS if (library / name).is_file()}
        listed, gone = _taken(files, sources) if with_sources else ([], [])
        (folder / _LISTED).write_text(json.dumps(listed, indent=1), encoding="utf-8")
        sources[_LISTED] = folder / _LISTED
        entries = [entry_of(name, sources[name], kind="library") for name in sorted(sources)]
        manifest = Manifest(
            made_at=int(Path(library / CATALOG_FILE).stat().st_mtime),
            version=pincite.__version__,
            python="",
            platforms=(),
            holds=LIBRARY,
            entries=tuple(entries),
        )
        digest = write(target, manifest, sources)
    return Carried(
        documents=len({document for _, _, document in files}),
        sources=len(listed),
        gone=tuple(gone),
        sha256=digest,
    )


def import_library(file: Path, library: Path, *, sources_to: Path | None) -> Carried:
    """Create a library from a file that `export_library` wrote, completely or not at all.

    With `sources_to`, a new folder, the included source files are written there, and the library uses
    their new paths. Raises BundleError if any byte is wrong, LibraryError if the library's folder or
    `sources_to` exists already, and LibraryTooNew.
    """
    for folder in filter(None, (library, sources_to)):
        if folder.exists():
            raise LibraryError(f"{folder} already exists; name a new folder")
    library.parent.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix=f".{library.name}-", dir=library.parent))
    try:
        manifest, digest = verify(file, _into(home))
        if manifest.holds != LIBRARY:
            raise BundleError(f"{file}: contains an {manifest.holds}, not a library")
        listed = _listed(home / _LISTED, file)
        (home / _LISTED).unlink()
        brought = home / _SOURCES
        with Library.open(home, create=False) as opened:
            documents = len({one.document_id for one in opened.files()})
            if sources_to is not None:
                _require_usable(listed, brought, file)
                _move(opened.catalog, listed, brought, sources_to.absolute())
        shutil.rmtree(home / _SOURCES, ignore_errors=True)
        home.replace(library)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return Carried(documents=documents, sources=len(listed), gone=(), sha256=digest)


def _snapshot(catalog: Path, target: Path) -> Path:
    """A snapshot of the catalog in one file, while others read and write it."""
    uri = f"{catalog.absolute().as_uri()}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(uri, uri=True)) as known,
            closing(sqlite3.connect(target)) as copy,
        ):
            known.backup(copy)
    except sqlite3.Error as error:
        raise LibraryError(f"{catalog}: could not be copied ({error})") from error
    return target


def _taken(
    files: list[tuple[str, str, str]], sources: dict[str, Path]
) -> tuple[list[dict[str, str]], list[str]]:
    """Adds the unchanged source files to `sources`; returns their list, and the files left out."""
    listed, gone = [], []
    names: dict[str, str] = {}
    for number, (collection, path, document) in enumerate(sorted(files), start=1):
        name = names.get(path, f"{_SOURCES}/{number:07d}")
        try:
            entry = entry_of(name, Path(path), kind="source")
        except (OSError, BundleError) as error:
            gone.append(f"{path}: {error}")
            continue
        if entry.sha256[: len(document)] != document:
            gone.append(f"{path}: it has changed since it was ingested")
            continue
        names[path] = name
        sources[name] = Path(path)
        listed.append({"collection": collection, "path": path, "name": name})
    return listed, gone


def _into(home: Path) -> Callable[[Entry], IO[bytes]]:
    """Opens the file for an entry inside a folder; names in a manifest cannot lead outside."""

    def take(entry: Entry) -> IO[bytes]:
        target = home / entry.name
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.open("xb")

    return take


def _listed(path: Path, file: Path) -> list[dict[str, str]]:
    try:
        found: Any = strict_json(read_regular(path, most_bytes=_LARGEST_LIST_BYTES))
        fields = ("collection", "path", "name")
        return [{field: str(one[field]) for field in fields} for one in found]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BundleError(f"{file}: its list of files is invalid ({error!r})") from error


def _require_usable(listed: list[dict[str, str]], brought: Path, file: Path) -> None:
    for one in listed:
        if not Path(one["path"]).is_absolute():
            raise BundleError(f"{file}: made on another kind of system: {one['path']}")
        if not (brought / Path(one["name"]).name).is_file():
            raise BundleError(f"{file}: {one['name']} is in its list but missing")


def _move(catalog: Catalog, listed: list[dict[str, str]], brought: Path, target: Path) -> None:
    """Write the files to `target`, relative to their common folder, and update the catalog."""
    if not listed:
        return
    folders = [Path(os.path.normpath(one["path"])).parent for one in listed]
    common = Path(os.path.commonpath(folders))
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=_made(target.parent)))
    try:
        for one in listed:
            below = Path(os.path.normpath(one["path"])).relative_to(common)
            place = draft / below
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(brought / Path(one["name"]).name, place)
            catalog.move(one["collection"], one["path"], str(target / below))
        draft.chmod(0o755)
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
