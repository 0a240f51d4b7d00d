"""Resolves a question's filters (collection, document, tag, section, date) to passage keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, select

from pincite.errors import DocumentGone, UsageError
from pincite.records.filters import Filters, Scope
from pincite.store.catalog import rows, schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

_IS_ID = re.compile(r"[0-9a-f]{16}").fullmatch

_SHOWN = 8
"""Most names listed in an error."""


def matching_keys(connection: Connection, scope: Scope) -> NDArray[Any]:
    """Passage keys, ascending, int64. Raises UsageError, with what there is, when nothing matches.

    Raises DocumentGone for an unknown document id, since ids come from documents that were stored. A
    collection alone may have no passages.
    """
    import numpy as np

    documents, filters = matching_documents(connection, scope), scope.filters
    table = schema.passages
    found: list[int] = []
    for start in range(0, len(documents), rows.LOOKUP_BATCH):
        batch = documents[start : start + rows.LOOKUP_BATCH]
        here = table.c.document_id.in_(batch)
        if filters.sections:
            query = select(table.c.key, table.c.section).where(here)
            found += [
                row.key
                for row in connection.execute(query)
                if filters.lets_section_through(tuple(row.section))
            ]
        else:
            found += connection.scalars(select(table.c.key).where(here))
    if filters.sections and not found:
        raise UsageError(_no_section(connection, documents, filters.sections))
    return np.sort(np.array(found, dtype=np.int64))


def matching_documents(connection: Connection, scope: Scope) -> list[str]:
    """Ids of the documents that some path with all the wanted properties holds."""
    table, filters = schema.sources, scope.filters
    query = select(table)
    if scope.collections is not None:
        query = query.where(table.c.collection.in_(scope.collections))
    files = list(connection.execute(query.order_by(table.c.path)))
    if filters.documents:
        files = _of_documents(files, filters.documents)
    if filters.tags:
        files = _tagged(connection, files, filters.tags)
    if filters.since or filters.until:
        files = _dated(files, filters)
    return sorted({file.document_id for file in files})


def _of_documents(files: Sequence[Row[Any]], wanted: Sequence[str]) -> list[Row[Any]]:
    places = [(file.document_id, file.path) for file in files]
    chosen: set[tuple[str, str]] = set()
    for pattern in wanted:
        found = named_by(pattern, places)
        if not found and _IS_ID(pattern):
            raise DocumentGone(f"no document has the id {pattern} now; it may have been removed")
        if not found:
            names = sorted({PurePath(file.path).name for file in files})
            raise UsageError(f"no document matches '{pattern}'; there are: {_list(names)}")
        chosen.update(found)
    return [file for file in files if (file.document_id, file.path) in chosen]


def named_by(pattern: str, files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Files (id, path) that match an id, a name or the end of a path, ignoring case.

    If none match, it is tried as a pattern; `report [final].txt` may be a file name.
    """
    wanted = pattern.casefold().removeprefix("./")
    paths = {path: PurePath(path).as_posix().casefold() for _, path in files}
    end = f"/{wanted.lstrip('/')}"
    exact = [
        (document_id, path)
        for document_id, path in files
        if document_id == pattern or paths[path] == wanted or paths[path].endswith(end)
    ]
    return exact or [
        (document_id, path)
        for document_id, path in files
        if fnmatchcase(paths[path], wanted) or fnmatchcase(paths[path], f"*/{wanted}")
    ]


def _tagged(
    connection: Connection, files: Sequence[Row[Any]], wanted: Sequence[str]
) -> list[Row[Any]]:
    table = schema.tags
    places: dict[tuple[str, str], set[str]] = {}
    for row in connection.execute(select(table)):
        places.setdefault((row.collection, row.path), set()).add(row.tag)
    known = {tag for file in files for tag in places.get((file.collection, file.path), ())}
    for tag in wanted:
        if tag not in known:
            there_are = _list(sorted(known)) or "none; give some with 'pincite ingest --tag'"
            raise UsageError(f"no document here has the tag '{tag}'; there are: {there_are}")
    chosen = set(wanted)
    return [file for file in files if chosen & places.get((file.collection, file.path), set())]


def _dated(files: Sequence[Row[Any]], filters: Filters) -> list[Row[Any]]:
    first = filters.since.isoformat() if filters.since else ""
    last = filters.until.isoformat() if filters.until else "9999-12-31"
    kept = [file for file in files if file.modified and first <= file.modified[:10] <= last]
    if not kept:
        days = sorted(file.modified[:10] for file in files if file.modified)
        there_are = f"{days[0]} to {days[-1]}" if days else "no dates; ingest the files again"
        raise UsageError(f"no document here has a date in that range; there are: {there_are}")
    return kept


def _no_section(connection: Connection, documents: Sequence[str], wanted: Sequence[str]) -> str:
    table = schema.passages
    some = table.c.document_id.in_(documents[: rows.LOOKUP_BATCH])
    query = select(table.c.section).where(some).distinct().order_by(table.c.section).limit(100)
    headings = {" > ".join(row.section) for row in connection.execute(query)} - {""}
    asked = "', '".join(wanted)
    there_are = _list(sorted(headings)) or "none; these documents have no headings"
    return f"no section here matches '{asked}'; there are, for instance: {there_are}"


def _list(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
