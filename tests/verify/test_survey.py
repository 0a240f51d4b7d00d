"""A count is made of checked mentions alone, and a saved one adds up or is refused."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pincite import Library, Status
from pincite.assemble.files import countable_units
from pincite.ingest.readers import FileReader
from pincite.records.counts import Closeness
from pincite.records.document import READING_VERSION
from pincite.records.flow import Mode
from pincite.settings.loading import Layer, Settings
from pincite.text.mentions import Mentions
from pincite.verify.receipts.cited_files import CitedFiles
from pincite.verify.receipts.count_text import _from_form, survey_text
from pincite.verify.receipts.receipt import (
    ReceiptCheck,
    answer_form,
    check_answer,
    check_receipt,
    citation_form,
    located,
)

Receipt = dict[str, Any]

FIRST = "# Valves\n\nA valve leaks. The pump runs.\n\nTwo valves leak, and one valve does not.\n"
SECOND = "The pump and the valve are new.\n"


WORDS_ONLY: Layer = {"embedding": {"model": "none"}}


def make_library(home: Path) -> Library:
    (home / "files").mkdir()
    (home / "files" / "a.md").write_text(FIRST)
    (home / "files" / "b.txt").write_text(SECOND)
    (home / "files" / "c.txt").write_text("Nothing of the kind.\n")
    opened = Library.open(home / "library", overrides=WORDS_ONLY)
    opened.ingest([home / "files"])
    return opened


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with make_library(tmp_path_factory.mktemp("counted")) as opened:
        yield opened


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[Library]:
    """A library of its own, whose files, in `files` beside it, may be changed."""
    with make_library(tmp_path) as opened:
        yield opened


def test_documents_mentions_and_passages_are_counted(library: Library) -> None:
    answer = library.ask("How many documents mention valves?")
    survey = answer.survey

    assert answer.text == "2 of 3 documents mention 'valves' (5 mentions in 2 passages)."
    assert (answer.status, answer.mode, answer.confidence) == (Status.ANSWERED, Mode.COUNTED, 1.0)
    assert survey is not None
    first, second = survey.rows
    assert [Path(row.paths[0]).name for row in survey.rows] == ["a.md", "b.txt"]
    assert (first.mentions, first.first, first.citations) == (4, 1, 3)
    assert (second.mentions, second.first, second.citations) == (1, 4, 1)
    assert dict(survey.written) == {"valve": 3, "valves": 2}
    assert survey.passages_scanned == library.stats().passages
    assert len(answer.citations) == 4
    assert answer.claims[0].citations == (1, 2, 3, 4)


def test_a_question_for_places_is_told_in_mentions(library: Library) -> None:
    answer = library.ask("How often are valves mentioned?")
    assert answer.text == "5 mentions of 'valves' in 2 of 3 documents."


def test_to_find_nothing_everywhere_is_an_answer(library: Library) -> None:
    answer = library.ask("Which documents mention a ferry?")
    assert answer.status is Status.ANSWERED
    assert answer.text == "None of 3 documents mentions 'ferry'."
    assert answer.citations == ()


def test_an_uncertain_question_without_mentions_is_answered_from_the_best_passages(
    library: Library,
) -> None:
    answer = library.ask("Which documents are about ferry timetables?")
    assert answer.survey is None
    assert any(
        "no sentence in 3 documents contains 'ferry timetables'" in r for r in answer.reasons
    )
    assert any("not a count of the whole collection" in reason for reason in answer.reasons)


def test_what_words_cannot_tell_is_never_shown_as_complete(library: Library) -> None:
    answer = library.ask("How many documents were changed?")
    assert answer.survey is None
    assert any("not a count of the whole collection" in reason for reason in answer.reasons)


def test_counting_can_be_turned_off(library: Library) -> None:
    overrides = {**WORDS_ONLY, "understanding": {"counts": False}}
    with Library.open(library.path, overrides=overrides) as opened:
        assert opened.ask("How many documents mention valves?").survey is None
        assert opened.count("valves").survey is not None


def test_a_file_that_could_not_be_read_makes_the_count_a_lower_bound(
    changing: Library,
) -> None:
    folder = changing.path.parent / "files"
    (folder / "d.pdf").write_bytes(b"%PDF-1.4 nothing")
    changing.ingest([folder])

    answer = changing.count("valve")
    assert answer.text.startswith("At least 2 of 3 documents mention")
    assert answer.survey is not None
    assert [Path(problem.path).name for problem in answer.survey.skipped] == ["d.pdf"]
    assert any(reason.startswith("not scanned: d.pdf") for reason in answer.reasons)


def test_a_quote_that_its_file_no_longer_holds_is_not_counted(changing: Library) -> None:
    (changing.path.parent / "files" / "b.txt").write_text("A line of another text.\n")

    answer = changing.count("valve")
    assert answer.survey is not None
    assert (answer.survey.mentions, len(answer.survey.rows)) == (4, 1)
    assert any("b.txt: the file has changed" in reason for reason in answer.reasons)


def test_a_file_that_is_gone_is_not_counted(changing: Library) -> None:
    (changing.path.parent / "files" / "b.txt").unlink()
    answer = changing.count("valve")
    assert answer.survey is not None
    assert (answer.survey.mentions, len(answer.survey.rows)) == (4, 1)
    assert any("b.txt: the file is no longer in its folder" in told for told in answer.reasons)


def test_a_file_out_of_reach_is_counted_and_told(changing: Library) -> None:
    (changing.path.parent / "files").rename(changing.path.parent / "not mounted")
    answer = changing.count("valve")
    assert answer.survey is not None
    assert len(answer.survey.rows) == 2
    assert any("b.txt: the file cannot be opened" in reason for reason in answer.reasons)


@pytest.fixture
def receipt(library: Library) -> Receipt:
    return answer_form(library.count("valve"))


def test_an_untouched_count_holds(receipt: Receipt) -> None:
    assert check_receipt(receipt, FileReader()).holds


@pytest.mark.parametrize(
    "edit",
    [
        lambda r: r.update(text="3 of 3 documents mention 'valve' (5 mentions in 2 passages)."),
        lambda r: r["survey"].update(mentions=6),
        lambda r: r["survey"].update(subject="pump"),
        lambda r: r["survey"].update(documents_scanned=4),
        lambda r: r["survey"].update(documents=3),
        lambda r: r["survey"].update(complete=False),
        lambda r: r["survey"].update(closeness="these words exactly"),
        lambda r: r["survey"].update(closeness="near"),
        lambda r: r["survey"]["written"].update(valve=4),
        lambda r: r["survey"]["rows"][0].update(mentions=5),
        lambda r: r["survey"]["rows"][0].update(citations=2),
        lambda r: r["survey"]["rows"][1].update(document="0" * 16),
        lambda r: r["survey"]["rows"].pop(),
        lambda r: r["survey"].pop("rows"),
        lambda r: r["survey"].update(more=1),
        lambda r: r["citations"].pop(),
        lambda r: r["citations"].reverse(),
        lambda r: r["citations"][0].update(cited_text="A pump leaks."),
        lambda r: r.update(survey=None),
        lambda r: r.pop("survey"),
        lambda r: r.update(status="abstained"),
        lambda r: r.update(mode="extractive"),
        lambda r: r.update(confidence=0.1),
        lambda r: r.update(claims=[]),
        lambda r: r.pop("claims"),
        lambda r: r["claims"][0].update(text="All documents mention 'valve'."),
        lambda r: r["claims"][0]["citations"].pop(),
        lambda r: r["claims"][0].update(verdict="guessed"),
        lambda r: r["claims"].append({"text": "Buy.", "citations": [1], "verdict": "supported"}),
    ],
)
def test_a_count_that_was_touched_is_refused(
    receipt: Receipt, edit: Callable[[Receipt], None]
) -> None:
    changed = copy.deepcopy(receipt)
    edit(changed)
    assert changed != receipt
    assert not check_receipt(changed, FileReader()).holds


def counted_again(receipt: Receipt) -> Receipt:
    """What is left of a count, or was added to it, with all sums made to fit."""
    survey, first = receipt["survey"], 1
    for row in survey["rows"]:
        mine = receipt["citations"][first - 1 : first - 1 + row["citations"]]
        counter = Mentions("valve", Closeness(survey["closeness"]), row["language"])
        row["mentions"] = sum(len(counter.found(one["cited_text"])) for one in mine)
        row["first"] = first
        first += row["citations"]
    survey["mentions"] = sum(row["mentions"] for row in survey["rows"])
    forms = [word for one in receipt["citations"] for word in counter.found(one["cited_text"])]
    survey["written"] = dict(Counter(word.casefold() for word in forms))
    receipt["text"] = survey_text(_from_form(survey))
    numbers = list(range(1, len(receipt["citations"]) + 1))
    receipt["claims"] = [{"text": receipt["text"], "citations": numbers, "verdict": "supported"}]
    return receipt


def check_again(receipt: Receipt) -> ReceiptCheck:
    units = partial(countable_units, Settings().chunking)
    return check_answer(receipt, CitedFiles(FileReader(), None, units=units))


def recounted(receipt: Receipt) -> str:
    return "\n".join(check_again(receipt).problems)


def test_a_count_is_counted_again_in_its_files(receipt: Receipt) -> None:
    assert recounted(counted_again(copy.deepcopy(receipt))) == ""


def test_a_mention_that_was_left_out_is_found_in_its_file(receipt: Receipt) -> None:
    row = next(row for row in receipt["survey"]["rows"] if row["citations"] > 1)
    del receipt["citations"][row["first"] - 1]
    row["citations"] -= 1
    assert "more mentions than were counted" in recounted(counted_again(receipt))


def test_a_mention_that_counts_twice_is_noticed(receipt: Receipt) -> None:
    row = receipt["survey"]["rows"][0]
    receipt["citations"].insert(0, copy.deepcopy(receipt["citations"][0]))
    row["citations"] += 1
    assert "count twice" in recounted(counted_again(receipt))


def test_a_mention_cut_out_of_another_word_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The valve leaks. The valvetrain rattles.\n")
    with Library.open(tmp_path / "library", overrides=WORDS_ONLY) as opened:
        opened.ingest([tmp_path / "a.txt"])
        receipt = answer_form(opened.count("valve"))
        document = FileReader().read(tmp_path / "a.txt")
        start = document.text.index("valvetrain")
        path, sha256 = str(tmp_path / "a.txt"), document.sha256
        false = citation_form(located(document, start, start + 5, path=path, sha256=sha256))
        receipt["citations"].append(false)
        receipt["survey"]["rows"][0]["citations"] += 1
        assert "inside a word" in recounted(counted_again(receipt))


# --- A count in files that another version read -----------------------------------------------


OLDER = READING_VERSION - 1
IN_FIRST = (
    f"row 1: its file has 4 mentions as it is read here (reading version {READING_VERSION}), and "
)


def by_an_older_version(receipt: Receipt) -> Receipt:
    """The count as by a version that had one character more before each quote from Markdown."""
    receipt = copy.deepcopy(receipt)
    receipt["readings"] = dict.fromkeys(receipt["readings"], OLDER)
    for citation in receipt["citations"]:
        if citation["source"].endswith(".md"):
            citation["start_char_index"] += 1
            citation["end_char_index"] += 1
    return receipt


def test_a_count_by_another_version_holds_where_its_quotes_do(receipt: Receipt) -> None:
    found = check_again(by_an_older_version(receipt))
    assert (found.problems, found.notes) == ((), ())
    assert found.holds
    assert [len(one.notes) for one in found.citations] == [1, 1, 1, 0]
    assert not check_again({**by_an_older_version(receipt), "readings": receipt["readings"]}).holds


def test_mentions_that_only_this_version_reads_are_a_note(receipt: Receipt) -> None:
    row = receipt["survey"]["rows"][0]
    left_out = receipt["citations"].pop(2)
    row["citations"] -= 1
    assert "Two valves leak" in left_out["cited_text"]
    found = check_again(by_an_older_version(counted_again(receipt)))
    assert found.holds
    assert found.notes == (f"{IN_FIRST}2 were counted (version {OLDER})",)


def test_more_mentions_than_this_version_reads_are_not_confirmed(receipt: Receipt) -> None:
    """Words that may be found anywhere could be counted twice, at two places that nobody can check."""
    row = receipt["survey"]["rows"][0]
    twice = copy.deepcopy(receipt["citations"][0])
    for name in ("start_char_index", "end_char_index", "start_byte", "end_byte"):
        twice[name] = None if name.endswith("byte") else twice[name] + 1000
    receipt["citations"].insert(row["citations"], twice)
    row["citations"] += 1
    found = check_again(by_an_older_version(counted_again(receipt)))
    assert all(one.problems == () for one in found.citations)
    assert found.problems == (f"{IN_FIRST}5 were counted (version {OLDER})",)


def test_a_mention_in_a_list_is_told_with_what_announces_the_list(tmp_path: Path) -> None:
    (tmp_path / "cover.md").write_text("We do not pay for:\n\n- theft\n- damage by pets\n")
    with Library.open(tmp_path / "library", overrides=WORDS_ONLY) as opened:
        opened.ingest([tmp_path / "cover.md"])
        answer = opened.ask("How many documents mention pets?")
    form = answer_form(answer)
    assert [one["cited_text"] for one in form["citations"]] == ["damage by pets"]
    (label,) = form["citations"][0]["announced_by"]
    assert label["cited_text"] == "We do not pay for:"
    assert check_receipt(form, FileReader()).holds
