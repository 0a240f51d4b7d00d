from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pincite.ingest.readers import FileReader
from pincite.records.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Flag,
    FlagKind,
    RecognisedLine,
    Span,
)
from pincite.records.flow import (
    Answer,
    Claim,
    Draft,
    Evidence,
    Hit,
    Mode,
    Passage,
    Question,
    Status,
    Verdict,
)
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.samples import text_document
from pincite.verify.abstention.decision import Judge, Thresholds
from pincite.verify.abstention.reasons import Provenance
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.verifier import Needed, SourceVerifier

TEXT = (
    "# Übersicht\nThe relief valve opens at 6.5 bar. It closes within 3 seconds 🎉.\nIt is green."
)
QUESTION = Question(text="At which pressure does the relief valve open?")
OPENS, CLOSES = "The relief valve opens at 6.5 bar.", "It closes within 3 seconds 🎉."


class Case:
    """A document, the file it was read from, and a verifier for drafts about it."""

    def __init__(self, document: Document, path: Path) -> None:
        self.document = document
        self.path = path
        self.sources = MemorySources([document], {document.id: str(path)})

    def evidence(self, quote: str, *, name: str = "e1", score: float = 0.9) -> Evidence:
        start = self.document.text.index(quote)
        span = Span(document_id=self.document.id, start=start, end=start + len(quote))
        passage = Passage(
            id=f"p{start}",
            span=span,
            section=("manual.txt", "Valve"),
            page=None,
            sentences=(span,),
            context="manual.txt > Valve",
        )
        return Evidence(id=name, span=span, quote=quote, passage=passage, score=score)

    def verify(
        self, draft: Draft, *, question: Question = QUESTION, abstain_below: float = 0.0
    ) -> Answer:
        provenance = Provenance(corpus_version="c", settings_digest="s", notices=("lexical only",))
        verifier = verifier_over(self.sources, provenance, abstain_below=abstain_below)
        return verifier.verify(question, draft, [hit_of(item) for item in draft.evidence])


def verifier_over(
    sources: MemorySources, provenance: Provenance, *, abstain_below: float = 0.0
) -> SourceVerifier:
    judge = Judge(sources, EvenWeights(), Thresholds(confidence=abstain_below))
    return SourceVerifier(sources, ClaimChecker(EvenWeights()), provenance, Needed(), judge)


def hit_of(item: Evidence) -> Hit:
    return Hit(passage=item.passage, score=item.score, scores={"dense": 0.8, "fused": 0.8})


def draft_of(*evidence: Evidence) -> Draft:
    claims = tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in evidence)
    return Draft(claims=claims, evidence=evidence)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    path = tmp_path / "manual.txt"
    path.write_bytes(TEXT.encode())
    return Case(text_document(TEXT, title="manual.txt"), path)


def test_a_true_quote_is_answered_with_its_exact_place(case: Case) -> None:
    answer = case.verify(draft_of(case.evidence(OPENS)))
    assert answer.status is Status.ANSWERED
    (citation,) = answer.citations
    assert case.document.text[citation.start : citation.end] == citation.quote == OPENS
    held = case.path.read_bytes()[citation.start_byte : citation.end_byte]
    assert held.decode() == OPENS
    assert (citation.source, citation.document) == (str(case.path), case.document.id)
    assert citation.sha256 == case.document.sha256
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED]
    assert (answer.corpus_version, answer.settings_digest) == ("c", "s")
    assert answer.reasons == ("lexical only",)


def test_the_text_of_an_answer_is_its_quotes_and_nothing_else(case: Case) -> None:
    draft = draft_of(case.evidence(CLOSES), case.evidence(OPENS, name="e2", score=0.8))
    answer = case.verify(draft)
    assert answer.text.split("\n") == [citation.quote for citation in answer.citations]
    assert [claim.text for claim in answer.claims] == [CLOSES, OPENS]
    assert 0 <= answer.confidence <= 1


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_byte_places_are_exact_in_every_encoding(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "notes.txt"
    sentence = "Die Ölpumpe läuft fünf Minuten."
    path.write_bytes(f"Übersicht für Gäste.\r\n\r\n{sentence}\r\n".encode(codec))
    case = Case(FileReader().read(path), path)
    answer = case.verify(draft_of(case.evidence(sentence)))
    (citation,) = answer.citations
    document = case.document
    assert document.encoding is not None
    held = path.read_bytes()[citation.start_byte : citation.end_byte]
    assert held.decode(document.encoding) == sentence


def test_a_quote_that_is_not_in_the_stored_text_is_left_out(case: Case) -> None:
    forged = replace(case.evidence(OPENS), quote="The relief valve opens at 9.5 bar.")
    answer = case.verify(draft_of(forged, case.evidence(CLOSES, name="e2")))
    assert [citation.quote for citation in answer.citations] == [CLOSES]
    assert answer.text == CLOSES
    assert any("not in the stored text" in reason for reason in answer.reasons)


@pytest.mark.parametrize("shift", [-1, 1])
def test_a_quote_one_character_off_is_left_out(case: Case, shift: int) -> None:
    item = case.evidence(OPENS)
    span = replace(item.span, start=item.span.start + shift, end=item.span.end + shift)
    answer = case.verify(draft_of(replace(item, span=span)))
    assert answer.status is Status.ABSTAINED
    assert answer.citations == ()
    assert "no statement could be verified against its source" in answer.reasons


def test_a_quote_that_the_file_no_longer_holds_is_left_out_with_a_reason(case: Case) -> None:
    case.path.write_bytes(TEXT.replace("6.5 bar", "9.9 bar").encode())
    answer = case.verify(draft_of(case.evidence(OPENS), case.evidence(CLOSES, name="e2")))
    assert answer.text == CLOSES
    (reason,) = (reason for reason in answer.reasons if "has changed" in reason)
    assert str(case.path) in reason
    assert "Ingest the file again" in reason


def test_where_the_best_quote_is_no_longer_held_the_ones_beside_it_are_no_answer(
    case: Case,
) -> None:
    case.path.write_bytes(TEXT.replace("6.5 bar", "9.9 bar").encode())
    best = case.evidence(OPENS)
    beside = replace(case.evidence(CLOSES, name="e2"), score=best.score - 0.05)
    answer = case.verify(draft_of(best, beside))
    assert (answer.status, answer.text, answer.confidence) == (Status.ABSTAINED, "", 0.0)
    assert any("has changed" in reason for reason in answer.reasons)
    assert any(
        "closest to the question is no longer in its source" in why for why in answer.reasons
    )
    better = replace(beside, score=best.score + 0.05)
    assert case.verify(draft_of(best, better)).text == CLOSES


@pytest.mark.parametrize("content", [b"", b"\xff\xfe broken", b"\n" + TEXT.encode()])
def test_a_file_in_which_everything_moved_leaves_an_abstention(case: Case, content: bytes) -> None:
    case.path.write_bytes(content)
    answer = case.verify(draft_of(case.evidence(OPENS)))
    assert answer.status is Status.ABSTAINED
    assert (answer.text, answer.claims, answer.confidence) == ("", (), 0.0)
    assert any("has changed" in reason for reason in answer.reasons)


def test_a_file_that_is_gone_from_its_folder_leaves_an_abstention(case: Case) -> None:
    case.path.unlink()
    answer = case.verify(draft_of(case.evidence(OPENS)))
    assert answer.status is Status.ABSTAINED
    assert any("no longer in its folder" in reason for reason in answer.reasons)


def test_a_file_out_of_reach_keeps_its_quotes_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "manual.txt"
    case = Case(text_document(TEXT, title="manual.txt"), path)
    answer = case.verify(draft_of(case.evidence(OPENS), case.evidence(CLOSES, name="e2")))
    assert answer.status is Status.ANSWERED
    assert len(answer.citations) == 2
    notices = [reason for reason in answer.reasons if "cannot be opened" in reason]
    assert len(notices) == 1
    assert str(case.path) in notices[0]


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("It opens at 7.5 bar.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It opens at 6.5 psi.", Verdict.UNIT_DIFFERS),
        ("It opens at -6.5 bar.", Verdict.SIGN_DIFFERS),
        ("In 1999 it opened at 6.5 bar.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("On 3 May it opened at 6.5 bar.", Verdict.DATE_NOT_IN_QUOTE),
    ],
)
def test_a_statement_with_a_number_its_quote_does_not_hold_is_left_out(
    case: Case, statement: str, verdict: Verdict
) -> None:
    item = case.evidence(OPENS)
    good = case.evidence(CLOSES, name="e2")
    claims = (
        Claim(text=statement, evidence_ids=("e1",)),
        Claim(text=good.quote, evidence_ids=("e2",)),
    )
    answer = case.verify(Draft(claims=claims, evidence=(item, good), mode=Mode.GENERATED))
    assert answer.text == CLOSES
    assert [citation.quote for citation in answer.citations] == [CLOSES]
    (reason,) = (reason for reason in answer.reasons if "left out" in reason)
    assert reason.startswith(f"1 of 2 statements was left out: {verdict} (")
    assert [(c.text, c.verdict) for c in answer.left_out] == [(statement, verdict)]


def test_a_number_of_another_quote_does_not_help(case: Case) -> None:
    claims = (Claim(text="It opens at 6.5 bar.", evidence_ids=("e2",)),)
    evidence = (case.evidence(OPENS), case.evidence(CLOSES, name="e2"))
    answer = case.verify(Draft(claims=claims, evidence=evidence, mode=Mode.GENERATED))
    assert answer.status is Status.ABSTAINED


@pytest.mark.parametrize("names", [(), ("e9",), ("e1", "e9")])
def test_a_statement_without_its_evidence_is_never_shown(
    case: Case, names: tuple[str, ...]
) -> None:
    claims = (Claim(text=OPENS, evidence_ids=names),)
    answer = case.verify(Draft(claims=claims, evidence=(case.evidence(OPENS),)))
    assert answer.status is Status.ABSTAINED
    assert answer.citations == ()


def test_an_empty_draft_is_an_abstention_with_a_reason(case: Case) -> None:
    empty = Draft(claims=(), evidence=())
    answer = case.verify(empty)
    assert answer.status is Status.ABSTAINED
    assert (answer.text, answer.citations, answer.confidence) == ("", (), 0.0)
    assert answer.reasons == ("lexical only", "nothing in the documents resembles the question")


def test_a_question_without_words_is_told_so(case: Case) -> None:
    answer = case.verify(Draft(claims=(), evidence=()), question=Question(text="???"))
    assert "the question has no words to search for" in answer.reasons


def test_hits_without_a_near_sentence_are_told_so(case: Case) -> None:
    provenance = Provenance(corpus_version="c", settings_digest="s")
    verifier = verifier_over(case.sources, provenance)
    hits = [hit_of(case.evidence(OPENS))]
    answer = verifier.verify(QUESTION, Draft(claims=(), evidence=()), hits)
    assert answer.reasons == (
        "no sentence in the documents comes near the question",
        "the nearest are manual.txt, section 'manual.txt > Valve'",
    )


def test_too_little_confidence_is_an_abstention_that_names_the_nearest_passage(
    case: Case,
) -> None:
    question = Question(text="Which submarine opens the relief valve?")
    answer = case.verify(
        draft_of(case.evidence(OPENS, score=0.4)), question=question, abstain_below=0.999
    )
    assert answer.status is Status.ABSTAINED
    assert (answer.text, answer.claims, answer.citations) == ("", (), ())
    assert 0 < answer.confidence < 0.999
    reasons = " | ".join(answer.reasons)
    assert "manual.txt, section 'manual.txt > Valve'" in reasons
    assert "submarine" in reasons
    assert f"confidence {answer.confidence:.2f}" in reasons


def test_better_evidence_gives_more_confidence(case: Case) -> None:
    weak, strong = (
        case.verify(draft_of(case.evidence(OPENS, score=score))).confidence for score in (0.3, 0.9)
    )
    assert weak < strong
    covered = case.verify(draft_of(case.evidence(OPENS))).confidence
    uncovered = case.verify(draft_of(case.evidence("It is green."))).confidence
    assert uncovered < covered


def with_gap(case: Case, **fields: Any) -> Case:
    return Case(replace(case.document, **fields), case.path)


def test_what_is_missing_in_a_cited_file_is_told_with_the_answer(case: Case) -> None:
    partial = with_gap(case, gaps=("pages 3-7 of 9 have no text",))
    answer = partial.verify(draft_of(partial.evidence(OPENS)))
    assert answer.status is Status.ANSWERED
    assert "manual.txt: pages 3-7 of 9 have no text" in answer.reasons


def test_what_is_missing_near_the_question_is_told_when_refusing(case: Case) -> None:
    partial = with_gap(case, gaps=("page 2 has no text",))
    answer = partial.verify(draft_of(partial.evidence(OPENS)), abstain_below=1.0)
    assert answer.status is Status.ABSTAINED
    assert "manual.txt: page 2 has no text" in answer.reasons


def test_files_that_could_not_be_read_are_told_when_refusing_only(case: Case) -> None:
    provenance = Provenance(corpus_version="c", settings_digest="s", unread="3 files are missing")
    told = []
    for least in (0.0, 1.0):
        verifier = verifier_over(case.sources, provenance, abstain_below=least)
        evidence = case.evidence(OPENS)
        answer = verifier.verify(QUESTION, draft_of(evidence), [hit_of(evidence)])
        told.append("3 files are missing" in answer.reasons)
    assert told == [False, True]


def test_a_quote_that_is_flagged_is_told(case: Case) -> None:
    start = TEXT.index("It is green.")
    flag = Flag(kind=FlagKind.INSTRUCTION, detail="'ignore'", start=start, end=start + 12)
    flagged = with_gap(case, flags=(flag,))
    told = flagged.verify(draft_of(flagged.evidence("It is green."))).reasons
    assert any(str(FlagKind.INSTRUCTION) in reason for reason in told)
    assert not any(
        str(FlagKind.INSTRUCTION) in reason
        for reason in flagged.verify(draft_of(flagged.evidence(OPENS))).reasons
    )


def test_a_quote_from_a_picture_says_how_surely_it_was_recognised(case: Case) -> None:
    start = TEXT.index(OPENS)
    line = RecognisedLine(start=start, end=start + len(OPENS), confidence=0.871)
    scanned = with_gap(case, recognised=(line,))
    answer = scanned.verify(draft_of(scanned.evidence(OPENS), scanned.evidence(CLOSES, name="e2")))
    assert [citation.recognition for citation in answer.citations] == [0.871, None]
    assert any("87% sure" in reason and "[1]" in reason for reason in answer.reasons)


def test_a_quoted_table_row_carries_its_cells_with_their_headers(tmp_path: Path) -> None:
    text = "Valve\tBar\nRelief valve\t6.5"
    path = tmp_path / "t.txt"
    path.write_bytes(text.encode())
    cells = (
        Cell(start=10, end=22, column_headers=((0, 5),)),
        Cell(start=23, end=26, column_headers=((6, 9),), row_headers=((10, 22),), place="B2"),
    )
    rows = (
        Block(start=0, end=9, kind=BlockKind.TABLE_ROW),
        Block(start=10, end=26, kind=BlockKind.TABLE_ROW, cells=cells, place="Sheet1!A2:B2"),
    )
    case = Case(replace(text_document(text, title="t.txt"), blocks=rows), path)
    (citation,) = case.verify(draft_of(case.evidence("Relief valve\t6.5"))).citations
    assert citation.place == "Sheet1!A2:B2"
    value = citation.cells[1]
    assert (value.text, value.place) == ("6.5", "B2")
    assert [label.text for label in (*value.rows, *value.columns)] == ["Relief valve", "Bar"]


def test_of_a_row_below_no_heads_all_cells_are_cited_and_none_has_a_header(tmp_path: Path) -> None:
    text = "Relief valve\t6.5"
    path = tmp_path / "t.txt"
    path.write_bytes(text.encode())
    cells = (Cell(start=0, end=12), Cell(start=13, end=16))
    row = Block(start=0, end=16, kind=BlockKind.TABLE_ROW, cells=cells)
    case = Case(replace(text_document(text, title="t.txt"), blocks=(row,)), path)
    (citation,) = case.verify(draft_of(case.evidence(text))).citations
    assert [cell.text for cell in citation.cells] == ["Relief valve", "6.5"]
    assert not any(cell.columns or cell.rows for cell in citation.cells)


def test_quotes_of_a_format_without_byte_places_need_the_file_as_it_was_ingested(
    case: Case,
) -> None:
    converted = Case(replace(case.document, encoding=None), case.path)
    draft = draft_of(converted.evidence(OPENS))
    assert converted.verify(draft).reasons == ("lexical only",)
    case.path.write_bytes(TEXT.encode() + b" ")
    changed = converted.verify(draft)
    assert changed.status is Status.ABSTAINED
    assert any("has changed since it was ingested" in reason for reason in changed.reasons)
    case.path.unlink()
    gone = converted.verify(draft)
    assert gone.status is Status.ABSTAINED
    assert any("no longer in its folder" in reason for reason in gone.reasons)
