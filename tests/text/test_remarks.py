from __future__ import annotations

import pytest

from pincite.text.remarks import asks_for_mail_header, is_mail_header, is_remark, without_remarks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[citation needed]", True),
        ("[12] [ 13 ].", True),
        ("[The valve is closed.]", False),
        ("It rains [12].", False),
        ("**Solution**", True),
        ("**What to do:**", True),
        ("**16 A**", False),
        ("**Solution** Restart it.", False),
        ("(see above)", False),
        ("", False),
        ("Hi Tom,", True),
        ("Sehr geehrte Frau Dr. Keller,", False),
        ("Sehr geehrte Damen und Herren,", True),
        ("Best regards\nAnna Holm", True),
        ("Mit freundlichen Grüßen", True),
        ("Dear customers pay less.", False),
        ("Hi Tom, the pump is broken.", False),
    ],
)
def test_remarks_are_told_from_sentences(text: str, expected: bool) -> None:
    assert is_remark(text) is expected


def test_remarks_are_taken_out() -> None:
    assert without_remarks("It rains [12] in May[by whom?].").split() == [
        "It",
        "rains",
        "in",
        "May",
        ".",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("From: Tom <tom@norda.example>\nDate: Mon, 11 Mar 2024\nSubject: Launch", True),
        ("> Von: Eva Haas\n> An: Tom Brandt\n> Betreff: Umzug\n", True),
        ("From: Linz\nTo: Graz\nDate: 3 May", False),
        ("Subject: Launch", False),
        ("From: Tom\nSubject: Launch\nIt starts at noon.", False),
    ],
)
def test_the_lines_above_a_message_are_known(text: str, expected: bool) -> None:
    assert is_mail_header(text) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When is the launch party?", False),
        ("How much is the fee?", False),
        ("Who invited Tom?", True),
        ("When was the mail about the launch sent?", True),
        ("Wem hat Eva geschrieben?", True),
    ],
)
def test_some_questions_ask_for_the_lines_above_a_message(question: str, expected: bool) -> None:
    assert asks_for_mail_header(question) is expected
