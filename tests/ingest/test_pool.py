from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pincite.ingest.sandbox.sandbox import SandboxedReader, SandboxedReaderPool, SandboxLimits
from pincite.records.document import Document
from tests.ingest.slow_readers import HANGING_READER, HANGS, start_with


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{number:02}.txt" for number in range(12)]
    for path in paths:
        path.write_text(f"text of {path.stem}")
    return paths


def hanging(path: Path) -> Path:
    """A file whose reading never ends."""
    path.write_text(HANGS)
    return path


def test_results_come_in_the_order_of_the_paths(files: list[Path]) -> None:
    (files[3]).unlink()
    results = list(SandboxedReaderPool(3, SandboxLimits()).read_all(files))
    assert [result.path for result in results] == [str(path) for path in files]
    assert [result.document is None for result in results].count(True) == 1
    assert "no such file" in results[3].reason


def test_a_file_that_hangs_does_not_keep_the_others_waiting(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(HANGING_READER, monkeypatch)
    slow = hanging(files[0])
    pool = SandboxedReaderPool(2, SandboxLimits(seconds=8), patience_seconds=0.5)
    started = time.monotonic()
    came = [(result.path, time.monotonic() - started) for result in pool.read_all(files)]
    assert [path for path, _ in came] == [*map(str, files[1:]), str(slow)]
    assert came[-2][1] < 7 < came[-1][1]


def test_files_that_hang_on_all_readers_are_given_up_and_the_rest_is_read(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    start_with(HANGING_READER, monkeypatch)
    slow = [hanging(path) for path in (files[0], files[1], files[5])]
    pool = SandboxedReaderPool(2, SandboxLimits(seconds=2), patience_seconds=0.2)
    results = {result.path: result for result in pool.read_all(files)}
    assert results.keys() == set(map(str, files))
    failed = {path for path, result in results.items() if result.document is None}
    assert failed == set(map(str, slow))


def test_only_a_few_documents_are_read_ahead(files: list[Path]) -> None:
    asked: list[Path] = []

    def ask() -> Iterator[Path]:
        for path in files:
            asked.append(path)
            yield path

    results = SandboxedReaderPool(2, SandboxLimits()).read_all(ask())
    next(results)
    assert len(asked) == 5
    assert sum(1 for _ in results) == len(files) - 1


def test_a_reader_that_starts_when_all_is_over_leaves_no_process(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    over, done = threading.Event(), threading.Event()
    readers: list[SandboxedReader] = []
    read = SandboxedReader.read

    def late(reader: SandboxedReader, path: Path) -> Document:
        if readers:
            assert over.wait(10)
        readers.append(reader)
        try:
            return read(reader, path)
        finally:
            if over.is_set():
                done.set()

    monkeypatch.setattr(SandboxedReader, "read", late)
    results = SandboxedReaderPool(1, SandboxLimits()).read_all(files)
    next(iter(results))
    results.close()  # the reader is about to read the second file, and its child has been ended
    over.set()
    assert done.wait(20)
    assert wait_until(lambda: readers[0]._keeper is None)


def wait_until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 120
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()
