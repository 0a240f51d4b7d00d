from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.assemble.retrieving import dense_search, lexical_search
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Question
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.hybrid import HybridRetriever, weighted_min_max
from pincite.retrieve.searches import Searches
from pincite.stages import Scored
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.indexes import Indexes
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested

ENCODER = FakeEncoder()
FILES = {
    "a": [
        "# Pump\nThe pump starts at noon.\n# Valve\nThe valve opens at 6.5 bar.",
        "The motor is cold.",
        "The valve is green. " * 30,
    ],
    "b": ["The valve of the motor opens.", "Lemons are yellow.", "The pump stops at midnight."],
    "c": ["Nothing is here."],
}

Make = Callable[..., HybridRetriever]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path / "catalog")
    for collection, texts in FILES.items():
        for number, text in enumerate(texts):
            item = ingested(f"{collection}{number}.txt", text, encoder=ENCODER)
            opened.put(collection, item, recipe="r")
    yield opened
    opened.close()


@pytest.fixture
def make(catalog: Catalog, indexes: Indexes) -> Make:
    def build(*, with_encoder: bool = True, **changes: object) -> HybridRetriever:
        options = {"lexical_limit": 50, "dense_limit": 50, "alpha": 0.4, "keep": 50} | changes

        def fuse(text: str, lexical: Sequence[Scored], dense: Sequence[Scored]) -> dict[int, float]:
            return weighted_min_max(lexical, dense, alpha=options["alpha"])

        chosen = options.pop("fuse", fuse)
        keep = options.pop("keep")
        lexical = lexical_search(catalog, indexes)
        searches = Searches(
            lexical=lexical,
            keys_in=catalog.keys_in,
            dense=dense_search(catalog, indexes) if with_encoder else None,
            encoder=ENCODER if with_encoder else None,
            **options,
        )
        exact = ExactWords(lexical, catalog.passages, catalog.text_of, ["en"])
        return HybridRetriever(searches, catalog.passages, exact, chosen, keep=keep)

    return build


def test_a_passage_that_both_searches_like_comes_first(make: Make, catalog: Catalog) -> None:
    hits = make().retrieve(Question(text="Which valve opens at 6.5 bar?"))
    assert "6.5 bar" in catalog.text_of(hits[0].passage.span)
    assert hits[0].score == 1.0
    assert set(hits[0].scores) == {"lexical", "dense", "fused"}


def test_hits_are_distinct_and_best_first_with_their_fused_score(make: Make) -> None:
    hits = make().retrieve(Question(text="pump valve motor"))
    assert len({hit.passage.id for hit in hits}) == len(hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.scores["fused"] == hit.score for hit in hits)


@pytest.mark.parametrize("with_encoder", [True, False])
@pytest.mark.parametrize("limit", [1, 50])
@pytest.mark.parametrize("collection", ["a", "b", "c", "unknown"])
def test_a_collection_never_gives_passages_of_another(
    make: Make, catalog: Catalog, *, with_encoder: bool, limit: int, collection: str
) -> None:
    retriever = make(with_encoder=with_encoder, lexical_limit=limit, dense_limit=limit)
    members = set(catalog.keys_in(Scope.of(collection, Filters())).tolist())
    hits = retriever.retrieve(Question(text="the valve of the pump", collection=collection))
    assert {hit.passage.key for hit in hits} <= members
    if with_encoder and members:
        assert hits


def test_a_narrow_search_still_finds_the_best_of_a_collection(make: Make, catalog: Catalog) -> None:
    retriever = make(lexical_limit=1, dense_limit=1)
    (best, *_) = retriever.retrieve(Question(text="pump starts at noon", collection="b"))
    assert catalog.text_of(best.passage.span) == "The pump stops at midnight."


def test_without_an_encoder_the_words_alone_decide(make: Make, catalog: Catalog) -> None:
    hits = make(with_encoder=False).retrieve(Question(text="yellow lemon"))
    assert [catalog.text_of(hit.passage.span) for hit in hits] == ["Lemons are yellow."]
    assert set(hits[0].scores) == {"lexical", "fused"}
    assert not make(with_encoder=False).retrieve(Question(text="submarine"))


def test_no_more_than_keep_come_back(make: Make) -> None:
    every = make().retrieve(Question(text="the pump"))
    kept = make(keep=3).retrieve(Question(text="the pump"))
    assert [hit.score for hit in kept] == [hit.score for hit in every[:3]]


def test_a_passage_that_has_gone_since_is_left_out(make: Make, catalog: Catalog) -> None:
    question = Question(text="yellow lemon")
    assert "b1.txt" in make().retrieve(question)[0].passage.context
    catalog.remove("b", "b1.txt")
    assert all("b1.txt" not in hit.passage.context for hit in make().retrieve(question))


def test_the_same_question_gives_the_same_hits(make: Make) -> None:
    question = Question(text="green valve")
    runs = [[(h.passage.id, h.score) for h in make().retrieve(question)] for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]


def test_what_was_cut_is_named_with_its_rank_for_those_who_ask(make: Make) -> None:
    asked = Question(text="the pump")
    every = make().retrieve(asked)
    assert every.dropped == ()
    brief = make(keep=3).retrieve(asked)
    full = make(keep=3).retrieve(replace(asked, explain=True))
    assert full.hits == brief.hits
    assert brief.dropped == ()
    assert [item.score for item in full.dropped] == [hit.score for hit in every[3:]]
    assert full.dropped[0].reason == "rank 4 after fusion; the first 3 are kept"
    assert brief.notes == full.notes == (every.notes[0], f"{len(every) - 3} cut after fusion")


def test_the_fusion_is_asked_with_the_question_and_both_lists(make: Make, catalog: Catalog) -> None:
    heard = []

    def fuse(text: str, lexical: Sequence[Scored], dense: Sequence[Scored]) -> dict[int, float]:
        heard.append((text, bool(lexical), bool(dense)))
        return {dense[-1].key: 0.5}

    (hit,) = make(fuse=fuse).retrieve(Question(text="the valve"))
    assert heard == [("the valve", True, True)]
    assert hit.score == hit.scores["fused"] == 0.5
