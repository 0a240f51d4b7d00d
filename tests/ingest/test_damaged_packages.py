"""Damaged archives and damaged XML in sound archives: refused or read, never a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.records.document_codec import document_from_bytes, document_to_bytes
from tests.ingest.test_epub import book
from tests.ingest.test_package import Parts, slides, word, workbook, zipped

MAKERS = {"docx": word, "xlsx": workbook, "pptx": slides}
every_kind = pytest.mark.parametrize("kind", MAKERS)


def read_or_refuse(content: bytes) -> Document | None:
    try:
        document = FileReader().read_attachment(Path("file.bin"), content)
    except ReadError:
        return None
    assert document_from_bytes(document_to_bytes(document)) == document
    return document


@every_kind
def test_flipped_bytes_raise_nothing_but_read_errors(kind: str) -> None:
    content = zipped(MAKERS[kind]())
    draw = random.Random(kind)
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(draw.choice((1, 5, 30))):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        read_or_refuse(bytes(damaged))


@every_kind
def test_each_part_may_be_cut_empty_gone_or_another(kind: str) -> None:
    parts = MAKERS[kind]()
    draw = random.Random(kind)
    for name, part in parts.items():
        others: Parts = {n: c for n, c in parts.items() if n != name}
        for replacement in (part[: draw.randrange(len(part) or 1)], b"", b"<a/>", None):
            damaged = others if replacement is None else others | {name: replacement}
            read_or_refuse(zipped(damaged))


@every_kind
def test_attributes_with_nonsense_raise_nothing_but_read_errors(kind: str) -> None:
    parts = MAKERS[kind]()
    draw = random.Random(kind)
    nonsense = (b'"-1"', b'"x"', b'""', b'"99999999999999999999"', b'"A1:ZZZ9999999"', b'"0"')

    def replace(_: re.Match[bytes]) -> bytes:
        return draw.choice(nonsense)

    for name, part in parts.items():
        if name.endswith(".xml") and "Content_Types" not in name:
            # Names of namespaces stay, or nothing in the part would mean anything.
            damaged = re.sub(rb'(?<=[^:]\w=)"[^":/]*"', replace, part)
            read_or_refuse(zipped(parts | {name: damaged}))


def test_damaged_books_raise_nothing_but_read_errors() -> None:
    content = book()
    draw = random.Random(9)
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(draw.choice((1, 5, 30))):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        read_or_refuse(bytes(damaged))
