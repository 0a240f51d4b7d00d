"""A rare term or a phrase is found, reranked and shown, whatever else speaks against it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.library.asking import shown
from pincite.library.library import Library
from pincite.pipeline import search
from pincite.records.flow import Question
from pincite.retrieve import hybrid
from pincite.settings.loading import Layer

NAME = "GSE-204.1"
COMMON = "pump valve motor pressure flow torque filter tank sensor seal".split()


def write_files(folder: Path) -> None:
    """Four hundred short texts about the same things; one of them names the part, in passing."""
    folder.mkdir()
    for number in range(8):
        lines = [
            f"The {COMMON[place % 10]} {COMMON[(place // 10) % 10]} of unit {number} and "
            f"{COMMON[(place + number) % 10]} was checked in round {place}."
            for place in range(50)
        ]
        (folder / f"{number}.md").write_text(
            "\n\n".join(f"# Entry {place}\n\n{line}" for place, line in enumerate(lines))
        )
    (folder / "rare.md").write_text(
        f"# Names\n\nLemons are yellow and so is {NAME} on most days of the year, "
        "they say, wherever the blue rabbit sings."
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("large")
    write_files(home / "files")
    overrides: Layer = {"chunking": {"max_chars": 100, "overlap_chars": 0}}
    with Library.open(home / "library", overrides=overrides) as opened:
        opened.ingest([home / "files"])
        yield opened


ASKED = (
    f"Was the pump valve motor pressure flow torque filter tank sensor seal of {NAME} checked in "
    "which round of unit entry?"
)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rerank": {"threshold": 1.0}},
        {"rerank": {"candidates": 1}},
        {"rerank": {"method": "sentence_cosine", "threshold": 0.99}},
        {"rerank": {"method": "term_coverage", "threshold": 0.99, "candidates": 3}},
        {"retrieval": {"alpha": 0.01, "keep": 5}},
        {"retrieval": {"lexical_limit": 1, "dense_limit": 1, "keep": 1}},
    ],
)
def test_a_passage_with_a_rare_identifier_is_always_shown(
    library: Library, settings: dict[str, dict[str, object]]
) -> None:
    layer = {**library.settings.model_dump()}
    for group, values in settings.items():
        layer[group] = {**layer[group], **values}
    changed = type(library.settings)(**layer)
    stages = library.stages_with(changed)
    found = search(Question(text=ASKED), stages)
    for limit in (1, 3, 10):
        hits = shown(found.hits, limit)
        assert len(hits) <= limit
        held = [hit for hit in hits if NAME in library.catalog.text_of(hit.passage.span)]
        assert held
        assert held[0].sentence_scores, "it was looked at by the reranker"


def test_a_rare_word_of_a_small_library_is_found_as_well(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for number in range(40):
        (tmp_path / "files" / f"{number}.txt").write_text(
            f"Before the pump starts, valve, motor and filter {number} are checked for pressure."
        )
    (tmp_path / "files" / "rare.txt").write_text("Ask the zymurgist about beer.")
    overrides: Layer = {
        "embedding": {"model": "none"},
        "retrieval": {"lexical_limit": 1, "keep": 1},
        "rerank": {"candidates": 1, "threshold": 0.99},
    }
    asked = "Which valve, motor, pump, filter and pressure are checked by the zymurgist?"
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        library.ingest([tmp_path / "files"])
        texts = [library.catalog.text_of(hit.passage.span) for hit in library.search(asked).hits]
        all_rare = library.search("zymurgist beer ask 39").hits
    assert any("zymurgist" in text for text in texts)
    assert [hit.must_keep for hit in all_rare].count(True) == 1, "the number alone is kept"


def test_every_hit_of_a_phrase_holds_it(library: Library) -> None:
    result = library.search('"the blue rabbit" pump valve motor', limit=20)
    assert result.hits
    assert result.notices == ()
    for hit in result.hits:
        assert "blue rabbit" in library.catalog.text_of(hit.passage.span)
    many = library.search('"unit 7" pump', limit=20)
    assert len(many.hits) == 20
    assert all("unit 7 " in library.catalog.text_of(hit.passage.span) for hit in many.hits)


def test_no_hit_holds_what_is_excluded(library: Library) -> None:
    for asked, words in (("pump -valves", "valve"), ('pump -"unit 7"', "unit 7 ")):
        hits = library.search(asked, limit=50).hits
        assert len(hits) == 50
        assert not any(words in library.catalog.text_of(hit.passage.span) for hit in hits)


def test_a_frequent_excluded_word_hides_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for number in range(300):
        (tmp_path / "files" / f"{number}.txt").write_text(f"The pump had a pump test, {number}.")
    for number in range(4):
        (tmp_path / "files" / f"own{number}.txt").write_text(f"A pump of the kind {number}.")
    overrides: Layer = {
        "embedding": {"model": "none"},
        "retrieval": {"lexical_limit": 20, "keep": 20},
    }
    with Library.open(tmp_path / "library", overrides=overrides) as opened:
        opened.ingest([tmp_path / "files"])
        for excluded in ("-test", "-tests", '-"pump test"', "-had"):
            question = Question(text=f"pump {excluded}", explain=True)
            found = search(question, opened.stages_with(opened.settings))
            assert len(found.hits) == 4, excluded
            retrieved = next(s for s in found.trace["stages"] if s["name"] == "retrieve")
            reasons = [item["reason"] for item in retrieved["dropped"]]
            assert reasons == [f"left out by {excluded}"] * 300
            assert retrieved["notes"][1:] == [f"300 left out by {excluded}"]


def test_an_option_that_a_document_writes_excludes_nothing(tmp_path: Path) -> None:
    (tmp_path / "docker.txt").write_text("Run usermod -aG docker ana, and then tool -f.")
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as opened:
        opened.ingest([tmp_path])
        for asked in ("usermod -aG docker", "tool -f"):
            found = opened.search(asked)
            assert len(found.hits) == 1
            assert not any("minus" in notice for notice in found.notices)
        told = "left out passages with 'docker', because of the minus in the question"
        assert told in opened.search("usermod -docker").notices


def test_c_and_its_descendants_are_names_of_their_own(tmp_path: Path) -> None:
    for name, text in (("c", "in C."), ("plus", "in C++."), ("sharp", "in C#."), ("none", "well.")):
        (tmp_path / f"{name}.txt").write_text(f"This program is written {text}")
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as opened:
        opened.ingest([tmp_path])

        def named(asked: str) -> set[str]:
            return {hit.passage.context for hit in opened.search(asked, limit=9).hits}

        assert named("written program -C") == {"plus", "sharp", "none"}
        assert named("written program -C++") == {"c", "sharp", "none"}
        assert named("written program -C#") == {"c", "plus", "none"}
        assert named('program "in C"') == {"c"}
        assert named('program "in C++"') == {"plus"}


def test_of_an_excluded_phrase_that_stands_everywhere_not_everything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(60):
        (files / f"{number}.txt").write_text(f"A pump test of number {number}.", encoding="utf-8")
    monkeypatch.setattr(hybrid, "_MOST_READ", 10)
    overrides: Layer = {
        "embedding": {"model": "none"},
        "retrieval": {"keep": 2, "lexical_limit": 2, "dense_limit": 2},
    }
    with Library.open(tmp_path / "library", overrides=overrides) as opened:
        opened.ingest([files])
        notes = {
            words: search(Question(text=f"pump {words}"), opened.stages()).trace["stages"][1][
                "notes"
            ]
            for words in ('-"pump test"', "-test")
        }
    assert notes['-"pump test"'][1:] == ['10 left out by -"pump test"']
    assert notes["-test"][1:] == ["60 left out by -test"], "the index tells these without reading"


def test_many_excluded_words_are_looked_for_in_each_passage_at_once(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(120):
        text = f"Valve number {number} opens at {number} bar beside the old pump.\n"
        (files / f"{number}.txt").write_text(8 * text, encoding="utf-8")
    excluded = " ".join(f"-w{number}" for number in range(1_500))
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as opened:
        opened.ingest([files])
        assert opened.search("valve").hits
        begun = time.process_time()
        assert opened.search(f"valve {excluded}").hits
        assert time.process_time() - begun < 3


def test_an_answer_knows_what_was_excluded_and_corrected(library: Library) -> None:
    answer = library.ask("Which color do lemmons have? -rabbit")
    assert answer.question == "Which color do lemmons have? -rabbit"
    assert "searched for 'lemons' instead of 'lemmons'" in answer.reasons
    assert not answer.citations
    assert answer.trace["question"]["understood"]["excluded"] == ["rabbit"]


def test_a_question_that_only_excludes_says_so(library: Library) -> None:
    assert "leave out" in " ".join(library.search("-pump").notices)
    assert "no words" in " ".join(library.search("???").notices)
