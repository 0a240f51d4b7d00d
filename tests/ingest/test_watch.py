from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.ingest.watch import watched

PATIENCE_SECONDS = 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    return folder


@pytest.fixture
def changes(folder: Path) -> Iterator[Iterator[bool]]:
    """Has begun to watch the folder."""
    stop = threading.Event()
    items = watched([folder], stop)
    assert next(items)
    yield items
    stop.set()
    assert not any(items)


def is_seen(changes: Iterator[bool]) -> bool:
    until = time.monotonic() + PATIENCE_SECONDS
    return any(change or time.monotonic() > until for change in changes) and (
        time.monotonic() < until
    )


def test_a_folder_that_is_made_anew_is_watched_again(folder: Path, changes: Iterator[bool]) -> None:
    shutil.rmtree(folder)
    assert is_seen(changes)
    while next(changes):
        pass
    folder.mkdir()
    assert is_seen(changes)
    (folder / "new.txt").write_text("The valve opens.\n")
    assert is_seen(changes)


def test_a_folder_that_is_replaced_at_once_is_watched_again(
    folder: Path, changes: Iterator[bool]
) -> None:
    folder.rename(folder.with_name("old"))
    folder.mkdir()
    assert is_seen(changes)
    while next(changes):
        pass
    (folder / "new.txt").write_text("The valve opens.\n")
    assert is_seen(changes)


def test_folders_that_an_ingest_reads_are_watched(folder: Path, changes: Iterator[bool]) -> None:
    (folder / "node_modules").mkdir()
    assert is_seen(changes)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder to watch"):
        next(watched([tmp_path / "nowhere"], None))
