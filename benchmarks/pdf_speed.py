"""Compares our PDF reader with others on the largest PDFs: pages per second and peak memory.

    PYTHONPATH=src python benchmarks/pdf_speed.py [DOCUMENTS] [--files 3] [--repeat 3]

DOCUMENTS is the folder of real files (default: documents/ in the folder PINCITE_SHARED names); the
PDFs with the most pages are used. Every file is read in a fresh process, and the readers take turns,
so that the load of the machine affects all of them alike. Ours finds words with boxes, blocks and
tables; pypdf and markitdown give only text, pdfplumber words with boxes, and pypdf with a visitor the
position of each piece of text. The median time is from opening the file to the last page, without the
import of the package; memory is the peak of the whole process. Ratios are times of the other reader
over ours: above 1, ours is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pypdfium2

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))


def ours() -> Callable[[Path], int]:
    """Pincite: words with boxes, blocks, tables."""
    from pincite.ingest.pdf.reader import PdfReader
    from pincite.ingest.sandbox.worker import collect_rarely

    collect_rarely()
    return lambda path: len(PdfReader().read(path, path.read_bytes()).text)


def with_pypdf() -> Callable[[Path], int]:
    """Text by pypdf."""
    import pypdf

    return lambda path: sum(len(page.extract_text()) for page in pypdf.PdfReader(path).pages)


def with_pypdf_places() -> Callable[[Path], int]:
    """Pieces of text with their places by pypdf."""
    import pypdf

    def read(path: Path) -> int:
        places: list[tuple[str, float, float]] = []

        def note(text: str, _: object, matrix: list[float], *__: object) -> None:
            places.append((text, matrix[4], matrix[5]))

        for page in pypdf.PdfReader(path).pages:
            page.extract_text(visitor_text=note)
        return sum(len(text) for text, _, _ in places)

    return read


def with_pdfplumber() -> Callable[[Path], int]:
    """Words with boxes by pdfplumber."""
    import pdfplumber

    def read(path: Path) -> int:
        signs = 0
        with pdfplumber.open(path) as pdf:
            for page in pdf.pages:
                signs += sum(len(word["text"]) for word in page.extract_words())
                page.close()
        return signs

    return read


def with_markitdown() -> Callable[[Path], int]:
    """Markdown by markitdown."""
    import markitdown

    return lambda path: len(markitdown.MarkItDown().convert(path).text_content)


READERS = {
    "pincite": ours,
    "pypdf": with_pypdf,
    "pypdf+places": with_pypdf_places,
    "pdfplumber": with_pdfplumber,
    "markitdown": with_markitdown,
}


def measure(reader: str, path: Path) -> tuple[float, float]:
    """Seconds and megabytes of one reading in a fresh process."""
    command = [sys.executable, __file__, "--child", reader, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return result["seconds"], result["megabytes"]


def _child(reader: str, path: Path) -> None:
    read = READERS[reader]()
    started = time.perf_counter()
    signs = read(path)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "characters": signs}))


def longest(folder: Path, count: int) -> list[tuple[Path, int]]:
    """The PDFs with the most pages, and how many they have."""
    pages = {}
    for path in folder.rglob("*.pdf"):
        try:
            pages[path] = len(pypdfium2.PdfDocument(path))
        except pypdfium2.PdfiumError:
            continue
    return sorted(pages.items(), key=lambda item: (-item[1], item[0]))[:count]


def main() -> None:
    """Print a table for each file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", nargs="?", type=Path, default=SHARED / "documents")
    parser.add_argument("--files", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", nargs=2, metavar=("READER", "PDF"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        _child(arguments.child[0], Path(arguments.child[1]))
        return
    print(f"load average at the start: {os.getloadavg()[0]:.1f}")
    for path, pages in longest(arguments.documents, arguments.files):
        runs: dict[str, list[tuple[float, float]]] = {reader: [] for reader in READERS}
        for _ in range(arguments.repeat):
            for reader in READERS:
                runs[reader].append(measure(reader, path))
        _print_table(path, pages, runs)


def _print_table(path: Path, pages: int, runs: dict[str, list[tuple[float, float]]]) -> None:
    print(f"\n{path.name} ({pages} pages)")
    print(f"  {'reader':<12} {'pages/s':>8} {'peak MB':>8} {'time/ours':>10}")
    ours_seconds = median(seconds for seconds, _ in runs["pincite"])
    for reader, measured in runs.items():
        seconds = median(seconds for seconds, _ in measured)
        peak = max(megabytes for _, megabytes in measured)
        print(f"  {reader:<12} {pages / seconds:8.1f} {peak:8.0f} {seconds / ours_seconds:10.2f}")


if __name__ == "__main__":
    main()
