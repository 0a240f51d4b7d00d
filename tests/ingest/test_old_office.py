"""Old Office files: converted by LibreOffice where it is, told otherwise, and always confined."""

from __future__ import annotations

import hashlib
import io
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest

from pincite.errors import ReadError
from pincite.ingest.sandbox import conversion, landlock, seccomp
from pincite.ingest.sandbox.sandbox import SandboxedReader

SOFFICE = shutil.which("soffice")
needs_office = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
needs_landlock = pytest.mark.skipif(
    not landlock.version() or bool(seccomp.unavailable()), reason="this kernel confines nothing"
)


def written(folder: Path, suffix: str) -> Path:
    """A new file of three lines, saved by LibreOffice as the older one."""
    new = folder / f"plan{suffix}x"
    if suffix == ".doc":
        word = docx.Document()
        word.add_heading("Plan", 1)
        run = word.add_paragraph("The bridge costs ").add_run("40")
        run.font.strike = True
        word.add_paragraph("It weighs 10").add_run("6").font.superscript = True
        word.save(str(new))
    elif suffix == ".xls":
        book = openpyxl.Workbook()
        for row in (("Pump", "Price"), ("P-1", 120), ("P-2", 80)):
            book.active.append(row)
        book.save(new)
    else:
        show = pptx.Presentation()
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = "Plan"
        slide.placeholders[1].text = "The bridge opens in May 2025."
        show.save(str(new))
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"]
    command += ["--convert-to", suffix[1:], "--outdir", str(folder), str(new)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return new.with_suffix(suffix)


@needs_office
@needs_landlock
@pytest.mark.parametrize(
    ("suffix", "text"),
    [(".doc", "~~40~~"), (".doc", "10⁶"), (".xls", "P-2\t80"), (".ppt", "opens in May 2025")],
)
def test_an_old_file_is_read_as_the_new_one(tmp_path: Path, suffix: str, text: str) -> None:
    path = written(tmp_path, suffix)
    with SandboxedReader() as reader:
        document, again = reader.read(path), reader.read(path)
    assert text in document.text.replace("10^6", "10⁶")
    assert document.name == path.name
    assert document.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert again == document  # A receipt is checked by reading the file once more.


@needs_office
@needs_landlock
def test_a_damaged_old_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(OLD_WORD + b"\0" * 2000)
    with SandboxedReader() as reader, pytest.raises(ReadError, match=r"could not convert it"):
        reader.read(path)


OLD_WORD = bytes.fromhex("D0CF11E0A1B11AE1") + "WordDocument".encode("utf-16-le")


def test_what_a_link_points_to_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret")
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "given.docx").symlink_to(tmp_path / "secret")
    assert conversion._opened(tmp_path, "given.docx") is None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "given.docx").write_text("a text")
    shutil.rmtree(tmp_path / "made")
    (tmp_path / "made").symlink_to(tmp_path / "other")
    assert conversion._opened(tmp_path, "given.docx") is None


@pytest.mark.parametrize(
    ("without", "told"),
    [("program", "install LibreOffice"), ("landlock", "cannot be confined on this system")],
)
def test_what_is_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: str, told: str
) -> None:
    found = None if without == "program" else "/usr/bin/soffice"
    monkeypatch.setattr(conversion.shutil, "which", lambda _: found)
    monkeypatch.setattr(conversion.landlock, "version", lambda: 0)
    path = tmp_path / "a.doc"
    path.write_bytes(OLD_WORD)
    with SandboxedReader() as reader, pytest.raises(ReadError, match=rf"{told}.*save it as \.docx"):
        reader.read(path)


@pytest.mark.parametrize(
    ("name", "streams", "suffix"),
    [
        ("a.ppt", ("PowerPoint Document", "Workbook"), ".pptx"),
        ("a.xls", ("Workbook", "WordDocument"), ".xlsx"),
        ("a.doc", ("Workbook", "WordDocument"), ".docx"),
        ("a.bin", ("Book",), ".xlsx"),
    ],
)
def test_a_file_in_another_one_does_not_decide(
    name: str, streams: tuple[str, ...], suffix: str
) -> None:
    content = OLD_WORD[:8] + b"".join(stream.encode("utf-16-le") for stream in streams)
    found = conversion.old_format(Path(name).suffix, content)
    assert found is not None
    assert suffix in found.media_types


def test_other_files_are_passed_on_as_they_are() -> None:
    file = io.BytesIO(b"A text.")
    with conversion.in_present_format(file, ".txt", seconds=1) as given:
        assert given is file
        assert given.read() == b"A text."


@needs_landlock
def test_the_program_reads_nothing_of_the_user_and_reaches_no_network(tmp_path: Path) -> None:
    secret, outside, folder = tmp_path / "secret", tmp_path / "outside", tmp_path / "own"
    secret.write_text("a secret")
    folder.mkdir()
    private = socket.socket(socket.AF_UNIX)
    private.bind(str(tmp_path / "service"))
    private.listen()
    with private, socket.create_server(("127.0.0.1", 0)) as server:
        attack = f"""
import pathlib, socket, subprocess
done = []
for name, act in {{
    "own": lambda: pathlib.Path({str(folder / "x")!r}).write_text("mine"),
    "secret": lambda: pathlib.Path({str(secret)!r}).read_text(),
    "outside": lambda: pathlib.Path({str(outside)!r}).write_text("gone"),
    "network": lambda: socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 2),
    "service": lambda: socket.socket(socket.AF_UNIX).connect({str(tmp_path / "service")!r}),
    "session": lambda: subprocess.run(["/bin/sleep", "0"], start_new_session=True, check=True),
    "tmp": lambda: pathlib.Path("/tmp/pincite-attack").write_text("gone"),
}}.items():
    try:
        act()
        done.append(name)
    except OSError:
        pass
pathlib.Path({str(folder / "done")!r}).write_text(" ".join(done))
"""
        started = """
import sys, pathlib, pincite.ingest.sandbox.conversion as it
it._PROGRAM_FILES += (pathlib.Path(sys.base_prefix), pathlib.Path(sys.prefix))
it.run_confined(sys.argv[1:])
"""
        program = [sys.executable, "-I", "-c", attack]
        command = [sys.executable, "-c", started, str(folder), "20", *program]
        subprocess.run(command, check=True, timeout=60)
    assert (folder / "done").read_text() == "own"
    assert not outside.exists()
