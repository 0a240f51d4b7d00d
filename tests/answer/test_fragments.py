"""What says nothing alone is no evidence, whatever words it shares with a question."""

from __future__ import annotations

import pytest

from pincite.answer.candidate_sentences import is_fragment
from pincite.records.document import Block, BlockKind, Document, Span

P, H, ITEM, R, C = (
    BlockKind.PARAGRAPH,
    BlockKind.HEADING,
    BlockKind.LIST_ITEM,
    BlockKind.TABLE_ROW,
    BlockKind.CODE,
)


def judged(text: str, kind: BlockKind, media_type: str = "text/markdown") -> bool:
    document = Document(
        id="d",
        sha256="0",
        title="t",
        media_type=media_type,
        text=text,
        blocks=(Block(start=0, end=len(text), kind=kind),),
    )
    return is_fragment(document, Span(document_id="d", start=0, end=len(text)))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Paid parental leave", H),
        ("## How we work", H),
        ("2 Torque values", H),
        ("FOUR", P),
        ("Annual Report", P),
        ("6 weeks?", P),
        ("6 weeks?", ITEM),
        ("March 12, 2024", P),
        ("31.12.2023", P),
        ("- 7 -", P),
        ("12", P),
        ("(in thousands)", R),
        ("(in thousands, except per share data)", P),
        ("(continued)", P),
        ("[citation needed]", P),
        ("[12] [13].", P),
        ("**Cause**:", P),
        ("* * *", P),
        ("-----------", P),
        ("![The plan of the ground floor](plan.png)", P),
        ('{% image "plan.png" "the plan of the ground floor" %}', P),
        ("<br/>", P),
        ("</div>\n<div class='x'>", P),
        ("{% include 'warning.html' %}", P),
        ("Leave and absence ............ 12", P),
        ("4.2 Notice . . . . . . . . . . . 31", ITEM),
    ],
)
def test_it_says_nothing(text: str, kind: BlockKind) -> None:
    assert judged(text, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Employees get 12 weeks of paid parental leave.", P),
        ("It is closed.", P),
        ("Deposit: 300 euros", P),
        ("Weight 5 kg", P),
        ("押金：三百元", P),
        ("料金は三百円です", P),
        ("15 days", ITEM),
        ("Interns", ITEM),
        ("Rome | 10", R),
        ("12,450", R),
        ("make test", C),
        ("Who may take 12 weeks of paid leave?", P),
        ("Revenue grew by 12 % in 2023", H),
        ("Never switch the pump on while the valve is shut", H),
        ("(The fee is waived for members of the club.)", P),
        ("Ask <a href='x.md'>the desk on the ground floor</a>", P),
        ("May 3, 2021: the office opened", P),
        ("Wait ... 5 minutes and go on", P),
    ],
)
def test_it_says_something(text: str, kind: BlockKind) -> None:
    assert not judged(text, kind)


def test_a_short_sentence_in_a_paragraph_is_no_fragment() -> None:
    text = "Not today. Ask tomorrow."
    document = Document(
        id="d", sha256="0", title="t", media_type="text/plain", text=text,
        blocks=(Block(start=0, end=len(text), kind=P),),
    )  # fmt: skip
    assert not is_fragment(document, Span(document_id="d", start=0, end=10))
