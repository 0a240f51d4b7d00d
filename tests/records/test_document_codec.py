from __future__ import annotations

import random
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_forms import wire_form

from pincite.errors import ReadError
from pincite.records.document import Block, BlockKind, Box, BoxMap, Document, Page
from pincite.records.document_codec import document_from_bytes, document_to_bytes

COORDINATE = st.floats(0, 2000, width=32)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(max_size=60))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    section = st.lists(st.text(max_size=5), max_size=3).map(tuple)
    boxes = BoxMap()
    for start, end in spans:
        corners = draw(st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE))
        page = draw(st.integers(1, 9))
        box = Box(page=page, x0=corners[0], y0=corners[1], x1=corners[2], y1=corners[3])
        boxes.append(start, end, box)
    return Document(
        id=draw(st.text(max_size=16)),
        sha256=draw(st.text(max_size=16)),
        title=draw(st.text(max_size=9)),
        media_type="text/plain",
        text=text,
        encoding=draw(st.none() | st.just("utf-8")),
        first_byte=draw(st.integers(0, 4)),
        blocks=tuple(
            Block(
                start=start,
                end=end,
                kind=draw(st.sampled_from(BlockKind)),
                section=draw(section),
                page=draw(st.none() | st.integers(1, 9)),
            )
            for start, end in spans
        ),
        pages=tuple(
            Page(number=number, start=start, end=end, width=612.0, height=draw(COORDINATE))
            for number, (start, end) in enumerate(spans, 1)
        ),
        boxes=boxes,
        warnings=draw(st.lists(st.text(max_size=5), max_size=2).map(tuple)),
        reading=draw(st.integers(0, 99)),
    )


@given(documents())
def test_what_is_written_is_read_back(document: Document) -> None:
    assert document_from_bytes(document_to_bytes(document)) == document


@given(documents(), st.randoms(use_true_random=False))
def test_damaged_bytes_raise_nothing_but_read_errors(
    document: Document, draw: random.Random
) -> None:
    data = bytearray(document_to_bytes(document))
    for _ in range(3):
        data[draw.randrange(len(data))] = draw.randrange(256)
    del data[draw.randrange(len(data) // 2, len(data) + 1) :]
    try:
        read = document_from_bytes(bytes(data))
    except ReadError:
        return
    assert all(0 <= b.start <= b.end <= len(read.text) for b in read.blocks)


def test_a_box_outside_the_text_is_refused() -> None:
    boxes = BoxMap(
        starts=array("l", [0]),
        ends=array("l", [9]),
        pages=array("l", [1]),
        corners=array("f", [0, 0, 1, 1]),
    )
    document = Document(id="", sha256="", title="", media_type="", text="abc", boxes=boxes)
    with pytest.raises(ReadError, match="outside the text"):
        document_from_bytes(document_to_bytes(document))


HEADER: dict[str, Any] = {
    **dict.fromkeys(("id", "sha256", "title", "media_type", "name"), ""),
    **dict.fromkeys(("gaps", "warnings", "flags", "recognised", "sections", "blocks", "pages"), ()),
    "encoding": None,
    "first_byte": 0,
}


def test_a_document_of_an_older_library_does_not_say_which_version_read_it() -> None:
    assert document_from_bytes(wire_form(HEADER, "abc", [])).reading == 0


@pytest.mark.parametrize("reading", [-1, True, 1.0, "16", None, [16]])
def test_a_version_that_is_no_number_is_refused(reading: Any) -> None:
    with pytest.raises(ReadError, match="expected an integer from 0"):
        document_from_bytes(wire_form({**HEADER, "reading": reading}, "abc", []))
