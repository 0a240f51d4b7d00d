"""Write the generated sample documents: one PDF, one DOCX and one Windows-1252 text file.

Run it with ``python scripts/samples/build.py``. It needs reportlab and python-docx, which are
development dependencies. Two runs give
byte-identical files. The Markdown and HTML samples are written by hand and are not touched.
"""

from collections.abc import Callable
from pathlib import Path

from docx_layout import build_docx
from pdf_layout import build_pdf
from sample_text import load_plain_text, load_sample

DOCUMENTS_FOLDER = Path(__file__).parents[2] / "src/pincite/interfaces/samples/documents"


def build_boiler_log() -> bytes:
    """Return the maintenance log as Windows-1252 text with CRLF line ends."""
    return load_plain_text("boiler-log-1998.txt").replace("\n", "\r\n").encode("cp1252")


BUILDERS: dict[str, Callable[[], bytes]] = {
    "gse-204-hydraulic-test-stand.pdf": lambda: build_pdf(load_sample("gse-204")),
    "prospectus-extract.docx": lambda: build_docx(load_sample("prospectus")),
    "boiler-log-1998.txt": build_boiler_log,
}


def write_samples(folder: Path = DOCUMENTS_FOLDER) -> list[Path]:
    """Write all generated samples into the folder and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, build in BUILDERS.items():
        path = folder / name
        path.write_bytes(build())
        paths.append(path)
    return paths


def main() -> None:
    """Write the samples and print their names and sizes."""
    for path in write_samples():
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
