from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.store.catalog.catalog import Catalog
from pincite.testing.samples import ingested
from tests.store.catalog.places import Place

PUMP = "The pump runs at 6 bar. It is checked on day 7."


@pytest.fixture
def catalog(place: Place) -> Iterator[Catalog]:
    catalog = Catalog(place)
    catalog.put("c", ingested("/notes/pump.txt", PUMP), recipe="r")
    yield catalog
    catalog.close()


def answer(catalog: Catalog, quote: str = "The pump runs at 6 bar.") -> dict[str, Any]:
    (document,) = catalog.recipes()
    citation = {"document": document, "source": "/notes/pump.txt", "cited_text": quote}
    return {"question": "Which pressure?", "text": quote, "citations": [citation]}


def stale(catalog: Catalog) -> tuple[str, ...]:
    (entry,) = catalog.history.entries()
    return entry.stale


def test_an_answer_is_kept_as_it_is_saved(catalog: Catalog) -> None:
    form = answer(catalog)
    number = catalog.history.keep(form, "c")
    (entry,) = catalog.history.entries(number)
    assert (entry.form, entry.collection, entry.stale) == (form, "c", ())
    assert catalog.history.entries(number + 1) == ()


def test_an_answer_is_not_stale_while_its_document_is_there(catalog: Catalog) -> None:
    catalog.history.keep(answer(catalog), None)
    assert catalog.history.compare() == 0
    assert stale(catalog) == ()


def test_an_answer_is_stale_when_its_quote_has_changed(catalog: Catalog) -> None:
    catalog.history.keep(answer(catalog), None)
    catalog.put("c", ingested("/notes/pump.txt", PUMP.replace("6", "8")), recipe="r")
    assert catalog.history.compare() == 1
    assert stale(catalog) == ("[1]: pump.txt has changed and no longer contains the quote",)


def test_an_answer_is_not_stale_when_something_else_in_the_file_has_changed(
    catalog: Catalog,
) -> None:
    catalog.history.keep(answer(catalog), None)
    catalog.put("c", ingested("/notes/pump.txt", f"New. {PUMP}"), recipe="r")
    assert catalog.history.compare() == 0


def test_an_answer_is_stale_when_its_file_is_gone_until_it_comes_back(catalog: Catalog) -> None:
    catalog.history.keep(answer(catalog), None)
    catalog.remove("c", "/notes/pump.txt")
    assert catalog.history.compare() == 1
    assert stale(catalog) == ("[1]: pump.txt is no longer in the library",)
    catalog.put("c", ingested("/notes/pump.txt", PUMP), recipe="r")
    assert catalog.history.compare() == 0
    assert stale(catalog) == ()


def test_an_answer_is_not_stale_when_its_file_was_moved(catalog: Catalog) -> None:
    catalog.history.keep(answer(catalog), None)
    catalog.put("c", ingested("/old/pump.txt", PUMP), recipe="r")
    catalog.remove("c", "/notes/pump.txt")
    assert catalog.history.compare() == 0


def test_numbers_of_deleted_answers_are_not_used_again(catalog: Catalog) -> None:
    first = catalog.history.keep(answer(catalog), None)
    assert catalog.history.delete([first, 99]) == 1
    assert catalog.history.keep(answer(catalog), None) > first
    assert catalog.history.delete() == 1
    assert catalog.history.entries() == ()


@pytest.mark.parametrize("number", [1, 2])
def test_a_catalog_of_an_older_format_can_keep_answers(tmp_path: Path, number: int) -> None:
    packed = Path(__file__).parents[2] / "data" / f"catalog-format-{number}.sqlite3.gz"
    path = tmp_path / "catalog"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    catalog = Catalog(path)
    catalog.history.keep({"citations": []}, None)
    assert len(catalog.history.entries()) == 1
    catalog.close()
