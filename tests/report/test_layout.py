"""Answers that no sample library gives without a language model, laid out."""

from __future__ import annotations

from pincite.records.flow import Answer, Citation, Claim, Mode, Status, Verdict
from pincite.report.asking import Asked, FinishedSection, Report
from pincite.report.layout import Block, Look, Paragraph, layout
from pincite.report.template import Section


def quote(text: str, start: int, page: int | None = 3, label: str = "") -> Citation:
    return Citation(
        document="d",
        source="/files/pump.pdf",
        sha256="ab" * 32,
        page=page,
        page_label=label,
        section="Pump",
        start=start,
        end=start + len(text),
        start_byte=None,
        end_byte=None,
        quote=text,
    )


def written(*claims: tuple[str, tuple[int, ...]], quotes: tuple[Citation, ...]) -> Asked:
    answer = Answer(
        status=Status.ANSWERED,
        question="How?",
        text="\n".join(text for text, _ in claims),
        claims=tuple(
            Claim(text=text, evidence_ids=(), verdict=Verdict.SUPPORTED, citations=numbers)
            for text, numbers in claims
        ),
        citations=quotes,
        confidence=0.9,
        reasons=("1 of 3 statements was left out: without a quote",),
        corpus_version="0" * 32,
        settings_digest="s",
        mode=Mode.GENERATED,
    )
    return Asked(question="How?", answer=answer)


def laid_out(*asked: Asked) -> list[Block]:
    section = Section(name="a", title="A", questions=tuple(item.question for item in asked))
    finished = FinishedSection(section=section, asked=asked)
    report = Report(
        title="R", template="t", collection="acme", corpus_version="0" * 32, sections=(finished,)
    )
    return list(layout(report))


def text(block: Block) -> str:
    assert isinstance(block, Paragraph)
    return "".join(words.text for words in block.words)


SURE = quote("It opens at 6.5 bar.", 10)
LATE = quote("It closes at 5 bar.", 40, page=9, label="vii")


def test_statements_of_a_model_are_prose_with_the_marks_of_their_quotes() -> None:
    blocks = laid_out(
        written(("It opens at 6.5 bar.", (1,)), ("It shuts later.", (2, 1)), quotes=(SURE, LATE))
    )
    (prose,) = [text(b) for b in blocks if isinstance(b, Paragraph) and b.look is Look.TEXT]
    assert prose == "It opens at 6.5 bar. [1, p. 3] It shuts later. [2, p. vii] [1, p. 3]"


def test_quotes_that_carry_prose_stand_among_the_references() -> None:
    blocks = laid_out(written(("It opens.", (1,)), quotes=(SURE,)))
    (reference,) = [b for b in blocks if isinstance(b, Paragraph) and b.reference]
    assert "pump.pdf; page 3, Pump; characters 10-30: “It opens at 6.5 bar.”" in text(reference)


def test_a_place_that_two_answers_quote_has_one_number_and_one_reference() -> None:
    blocks = laid_out(
        written(("It opens.", (1,)), quotes=(SURE,)),
        written(("It shuts.", (1,)), ("It opens.", (2,)), quotes=(LATE, SURE)),
    )
    marks = [
        words.quotes
        for block in blocks
        if isinstance(block, Paragraph) and block.look is Look.TEXT
        for words in block.words
        if words.quotes
    ]
    assert marks == [(1,), (2,), (1,)]
    references = [b.reference for b in blocks if isinstance(b, Paragraph) and b.reference]
    assert references == [1, 2]


def test_what_was_left_out_of_an_answer_is_told() -> None:
    blocks = laid_out(written(("It opens.", (1,)), quotes=(SURE,)))
    small = [text(b) for b in blocks if isinstance(b, Paragraph) and b.look is Look.SMALL]
    assert "Note: 1 of 3 statements was left out: without a quote." in small
