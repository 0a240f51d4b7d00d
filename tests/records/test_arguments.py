"""Whatever a program hands in, it gets an answer or a PinciteError that says what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from pincite import Filters, Library, UsageError

LEXICAL = {"embedding": {"model": "none"}}
BROKEN = "\udcff"
Call = Callable[[Library], Any]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    (tmp_path / "pump.txt").write_text("The pump holds 12 litres of oil.\n")
    with Library.open(tmp_path / "library", overrides=LEXICAL) as opened:
        opened.ingest([tmp_path / "pump.txt"])
        yield opened


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda it: it.ask(None), "the question is None; give a text"),
        (lambda it: it.ask(5), "5 (int)"),
        (lambda it: it.ask(b"x"), "bytes"),
        (lambda it: it.ask(f"pump {BROKEN}"), "not valid UTF-8"),
        (lambda it: it.ask("pump", collection=BROKEN), "not valid UTF-8"),
        (lambda it: it.search("pump", limit=1.5), "1.5"),
        (lambda it: it.search("pump", limit="5"), "'5'"),
        (lambda it: it.search("pump", limit=0), "1 or more"),
        (lambda it: it.search("pump", limit=-1), "1 or more"),
        (lambda it: it.search("pump", limit=True), "1 or more"),
        (lambda it: it.ingest([""]), "a path is empty"),
        (lambda it: it.ingest(""), "a path is empty"),
        (lambda it: it.ingest(None), "the paths are None"),
        (lambda it: it.ingest([b"x"]), "bytes"),
        (lambda it: it.ingest(["a\0b"]), "NUL"),
        (lambda it: it.ingest(["x"], collection=BROKEN), "not valid UTF-8"),
        (lambda it: it.ingest(["x"], collection=None), "the collection is None"),
        (lambda it: it.ingest(["x"], tags="manual"), "give a list of texts"),
        (lambda it: it.ingest(["x"], tags=[BROKEN]), "not valid UTF-8"),
        (lambda it: it.remove([""]), "a path is empty"),
        (lambda it: it.remove(["x"], collection=BROKEN), "not valid UTF-8"),
        (lambda it: it.files(collection="zzz"), "there are: default"),
        (lambda it: Library.open(""), "a path is empty"),
        (lambda it: Filters(since="2024-13"), "datetime.date"),
        (lambda it: Filters(until=datetime(2024, 1, 1)), "datetime.date"),
        (lambda it: Filters(documents="a.txt"), "give a list of texts"),
        (lambda it: Filters.parse(documents="a.txt"), "give a list of texts"),
        (lambda it: Filters.parse(tags=[BROKEN]), "not valid UTF-8"),
        (lambda it: Filters.parse(since=2024), "2024 (int)"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(library: Library, call: Call, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        call(library)
    assert said in str(refused.value)
    assert library.stats().documents == 1


def test_what_makes_sense_is_taken(library: Library) -> None:
    assert library.search("pump", limit=1).hits
    assert library.files(collection="default")
    assert Filters(documents=["a"], since=date(2024, 1, 1)).documents == ("a",)  # type: ignore[arg-type]
