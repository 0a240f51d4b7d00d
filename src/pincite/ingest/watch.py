"""Tells when something has changed below folders."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from pincite.errors import UsageError

_LOOK_MILLISECONDS = 1000
"""How often someone who waits is woken although nothing has changed."""


def watched(folders: Sequence[Path], stop: threading.Event | None) -> Iterator[bool]:
    """Whether something has changed since the item before; one item each second at least.

    The first item is True: what changed before the watching began is not missed. A folder that is
    taken away, or replaced by another of its name, is waited for and watched again. Raises
    UsageError for one that is not there at the beginning, or cannot be watched.
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
    """Changes until one of the folders is another one, comes or goes."""
    from watchfiles import Change, watch

    before = _places(folders)
    # A new folder may get the number of the one that was deleted.
    deletions = {(Change.deleted, str(folder)) for folder in here}
    has_begun = False
    try:
        for changes in watch(
            *here,
            # Ours decides: the default one leaves out folders that an ingest reads.
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
        yield False  # It went before it could be watched.
    except OSError as error:
        raise UsageError(
            f"{', '.join(map(str, here))}: cannot be watched ({error}); "
            "run 'pincite sync' from time to time instead"
        ) from error


def _places(folders: Sequence[Path]) -> list[tuple[int, int] | None]:
    """What tells each folder from another of the same name; None for one that is not there."""
    return [_place(folder) for folder in folders]


def _place(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
