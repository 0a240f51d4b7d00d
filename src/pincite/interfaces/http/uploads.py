"""Stores uploaded files in a folder of the library, under safe names, and names files for clients."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import Any, BinaryIO
from uuid import uuid4

from pincite.ingest.detect import READABLE_SUFFIXES
from pincite.interfaces.http.problems import Refused
from pincite.records.flow import Answer
from pincite.records.library_records import UPLOADS_FOLDER
from pincite.store.catalog.catalog import Catalog

_ODD = re.compile(r"[^\w .,()+&@'\[\]-]", re.UNICODE)
_LONGEST_NAME_BYTES = 180
_COPIED_AT_ONCE = 1 << 20


class Uploads:
    """The uploaded files of one library. A new upload replaces the file of the same name."""

    def __init__(self, library: Path) -> None:
        self.folder = library / UPLOADS_FOLDER

    def keep(self, collection: str, name: str, content: BinaryIO) -> Path:
        """Store a file completely or not at all. Raises OSError if it cannot be written."""
        target = self.folder / _folder_name(collection) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{uuid4().hex}")
        try:
            with draft.open("wb") as file:
                shutil.copyfileobj(content, file, _COPIED_AT_ONCE)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
        return target

    def forget(self, path: str) -> bool:
        """Delete a file if it was uploaded; other files are not touched."""
        is_ours = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.folder))
        if is_ours:
            Path(path).unlink(missing_ok=True)
        return is_ours


def safe_name(given: str) -> str:
    """The last part of a name, sanitized. Raises Refused (415) for an unsupported kind of file."""
    last = re.split(r"[/\\]", given)[-1]
    name = _ODD.sub("_", last).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if not dot or f".{suffix.lower()}" not in READABLE_SUFFIXES or not stem:
        kinds = ", ".join(sorted(READABLE_SUFFIXES))
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"'{last[:80]}' is not a kind of file Pincite reads; expected one of {kinds}",
        )
    while len(f"{stem}.{suffix}".encode()) > _LONGEST_NAME_BYTES:
        stem = stem[:-1]
    return f"{stem}.{suffix}"


def _folder_name(collection: str) -> str:
    """The folder of a collection: readable, and unique for each name."""
    readable = re.sub(r"[^a-zA-Z0-9-]", "_", collection)[:40]
    return f"{readable}-{hashlib.sha256(collection.encode()).hexdigest()[:8]}"


# The names that clients see: never paths on the server's disk.


class ShownNames:
    """Each file's name, with as many parent folders as needed to make it unique.

    Recomputed when the library has changed.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made: tuple[int, Mapping[str, str]] = (-1, {})

    def __call__(self, path: str) -> str:
        """The name for a path; for a path outside the library, its last part."""
        return self._names().get(path) or PurePath(path).name

    def hidden(self, value: Any) -> Any:
        """A JSON value with every path of a library file replaced by its name."""
        return _replaced(value, self._names())

    def answer(self, answer: Answer) -> Answer:
        """An answer whose citations have names instead of paths."""
        cited = tuple(replace(one, source=self(one.source)) for one in answer.citations)
        return replace(answer, citations=cited)

    def _names(self) -> Mapping[str, str]:
        generation = self._catalog.generation()
        if self._made[0] != generation:
            paths = {file.path for file in self._catalog.names()}
            self._made = (generation, shown_names(paths))
        return self._made[1]


def _replaced(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _replaced(inner, names) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


def shown_names(paths: Iterable[str]) -> dict[str, str]:
    """The shortest suffix of each path, in whole parts, that no other path shares."""
    parts = {path: PurePath(path).parts for path in paths}
    names: dict[str, str] = {}
    length = 1
    while len(names) < len(parts):
        left = [path for path in parts if path not in names]
        ends = Counter(parts[path][-length:] for path in left)
        for path in left:
            end = parts[path][-length:]
            if ends[end] == 1 or length >= len(parts[path]):
                names[path] = "/".join(end).lstrip("/")
        length += 1
    return names
