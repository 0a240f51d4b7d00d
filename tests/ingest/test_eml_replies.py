"""What a message repeats of an earlier one is told from what it says itself."""

from __future__ import annotations

from pincite.ingest.mail.reader import QUOTED, cut_at_replies
from pincite.ingest.plain.text import text_blocks
from pincite.records.document import Block


def cut(text: str) -> list[tuple[str, str]]:
    """The place and text of each block."""
    return [(block.place, text[block.start : block.end]) for block in blocks_of(text)]


def blocks_of(text: str) -> list[Block]:
    return [*cut_at_replies(text, text_blocks(text))]


def test_quoted_lines_and_the_line_above_them_are_blocks_of_their_own() -> None:
    text = "It moves.\nOn 19 Sep 2025 Bo\n<bo@x.example> wrote:\n> Hi Ana,\n> is it Friday?\nYes.\n"
    assert cut(text) == [
        ("", "It moves."),
        (QUOTED, "On 19 Sep 2025 Bo\n<bo@x.example> wrote:"),
        (QUOTED, "> Hi Ana,\n> is it Friday?"),
        ("", "Yes."),
    ]


def test_a_lead_line_above_an_empty_line_belongs_to_what_is_quoted() -> None:
    text = "Fine.\n\nAm 19.09.2025 schrieb Bo:\n\n> Passt Freitag?\n"
    assert cut(text)[1:] == [(QUOTED, "Am 19.09.2025 schrieb Bo:"), (QUOTED, "> Passt Freitag?")]


def test_greetings_and_closings_stick_to_no_sentence() -> None:
    text = "Hi Bo,\nthe launch moves to 14 November.\nBest\nAna\n"
    assert cut(text) == [
        ("", "Hi Bo,"),
        ("", "the launch moves to 14 November."),
        ("", "Best"),
        ("", "Ana"),
    ]


def test_a_message_that_quotes_nothing_keeps_its_blocks() -> None:
    text = "Three things:\n\n- the pump\n- the hose\n\nThe pressure is > 5 bar.\n"
    assert blocks_of(text) == [*text_blocks(text)]
