"""Two things at the same time: an iterator a few items ahead, or work beside a block."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Full, Queue
from typing import TypeVar

Item = TypeVar("Item")

_LOOK_SECONDS = 0.2
"""How often a thread that waits looks whether the other side is still there."""


@contextmanager
def beside(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run `work` in a thread while the block runs; it is told to stop at the end, and waited for."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class _End:
    """The end of the items, with what stopped them if anything did."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


@contextmanager
def ahead(items: Iterator[Item], *, most: int) -> Iterator[Iterator[Item]]:
    """The same items in the same order, up to `most` of them made before they are asked for.

    What an item raises is raised where it is asked for. Leaving the block ends the thread after the
    item it is at, and closes a generator.
    """
    queue: Queue[Item | _End] = Queue(most)
    left = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, queue, left), daemon=True)
    thread.start()
    try:
        yield _taken(queue)
    finally:
        left.set()
        thread.join()


def _taken(queue: Queue[Item | _End]) -> Iterator[Item]:
    while True:
        item = queue.get()
        if isinstance(item, _End):
            if item.error is not None:
                raise item.error
            return
        yield item


def _fill(items: Iterator[Item], queue: Queue[Item | _End], left: threading.Event) -> None:
    end = _End(None)
    try:
        for item in items:
            if not _put(queue, item, left):
                break
    except BaseException as error:  # noqa: BLE001  (raised again where the items are taken)
        end = _End(error)
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
    _put(queue, end, left)


def _put(queue: Queue[Item | _End], item: Item | _End, left: threading.Event) -> bool:
    """Whether there was someone to take it."""
    while not left.is_set():
        try:
            queue.put(item, timeout=_LOOK_SECONDS)
        except Full:
            continue
        return True
    return False
