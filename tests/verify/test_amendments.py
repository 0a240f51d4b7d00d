"""What an amendment says of a cited clause stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.records.document import Document, Span
from pincite.records.flow import Answer, Evidence, Hit, NamedFile, Passage, Question
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.samples import text_document
from pincite.verify.abstention.decision import Judge, Thresholds
from pincite.verify.abstention.reasons import Provenance
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.superseded import Amendment, Amendments
from pincite.verify.verifier import Needed, SourceVerifier
from verify.test_verifier import draft_of

RENT = "4.1 The rent is GBP 48,000 per year."
END = "4.2 The Tenant may end this lease on six months' written notice."
LEASE = f"""Made on 4 March 2019 between Brook Estates Ltd and Fenwick Tools Ltd.
{RENT}
{END}
4.10 The Tenant shall insure the premises.
"""
NEW_RENT = 'In clause 4.1 the words "GBP 48,000" are replaced with "GBP 53,500".'
NO_END = "Clause 4.2 is deleted."
DEED = f"""Deed of variation of 9 May 2022 between Brook Estates Ltd and Fenwick Tools Ltd.
{NEW_RENT}
{NO_END}
"""


def evidence(document: Document, quote: str) -> Evidence:
    start = document.text.index(quote)
    span = Span(document_id=document.id, start=start, end=start + len(quote))
    passage = Passage(id=quote, span=span, section=(), page=None, sentences=(span,))
    return Evidence(id="e1", span=span, quote=quote, passage=passage, score=0.9)


def found(
    quote: str, deed: str = DEED, lease: str = LEASE, title: str = "Lease"
) -> list[Amendment]:
    """What a deed that only its name tells of says of the clause of this quote."""
    documents = [text_document(lease, title=title), text_document(deed, title="Deed of variation")]
    sources = MemorySources(documents)
    names = [NamedFile(document_id=one.id, path=one.title, title=one.title) for one in documents]
    amendments = Amendments(sources, lambda _: names)
    return [*amendments.find(Question(text="?"), [evidence(documents[0], quote)], [])]


@pytest.mark.parametrize(
    ("quote", "clause", "said", "is_new"),
    [
        (RENT, "clause 4.1", NEW_RENT, True),
        (END, "clause 4.2", NO_END, False),
        ("on six months' written notice.", "clause 4.2", NO_END, False),
    ],
)
def test_what_changes_a_cited_clause_is_found_by_its_number(
    quote: str, clause: str, said: str, is_new: bool
) -> None:
    (one,) = found(quote)
    assert (one.clause, one.other.quote, one.holds_new_text) == (clause, said, is_new)


@pytest.mark.parametrize(
    "change",
    [
        "Clauses 4.1 and 4.2 are deleted.",
        "Clause 4 is replaced by clause 7.",
        "Section 4.2 shall cease to apply.",
        "Ziffer 4.2 wird gestrichen.",
        "L'article 4.2 est supprimé.",
    ],
)
def test_a_change_is_told_in_many_ways(change: str) -> None:
    (one,) = found(END, DEED.replace(NO_END, change))
    assert one.other.quote == change


def test_new_words_in_the_next_paragraph_are_quoted_with_the_change() -> None:
    change = "Clause 4.2 is replaced by:\n4.2 The Tenant may not end this lease."
    (one,) = found(END, DEED.replace(NO_END, change))
    assert one.other.quote == change


@pytest.mark.parametrize(
    "deed",
    [
        DEED.replace("4.2", "4.20").replace("4.1", "14.1"),
        DEED.replace("is deleted", "applies").replace("are replaced with", "and not"),
        DEED.replace("Brook", "Other").replace("Fenwick", "Unknown"),
        DEED.replace("Deed of variation of", "Notes of a meeting on"),
    ],
    ids=["other clauses", "no change", "other parties", "no amendment"],
)
def test_what_is_about_something_else_is_not_told(deed: str) -> None:
    documents = [text_document(LEASE, title="Lease"), text_document(deed, title="Other")]
    passage = evidence(documents[1], "Ltd").passage
    hits = [Hit(passage=passage, score=0.5, scores={})]
    amendments = Amendments(MemorySources(documents))
    assert [*amendments.find(Question(text="?"), [evidence(documents[0], END)], hits)] == []


def test_a_policy_without_parties_is_known_by_its_title() -> None:
    policy = "Rules of travel.\n3.2 Flights are booked in economy class.\n"
    deed = "Amendment to the travel policy\nSection 3.2 is deleted.\n"
    assert [
        one.clause for one in found("Flights are booked in economy", deed, policy, "Travel policy")
    ]
    assert not found("Flights are booked in economy", deed, policy, "Expenses handbook")


def answered(quote: str, tmp_path: Path) -> Answer:
    documents, paths = [], {}
    for name, text in (("Lease.txt", LEASE), ("Deed of variation.txt", DEED)):
        (tmp_path / name).write_bytes(text.encode())
        documents.append(text_document(text, title=name))
        paths[documents[-1].id] = str(tmp_path / name)
    sources = MemorySources(documents, paths)
    item = evidence(documents[0], quote)
    passages = [item.passage, evidence(documents[1], NO_END).passage]
    hits = [Hit(passage=one, score=0.9, scores={"fused": 0.9}) for one in passages]
    verifier = SourceVerifier(
        sources,
        ClaimChecker(EvenWeights()),
        Provenance(corpus_version="c", settings_digest="s"),
        Needed(),
        Judge(sources, EvenWeights(), Thresholds(confidence=0.0)),
    )
    question = Question(text="How much is the rent, and who may end the lease?")
    draft = draft_of(item)
    return verifier.verify(question, draft, hits)


def test_new_words_stand_before_the_old_ones_and_the_answer_says_so(tmp_path: Path) -> None:
    answer = answered(RENT, tmp_path)
    assert [citation.quote for citation in answer.citations] == [NEW_RENT, RENT]
    assert [(claim.text, claim.citations) for claim in answer.claims] == [
        (NEW_RENT, (1,)),
        (RENT, (2,)),
    ]
    told = "quote [2] is of clause 4.1, which Deed of variation.txt changes: see [1]"
    assert told in answer.reasons


def test_that_a_clause_is_deleted_stands_beside_it(tmp_path: Path) -> None:
    answer = answered(END, tmp_path)
    assert [citation.quote for citation in answer.citations] == [END, NO_END]
    told = "quote [1] is of clause 4.2, which Deed of variation.txt changes: see [2]"
    assert told in answer.reasons
