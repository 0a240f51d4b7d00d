"""Where a passage was lost, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Fate, Library, UsageError
from pincite.records.passage_outcome import Outcome

QUESTION = "At what pressure does the relief valve open?"
TEXTS = {
    "valve": "The relief valve opens at 6.5 bar.",
    "pump": "The oil pump delivers forty litres each minute.",
    "hose": "Every hose is replaced after six years.",
    "lemon": "Lemons are yellow and sour.",
    "tax": "The tax office sends a letter in the spring of each year.",
    "choir": "The choir of the town sings on Sundays.",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("why")
    for name, text in TEXTS.items():
        (home / f"{name}.txt").write_text(text)
    (home / "cup.txt").write_text("The football cup was won in May.")
    with Library.open(home / "library") as library:
        library.ingest([home / f"{name}.txt" for name in TEXTS])
        library.ingest([home / "cup.txt"], collection="sport")
    return home


def opened(home: Path, **overrides: dict[str, object]) -> Library:
    return Library.open(home / "library", overrides=overrides)


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    with opened(home) as library:
        yield library


def fate(library: Library, words: str, collection: str | None = None) -> Fate:
    (found,) = library.why(QUESTION, words, collection=collection)
    return found


def test_a_quoted_passage_is_followed_through_every_stage(library: Library) -> None:
    found = fate(library, "relief valve opens")
    assert (found.outcome, found.stage) == (Outcome.QUOTED, "")
    starts = [line.partition(":")[0] for line in found.account]
    assert starts == ["retrieve", "rerank", "select", "verify"]
    assert found.account[0].startswith("retrieve: rank 1 of 7")


def test_an_id_means_its_passage(library: Library) -> None:
    found = fate(library, "relief valve opens")
    assert library.why(QUESTION, found.passage_id) == (found,)


def test_a_sentence_outside_the_margin_is_told_with_what_it_needed(library: Library) -> None:
    found = fate(library, "oil pump delivers")
    assert (found.outcome, found.stage) == (Outcome.NOT_SELECTED, "select")
    assert "outside the margin" in found.account[-1]


def test_a_passage_below_the_threshold_is_told_with_both_numbers(home: Path) -> None:
    with opened(home, rerank={"threshold": 0.5}) as library:
        found = fate(library, "lemons are yellow")
    assert (found.outcome, found.stage) == (Outcome.DROPPED, "rerank")
    assert "is below the threshold 0.500" in found.account[-1]


def test_a_passage_that_nobody_compared_is_told(home: Path) -> None:
    with opened(home, rerank={"candidates": 1}) as library:
        found = fate(library, "choir of the town")
    assert (found.outcome, found.stage) == (Outcome.NOT_COMPARED, "rerank")


def test_a_passage_cut_after_fusion_is_told_with_its_rank(home: Path) -> None:
    with opened(home, retrieval={"keep": 2}) as library:
        fates = [fate(library, text) for text in TEXTS.values()]
    cut = [found for found in fates if found.stage == "retrieve"]
    assert len(cut) == 4
    assert all(found.outcome is Outcome.DROPPED for found in cut)
    assert all("after fusion; the first 2 are kept" in found.account[0] for found in cut)


def test_a_passage_that_neither_search_found_is_measured(home: Path) -> None:
    with opened(home, retrieval={"dense_limit": 1, "lexical_limit": 1}) as library:
        found = fate(library, "oil pump delivers")
    assert (found.outcome, found.stage) == (Outcome.NOT_FOUND, "retrieve")
    meaning, words = found.account
    assert meaning.startswith("by meaning: rank ")
    assert "the first 1 are used; cosine 0." in meaning
    assert words == "by words: it contains no word of the question"


def test_the_words_a_passage_shares_with_the_question_are_named(home: Path) -> None:
    with opened(home, retrieval={"dense_limit": 1, "lexical_limit": 1}) as library:
        (found,) = library.why("Which relief valve opens each year?", "tax office sends")
    assert found.outcome is Outcome.NOT_FOUND
    assert "contains 'each', 'year', not 'relief', 'valve', 'opens'" in found.account[1]


def test_a_passage_that_the_question_leaves_out_is_told(home: Path) -> None:
    for limits in ({}, {"dense_limit": 1, "lexical_limit": 1}):
        with opened(home, retrieval=dict(limits)) as library:
            (word,) = library.why("relief valve -bars", "relief valve opens")
            (phrase,) = library.why('relief valve -"relief valve"', "relief valve opens")
        assert (word.outcome, word.stage) == (Outcome.LEFT_OUT, "retrieve")
        assert word.account == ("retrieve: left out by -bars",)
        assert phrase.account == ('retrieve: left out by -"relief valve"',)


def test_a_passage_without_the_quoted_words_is_told(library: Library) -> None:
    (found,) = library.why('"relief valve" pump', "oil pump delivers")
    assert (found.outcome, found.stage) == (Outcome.WITHOUT_PHRASE, "retrieve")
    assert found.account == ("retrieve: it does not contain 'relief valve'",)


def test_words_that_search_found_in_another_form_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Das Haus ist alt und es hat einen Garten.")
    (tmp_path / "b.txt").write_text("Die Häuser in der Stadt sind nicht neu, und sie sind hoch.")
    overrides = {"embedding": {"model": "none"}, "retrieval": {"keep": 1, "lexical_limit": 1}}
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        library.ingest([tmp_path])
        (lost,) = library.why("Welches Haus hat Gärten?", "in der Stadt")
    assert lost.outcome is Outcome.NOT_FOUND
    assert "by words: rank 2" in lost.account[-1]
    assert "contains 'Haus', not" in lost.account[-1]


def test_without_an_encoder_the_account_says_so(home: Path) -> None:
    with opened(home, embedding={"model": "none"}) as library:
        found = fate(library, "lemons are yellow")
    assert found.outcome is Outcome.NOT_FOUND
    assert found.account[0].startswith("by meaning: not searched (lexical search only")


def test_a_passage_of_another_collection_is_told(library: Library) -> None:
    found = fate(library, "football cup", collection="default")
    assert found.outcome is Outcome.NOT_ALLOWED
    assert found.account == ("asked: 'default'; it is in: sport",)


def test_evidence_of_a_refused_answer_is_told(library: Library) -> None:
    (found,) = library.why("Who sings about yellow submarines in Liverpool?", "choir of the town")
    assert (found.outcome, found.stage) == (Outcome.REFUSED, "verify")


def test_an_id_that_does_not_exist_names_similar_ones(library: Library) -> None:
    real = fate(library, "relief valve opens").passage_id
    missing = fate(library, f"{real}99")
    assert missing.outcome is Outcome.UNKNOWN
    assert real in missing.account[0]
    document = real.partition("_")[0]
    other = fate(library, f"{document[:-1]}{'0' if document[-1] != '0' else '1'}_p1_c0")
    assert document in other.account[0]


def test_words_that_stand_nowhere_are_told_with_what_is_expected(library: Library) -> None:
    found = fate(library, "the pump relief")
    assert found.outcome is Outcome.UNKNOWN
    assert "FILE:PAGE" in found.account[0]


def test_an_old_version_is_told(home: Path, tmp_path: Path) -> None:
    changing = tmp_path / "changing.txt"
    changing.write_text("The gate is green.")
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as library:
        library.ingest([changing])
        before = library.files()[0].document_id
        changing.write_text("The gate is blue.")
        library.ingest([changing])
        found = fate(library, f"{before}_p1_c0")
    assert (
        found.account[0] == f"its document is an old version of {changing}, which is not searched"
    )


def test_words_of_very_many_passages_are_refused(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text(f"The gate number {number} is green.")
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as library:
        library.ingest([tmp_path])
        with pytest.raises(UsageError, match="matches 12 passages; at most 10"):
            library.why("Which gate?", "the gate number")
