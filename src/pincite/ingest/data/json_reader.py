"""Reads JSON as lines of path and value, and arrays of equal flat objects as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.encoding.decode import decode
from pincite.ingest.reading import content_remarks, counted
from pincite.ingest.tables import TableCell, TableRow, TableWriter, guess_headers
from pincite.records.document import Block, BlockKind, Cell, Document, document_id

MEDIA_TYPE = "application/json"
_DEEPEST = 200
_MOST_VALUES = 300_000
_LONGEST_PATH_CHARS = 500
_LONGEST_CELL_CHARS = 200
_MOST_COLUMNS = 200
_LINES_SUFFIXES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class _Value:
    """A value and its path; `section` is the path of what it is in."""

    path: str
    value: Any
    section: str = ""
    depth: int = 0


class JsonReader:
    """Reads `.json` and `.jsonl` files; each value that is no container is a line."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not JSON or nested too deep."""
        decoded = decode(content)
        writer = _Writer()
        records, gaps = _records(path, decoded.text)
        writer.add_records(records)
        identifier, sha256 = document_id(content)
        remarks = content_remarks("file", has_text=bool(writer.assembly.blocks))
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path),
            media_type=MEDIA_TYPE,
            text=writer.assembly.text(),
            blocks=tuple(writer.assembly.blocks),
            gaps=(*gaps, *writer.gaps(), *remarks.gaps),
            warnings=(*([decoded.doubt] if decoded.doubt else []), *remarks.warnings),
        )


def _records(path: Path, text: str) -> tuple[list[_Value], list[str]]:
    """The file's values (one, or one per line), and what is missing."""
    if path.suffix.lower() not in _LINES_SUFFIXES:
        try:
            return [_Value("", parse_json(text))], []
        except NotJson as error:
            # Exports of databases are often lines of JSON in a file named .json.
            if "Extra data" not in str(error):
                refuse("file", error)
    found, gaps = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(_Value(f"line {number}", parse_json(line.strip())))
        except NotJson as error:
            gaps.append(f"line {number} is not JSON ({error}) and is not read")
    if not found:
        refuse("file", gaps[0] if gaps else "it has no values")
    if len(gaps) > 20:
        gaps = [*gaps[:20], f"{counted(len(gaps) - 20, 'other line')} not JSON and not read"]
    return found, gaps


class _Writer:
    """Adds values to an assembly, up to a limit."""

    def __init__(self) -> None:
        self.assembly = TextAssembly()
        self._left = _MOST_VALUES
        self._left_out = 0
        self._shortened = 0

    def gaps(self) -> Iterator[str]:
        """What was not read."""
        if self._left_out:
            left_out = counted(self._left_out, "value")
            yield f"{left_out} or groups of them beyond the limit of {_MOST_VALUES:,} not read"
        if self._shortened:
            shortened = counted(self._shortened, "path")
            yield f"{shortened} longer than {_LONGEST_PATH_CHARS} characters shortened"

    def add_records(self, records: list[_Value]) -> None:
        """Add the values of a file; lines of equal flat objects are one table."""
        if len(records) > 1 and _is_table([record.value for record in records]):
            self._table([(record.path, record.value) for record in records], "")
            return
        for record in records:
            self.add(record)

    def add(self, found: _Value) -> None:
        """Add a value with everything in it. Raises ReadError if it is nested too deep."""
        if self._left <= 0:
            self._left_out += 1
            return
        if found.depth > _DEEPEST:
            refuse("file", f"it is nested more than {_DEEPEST} deep")
        value = found.value
        if isinstance(value, list) and _is_table(value):
            rows = [(f"{found.path}[{n}]", row) for n, row in enumerate(value)]
            self._table(rows, found.path)
        elif isinstance(value, list) and value:
            for number, inner in enumerate(value):
                self.add(self._inside(found, f"{found.path}[{number}]", inner))
        elif isinstance(value, JsonObject) and value.members:
            for key, inner in value.members:
                self.add(self._inside(found, _joined(found.path, key), inner))
        else:
            self._leaf(found)

    def _inside(self, outer: _Value, path: str, value: Any) -> _Value:
        if len(path) > _LONGEST_PATH_CHARS:
            self._shortened += 1
            path = "…" + path[1 - _LONGEST_PATH_CHARS :]
        return _Value(path, value, outer.path, outer.depth + 1)

    def _leaf(self, found: _Value) -> None:
        self._left -= 1
        label, value = found.path or "value", _shown(found.value)
        is_prose = len(value) > _LONGEST_CELL_CHARS or "\n" in value
        text = f"{label}: {value}"
        block = self.assembly.add(text, BlockKind.PARAGRAPH if is_prose else BlockKind.TABLE_ROW)
        assert block is not None  # it has a label
        named = (block.start, block.start + len(label))
        cells = (
            ()
            if is_prose or not value.strip()
            else (
                Cell(start=named[0], end=named[1]),
                Cell(start=named[1] + 2, end=block.end, row_headers=(named,)),
            )
        )
        self._place_last(block, found.path, found.section, cells)

    def _place_last(self, block: Block, place: str, section: str, cells: tuple[Cell, ...]) -> None:
        self.assembly.blocks[-1] = replace(
            block, place=place, section=(section,) if section else (), cells=cells
        )

    def _table(self, rows: list[tuple[str, JsonObject]], path: str) -> None:
        """One row per object below a row of their keys."""
        names = [key for key, _ in rows[0][1].members]
        most = max(self._left // len(names), 0)
        self._left_out += max(len(rows) - most, 0)
        self._left -= len(names) * min(len(rows), most)
        table = [_row(path, names)]
        table += [
            _row(place, [_shown(value) for _, value in row.members]) for place, row in rows[:most]
        ]
        assembly, first = self.assembly, len(self.assembly.blocks)
        assembly.place = Place(words=path)
        headers = replace(guess_headers(table, marked=1), rows=1)
        TableWriter(assembly, headers=headers, separator="\t").add_all(table)
        assembly.place = Place()
        if path:
            assembly.blocks[first:] = [replace(b, section=(path,)) for b in assembly.blocks[first:]]


def _row(place: str, texts: list[str]) -> TableRow:
    cells = [TableCell(text=text, column=n, place=place) for n, text in enumerate(texts)]
    return TableRow(cells=tuple(cells), place=place)


def _is_table(values: list[Any]) -> bool:
    """Whether they are two or more flat objects with the same keys and short values."""
    if len(values) < 2 or not isinstance(values[0], JsonObject):
        return False
    names = [key for key, _ in values[0].members]
    is_named = all(name.strip() and _fits(name) for name in names)
    if not (is_named and 2 <= len(names) <= _MOST_COLUMNS and len(set(names)) == len(names)):
        return False
    return all(
        isinstance(one, JsonObject)
        and [key for key, _ in one.members] == names
        and all(_fits(value) for _, value in one.members)
        for one in values
    )


def _fits(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_CELL_CHARS and not any(sign in value for sign in "\n\r\t")
    return not isinstance(value, (list, JsonObject))


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "[]" if isinstance(value, list) else "{}"


def _joined(path: str, key: str) -> str:
    if not path:
        return key
    return f"{path}, {key}" if path.startswith("line ") and "," not in path else f"{path}.{key}"


# Parses JSON without losing anything: numbers as written, repeated keys, and errors as ReadError.


@dataclass(frozen=True, slots=True)
class JsonObject:
    """The members of an object in the order of the file; a key may occur twice."""

    members: tuple[tuple[str, Any], ...]


class NotJson(ValueError):
    """A text that is not one JSON value."""


# The values of numbers are their digits: a float would change `1.10`, and a long number is no int.
_DECODER = json.JSONDecoder(
    object_pairs_hook=lambda pairs: JsonObject(tuple(pairs)),
    parse_float=str,
    parse_int=str,
    parse_constant=str,
    strict=False,
)


def parse_json(text: str) -> Any:
    """A tree of JsonObject, list, str, bool and None; numbers are strings. Raises NotJson."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} in line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deep") from error


def refuse(kind: str, reason: object) -> NoReturn:
    """Raise ReadError for a file that should be JSON."""
    raise ReadError(f"the {kind} is damaged ({reason}); expected JSON; get a complete copy of it")
