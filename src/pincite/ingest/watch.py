"""Watches folders for changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from pincite.errors import UsageError

_LOOK_MILLISECONDS = 1000
"""How often the iterator yields although nothing has changed."""


def watched(folders: Sequence[Path], stop: threading.Event | None) -> Iterator[bool]:
    """Yields whether something has changed since the previous item, at least once a second.

    The first item is True, so that changes made before watching began are not missed. If a folder
    is removed or replaced by another of the same name, it is watched again once it exists. Raises
    UsageError for a folder that does not exist at the start or cannot be watched.
    """
    for folder in folders:
        if not folder.exists():
            raise UsageError(f"{folder}: no such folder to watch; check the spelling")
    stop = stop or threading.Event()
    while not stop.is_set():
        here = [folder for folder in folders if folder.exists()]
        if here:
            yield from _until_replaced(folders, here, stop)
        else:
            stop.wait(_LOOK_MILLISECONDS / 1000)
            yield False


def _until_replaced(
    folders: Sequence[Path], here: Sequence[Path], stop: threading.Event
) -> Iterator[bool]:
    """Yields changes until one of the folders appears, disappears or is replaced."""
    from watchfiles import Change, watch

    before = _places(folders)
    # A new folder may reuse the inode number of the deleted one.
    deletions = {(Change.deleted, str(folder)) for folder in here}
    has_begun = False
    try:
        for changes in watch(
            *here,
            # No filter here: the default one skips folders that an ingest reads.
            watch_filter=None,
            stop_event=stop,
            rust_timeout=_LOOK_MILLISECONDS,
            yield_on_timeout=True,
            raise_interrupt=True,
            ignore_permission_denied=True,
        ):
            is_replaced = bool(changes & deletions) or _places(folders) != before
            yield bool(changes) or is_replaced or not has_begun
            has_begun = True
            if is_replaced:
                return
    except FileNotFoundError:
        yield False  # It disappeared before it could be watched.
    except OSError as error:
        raise UsageError(
            f"{', '.join(map(str, here))}: cannot be watched ({error}); "
            "run 'pincite sync' from time to time instead"
        ) from error


def _places(folders: Sequence[Path]) -> list[tuple[int, int] | None]:
    """The identity of each folder, to detect replacement; None for one that does not exist."""
    return [_place(folder) for folder in folders]


def _place(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
