from __future__ import annotations

import mmap
import os
import threading
import time
from pathlib import Path

import pytest

from pincite.records import files
from pincite.records.document import document_id
from pincite.records.files import digest_now, first_intact, one_answer

OLD = 1_000_000_000


def sha256(content: bytes) -> str:
    return document_id(content)[1]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every reading of a whole file."""
    read: list[str] = []
    digest = files.hashlib.file_digest

    def counted(file: object, name: str) -> object:
        read.append(name)
        return digest(file, name)  # type: ignore[arg-type]

    monkeypatch.setattr(files.hashlib, "file_digest", counted)
    return read


def settled(path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file that was written long ago, as far as the clock of the program goes."""
    path.write_bytes(content)
    now = time.time()
    monkeypatch.setattr(files.time, "time", lambda: now + 1_000)
    return str(path)


def test_a_write_through_a_mapping_that_is_dirty_already_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"55 Nm" * 1000)
    os.utime(path, (OLD, OLD))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[0:5] = b"54 Nm"
        before = digest_now(str(path)), path.stat().st_mtime_ns
        mapped[0:5] = b"99 Nm"
        after = digest_now(str(path)), path.stat().st_mtime_ns
    assert before[0] != after[0]
    assert after[0] == sha256(b"99 Nm" + b"55 Nm" * 999)


def test_a_mapping_outlives_its_descriptor_and_is_still_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"55 Nm" * 1000)
    with path.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
    mapped[0:5] = b"54 Nm"
    now = time.time()
    # Not even a year later, while it is mapped: nobody says when it is written.
    monkeypatch.setattr(files.time, "time", lambda: now + 365 * 86_400)
    if files._is_open_for_writing(os.open(path, os.O_RDONLY)) is None:
        pytest.skip("this system does not tell whether a file is open for writing")
    first = digest_now(str(path))
    mapped[0:5] = b"99 Nm"
    assert digest_now(str(path)) != first
    mapped.close()


def test_a_file_that_rests_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    path = settled(tmp_path / "a.pdf", b"rests", monkeypatch)
    assert {digest_now(path) for _ in range(5)} == {sha256(b"rests")}
    assert len(reads) == 1


def test_a_file_that_was_changed_lately_is_read_again(tmp_path: Path, reads: list[str]) -> None:
    (tmp_path / "a.pdf").write_bytes(b"new")
    os.utime(tmp_path / "a.pdf", (OLD, OLD))  # Its date can be set; that it was changed cannot.
    for _ in range(3):
        digest_now(str(tmp_path / "a.pdf"))
    assert len(reads) == 3


def test_where_nobody_tells_of_writers_a_file_rests_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    now = time.time()
    monkeypatch.setattr(files, "_is_open_for_writing", lambda _: None)
    for age, read in ((60, 1), (60, 2), (1_000, 3), (1_000, 3)):
        monkeypatch.setattr(files.time, "time", lambda age=age: now + age)
        digest_now(str(tmp_path / "a.pdf"))
        assert len(reads) == read


def test_within_one_answer_a_file_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    (tmp_path / "a.pdf").write_bytes(b"new")
    with one_answer():
        for _ in range(5):
            digest_now(str(tmp_path / "a.pdf"))
    assert len(reads) == 1
    with one_answer():
        digest_now(str(tmp_path / "a.pdf"))
    assert len(reads) == 2


def test_what_is_no_regular_file_has_no_digest(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nothing", Path("/dev/zero")):
        assert digest_now(str(path)) is None


def test_looking_at_a_file_does_not_disturb_who_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"x" * 100_000)
    over = threading.Event()
    failed: list[OSError] = []

    def write() -> None:
        while not over.is_set():
            try:
                with path.open("r+b") as file:
                    file.write(b"y")
            except OSError as error:
                failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(300):
        assert digest_now(str(path))
    over.set()
    writer.join()
    assert not failed


def test_of_equal_files_the_first_that_still_is_counts(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"same")
    paths = [str(tmp_path / name) for name in ("a", "b")]
    assert first_intact(paths, sha256(b"same")) == paths[0]
    (tmp_path / "a").write_bytes(b"other")
    assert first_intact(paths, sha256(b"same")) == paths[1]
    assert first_intact(paths, sha256(b"neither")) == paths[0]
