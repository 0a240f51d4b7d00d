"""Concurrency with a thread: prefetching from an iterator, or work during a block."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, Full, Queue
from typing import TypeVar

Item = TypeVar("Item")

_POLL_SECONDS = 0.2
"""How often a waiting thread checks whether the consumer has left."""


@contextmanager
def in_background(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run `work` in a thread while the block runs; at the end, signal it to stop and wait for it."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class _End:
    """Marks the end of the items, with the error that stopped them, if any."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


@contextmanager
def prefetched(
    items: Iterator[Item], *, most: int, seconds: float = 0.0
) -> Iterator[Iterator[list[Item]]]:
    """Prefetch up to `most` items in a thread, and yield them in the same order.

    They come in groups of up to `most`; no item waits longer than `seconds` for its group. An error is
    raised after the items before it. Leaving the block stops the thread after its current item, and
    closes the iterator if it is a generator.
    """
    queue: Queue[Item | _End] = Queue(most)
    left = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, queue, left), daemon=True)
    thread.start()
    try:
        yield _groups(queue, most, seconds)
    finally:
        left.set()
        thread.join()


def _groups(queue: Queue[Item | _End], most: int, seconds: float) -> Iterator[list[Item]]:
    item = queue.get()
    while not isinstance(item, _End):
        group = [item]
        until = time.monotonic() + seconds
        following: Item | _End | None = None
        while len(group) < most:
            try:
                following = queue.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                break
            if isinstance(following, _End):
                break
            group.append(following)
        yield group
        item = following if isinstance(following, _End) else queue.get()
    if item.error is not None:
        raise item.error


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
    """Put an item into the queue; returns False if the consumer has left."""
    while not left.is_set():
        try:
            queue.put(item, timeout=_POLL_SECONDS)
        except Full:
            continue
        return True
    return False
