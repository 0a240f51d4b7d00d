from __future__ import annotations

import math
import random
from pathlib import Path

import bm25s
import numpy as np
import pytest

from pincite.store.index import lexical_tantivy
from pincite.store.index.engines import IndexTermWeights
from pincite.store.index.indexes import ScopedLexical
from pincite.store.index.lexical_bm25s import Bm25sIndex
from pincite.store.index.lexical_tantivy import LexicalRow, TantivyIndex
from pincite.testing.contracts import LexicalIndexContract

VOCABULARY = [f"w{number}" for number in range(60)]


def row(key: int, words: list[str]) -> LexicalRow:
    return LexicalRow(key=key, terms=words)


class TestTantivyIndex(LexicalIndexContract):
    @pytest.fixture
    def lexical(self, tmp_path: Path) -> ScopedLexical:
        index = TantivyIndex(tmp_path / "lexical")
        index.add(
            [
                row(1, ["pump", "valve"]),
                row(2, ["pump"]),
                row(3, ["lemon"]),
            ]
        )
        return ScopedLexical(index, lambda scope: scope.keys)


class TestBm25sIndex(LexicalIndexContract):
    @pytest.fixture
    def lexical(self, tmp_path: Path) -> ScopedLexical:
        index = Bm25sIndex(tmp_path / "lexical", k1=1.2, b=0.75)
        index.add([row(1, ["pump", "valve"])])
        index.add([row(2, ["pump"]), row(3, ["lemon"])])
        return ScopedLexical(index, lambda scope: scope.keys)


def random_passages() -> list[list[str]]:
    """Short enough (below 40 words) that tantivy's one-byte lengths are exact."""
    generator = random.Random(11)
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    return [generator.choices(VOCABULARY, weights, k=generator.randint(1, 39)) for _ in range(400)]


def test_scores_are_those_of_an_independent_bm25(tmp_path: Path) -> None:
    passages = random_passages()
    index = TantivyIndex(tmp_path / "lexical")
    index.add(row(key, words) for key, words in enumerate(passages))
    other = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    other.index(passages, show_progress=False)
    generator = random.Random(5)
    for _ in range(60):
        asked = generator.sample(VOCABULARY, generator.randint(1, 4))
        expected = other.get_scores(asked)
        found = {item.key: item.score for item in index.search(asked, limit=400)}
        assert set(found) == set(np.flatnonzero(expected))
        # Lucene leaves the constant factor k1 + 1 out, tantivy keeps it.
        ratios = [score / expected[key] for key, score in found.items()]
        assert np.allclose(ratios, 2.2, rtol=1e-4)


def test_the_best_come_first(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path / "lexical")
    index.add(row(key, words) for key, words in enumerate(random_passages()))
    scores = [item.score for item in index.search(["w1", "w7", "w30"], limit=50)]
    assert len(scores) == 50
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("sifted", [0, 10_000])
@pytest.mark.parametrize("allowed", [range(0, 400, 2), range(390, 400), [5], range(0, 900, 3)])
def test_a_filter_gives_the_best_of_what_it_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sifted: int, allowed: list[int]
) -> None:
    monkeypatch.setattr(lexical_tantivy, "_MAX_SIFTED", sifted)
    index = TantivyIndex(tmp_path / "lexical")
    index.add(row(key, words) for key, words in enumerate(random_passages()))
    for asked in (["w1", "w7"], ["w30"], ["w59", "w58", "w0"]):
        every = [item for item in index.search(asked, limit=400) if item.key in set(allowed)]
        best = index.search(asked, limit=9, allowed=list(allowed))
        assert [item.score for item in best] == [item.score for item in every[:9]]
        assert {item.key for item in best} <= set(allowed)


@pytest.mark.parametrize("term", ["gse-204.1", "冷却", "c", "+(x)", '"', "and", "*"])
def test_a_term_is_taken_as_it_is(tmp_path: Path, term: str) -> None:
    index = TantivyIndex(tmp_path / "lexical")
    index.add([row(1, [term, "pump"]), row(2, ["pump"])])
    assert [item.key for item in index.search([term], limit=9)] == [1]
    assert index.document_frequency(term) == 1


def test_what_was_added_is_there_after_opening_again(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path / "lexical")
    index.add([row(1, ["pump"])])
    index.add([row(2, ["pump"])])
    again = TantivyIndex(tmp_path / "lexical")
    assert len(again) == 2
    assert {item.key for item in again.search(["pump"], limit=9)} == {1, 2}


def test_a_rare_word_weighs_more_and_an_unknown_one_weighs_one(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path / "lexical")
    index.add(row(key, ["all", f"only{key}"]) for key in range(20))
    weights = IndexTermWeights(index)
    assert weights.weight("nowhere") == 1.0
    assert 0 < weights.weight("all") < weights.weight("only3") < 1
    assert weights.weight("all") == pytest.approx(
        math.log(1 + 0.5 / 20.5) / math.log(1 + 20.5 / 0.5)
    )


def test_weights_of_an_empty_library_are_one(tmp_path: Path) -> None:
    assert IndexTermWeights(TantivyIndex(tmp_path / "lexical")).weight("pump") == 1.0


def test_a_question_is_read_in_the_language_it_shows_or_that_most_passages_have(
    tmp_path: Path,
) -> None:
    weights = IndexTermWeights(TantivyIndex(tmp_path / "lexical"), {"en": 3, "de": 7})
    assert weights.languages == ["de", "en"]
    assert weights.language("Where is the valve?") == "en"
    assert weights.language("Ventil 12") == "de"
    assert IndexTermWeights(TantivyIndex(tmp_path / "lexical")).language("Wo ist das?") == "en"


@pytest.mark.parametrize("boosts", [None, {"w1": 0.5, "w3": 2.0}])
def test_both_engines_agree_where_their_settings_are_the_same(
    tmp_path: Path, boosts: dict[str, float] | None
) -> None:
    one = TantivyIndex(tmp_path / "one")
    other = Bm25sIndex(tmp_path / "other", k1=1.2, b=0.75)
    rows = [row(key, words) for key, words in enumerate(random_passages())]
    one.add(rows)
    other.add(rows[:100])
    other.add(rows[100:])
    generator = random.Random(6)
    for _ in range(60):
        asked = generator.sample(VOCABULARY, generator.randint(1, 4))
        found = {item.key: item.score for item in one.search(asked, limit=400, boosts=boosts)}
        same = {item.key: item.score for item in other.search(asked, limit=400, boosts=boosts)}
        assert found.keys() == same.keys()
        ratios = [found[key] / same[key] for key in found]
        assert np.allclose(ratios, 2.2, rtol=1e-4)  # tantivy keeps the constant k1 + 1


def test_bm25s_ranks_by_its_settings(tmp_path: Path) -> None:
    rows = [row(1, ["pump"] * 8 + ["x"] * 40), row(2, ["pump", "y"]), row(3, ["z"])]
    best = {}
    for k1, b in ((1.2, 1.0), (8.0, 0.0)):
        index = Bm25sIndex(tmp_path / f"{k1}", k1=k1, b=b)
        index.add(rows)
        best[k1] = index.search(["pump"], limit=1)[0].key
    assert best == {1.2: 2, 8.0: 1}


def test_bm25s_is_there_after_opening_again(tmp_path: Path) -> None:
    index = Bm25sIndex(tmp_path / "lexical", k1=1.2, b=0.75)
    index.add([])
    assert index.search(["pump"], limit=9) == []
    index.add([row(1, ["pump"]), row(2, [])])
    again = Bm25sIndex(tmp_path / "lexical", k1=1.2, b=0.75)
    assert again.search(["pump"], limit=9) == index.search(["pump"], limit=9) != []
    again.add([row(7, ["pump", "valve"])])
    third = Bm25sIndex(tmp_path / "lexical", k1=1.2, b=0.75)
    assert [item.key for item in third.search(["valve"], limit=9, allowed=[7])] == [7]
    assert len(third) == 3


def test_damaged_bm25s_files_are_an_error_of_their_own(tmp_path: Path) -> None:
    Bm25sIndex(tmp_path / "lexical", k1=1.2, b=0.75).add([row(1, ["pump"])])
    (tmp_path / "lexical" / "arrays.npz").write_bytes(b"PK\x03\x04 damaged")
    with pytest.raises((ValueError, OSError)):
        Bm25sIndex(tmp_path / "lexical", k1=1.2, b=0.75)
