"""What the settings switch on is at work in a library, and the trace says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite import Library, SearchResult, SettingsError

NOTES = {
    "Wheat guide 2018.txt": "Sow it in October. Rust is the worst disease of it.",
    "Wheat guide 2019.txt": "Sow it in October. Mildew is the worst disease of it.",
    "Barley guide 2019.txt": "Sow it in March. Mildew is the worst disease of it.",
    "Prices.txt": "A tonne costs 200 euros in October. Fees are due each month.",
}
OPEN = {"embedding": {"model": "none"}, "rerank": {"threshold": 0.0}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def opened(tmp_path: Path, folder: Path) -> Iterator[Any]:
    libraries = []

    def open_with(**groups: dict[str, Any]) -> Library:
        library = Library.open(tmp_path / "library", overrides=OPEN | groups)
        libraries.append(library)
        library.ingest([folder])
        return library

    yield open_with
    for library in libraries:
        library.close()


def first(result: SearchResult) -> str:
    return result.hits[0].passage.context.partition(" > ")[0]


def test_a_named_document_comes_first_and_the_trace_says_which(opened: Any) -> None:
    question = "Which disease is the worst by the Wheat guide of 2019?"
    found = opened().search(question)
    assert "Wheat guide 2019" in found.hits[0].passage.context
    assert found.hits[0].scores["documents"] > 0.1
    assert max(found.trace["question"]["understood"]["documents"].values()) >= 0.4
    off = opened(boosts={"documents": "off"}).search(question)
    assert "documents" not in off.hits[0].scores
    assert "documents" not in off.trace["question"]["understood"]


def test_a_new_file_can_be_named_at_once(opened: Any, folder: Path) -> None:
    library = opened()
    question = "What is done in October by the Rye guide of 2020?"
    assert "Rye" not in library.search(question).hits[0].passage.context
    (folder / "Rye guide 2020.txt").write_text("Sow it in October, before the rain.")
    library.ingest([folder])
    assert "Rye" in library.search(question).hits[0].passage.context


def test_tags_and_intents_are_seen_and_told(opened: Any) -> None:
    library = opened(boosts={"tag_set": "crops"}, intents={"rules": "support"})
    found = library.search("How much does wheat cost in October?")
    assert found.trace["question"]["understood"]["tags"] == {"crops": ["wheat"]}
    assert found.trace["question"]["understood"]["intent"] == {"name": "pricing", "alpha": 0.6}
    assert any("tags" in hit.scores for hit in found.hits)
    assert any("intent" in hit.scores for hit in found.hits)


def test_reciprocal_ranks_can_be_chosen(opened: Any) -> None:
    chosen = {"fusion": "rrf", "rrf_k": 1}
    found = opened(retrieval=chosen, boosts={"documents": "off"}).search("rust in October")
    assert [hit.scores["fused"] for hit in found.hits][:2] == pytest.approx([1, 2 / 3])


def test_a_file_that_is_not_there_is_told(opened: Any) -> None:
    for settings in ({"boosts": {"tag_set": "corps"}}, {"intents": {"rules": "suport"}}):
        with pytest.raises(SettingsError, match="shipped are"):
            opened(**settings).search("wheat")


def test_an_answer_tells_rules_of_other_content_apart(opened: Any, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    digests = []
    for word in ("wheat", "barley"):
        rules.write_text(f'[crops]\nboost = 0.1\n[crops.tags]\none = ["{word}"]\n')
        library = opened(boosts={"tag_set": str(rules)})
        digests.append(library.ask("Which disease of wheat is worst?").settings_digest)
    assert digests[0] != digests[1]
    assert len({opened().ask(asked).settings_digest for asked in ("What?", "Who?")}) == 1


def test_an_answer_tells_how_documents_were_read(opened: Any, tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "manual.pdf"))
    for line in ("This manual describes the pumps.", "The relief valve opens at 6 bar."):
        canvas.drawString(72, 700, line)
        canvas.showPage()
    canvas.save()
    (tmp_path / "more.txt").write_text("The inlet valve opens at 3 bar.")
    digests = []
    for pages, file in ((1, "manual.pdf"), (1, "more.txt"), (5, "manual.pdf")):
        library = opened(ingest={"max_pages": pages})
        library.ingest([tmp_path / file])
        digests.append(library.ask("When does the relief valve open?").settings_digest)
    assert digests[0] == digests[1], "more files, read in the same way"
    assert digests[1] != digests[2], "a page more of the same file"
