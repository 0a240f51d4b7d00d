"""Every real file is read, and every promise of a Document is checked on it."""

from __future__ import annotations

import random
import time
from itertools import pairwise
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.discover import discover
from pincite.ingest.readers import FileReader
from pincite.records.document import Document

EXPECTED_FAILURES = {
    "libreoffice-writer-password.pdf": "password",
    "aes-256-r6.pdf": "password",
    "r6-both-passwords.pdf": "password",
    "ExternalEntityInText.docx": "declares XML entities",
    "testWORD_truncated.docx": "damaged or truncated",
    "testWORD_protected_passtika.docx": "password",
    "clusterfuzz-testcase-minimized-POIXWPFFuzzer-5313273089884160.docx": "damaged",
}
FOLDERS = ("open", "pdfqa-open", "bulk-18f-handbook")


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_real_file_is_read_or_refused_and_keeps_the_promises(
    real_documents: Path, folder: str
) -> None:
    files = [
        file
        for file in discover([real_documents / folder]).files
        if "ground_truth" not in file.parts
    ]
    failures = {}
    started = time.perf_counter()
    for file in files:
        try:
            document = FileReader().read(file)
        except ReadError as error:
            failures[file.name] = str(error)
            continue
        for warning in document.warnings:
            print(f"{file.name}: {warning}")
        assert_blocks_are_sound(document, file)
        assert_bytes_lead_to_text(document, file.read_bytes())
        assert_boxes_lie_on_their_pages(document, file)
    print(f"{folder}: {len(files)} files in {time.perf_counter() - started:.1f} s")
    assert files
    expected = {file.name for file in files} & EXPECTED_FAILURES.keys()
    assert failures.keys() == expected
    assert all(EXPECTED_FAILURES[name] in reason for name, reason in failures.items())


def assert_blocks_are_sound(document: Document, file: Path) -> None:
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(document.text), (file, block)
        assert document.text[block.start : block.end].strip(), (file, block)
        end = block.end
    assert document.blocks or document.gaps or document.warnings, file
    assert document.title


def assert_bytes_lead_to_text(document: Document, content: bytes) -> None:
    if document.encoding is None:
        return
    draw = random.Random(11)
    for _ in range(50):
        start, end = sorted(draw.randrange(len(document.text) + 1) for _ in range(2))
        where = document.byte_range(start, end)
        assert where is not None
        assert content[slice(*where)].decode(document.encoding) == document.text[start:end]


def assert_boxes_lie_on_their_pages(document: Document, file: Path) -> None:
    words = document.boxes
    assert all(a <= b for a, b in pairwise(words.starts)), file
    assert bool(words) == bool(document.pages and document.text), file
    for page, following in pairwise(document.pages):
        assert page.end <= following.start, file
    draw = random.Random(13)
    for _ in range(50 if words else 0):
        row = draw.randrange(len(words))
        last = min(row + draw.randrange(30), len(words) - 1)
        boxes = words.boxes(words.starts[row], words.ends[last])
        assert boxes, file
        for box in boxes:
            page = document.pages[box.page - 1]
            assert 0 <= box.x0 <= box.x1 <= page.width + 0.01, (file, box)
            assert 0 <= box.y0 <= box.y1 <= page.height + 0.01, (file, box)
