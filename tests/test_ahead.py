"""Items made in a thread ahead of whoever takes them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from pincite.ahead import ahead


def test_items_come_in_order() -> None:
    with ahead(iter(range(100)), most=3) as items:
        assert list(items) == list(range(100))


def test_no_more_are_made_than_allowed() -> None:
    made = []
    third = threading.Event()

    def make() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            if number == 3:
                third.set()
            yield number

    with ahead(make(), most=2) as items:
        assert next(items) == 0
        assert third.wait(timeout=5)
        # One was taken, two wait, and one is in the hands of the thread.
        assert made == [0, 1, 2, 3]


def test_what_an_item_raises_comes_after_the_items_before_it() -> None:
    def make() -> Iterator[int]:
        yield 1
        raise ValueError("the second")

    with ahead(make(), most=5) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="the second"):
            next(items)


def test_leaving_early_closes_the_generator() -> None:
    closed = []

    def make() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt), ahead(make(), most=2) as items:
        next(items)
        raise KeyboardInterrupt
    assert closed == [True]
