"""Reads CSV and TSV files: the text is the unchanged decoded file; each record is a table row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.ingest.assembly import choose_title
from pincite.ingest.encoding.decode import decode
from pincite.ingest.reading import counted
from pincite.records.document import Block, BlockKind, Cell, Document, Range, document_id

_DELIMITERS = ",;\t|"
_SAMPLE_RECORDS = 50
_SAMPLE_CHARS = 65_536
_DECLARED = re.compile(r"sep=(.)(?=[\r\n])")
_NUMBER = re.compile(r"[-+(]?[^\w\s]?\d[\d.,:/ '\-]*\s?[%)€$]?$|\d{4}-\d\d-\d\dT")
_LONGEST_HEADER_CHARS = 60
_MOST_CELLS = 400_000
# A quote that is not closed within this many characters is treated as a literal character, so that
# one stray quote does not swallow the rest of the file.
_LONGEST_QUOTED_CHARS = 32_000


@dataclass(frozen=True, slots=True)
class _Field:
    """The range of one field, without its quotes."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Record:
    """One record: its number in the file (from 1), its range and its fields."""

    number: int
    start: int
    end: int
    fields: tuple[_Field, ...]


class DelimitedReader:
    """Reads `.csv` and `.tsv` files with any delimiter; tolerates malformed records."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode(content)
        table = _Table(decoded.text, is_tab_separated=path.suffix.lower() == ".tsv")
        blocks = tuple(table.blocks())
        warnings = [*decoded.warnings]
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path),
            media_type="text/csv",
            text=decoded.text,
            encoding=decoded.encoding,
            first_byte=decoded.first_byte,
            blocks=blocks,
            warnings=(*warnings, *table.warnings()),
        )


class _Table:
    """The records of one file and their headers."""

    def __init__(self, text: str, *, is_tab_separated: bool) -> None:
        self._text = text
        declared = _DECLARED.match(text)
        self._first = declared.end() if declared else 0
        self._delimiter = declared[1] if declared else "\t" if is_tab_separated else _guess(text)
        self._records = [
            record
            for record in _records(text, self._first, self._delimiter)
            if any(text[field.start : field.end].strip() for field in record.fields)
        ]
        self._has_header = self._first_names_columns()
        self._names_rows = self._has_header and self._first_column_names_rows()

    def blocks(self) -> Iterator[Block]:
        """One block per record that is not empty."""
        names = self._records[0].fields if self._has_header else ()
        headers = tuple(((field.start, field.end),) for field in names)
        left = _MOST_CELLS
        for position, record in enumerate(self._records):
            left -= len(record.fields)
            is_header = self._has_header and position == 0
            yield Block(
                start=record.start,
                end=record.end,
                kind=BlockKind.TABLE_ROW,
                place=f"row {record.number}",
                cells=tuple(self._cells(record, () if is_header else headers)) if left > 0 else (),
            )

    def warnings(self) -> Iterator[str]:
        """Warnings about irregular records."""
        if not self._records:
            yield "it contains no words, so it cannot be found"
            return
        usual = len(self._records[0].fields)
        odd = sum(len(record.fields) != usual for record in self._records)
        if odd:
            yield (
                f"{counted(odd, 'row')} with a different number of fields from the first ({usual}); "
                "their fields may be under the wrong headers"
            )
        if sum(len(record.fields) for record in self._records) > _MOST_CELLS:
            yield f"it has more than {_MOST_CELLS:,} fields; later rows are cited as whole rows"

    def _cells(self, record: _Record, headers: Sequence[tuple[Range, ...]]) -> Iterator[Cell]:
        row_headers: tuple[Range, ...] = ()
        for column, field in enumerate(record.fields):
            if not self._text[field.start : field.end].strip():
                continue
            names_row = bool(headers) and self._names_rows and column == 0
            yield Cell(
                start=field.start,
                end=field.end,
                column_headers=headers[column] if column < len(headers) else (),
                row_headers=row_headers,
            )
            if names_row:
                row_headers = ((field.start, field.end),)

    def _first_names_columns(self) -> bool:
        """Whether the first record contains short, distinct texts and no values."""
        if len(self._records) < 2:
            return False
        names = self._values(self._records[0])
        return (
            len(set(names)) == len(names) >= 2
            and all(0 < len(name) <= _LONGEST_HEADER_CHARS for name in names)
            and not any(_is_value(name) for name in names)
        )

    def _first_column_names_rows(self) -> bool:
        """Whether the first column has a different text in each row, next to numbers."""
        rows = [self._values(record) for record in self._records[1 : _SAMPLE_RECORDS + 1]]
        first = [row[0] for row in rows]
        others = [value for row in rows for value in row[1:] if value]
        numbers = sum(bool(_NUMBER.match(value)) for value in others)
        return (
            len(rows) > 1
            and len(set(first)) == len(first)
            and not any(not name or _NUMBER.match(name) for name in first)
            and numbers >= 0.5 * len(others) > 0
        )

    def _values(self, record: _Record) -> list[str]:
        return [self._text[field.start : field.end].strip() for field in record.fields]


def _is_value(text: str) -> bool:
    is_year = len(text) == 4 and text.isdigit()
    return "@" in text or "://" in text or bool(_NUMBER.match(text) and not is_year)


def _guess(text: str) -> str:
    """The delimiter that splits the first records into the most fields, equally many in each."""
    sample = text[:_SAMPLE_CHARS]

    def evenness(delimiter: str) -> tuple[float, int]:
        sizes: list[int] = []
        for record in _records(sample, 0, delimiter):
            if len(sizes) == _SAMPLE_RECORDS:
                break
            if record.start < record.end:
                sizes.append(len(record.fields))
        usual = max(set(sizes), key=sizes.count, default=1)
        return (sizes.count(usual) / len(sizes) if usual > 1 else 0.0, usual)

    return max(_DELIMITERS, key=evenness)


def _records(text: str, position: int, delimiter: str) -> Iterator[_Record]:
    """The records of a text according to RFC 4180; line ends inside quotes belong to a field."""
    cut = re.escape(delimiter)
    quoted = re.compile(
        rf'[ ]*"((?:[^"]|""){{0,{_LONGEST_QUOTED_CHARS}}}+)"[ ]*(?={cut}|[\r\n]|\Z)'
    )
    plain = re.compile(rf"[^{cut}\r\n]*")
    line_end = re.compile(r"\r\n|\n|\r")
    number, start, fields = 1, position, list[_Field]()
    while position <= len(text):
        match = quoted.match(text, position)
        if match:
            fields.append(_Field(*match.span(1)))
        else:
            match = plain.match(text, position)
            assert match is not None  # it matches the empty text
            fields.append(_Field(*match.span()))
        position = match.end()
        if text.startswith(delimiter, position):
            position += 1
            continue
        yield _Record(number, start, position, tuple(fields))
        after = line_end.match(text, position)
        if after is None:
            return
        number, start, fields = number + 1, after.end(), []
        position = start
