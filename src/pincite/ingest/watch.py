"""Tells when something has changed below folders."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

_LOOK_MILLISECONDS = 1000
"""How often someone who waits is woken although nothing has changed."""


def watched(folders: Sequence[Path], stop: threading.Event | None) -> Iterator[bool]:
    """Whether something has changed since the item before; one item each second at least.

    The first item is True: what changed before the watching began is not missed.
    """
    from watchfiles import watch

    has_begun = False
    for changes in watch(
        *folders,
        stop_event=stop,
        rust_timeout=_LOOK_MILLISECONDS,
        yield_on_timeout=True,
        raise_interrupt=True,
    ):
        yield bool(changes) or not has_begun
        has_begun = True
