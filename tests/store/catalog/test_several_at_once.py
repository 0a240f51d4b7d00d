from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from pincite.records.library_records import Failure
from pincite.store.catalog.catalog import Catalog
from tests.store.catalog.places import NewPlace, Place

AT_ONCE = 8


def all_at_once(act: Callable[[int], object]) -> None:
    """Connections of threads are to SQLite what those of processes are."""
    gate = threading.Barrier(AT_ONCE)

    def started(number: int) -> object:
        gate.wait()
        return act(number)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(started, range(AT_ONCE)))


@pytest.mark.parametrize("attempt", range(5))
def test_a_new_library_may_be_opened_by_many_at_once(new_place: NewPlace, attempt: int) -> None:
    path = new_place(f"catalog-{attempt}")

    def opened(_: int) -> str:
        catalog = Catalog(path)
        try:
            return catalog.meta("library_id")
        finally:
            catalog.close()

    found: list[str] = []
    all_at_once(lambda number: found.append(opened(number)))
    assert len(found) == AT_ONCE
    assert len(set(found)) == 1


def test_who_reads_before_writing_waits_for_others_that_write(place: Place) -> None:
    Catalog(place).close()

    def written(number: int) -> None:
        catalog = Catalog(place)
        try:
            for turn in range(20):
                if number % 2:
                    catalog.record_failures(
                        "default", {f"{number}.pdf": Failure(reason=f"failed {turn}")}
                    )
                else:
                    catalog.history.keep({"turn": turn}, None)
        finally:
            catalog.close()

    all_at_once(written)
    catalog = Catalog(place)
    assert {problem.reason for problem in catalog.failures()} == {"failed 19"}
    assert len(catalog.history.entries()) == 20 * AT_ONCE // 2
    catalog.close()
