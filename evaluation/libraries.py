"""Builds a library for each collection, once for each version of the code that reads files."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pincite
from evaluation.errors import EvaluationError
from evaluation.sources import Collection
from pincite.library.library import Library

DEFAULT_FOLDER = Path(tempfile.gettempdir()) / "pincite-evaluation"
_DECIDES_WHAT_IS_HELD = (
    "ingest",
    "records/document.py",
    "library/intake.py",
    "store/catalog",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Libraries:
    """Where libraries are kept. `is_fresh` makes them anew, `is_lenient` takes one of other code."""

    folder: Path = DEFAULT_FOLDER
    is_fresh: bool = False
    is_lenient: bool = False

    def of(self, collection: Collection) -> Library:
        """The library of a collection, made or completed where it must be."""
        folder = self._chosen(collection)
        if self.is_fresh:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        library = Library.open(folder / "library")
        done, wanted = folder / "files.json", _listed(collection)
        if not done.is_file() or json.loads(done.read_text(encoding="utf-8")) != wanted:
            _fill(library, collection)
            done.write_text(json.dumps(wanted), encoding="utf-8")
        return library

    def _chosen(self, collection: Collection) -> Path:
        exact = self.folder / f"{collection.name}-{reading_code()}"
        if exact.is_dir() or not self.is_lenient:
            return exact
        others = self.folder.glob(f"{collection.name}-*/files.json")
        newest = max(others, key=lambda path: path.stat().st_mtime, default=None)
        return newest.parent if newest else exact


def _fill(library: Library, collection: Collection) -> None:
    report = library.ingest(collection.paths())
    if not library.stats().documents:
        library.close()
        reasons = "; ".join(f"{one.path}: {one.reason}" for one in report.failed[:3])
        raise EvaluationError(f"no file of {collection.root} could be read: {reasons}")


def _listed(collection: Collection) -> list[list[str | int]]:
    """Every file that goes in, with its size and when it was changed."""
    files = [
        file
        for path in collection.paths()
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
    ]
    return [
        [str(file), file.stat().st_size, file.stat().st_mtime_ns]
        for file in files
        if file.is_file()
    ]


def code() -> str:
    """A short hash of all of Pincite's code, data files too."""
    return _hashed([_package()])


def reading_code() -> str:
    """A short hash of the code that decides what a library holds of a file."""
    return _hashed([_package() / name for name in _DECIDES_WHAT_IS_HELD])


def _package() -> Path:
    return Path(pincite.__file__).parent


def _hashed(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if not path.exists():
            raise EvaluationError(
                f"{path}: no longer there; say in {__file__} what is in its place"
            )
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(_package())).encode() + b"\0")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]
