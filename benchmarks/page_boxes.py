"""Checks that the boxes drawn in a browser contain exactly the quoted words, on real PDFs.

    PYTHONPATH=src python benchmarks/page_boxes.py [DOCUMENTS] [--quotes 100] [--files 24] [--seed 7]

DOCUMENTS is the folder of real files (default: documents/ in the folder PINCITE_SHARED names). The
library has --files PDFs, drawn at random among those of at most 4 MB; every file gives the same number
of quotes: single sentences, and every third one two or three consecutive sentences, so that some cross
lines, table rows and pages. Each is opened by its permalink in Chromium. The rectangles' positions are
queried from the browser and converted to points of the page, and the text there is read back from the
file as `boxes.py` does. Needs the extras `server` and `test`, and chromium.
"""

from __future__ import annotations

import argparse
import logging
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
import uvicorn
from boxes import SHARED, bare, signs_of
from playwright.sync_api import Error, sync_playwright

from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.records.document import Document, Span
from pincite.settings.groups import ServerSettings
from pincite.verify.receipts.permalinks import Permalink

MARGIN = 1.5
"""Points that a drawn rectangle reaches beyond its words (page/sheet.js)."""
LARGEST = 4 << 20
PATIENCE_MS = 60_000

PLACES = """() => [...document.querySelectorAll('.sheet')].map((sheet) => {
  const page = sheet.querySelector('canvas').getBoundingClientRect();
  const frame = document.querySelector('.source-frame').getBoundingClientRect();
  const points = sheet.querySelector('svg').viewBox.baseVal;
  return {page: Number(sheet.dataset.page), rects: [...sheet.querySelectorAll('rect')].map((rect) => {
    const at = rect.getBoundingClientRect();
    const x = (px) => (px - page.left) * points.width / page.width;
    const y = (px) => (px - page.top) * points.height / page.height;
    const seen = at.bottom > frame.top && at.top < frame.bottom
      && at.right > frame.left && at.left < frame.right;
    return {x0: x(at.left), y0: y(at.top), x1: x(at.right), y1: y(at.bottom), seen};
  })};
})"""


@dataclass(frozen=True, kw_only=True)
class Quote:
    """Characters of a file."""

    path: Path
    document: Document
    span: Span

    @property
    def text(self) -> str:
        """As it stands in the file."""
        return self.document.text[self.span.start : self.span.end]

    @property
    def address(self) -> str:
        """Of its permalink."""
        return Permalink.to(self.document.id, self.span.start, self.span.end, self.text).href


def chosen_files(folder: Path, count: int, chance: random.Random) -> list[Path]:
    """PDFs drawn by chance."""
    found = [one for one in sorted(folder.rglob("*.pdf")) if one.stat().st_size <= LARGEST]
    return chance.sample(found, min(count, len(found)))


def quotes(library: Library, files: list[Path], count: int, chance: random.Random) -> list[Quote]:
    """So many, the same number of each file as far as it has sentences."""
    found: list[Quote] = []
    given = {entry.path: entry.document_id for entry in library.files()}
    held = [path for path in files if str(path) in given]
    each = -(-count // max(1, len(held)))
    for path in held:
        document = library.catalog.document(given[str(path)])
        sentences = [
            one
            for passage in library.catalog.passages_of(document.id)
            for one in passage.sentences
            if document.confidence(one.start, one.end) is None
        ]
        if not sentences:
            continue
        for number in range(each):
            first = chance.randrange(len(sentences))
            last = first + chance.choice((1, 2)) if number % 3 == 2 else first
            end = sentences[min(last, len(sentences) - 1)].end
            start = sentences[first].start
            if start < end:
                span = Span(document_id=document.id, start=start, end=end)
                found.append(Quote(path=path, document=document, span=span))
    return chance.sample(found, min(count, len(found)))


@contextmanager
def serving(library: Library) -> Iterator[str]:
    """The address of a server over the library."""
    settings = ServerSettings(requests_per_minute=0, address_requests_per_minute=0)
    app = create_app(Served(library), settings)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def under(path: Path, sheets: list[dict[str, Any]]) -> str:
    """What the file has under the drawn rectangles, in their order."""
    found: list[str] = []
    for sheet in sheets:
        for at in sheet["rects"]:
            found.extend(
                sign
                for x, y, sign in signs_of(path, sheet["page"])
                if at["x0"] + MARGIN - 0.4 <= x <= at["x1"] - MARGIN + 0.4
                and at["y0"] + MARGIN - 0.4 <= y <= at["y1"] - MARGIN + 0.4
            )
    return bare("".join(found))


def look(tab: Any, address: str, quote: Quote) -> str:
    """What is wrong with a quote on the page; empty where nothing is."""
    tab.goto(address + quote.address)
    try:
        tab.wait_for_selector("pincite-source .state-verified")
        tab.wait_for_selector(".sheet.is-drawn rect")
    except Error as error:
        return f"it did not open: {str(error).splitlines()[0]}"
    sheets = tab.evaluate(PLACES)
    if not any(at["seen"] for sheet in sheets for at in sheet["rects"]):
        return "no rectangle can be seen"
    there, wanted = under(quote.path, sheets), bare(quote.text)
    return "" if there == wanted else f"quote {wanted[:90]!r}\n  under its boxes {there[:90]!r}"


def main() -> None:
    """Print what does not hold, and the share of quotes that do."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", nargs="?", type=Path, default=SHARED / "documents")
    parser.add_argument("--quotes", type=int, default=100)
    parser.add_argument("--files", type=int, default=24)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    chance = random.Random(arguments.seed)
    files = [one.resolve() for one in chosen_files(arguments.documents, arguments.files, chance)]
    with tempfile.TemporaryDirectory() as folder, Library.open(folder) as library:
        library.ingest(files)
        wanted = quotes(library, files, arguments.quotes, chance)
        pages = lines = held = 0
        with serving(library) as address, sync_playwright() as driver:
            chromium = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            tab = chromium.new_page(viewport={"width": 1280, "height": 800})
            tab.set_default_timeout(PATIENCE_MS)
            for quote in wanted:
                wrong = look(tab, address, quote)
                held += not wrong
                boxes = quote.document.boxes.boxes(quote.span.start, quote.span.end)
                pages += len({box.page for box in boxes}) > 1
                lines += len(boxes) > 1
                if wrong:
                    print(f"{quote.path.name}: {wrong}")
            chromium.close()
        given = len({quote.path for quote in wanted})
    print(f"{len(wanted)} quotes of {given} files; {lines} over lines, {pages} over pages")
    print(f"the drawn boxes hold exactly the quoted words: {held} of {len(wanted)}")


if __name__ == "__main__":
    main()
