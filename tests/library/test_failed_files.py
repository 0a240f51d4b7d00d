"""Files that cannot be read are told each time, and read once; with the real reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from end_to_end.running import call_cli

from pincite import Library
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.library.folder_sync import Wanted
from pincite.library.intake import KEPT, REMEMBERED
from pincite.records.document import Document

LEXICAL = {"embedding": {"model": "none"}}
DAMAGED = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog\nand no more"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were handed to a reader."""
    names: list[str] = []
    read = SandboxedReader.read

    def noted(reader: SandboxedReader, path: Path) -> Document:
        names.append(path.name)
        return read(reader, path)

    monkeypatch.setattr(SandboxedReader, "read", noted)
    return names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "broken.pdf").write_bytes(DAMAGED)
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", overrides=LEXICAL) as library:
        yield library


def test_a_file_that_failed_is_told_again_and_not_read_again(
    library: Library, folder: Path, asked: list[str]
) -> None:
    (first,) = library.ingest([folder]).failed
    (again,) = library.ingest([folder]).failed
    assert "damaged" in first.reason
    assert again.reason == first.reason + REMEMBERED
    assert asked == ["broken.pdf"]
    assert library.stats().failures == (first,)


def test_a_file_that_changed_or_is_to_be_tried_again_is_read(
    library: Library, folder: Path, asked: list[str]
) -> None:
    library.ingest([folder])
    (told,) = library.ingest([folder], retry=True).failed
    assert not told.reason.endswith(REMEMBERED)
    (folder / "broken.pdf").write_bytes(DAMAGED + b" than that")
    library.ingest([folder])
    assert asked == ["broken.pdf"] * 3
    (folder / "broken.pdf").rename(folder / "broken.txt")
    assert library.ingest([folder]).failed  # a PDF under any name
    assert len(asked) == 4


def test_a_copy_of_a_file_that_failed_is_not_read(
    library: Library, folder: Path, asked: list[str]
) -> None:
    library.ingest([folder])
    (folder / "copy.pdf").write_bytes(DAMAGED)
    assert len(library.ingest([folder], collection="other").failed) == 2
    assert asked == ["broken.pdf"]
    assert len(library.stats().failures) == 3


def test_a_failed_file_is_read_again_under_other_limits(
    tmp_path: Path, folder: Path, asked: list[str]
) -> None:
    for seconds in (100, 100, 200):
        overrides = {**LEXICAL, "ingest": {"max_seconds": seconds}}
        with Library.open(tmp_path / "library", overrides=overrides) as library:
            assert len(library.ingest([folder]).failed) == 1
    assert asked == ["broken.pdf"] * 2


def test_a_version_from_before_is_kept_each_time(library: Library, folder: Path) -> None:
    (folder / "note.md").write_text("The pump is red.\n")
    library.ingest([folder])
    (folder / "note.md").write_bytes(DAMAGED)
    for end in (KEPT, KEPT + REMEMBERED):
        told = {Path(one.path).name: one.reason for one in library.ingest([folder]).failed}
        assert told["note.md"].endswith(end)
    assert len(library.files()) == 1


def test_a_locked_file_is_tried_each_time(library: Library, folder: Path, asked: list[str]) -> None:
    (folder / "broken.pdf").unlink()
    sealed = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    (folder / "sealed.docx").write_bytes(sealed)
    for _ in range(2):
        (told,) = library.ingest([folder]).failed
        assert "password" in told.reason
    assert asked == ["sealed.docx"] * 2


def test_who_follows_a_folder_tries_a_failed_file_again_when_it_changes(
    library: Library, folder: Path, asked: list[str]
) -> None:
    library.ingest([folder])
    following, wanted = library._folders, Wanted.checked([folder], "default")
    assert following._catch_up(wanted) is None
    (folder / "broken.pdf").write_bytes(DAMAGED + b" than that")
    assert following._catch_up(wanted) is not None
    assert following._catch_up(wanted) is None
    assert asked == ["broken.pdf"] * 2


def test_the_command_says_that_a_file_was_not_tried_again_and_tries_it_when_told(
    folder: Path, tmp_path: Path
) -> None:
    library, no_encoder = tmp_path / "library", {"PINCITE_EMBEDDING__MODEL": "none"}

    def told(*options: str) -> str:
        result = call_cli("ingest", folder, "--library", library, *options, **no_encoder)
        (line,) = [line for line in result.stderr.splitlines() if "broken.pdf" in line]
        return line

    first = told()
    assert told() == first + REMEMBERED
    assert told("--retry") == first
