"""Long ingests: all files are found by their words first, and encoded after that."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite import Library
from pincite.library import folder_sync
from pincite.library.intake import Progress

PUMP = "How many litres of oil does the pump hold?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "pump.txt").write_text("The pump holds 12 litres of oil.\n")
    (folder / "ferry.md").write_text("# Ferry\n\nThe ferry to Stavanger leaves at 22:15.\n")
    return folder


def test_a_long_ingest_can_be_searched_by_words_before_it_is_encoded(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(tmp_path / "whole") as whole:
        whole.ingest([folder])
        expected = whole.ask(PUMP)
    monkeypatch.setattr(folder_sync, "_ENCODING_SECONDS", 0.0)
    seen: list[tuple[str, int, int]] = []
    with Library.open(tmp_path / "library") as library:

        def watch(step: Progress) -> None:
            if not step.doing:
                return
            with Library.open(library.path) as other:
                answer = other.ask(PUMP)
            assert answer.citations
            assert any("2 passages are not encoded yet" in reason for reason in answer.reasons)
            seen.append((step.doing, step.files_done, step.files_total))

        report = library.ingest([folder], progress=watch)
        assert seen == [("found by words; encoding", 2, 2)]
        assert (report.added, report.notices) == (2, ())
        assert not library.is_behind()
        answer = library.ask(PUMP)
        assert (answer.claims, answer.citations) == (expected.claims, expected.citations)
        assert (answer.confidence, answer.reasons) == (expected.confidence, ())


def test_only_what_has_no_vectors_is_encoded_after_a_long_ingest(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(tmp_path / "library") as library:
        library.ingest([folder])
        monkeypatch.setattr(folder_sync, "_ENCODING_SECONDS", 0.0)
        (tmp_path / "more.md").write_text("# Boat\n\nThe boat leaves at noon.\n")
        totals: list[int] = []
        library.ingest(
            [tmp_path / "more.md"], progress=lambda step: totals.append(step.files_total)
        )
        assert totals == [1, 1]
        assert "noon" in library.ask("When does the boat leave?").text
        assert not library.ask(PUMP).reasons


def test_an_ingest_that_ended_before_all_was_encoded_is_finished_by_the_next(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_sync, "_ENCODING_SECONDS", 0.0)

    def stop(step: Progress) -> None:
        if step.doing:
            raise KeyboardInterrupt

    with Library.open(tmp_path / "library") as library:
        with pytest.raises(KeyboardInterrupt):
            library.ingest([folder], progress=stop)
        assert library.is_behind()
        assert library.ingest([folder]).unchanged == 2
        assert not library.is_behind()
        assert not library.ask(PUMP).reasons
