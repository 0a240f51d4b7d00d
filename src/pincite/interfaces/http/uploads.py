"""Stores uploaded files in a folder of the library, under safe names."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from pincite.ingest.detect import READABLE_SUFFIXES
from pincite.interfaces.http.problems import Refused
from pincite.records.library_records import UPLOADS_FOLDER

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
