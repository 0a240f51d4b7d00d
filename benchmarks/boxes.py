"""Checks that the boxes drawn for a quote contain exactly its words, for random quotes of real PDFs.

    PYTHONPATH=src python benchmarks/boxes.py [DOCUMENTS] [--quotes 300] [--seed 7]

DOCUMENTS is the folder of real files (default: documents/ in the folder PINCITE_SHARED names).
A quote is one sentence of one passage, as an answer would cite it; every PDF is equally likely to
be drawn. The text under its boxes is read back from the page: the characters whose centre is in a
box, with PDFium's own mapping from the file to the page as displayed. Both texts are compared
without spaces and hyphens, which PDFium marks in its own way at line ends.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import re
from functools import cache
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.errors import ReadError
from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.readers import FileReader
from pincite.records.document import Document, Span

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
_PRECISION = 100
# Its text is comments, which are not among the characters of the page.
_COMMENTS_ONLY = {"annotated_pdf.pdf"}
_CHUNKER = StructureChunker(max_size=1600, overlap=200)

Sign = tuple[float, float, str]


def quotes(folder: Path, count: int, seed: int) -> list[tuple[Path, Document, Span]]:
    """Random sentences of passages: first a file, then a sentence of it."""
    sentences: list[tuple[Path, Document, list[Span]]] = []
    for path in sorted(folder.rglob("*.pdf")):
        if path.name in _COMMENTS_ONLY:
            continue
        try:
            document = FileReader().read(path)
        except ReadError:
            continue
        spans = [
            span
            for passage in _CHUNKER.chunk(document)
            for span in passage.sentences
            # What was recognised in a picture is no text that could be read back from the page.
            if document.confidence(span.start, span.end) is None
        ]
        if spans:
            sentences.append((path, document, spans))
    draw = random.Random(seed)
    picked = (draw.choice(sentences) for _ in range(count))
    return [(path, document, draw.choice(spans)) for path, document, spans in picked]


@cache
def signs_of(path: Path, number: int) -> list[Sign]:
    """The middle of every character of a page as displayed, in the order of PDFium."""
    pdf = pypdfium2.PdfDocument(path)
    page = pdf[number - 1]
    text_page = page.get_textpage()
    width, height = (round(side * _PRECISION) for side in page.get_size())
    corners = [ctypes.c_double() for _ in range(4)]
    x, y = ctypes.c_int(), ctypes.c_int()
    signs = []
    for index in range(pdfium.FPDFText_CountChars(text_page.raw)):
        if not pdfium.FPDFText_GetCharBox(text_page.raw, index, *corners):
            continue
        left, right, bottom, top = (corner.value for corner in corners)
        middle = (left + right) / 2, (bottom + top) / 2
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, *middle, x, y)
        code = pdfium.FPDFText_GetUnicode(text_page.raw, index)
        signs.append((x.value / _PRECISION, y.value / _PRECISION, chr(code)))
    return signs


def text_under(path: Path, document: Document, quote: Span) -> str:
    """What the page shows under the boxes of a quote."""
    found: list[str] = []
    for box in document.boxes.boxes(quote.start, quote.end):
        found.extend(
            sign
            for x, y, sign in signs_of(path, box.page)
            if box.x0 - 0.1 <= x <= box.x1 + 0.1 and box.y0 - 0.1 <= y <= box.y1 + 0.1
        )
    return "".join(found)


def bare(text: str) -> str:
    """Without blanks, hyphens and characters that are none."""
    return re.sub(r"[-\s\x00-\x1f\ufffe\uffff\xad\u2010\u2011]", "", text)


def main() -> None:
    """Print the share of quotes whose boxes hold their text, and the others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", nargs="?", type=Path, default=SHARED / "documents")
    parser.add_argument("--quotes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    equal, files, lines = 0, set(), 0
    drawn = quotes(arguments.documents, arguments.quotes, arguments.seed)
    for path, document, quote in drawn:
        there = bare(text_under(path, document, quote))
        wanted = bare(document.text[quote.start : quote.end])
        files.add(path)
        lines += len(document.boxes.boxes(quote.start, quote.end))
        equal += there == wanted
        if there != wanted:
            print(f"{path.name}: quote {wanted[:90]!r}\n  under its boxes {there[:90]!r}")
    print(f"{len(drawn)} quotes from {len(files)} files, {lines} boxes")
    print(f"the text under the boxes equals the quote: {equal / len(drawn):.1%}")


if __name__ == "__main__":
    main()
