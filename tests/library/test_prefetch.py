"""Items made in a thread ahead of whoever takes them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import chain

import pytest

from pincite.library.prefetch import prefetched


def test_items_come_in_order() -> None:
    with prefetched(iter(range(100)), most=3) as groups:
        assert list(chain.from_iterable(groups)) == list(range(100))


def test_no_more_are_made_than_allowed() -> None:
    made = []
    third = threading.Event()

    def make() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            if number == 3:
                third.set()
            yield number

    with prefetched(make(), most=2) as groups:
        taken = next(groups)
        assert taken[0] == 0
        assert third.wait(timeout=5)
        # Of those not taken two wait, and one is in the hands of the thread.
        assert len(made) <= len(taken) + 3


def test_what_an_item_raises_comes_after_the_items_before_it() -> None:
    def make() -> Iterator[int]:
        yield 1
        raise ValueError("the second")

    with prefetched(make(), most=5, seconds=5) as groups:
        assert next(groups) == [1]
        with pytest.raises(ValueError, match="the second"):
            next(groups)


def test_a_group_is_full_or_has_waited_long_enough() -> None:
    go_on = threading.Event()

    def make() -> Iterator[int]:
        yield from range(5)
        go_on.wait(timeout=300)
        yield 5

    with prefetched(make(), most=3, seconds=0.5) as groups:
        assert next(groups) == [0, 1, 2]
        assert next(groups) == [3, 4], "the last one takes longer than others may wait"
        go_on.set()
        assert list(groups) == [[5]]


def test_leaving_early_closes_the_generator() -> None:
    closed = []

    def make() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt), prefetched(make(), most=2) as groups:
        next(groups)
        raise KeyboardInterrupt
    assert closed == [True]
