"""Lists the attachments of a Zotero library, named by their author, year and title."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, quote, unquote

from pincite.errors import UsageError
from pincite.library.connections.listing import Listing, Remote

_DATABASE = "zotero.sqlite"
_LONGEST_TITLE = 100

_ATTACHMENTS = """
SELECT own.key, attached.path, own.itemID, IFNULL(attached.parentItemID, own.itemID)
FROM itemAttachments AS attached JOIN items AS own ON own.itemID = attached.itemID
WHERE attached.path IS NOT NULL
  AND own.itemID NOT IN (SELECT itemID FROM deletedItems)
  AND IFNULL(attached.parentItemID, 0) NOT IN (SELECT itemID FROM deletedItems)
ORDER BY own.itemID
"""
_FIELD = """
SELECT itemDataValues.value FROM itemData
JOIN fields ON fields.fieldID = itemData.fieldID
JOIN itemDataValues ON itemDataValues.valueID = itemData.valueID
WHERE itemData.itemID = ? AND fields.fieldName = ?
"""
_FIRST_AUTHOR = """
SELECT creators.lastName FROM itemCreators
JOIN creators ON creators.creatorID = itemCreators.creatorID
WHERE itemCreators.itemID = ? ORDER BY itemCreators.orderIndex LIMIT 1
"""
_FIRST_COLLECTION = """
SELECT collections.collectionName FROM collectionItems
JOIN collections ON collections.collectionID = collectionItems.collectionID
WHERE collectionItems.itemID = ? ORDER BY collections.collectionID LIMIT 1
"""


def list_zotero(address: SplitResult, _: Path) -> Listing:
    """The attachments in `zotero:///home/ann/Zotero`, below the names of their collections.

    The database is opened for reading alone, also while Zotero has it open.
    """
    folder = Path(unquote(address.path))
    database = folder / _DATABASE
    if address.netloc or not database.is_file():
        raise UsageError(f"{address.geturl()}: expected zotero:///PATH with {_DATABASE} in it")
    # Zotero locks its database while it runs. It replaces no page of it in place without a journal,
    # and a listing that is torn all the same fails, or is put right by the next one.
    with closing(sqlite3.connect(f"file:{quote(str(database))}?immutable=1", uri=True)) as opened:
        files = dict(_attachments(opened, folder))
    return Listing(PurePosixPath("zotero", *folder.absolute().parts[1:]), files)


def _attachments(
    database: sqlite3.Connection, folder: Path
) -> Iterator[tuple[PurePosixPath, Remote]]:
    for key, stored, own, parent in database.execute(_ATTACHMENTS).fetchall():
        source = _source(folder, key, stored)
        if source is None or not source.is_file():
            continue
        name = _name(database, parent) or _name(database, own) or source.stem
        collection = _value(database, _FIRST_COLLECTION, parent)
        unique = f"{_plain(name)} ({key}){source.suffix}"
        state = source.stat()
        mark = f"{state.st_size}.{state.st_mtime_ns}"
        path = PurePosixPath(*filter(None, (_plain(collection),)), unique)
        yield path, Remote(mark, partial(_fetched, source), unique)


def _source(folder: Path, key: str, stored: str) -> Path | None:
    """The file of an attachment; None for one whose folder only Zotero's settings know."""
    if stored.startswith("storage:"):
        name = stored.removeprefix("storage:")
        return None if "/" in name or name == ".." else folder / "storage" / key / name
    return Path(stored) if stored.startswith("/") else None


def _name(database: sqlite3.Connection, item: int) -> str:
    """Author, year and title of an item, as far as they are known; empty without a title."""
    title = _value(database, _FIELD, item, "title")
    year = re.search(r"\b\d{4}\b", _value(database, _FIELD, item, "date"))
    author = _value(database, _FIRST_AUTHOR, item)
    parts = (author, year[0] if year else "", title[:_LONGEST_TITLE].strip())
    return " ".join(filter(None, parts)) if title else ""


def _value(database: sqlite3.Connection, statement: str, *given: object) -> str:
    found = database.execute(statement, given).fetchone()
    return str(found[0]) if found and found[0] is not None else ""


def _plain(name: str) -> str:
    """A name without what cannot stand in that of a file."""
    return " ".join(re.sub(r"[^\w\s.,()+&'-]", " ", name).split()).lstrip(".")


def _fetched(source: Path, target: Path) -> float:
    shutil.copyfile(source, target)
    return source.stat().st_mtime
