from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.conversations import Conversations, KeptTurn
from tests.store.catalog.places import Place

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def kept(place: Place) -> Iterator[Conversations]:
    catalog = Catalog(place)
    yield catalog.conversations
    catalog.close()


def turn(question: str) -> KeptTurn:
    return KeptTurn(
        question=question, read_as=question, answer={"n": 1.5, "é": ["水"]}, asked="2026"
    )


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_catalog_can_keep_conversations(tmp_path: Path, version: int) -> None:
    path = tmp_path / "catalog"
    path.write_bytes(gzip.decompress((DATA / f"catalog-format-{version}.sqlite3.gz").read_bytes()))
    kept = Catalog(path).conversations
    number = kept.begin(None, turn("first"))
    assert kept.add(number, turn("second"))
    assert kept.turns(number) == (turn("first"), turn("second"))


def test_turns_of_several_threads_are_all_kept_each_in_its_conversation(
    kept: Conversations,
) -> None:
    numbers = [kept.begin("a", turn(name)) for name in ("x", "y")]
    with ThreadPoolExecutor(4) as threads:
        added = list(threads.map(lambda n: kept.add(numbers[n % 2], turn(str(n))), range(20)))
    assert all(added)
    for place, number in enumerate(numbers):
        asked = {one.question for one in kept.turns(number)[1:]}
        assert asked == {str(n) for n in range(20) if n % 2 == place}


def test_the_number_of_a_deleted_conversation_is_not_used_again(kept: Conversations) -> None:
    first = kept.begin(None, turn("x"))
    assert kept.delete(first)
    assert not kept.delete(first)
    assert not kept.add(first, turn("y"))
    assert kept.begin(None, turn("z")) > first


def test_conversations_are_listed_newest_first_with_how_they_began(kept: Conversations) -> None:
    first = kept.begin("a", turn("\x00\x01 which pump?" + "x" * 300))
    second = kept.begin(None, turn("which valve?"))
    kept.add(first, turn("and why?"))
    listed = [(one.id, one.collection, one.turns) for one in kept.all()]
    assert listed == [(second, None, 1), (first, "a", 2)]
    began = ("\x00\x01 which pump?" + "x" * 300)[:200]
    assert [one.first_question for one in kept.all()] == ["which valve?", began]
