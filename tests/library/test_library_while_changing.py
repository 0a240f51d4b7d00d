"""A library may be asked while its files come and go."""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import pincite
from pincite import DocumentGone, Hit, Library, Status
from pincite.records.flow import Question, Ranking
from pincite.stages import Reranker

LEXICAL = {"embedding": {"model": "none"}}
ANYTHING = {**LEXICAL, "verification": {"abstain_below": 0.0}}
PUMP = "How many litres of oil does the pump hold?"


@pytest.fixture
def library(tmp_path: Path) -> Any:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "pump.txt").write_text("The pump holds 12 litres of oil.\n")
    (folder / "second.txt").write_text("The second pump holds 14 litres of oil.\n")
    with Library.open(tmp_path / "library", overrides=LEXICAL) as opened:
        opened.ingest([folder])
        yield opened


class Interrupted:
    """A reranker after which something happens to the library."""

    def __init__(self, inner: Reranker, happens: Callable[[], object]) -> None:
        self._inner = inner
        self._happens = happens

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        ranking = self._inner.rerank(question, hits)
        self._happens()
        return ranking


def interrupt(library: Library, happens: Callable[[], object]) -> None:
    """Until the stages are made anew."""
    stages = library.stages()
    library._upkeep._stages = replace(stages, reranker=Interrupted(stages.reranker, happens))


def removal(library: Library, path: Path) -> Callable[[], object]:
    """By another process, as it were."""

    def remove() -> None:
        with Library.open(library.path, overrides=LEXICAL) as other:
            other.remove([path])

    return remove


def test_a_question_is_asked_again_when_a_document_it_found_is_removed(
    library: Library, tmp_path: Path
) -> None:
    interrupt(library, removal(library, tmp_path / "documents" / "pump.txt"))
    answer = library.ask(PUMP)
    assert answer.status is not Status.ABSTAINED
    assert {Path(citation.source).name for citation in answer.citations} == {"second.txt"}


def test_a_question_that_names_a_file_is_asked_again_when_that_is_removed(
    library: Library, tmp_path: Path
) -> None:
    named = library.stages().understander.understand(
        Question(text="In pump.txt, how much oil does the pump hold?")
    )
    assert named.filters.documents, "no file was named, so nothing is shown here"

    class Meanwhile:
        """Reads the question as before the removal, and it is removed then."""

        def understand(self, question: Question) -> Question:
            removal(library, tmp_path / "documents" / "pump.txt")()
            return named

    stages = library.stages()
    library._upkeep._stages = replace(stages, understander=Meanwhile())
    told = " ".join(library.ask(named.text).reasons)
    assert "pump.txt" in told, told


def test_a_document_that_is_gone_is_told_in_words(library: Library, tmp_path: Path) -> None:
    span = library.search(PUMP).hits[0].passage.span
    library.remove([tmp_path / "documents"])
    library.catalog.forget_texts()
    for look_up in (library.catalog.source, library.catalog.document):
        with pytest.raises(DocumentGone, match="no longer in the library"):
            look_up(span.document_id)
    with pytest.raises(DocumentGone, match="ask again"):
        library.catalog.text_of(span)


def test_that_an_ingest_runs_is_told_no_longer_than_it_does(library: Library) -> None:
    with (
        Library.open(library.path, overrides=LEXICAL) as opened,
        FileLock(library.path / "write.lock") as lock,
    ):
        assert any("an ingest is running" in told for told in opened.ask(PUMP).reasons)
        lock.release()
        opened._upkeep._next_check = 0.0  # the time is over
        assert not any("an ingest is running" in told for told in opened.ask(PUMP).reasons)


def test_what_a_mapping_wrote_into_a_file_meanwhile_is_not_quoted_as_before(tmp_path: Path) -> None:
    sample = (
        Path(pincite.__file__).parent
        / "interfaces"
        / "samples"
        / "documents"
        / "prospectus-extract.docx"
    )
    path = Path(shutil.copy(sample, tmp_path / "prospectus.docx"))
    question = "Which shares are offered?"
    with Library.open(tmp_path / "library", overrides=ANYTHING) as library:
        assert not library.ingest([path]).failed
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped[-1:] = mapped[-1:]  # The page is dirty from now on.
            os.utime(path, (1_000_000_000, 1_000_000_000))
            assert library.ask(question).citations
            state = path.stat().st_mtime_ns
            mapped[-1:] = b"!"
            assert path.stat().st_mtime_ns == state
            answer = library.ask(question)
    assert answer.citations == ()
    assert any("has changed since it was ingested" in reason for reason in answer.reasons)
