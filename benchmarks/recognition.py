"""Measures OCR of scans: pages per second, peak memory, and how much of the text is found.

    python benchmarks/recognition.py --pages 10

Pages of known text are typeset with reportlab and turned into images as a scanner makes them: clean,
coarse, and noisy. Then the scanned files of the shared folder are read, if present.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.records.document import Document

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("PINCITE_SHARED", ROOT.parent / "shared")) / "documents" / "open"
SCANS = (
    "ocr_test.pdf",
    "loremipsum-flat.pdf",
    "MEDRPT-2024-PAT-3847_medical_report_scan.pdf",
    "Seige_of_Vicksburg_Sample_OCR.pdf",
    "pdf-with-ocr-text.pdf",
    "horribleocr.pdf",
)
# Resolution in dots per inch, blur in pixels, noise as a share of the range of grey.
QUALITIES = {
    "clean, 200 dpi": (200, 0.0, 0.0),
    "coarse, 100 dpi": (100, 0.3, 0.02),
    "noisy, 150 dpi": (150, 0.8, 0.08),
}
LINES_ON_A_PAGE = 46


def printed_pages(count: int) -> list[str]:
    """The text of the pages: sentences of the sample documents, in lines of a page's width."""
    samples = ROOT / "src/pincite/interfaces/samples/documents"
    text = " ".join(
        (samples / name).read_text(encoding="utf-8")
        for name in ("help-centre.md", "tomato-crop-guide.md")
    )
    latin = text.encode("latin-1", "ignore").decode("latin-1")
    lines = simpleSplit(" ".join(latin.split()), "Times-Roman", 11, 480)
    lines = (lines * (count * LINES_ON_A_PAGE // len(lines) + 1))[: count * LINES_ON_A_PAGE]
    return [
        "\n".join(lines[start : start + LINES_ON_A_PAGE])
        for start in range(0, len(lines), LINES_ON_A_PAGE)
    ]


def scan(pages: list[str], quality: tuple[int, float, float]) -> bytes:
    """A PDF that holds pictures of these pages and nothing else."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(595, 842))
    for page in pages:
        canvas.setFont("Times-Roman", 11)
        for number, line in enumerate(page.splitlines()):
            canvas.drawString(57, 780 - 15.5 * number, line)
        canvas.showPage()
    canvas.save()
    pictures = pypdfium2.PdfDocument(buffer.getvalue())
    scanned = io.BytesIO()
    canvas = Canvas(scanned, pagesize=(595, 842))
    for page in pictures:
        canvas.drawImage(ImageReader(_photographed(page, quality)), 0, 0, 595, 842)
        canvas.showPage()
    canvas.save()
    return scanned.getvalue()


def _photographed(page: pypdfium2.PdfPage, quality: tuple[int, float, float]) -> Image.Image:
    dots, blur, noise = quality
    picture = page.render(scale=dots / 72, grayscale=True).to_pil()
    picture = picture.filter(ImageFilter.GaussianBlur(blur))
    grey = np.asarray(picture, dtype=np.float32)
    noisy = grey + np.random.default_rng(5).normal(0, noise * 255, grey.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


def recall(printed: str, found: str) -> float:
    """The share of the printed letters that were found, in their order."""
    wanted, had = "".join(printed.split()), "".join(found.split())
    blocks = SequenceMatcher(None, wanted, had, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(wanted)


def measured(path: Path, reader: SandboxedReader) -> tuple[Document, float]:
    """A file and the seconds it took."""
    started = time.perf_counter()
    document = reader.read(path)
    return document, time.perf_counter() - started


def generated(count: int, reader: SandboxedReader) -> Iterator[str]:
    """One line for each quality of scan."""
    pages = printed_pages(count)
    with tempfile.TemporaryDirectory() as folder:
        for name, quality in QUALITIES.items():
            path = Path(folder) / "scan.pdf"
            path.write_bytes(scan(pages, quality))
            document, seconds = measured(path, reader)
            texts = [document.text[page.start : page.end] for page in document.pages]
            share = sum(map(recall, pages, texts)) / len(pages)
            yield (
                f"{name:48} {len(pages):5} pages {len(pages) / seconds:6.2f} pages/s "
                f"{100 * share:6.2f} % of the letters, confidence {_confidence(document):.3f}"
            )


def _confidence(document: Document) -> float:
    return document.confidence(0, len(document.text)) or 0.0


def main() -> None:
    """Print one line for each file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10)
    chosen = parser.parse_args()
    with SandboxedReader() as reader:
        for line in generated(chosen.pages, reader):
            print(line, flush=True)
        for name in SCANS if SHARED.is_dir() else ():
            document, seconds = measured(SHARED / name, reader)
            print(
                f"{name:48} {len(document.pages):5} pages {len(document.pages) / seconds:6.2f} "
                f"pages/s {len(document.text):7} letters, {len(document.recognised)} lines "
                f"recognised, confidence {_confidence(document):.3f} {' '.join(document.gaps)}"
            )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"peak memory of the reader process: {peak} MB; load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
