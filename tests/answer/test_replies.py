"""A reply comes before the message that it quotes."""

from __future__ import annotations

from pathlib import Path

from pincite.library.library import Library
from pincite.records.flow import Answer

REPLY = """From: Ana <ana@x.example>
To: Bo <bo@x.example>
Subject: Re: Launch date
Date: Mon, 22 Sep 2025 09:14:00 +0200
Content-Type: text/plain; charset=utf-8

Hi Bo,
{reply}
Best
Ana

On Fri, 19 Sep 2025, Bo <bo@x.example> wrote:
> Hi Ana,
> is the launch date still 31 October?
> The launch date is 31 October in the plan.
"""


def asked(folder: Path, reply: str, question: str) -> Answer:
    (folder / "files").mkdir()
    (folder / "files" / "mail.eml").write_text(REPLY.format(reply=reply))
    with Library.open(folder / "library") as library:
        library.ingest([folder / "files"])
        return library.ask(question)


def test_what_the_reply_says_comes_first_and_the_quoted_message_is_labelled(tmp_path: Path) -> None:
    answer = asked(tmp_path, "no, the launch moves to 14 November.", "what is the launch date")
    first, *others = answer.citations
    assert (first.quote, first.place) == ("no, the launch moves to 14 November.", "")
    assert all(one.place == "quoted message" for one in others)
    assert "> The launch date is 31 October in the plan." in others[-1].quote


def test_what_only_the_quoted_message_says_is_quoted(tmp_path: Path) -> None:
    answer = asked(tmp_path, "The printer is repaired.", "what is the launch date in the plan")
    assert any("> The launch date is 31 October in the plan." in c.quote for c in answer.citations)
