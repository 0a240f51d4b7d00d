"""Serializes documents, for the pipe from the parser and for the catalog.

    8 bytes   magic, with the format's version in its last digit
    sections  each an unsigned 64-bit length and that many bytes:
              header (JSON), text (UTF-8), then the columns of the box map

Numbers are little-endian. Nothing in it is executable, and every value is checked on reading: the
bytes may come from a parser compromised by a hostile file.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NoReturn

from pincite.errors import ReadError
from pincite.records.document import (
    Block,
    BlockKind,
    BoxMap,
    Cell,
    Document,
    Flag,
    FlagKind,
    Page,
    Range,
    RecognisedLine,
)

_MAGIC = b"PINDOC02"
_LENGTH = struct.Struct("<Q")
_NAMES = ("id", "sha256", "title", "media_type", "name")


def document_to_bytes(document: Document, *, with_text: bool = True) -> bytes:
    """The document in the format above; the catalog, which stores the text separately, omits it."""
    boxes = document.boxes
    sections = (
        json.dumps(_header(document), separators=(",", ":")).encode(),
        # A file's text cannot contain a lone surrogate, but writing one must not fail either.
        document.text.encode("utf-8", "surrogatepass") if with_text else b"",
        _column("i", boxes.starts),
        _column("i", boxes.ends),
        _column("i", boxes.pages),
        _column("f", boxes.corners),
    )
    return _MAGIC + b"".join(_LENGTH.pack(len(section)) + section for section in sections)


def document_from_bytes(data: bytes, *, text: str | None = None) -> Document:
    """The document from its bytes; `text` is required if it was left out.

    Raises ReadError if the bytes are not a document, or do not match the text.
    """
    sections = list(_sections(data))
    if len(sections) != 6:
        _refuse(f"{len(sections)} sections instead of 6")
    try:
        header = json.loads(bytes(sections[0]))
        if text is None:
            text = str(sections[1], "utf-8", "surrogatepass")
        return _document(header, text, _boxes(sections[2:], len(text)))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        _refuse(f"{type(error).__name__}: {error}", error)


def _refuse(found: str, cause: BaseException | None = None) -> NoReturn:
    raise ReadError(
        f"the stored form of the document is damaged ({found}); read the file again"
    ) from cause


# --- Writing ------------------------------------------------------------------------------------


def _header(document: Document) -> dict[str, Any]:
    sections = dict.fromkeys(block.section for block in document.blocks)
    numbers = {section: number for number, section in enumerate(sections)}
    return {
        **{name: getattr(document, name) for name in _NAMES},
        "reading": document.reading,
        "encoding": document.encoding,
        "first_byte": document.first_byte,
        "gaps": document.gaps,
        "warnings": document.warnings,
        "flags": [
            (flag.kind, flag.detail, flag.start, flag.end, flag.page) for flag in document.flags
        ],
        "recognised": [(line.start, line.end, line.confidence) for line in document.recognised],
        # Many blocks share a section path, so it is stored once.
        "sections": list(sections),
        "blocks": [
            (
                block.start,
                block.end,
                block.kind,
                numbers[block.section],
                block.page,
                block.place,
                [_cell_row(cell) for cell in block.cells],
            )
            for block in document.blocks
        ],
        "pages": [
            (
                *(page.number, page.start, page.end, page.width, page.height),
                *(page.label, page.images, page.gap),
            )
            for page in document.pages
        ],
    }


def _cell_row(cell: Cell) -> tuple[Any, ...]:
    return cell.start, cell.end, cell.column_headers, cell.row_headers, cell.place


def _column(code: str, values: Sequence[float]) -> bytes:
    # 32-bit integers: two billion characters exceed every size limit.
    column: array[Any] = array(code, values)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


# --- Reading ------------------------------------------------------------------------------------


def _sections(data: bytes) -> Iterator[memoryview]:
    if not data.startswith(_MAGIC):
        _refuse("its magic number is not that of this format and version")
    view, position = memoryview(data), len(_MAGIC)
    while position < len(view):
        if position + _LENGTH.size > len(view):
            _refuse("it is truncated")
        (length,) = _LENGTH.unpack_from(view, position)
        position += _LENGTH.size
        if length > len(view) - position:
            _refuse("it is truncated")
        yield view[position : position + length]
        position += length


def _document(header: Any, text: str, boxes: BoxMap) -> Document:
    encoding = header["encoding"]
    return Document(
        **{name: _string(header[name]) for name in _NAMES},
        text=text,
        encoding=None if encoding is None else _string(encoding),
        first_byte=_whole(header["first_byte"], 0, 4),
        blocks=tuple(_blocks(header, len(text))),
        pages=tuple(_pages(header["pages"], len(text))),
        boxes=boxes,
        recognised=tuple(_recognised(header["recognised"], len(text))),
        gaps=tuple(_string(gap) for gap in header["gaps"]),
        warnings=tuple(_string(warning) for warning in header["warnings"]),
        flags=tuple(_flags(header["flags"], len(text))),
        # Libraries of versions up to 0.2.0 do not say how they read.
        reading=_whole(header.get("reading", 0), 0, sys.maxsize),
    )


def _blocks(header: Any, length: int) -> Iterator[Block]:
    sections = [tuple(_string(name) for name in section) for section in header["sections"]]
    floor = 0
    for start, end, kind, section, page, place, cells in header["blocks"]:
        floor = _whole(end, _whole(start, floor, length), length)
        yield Block(
            start=start,
            end=end,
            kind=BlockKind(kind),
            section=sections[_whole(section, 0, len(sections) - 1)],
            page=_page_number(page),
            place=_string(place),
            cells=tuple(_cells(cells, start, end, length)),
        )


def _page_number(value: Any) -> int | None:
    return None if value is None else _whole(value, 1, sys.maxsize)


def _cells(rows: Any, floor: int, ceiling: int, length: int) -> Iterator[Cell]:
    for start, end, column_headers, row_headers, place in rows:
        floor = _whole(end, _whole(start, floor, ceiling), ceiling)
        yield Cell(
            start=start,
            end=end,
            column_headers=tuple(_ranges(column_headers, length)),
            row_headers=tuple(_ranges(row_headers, length)),
            place=_string(place),
        )


def _ranges(pairs: Any, length: int) -> Iterator[Range]:
    for start, end in pairs:
        yield start, _whole(end, _whole(start, 0, length), length)


def _recognised(rows: Any, length: int) -> Iterator[RecognisedLine]:
    for start, end, confidence in rows:
        _whole(end, _whole(start, 0, length), length)
        yield RecognisedLine(start=start, end=end, confidence=_finite(confidence))


def _flags(rows: Any, length: int) -> Iterator[Flag]:
    for kind, detail, start, end, page in rows:
        _whole(end, _whole(start, 0, length), length)
        yield Flag(
            kind=FlagKind(kind),
            detail=_string(detail),
            start=start,
            end=end,
            page=_page_number(page),
        )


def _pages(rows: Any, length: int) -> Iterator[Page]:
    floor = 0
    for number, start, end, width, height, label, images, gap in rows:
        floor = _whole(end, _whole(start, floor, length), length)
        yield Page(
            number=_whole(number, 1, sys.maxsize),
            start=start,
            end=end,
            width=_finite(width),
            height=_finite(height),
            label=_string(label),
            images=_whole(images, 0, sys.maxsize),
            gap=_string(gap),
        )


def _boxes(sections: Sequence[memoryview], length: int) -> BoxMap:
    starts, ends, pages = (_read_column("i", section) for section in sections[:3])
    corners = _read_column("f", sections[3])
    if not len(starts) == len(ends) == len(pages) == len(corners) / 4:
        raise ValueError("columns of different lengths")
    if starts:
        in_order = all(a <= b for a, b in pairwise(starts)) and all(map(int.__le__, starts, ends))
        if starts[0] < 0 or max(ends) > length or min(pages) < 1 or not in_order:
            raise ValueError("a word is outside the text")
        if not all(map(math.isfinite, corners)):
            raise ValueError("a box has invalid coordinates")
    return BoxMap(
        starts=array("l", starts), ends=array("l", ends), pages=array("l", pages), corners=corners
    )


def _read_column(code: str, section: memoryview) -> array[Any]:
    column: array[Any] = array(code)
    column.frombytes(section)
    if sys.byteorder == "big":
        column.byteswap()
    return column


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, not {type(value).__name__}")
    return value


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"expected an integer from {least} to {most}")
    return value


def _finite(value: Any) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("expected a finite number")
    return float(value)
