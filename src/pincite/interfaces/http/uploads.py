"""Stores uploaded files in a folder of the library, under safe names."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from filelock import FileLock

from pincite.ingest.detect import is_readable, readable_list
from pincite.interfaces.http.problems import Refused
from pincite.records.files import read_regular
from pincite.records.library_records import UPLOADS_FOLDER
from pincite.verify.receipts.saved import write_whole

_ODD = re.compile(r"[^\w .,()+&@'\[\]-]", re.UNICODE)
_LONGEST_NAME_BYTES = 180
_LONGEST_FOLDER_BYTES, _MOST_FOLDERS = 60, 8
_COPIED_AT_ONCE = 1 << 20
_OWNERS = ".owners.json"


class Uploads:
    """The uploaded files of one library. A new upload replaces the file of the same name.

    Only who uploaded a file, or may delete, replaces it.
    """

    def __init__(self, library: Path) -> None:
        self.folder = library / UPLOADS_FOLDER

    def keep(
        self,
        collection: str,
        name: str,
        content: BinaryIO,
        *,
        owner: str = "",
        may_replace: bool = True,
    ) -> Path:
        """Store a file completely or not at all. Raises OSError if it cannot be written.

        `owner` is the id of the key that uploads it. Raises Refused (409) for a file of another one,
        unless this one `may_replace` it.
        """
        target = self.folder / _folder_name(collection) / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise _in_the_way(name) from error
        if target.is_dir():
            raise _in_the_way(name)
        draft = target.with_name(f".{uuid4().hex}")
        try:
            with draft.open("wb") as file:
                shutil.copyfileobj(content, file, _COPIED_AT_ONCE)
            with FileLock(target.with_name(".owners.lock")):
                owners = _owners(target.parent)
                if target.exists() and not may_replace and owners.get(name) != owner:
                    raise Refused(
                        HTTPStatus.CONFLICT,
                        f"there is a file '{name}' of someone else in this collection; rename yours, "
                        "or use a key with the scope 'delete'",
                    )
                owners[name] = owner
                write_whole(target.with_name(_OWNERS), json.dumps(owners).encode())
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


def _in_the_way(name: str) -> Refused:
    return Refused(
        HTTPStatus.CONFLICT,
        f"'{name}' cannot be kept: a file and a folder would have the same name; rename one of them",
    )


def _owners(folder: Path) -> dict[str, str]:
    """Who uploaded each file of a folder; empty where that is not known."""
    try:
        found = json.loads(read_regular(folder / _OWNERS))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def apart(names: Iterable[str]) -> list[str]:
    """The names of one upload, each once: plan.md, plan (2).md."""
    taken: set[str] = set()
    found = []
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        shown, number = name, 1
        while shown in taken:
            number += 1
            shown = f"{stem} ({number}){dot}{suffix}"
        taken.add(shown)
        found.append(shown)
    return found


def safe_name(given: str) -> str:
    """A name with its folders, sanitized: no part leads upwards or is hidden.

    Raises Refused (415) for an unsupported kind of file.
    """
    *folders, last = re.split(r"[/\\]", given)
    name = _ODD.sub("_", last).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if not dot or not is_readable(f".{suffix}") or not stem:
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"'{last[:80]}' is not a kind of file Pincite reads; expected one of {readable_list()}",
        )
    above = [shortened(part, _LONGEST_FOLDER_BYTES) for part in map(_plain, folders) if part]
    ending = f".{suffix}"
    return "/".join(
        [*above[-_MOST_FOLDERS:], shortened(stem, _LONGEST_NAME_BYTES - len(ending)) + ending]
    )


def _plain(part: str) -> str:
    return _ODD.sub("_", part).strip(" .")


def shortened(text: str, most_bytes: int) -> str:
    """The beginning of a text, of at most so many bytes in UTF-8."""
    return text.encode()[:most_bytes].decode(errors="ignore")


def _folder_name(collection: str) -> str:
    """The folder of a collection: readable, and unique for each name."""
    readable = re.sub(r"[^a-zA-Z0-9-]", "_", collection)[:40]
    return f"{readable}-{hashlib.sha256(collection.encode()).hexdigest()[:8]}"
