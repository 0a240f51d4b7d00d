"""A doubtful answer without the number, time or place that is asked for is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite import Library
from pincite.records.flow import Status
from pincite.verify.abstention.asked_kinds import kind_that_none_contains

MAIL = """\
From: Eva Haas <eva@norda.example>
To: All <all@norda.example>
Subject: Board meeting
Date: Mon, 11 Mar 2024 09:12:00 +0100
Content-Type: text/plain; charset=utf-8

Please send me your topics for the board meeting.
"""


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When is the board meeting?", "a date or time"),
        ("Until when must the topics arrive?", "a date or time"),
        ("Where is the board meeting?", "a place"),
        ("How many topics are there?", "a number"),
        ("What topics are there?", ""),
        ("When the board meets, who takes the minutes?", ""),
        ("Where a fee is due, how is it paid?", ""),
    ],
)
def test_the_kind_that_is_asked_for_is_named_if_no_text_contains_one(
    question: str, kind: str
) -> None:
    assert kind_that_none_contains(question, ["Please send me your topics."]) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Flour | 61300 | 70200 | 66100", "a reason"),
        ("Net sales (in thousands): 12,400", "a reason"),
        ("The mill closed in May and flour was bought from Spain.", ""),
        ("Cheaper due to: Spain", ""),
        ("Because of Spain.", ""),
        ("Too much rain", ""),
    ],
)
def test_a_label_beside_numbers_is_no_reason(text: str, kind: str) -> None:
    assert kind_that_none_contains("Why did flour get cheaper?", [text]) == kind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When does the pump start?", "The pump starts as soon as the valve opens."),
        ("When may I leave?", "Leave whenever you like."),
        ("Where are the towels?", "Towels hang behind the door."),
        ("Where is the log?", "`/var/log/syslog`"),
        ("How many guests may stay?", "No guests may stay."),
        ("How much does a towel cost?", "Towels are free."),
    ],
)
def test_words_may_be_the_answer(question: str, text: str) -> None:
    assert kind_that_none_contains(question, [text]) == ""


@pytest.mark.parametrize(
    ("question", "kind"),
    [("When is the board meeting?", "a date or time"), ("Where is the board meeting?", "a place")],
)
def test_a_request_for_topics_says_neither_when_nor_where(
    tmp_path: Path, question: str, kind: str
) -> None:
    (tmp_path / "mails").mkdir()
    (tmp_path / "mails" / "board.eml").write_text(MAIL, encoding="utf-8")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "mails"])
        answer = library.ask(question)
    assert answer.status is Status.ABSTAINED
    assert f"it asks for {kind}, and there is none in the quotes" in answer.reasons[0]


def test_an_answer_that_seems_sure_is_not_without_the_kind_that_is_asked_for(
    tmp_path: Path,
) -> None:
    notes = "# Ferries\n\nThe Nordlys ferry to Stavanger carries lorries and refrigerated goods.\n"
    (tmp_path / "ferries.md").write_text(notes)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "ferries.md"])
        assert not library.ask("What does the Nordlys ferry to Stavanger carry?").is_doubtful
        answer = library.ask("When does the Nordlys ferry to Stavanger carry lorries?")
    assert answer.is_doubtful or answer.status is Status.ABSTAINED


def test_a_date_in_a_heading_is_not_when_what_is_quoted_happens(tmp_path: Path) -> None:
    minutes = "# Minutes of the board, 4 April 2024\n\nPresent: Karl Moe, Nora Solheim, Per Dahl\n"
    (tmp_path / "minutes.md").write_text(minutes)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "minutes.md"])
        answer = library.ask("When was Per Dahl born?")
    assert answer.is_doubtful or answer.status is Status.ABSTAINED
