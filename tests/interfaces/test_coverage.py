"""`pincite stats --coverage`: how much of each file can be found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import Result, lexical_cli
from reportlab.pdfgen.canvas import Canvas


@pytest.fixture
def scanned_pdf(tmp_path: Path) -> Path:
    """Two pages, the second of which is a drawing without any text."""
    path = tmp_path / "scan.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 720, "The first page says that the pump is red.")
    canvas.showPage()
    canvas.rect(72, 72, 400, 600, fill=1)
    canvas.showPage()
    canvas.save()
    return path


def read(result: Result) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_coverage_tells_complete_partial_and_failed_files(
    folder: Path, library: Path, scanned_pdf: Path
) -> None:
    scanned_pdf.rename(folder / "scan.pdf")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 and no more")
    lexical_cli("sync", folder, "--library", library, PINCITE_INGEST__OCR="off")
    form = read(lexical_cli("stats", "--coverage", "--library", library, "--json"))
    told = {Path(file["path"]).name: file for file in form["coverage"]}
    assert told["pump.txt"]["status"] == "complete"
    assert told["pump.txt"]["characters"] == len("Thepumpischeckedonday7.")
    assert told["scan.pdf"]["status"] == "partial"
    assert [page["characters"] > 0 for page in told["scan.pdf"]["pages"]] == [True, False]
    assert told["scan.pdf"]["pages"][1]["gap"]
    assert told["broken.docx"]["status"] == "failed"
    assert told["broken.docx"]["gaps"]
    human = lexical_cli("stats", "--coverage", "--library", library)
    assert "3 complete, 1 partial, 1 failed" in human.stdout
