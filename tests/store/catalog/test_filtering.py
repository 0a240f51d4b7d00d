from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.records.filters import Filters, Scope
from pincite.store.catalog.catalog import Catalog
from pincite.testing.samples import ingested
from tests.store.catalog.places import Place

FILES = {
    ("a", "/notes/2023/Pump.txt"): (
        "# Safety\nStop it.\n# Care\nOil it.",
        "2023-05-01",
        ["manual"],
    ),
    ("a", "/notes/2024/valve.txt"): ("# Safety first\nOpen it.", "2024-02-29", ["manual", "new"]),
    ("a", "/notes/2024/über.md"): ("# Ölwechsel\nTun.", "2024-12-31", []),
    ("b", "/mail/pump.txt"): ("The pump is cold.", "2025-01-01", ["mail"]),
}


@pytest.fixture
def catalog(place: Place) -> Iterator[Catalog]:
    opened = Catalog(place)
    for (collection, path), (text, day, tags) in FILES.items():
        item = replace(ingested("same.txt", text, max_chars=20, overlap_chars=0), path=path)
        opened.put(collection, item, recipe="r")
        opened.describe(collection, {path: f"{day}T23:59:59+00:00"}, tags)
    yield opened
    opened.close()


def names(catalog: Catalog, filters: Filters, collection: str | None = None) -> set[str]:
    """File names that the allowed passages come from."""
    keys = catalog.keys_in(Scope.of(collection, filters))
    every = catalog.passages(catalog.passage_keys() if keys is None else keys.tolist())
    paths = {
        document: Path(path).name + f" of {name}"
        for name in catalog.collections()
        for path, document in catalog.paths(name).items()
    }
    return {paths[passage.span.document_id] for passage in every.values()}


PUMP, VALVE, OIL, MAIL = "Pump.txt of a", "valve.txt of a", "über.md of a", "pump.txt of b"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), {PUMP, VALVE, OIL, MAIL}),
        (Filters.parse(documents=["pump.txt"]), {PUMP, MAIL}),
        (Filters.parse(documents=["2023/pump.txt"]), {PUMP}),
        (Filters.parse(documents=["/notes/2024/valve.txt"]), {VALVE}),
        (Filters.parse(documents=["*2024*"]), {VALVE, OIL}),
        (Filters.parse(documents=["*.md", "/mail/*"]), {OIL, MAIL}),
        (Filters.parse(documents=["ÜBER.md"]), {OIL}),
        (Filters.parse(tags=["manual"]), {PUMP, VALVE}),
        (Filters.parse(tags=["new", "mail"]), {VALVE, MAIL}),
        (Filters.parse(tags=["manual"], documents=["*2024*"]), {VALVE}),
        (Filters.parse(sections=["safety"]), {PUMP, VALVE}),
        (Filters.parse(sections=["SAFETY FIRST"]), {VALVE}),
        (Filters.parse(sections=["ölw"]), {OIL}),
        (Filters.parse(sections=["same.txt > care"]), {PUMP}),
        (Filters.parse(since="2024"), {VALVE, OIL, MAIL}),
        (Filters.parse(until="2024"), {PUMP, VALVE, OIL}),
        (Filters.parse(since="2024-02", until="2024-02"), {VALVE}),
        (Filters.parse(since="2024-12-31", until="2024-12-31"), {OIL}),
    ],
)
def test_a_filter_allows_what_fulfils_it(
    catalog: Catalog, filters: Filters, expected: set[str]
) -> None:
    assert names(catalog, filters) == expected


def test_a_section_lets_through_its_own_passages_only(catalog: Catalog) -> None:
    keys = catalog.keys_in(Scope.of(None, Filters.parse(sections=["care"])))
    assert keys is not None
    texts = [catalog.text_of(passage.span) for passage in catalog.passages(keys.tolist()).values()]
    assert texts
    assert all("Stop" not in text for text in texts)


def test_a_document_is_found_by_its_id(catalog: Catalog) -> None:
    name = catalog.paths("b")["/mail/pump.txt"]
    assert names(catalog, Filters.parse(documents=[name])) == {MAIL}


def test_a_collection_and_a_filter_must_both_hold(catalog: Catalog) -> None:
    assert names(catalog, Filters.parse(documents=["pump.txt"]), "a") == {PUMP}
    assert names(catalog, Filters(), "b") == {MAIL}


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (Filters.parse(documents=["motor"]), r"'motor'; there are: Pump\.txt, pump\.txt, valve"),
        (Filters.parse(tags=["old"]), r"tag 'old'; there are: mail, manual, new"),
        (Filters.parse(sections=["paint"]), r"no section here matches 'paint'.*Safety"),
        (Filters.parse(since="2030"), r"there are: 2023-05-01 to 2025-01-01"),
    ],
)
def test_a_filter_that_nothing_fulfils_tells_what_there_is(
    catalog: Catalog, filters: Filters, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        catalog.keys_in(Scope.of(None, filters))


def test_a_tag_of_another_collection_is_unknown_here(catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="there are: manual, new"):
        catalog.keys_in(Scope.of("a", Filters.parse(tags=["mail"])))


@pytest.mark.parametrize("text", ["yesterday", "2024-13", "2024-02-30", "24", "2024-1-1-1"])
def test_what_is_no_date_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"'{text}' is not a date") + ".*2024-05-31"):
        Filters.parse(since=text)


def test_days_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(UsageError, match="since 2024-06-01 and until 2024-05-31"):
        Filters.parse(since="2024-06", until="2024-05")


def test_an_empty_value_is_refused() -> None:
    with pytest.raises(UsageError, match="a tag to look for is empty"):
        Filters.parse(tags=[" "])


@given(st.dates(min_value=date(1000, 1, 1)))
def test_a_day_is_its_own_first_and_last(day: date) -> None:
    filters = Filters.parse(since=day.isoformat(), until=day.isoformat())
    assert (filters.since, filters.until) == (day, day)


def test_tags_follow_a_moved_file_and_go_with_a_removed_one(catalog: Catalog) -> None:
    catalog.move("a", "/notes/2024/valve.txt", "/notes/tap.txt")
    assert names(catalog, Filters.parse(tags=["new"])) == {"tap.txt of a"}
    catalog.remove("a", "/notes/tap.txt")
    with pytest.raises(UsageError, match=r"there are: mail, manual$"):
        catalog.keys_in(Scope.of(None, Filters.parse(tags=["new"])))


def test_a_changed_file_keeps_its_tags(catalog: Catalog) -> None:
    changed = replace(ingested("same.txt", "It is new."), path="/notes/2024/valve.txt")
    catalog.put("a", changed, recipe="r")
    assert names(catalog, Filters.parse(tags=["new"])) == {VALVE}


def test_what_was_found_is_forgotten_when_the_library_changes(catalog: Catalog) -> None:
    before = catalog.keys_in(Scope.of("b", Filters()))
    assert catalog.keys_in(Scope.of("b", Filters())) is before
    catalog.put("b", replace(ingested("same.txt", "More."), path="/more.txt"), recipe="r")
    after = catalog.keys_in(Scope.of("b", Filters()))
    assert before is not None
    assert after is not None
    assert len(after) == len(before) + 1


def test_describing_the_same_again_changes_nothing(catalog: Catalog) -> None:
    before = catalog.generation()
    catalog.describe("b", {"/mail/pump.txt": "2025-01-01T23:59:59+00:00"}, ["mail"])
    catalog.describe("b", {"/unknown.txt": "2025-01-01T23:59:59+00:00"}, ["mail"])
    assert catalog.generation() == before


def test_a_name_counts_more_than_the_pattern_it_could_be(catalog: Catalog) -> None:
    for name in ("report [final].txt", "report f.txt", "REPORT i.txt"):
        catalog.put("c", ingested(f"/c/{name}", f"This is {name}."), recipe="r")
    assert names(catalog, Filters.parse(documents=["Report [final].txt"])) == {
        "report [final].txt of c"
    }
    assert names(catalog, Filters.parse(documents=["report [fi].txt"])) == {
        "report f.txt of c",
        "REPORT i.txt of c",
    }
