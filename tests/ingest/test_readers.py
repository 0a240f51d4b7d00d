from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.records.document import READING_VERSION, document_id
from tests.ingest.conftest import PdfMaker


def test_a_file_is_read_by_the_reader_of_its_kind(tmp_path: Path) -> None:
    for name, media_type in (("a.md", "text/markdown"), ("b.html", "text/html")):
        (tmp_path / name).write_text("# Hello")
        assert FileReader().read(tmp_path / name).media_type == media_type


def test_the_id_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"hello")
    document = FileReader().read(tmp_path / "a.txt")
    assert (document.id, document.sha256) == document_id(b"hello")


def test_a_document_says_which_version_read_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The pump runs.")
    assert FileReader().read(tmp_path / "a.txt").reading == READING_VERSION
    with SandboxedReader() as sandboxed:
        assert sandboxed.read(tmp_path / "a.txt").reading == READING_VERSION


def test_a_pdf_with_another_name_is_read_with_a_warning(tmp_path: Path, make_pdf: PdfMaker) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(make_pdf([(50, 50, "hello there")]))
    document = FileReader().read(path)
    assert document.text == "hello there"
    assert document.warnings == ("it is named .txt but is a PDF file; it was read as PDF",)


def test_paths_that_cannot_be_read_are_refused_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no such file"):
        FileReader().read(tmp_path / "none.txt")
    with pytest.raises(ReadError, match="is a folder"):
        FileReader().read(tmp_path)


def test_a_file_above_the_size_limit_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 3000)
    with pytest.raises(ReadError, match="limit"):
        FileReader(max_file_bytes=2000).read(tmp_path / "a.txt")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file"
)
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(ReadError, match="permission denied"):
        FileReader().read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.txt")
    with pytest.raises(ReadError, match="named pipe"):
        FileReader().read(tmp_path / "f.txt")
