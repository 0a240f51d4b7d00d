"""An item of a list is never shown without the words that say what it is an item of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pincite.ingest.readers import FileReader
from pincite.records.flow import Answer, Claim, Draft, Evidence, Mode, Status
from pincite.text.locations import announcing_lines
from pincite.verify.receipts.page import receipt_page
from pincite.verify.receipts.receipt import answer_form, check_receipt
from pincite.verify.receipts.signing import sealed
from verify.test_verifier import Case, draft_of

COVER = """# Cover

We do not pay for:

- theft from an unlocked outbuilding
- damage by pets

## What is not covered

- Rust.

## Help

These people help:

- The agent answers questions about the policy.
- the agent
"""
PETS = "damage by pets"


@pytest.fixture
def cover(tmp_path: Path) -> Case:
    path = tmp_path / "cover.md"
    path.write_text(COVER, encoding="utf-8")
    return Case(FileReader().read(path), path)


def answer_of(case: Case, *evidence: Evidence) -> Answer:
    return case.verify(draft_of(*evidence))


def test_what_announces_an_item_is_quoted_right_above_it(cover: Case) -> None:
    answer = answer_of(cover, cover.evidence(PETS))
    assert answer.text == f"We do not pay for:\n{PETS}"
    assert [one.quote for one in answer.citations] == ["We do not pay for:", PETS]
    assert [claim.citations for claim in answer.claims] == [(1,), (2,)]


def test_a_heading_that_takes_away_is_quoted_above_its_items(cover: Case) -> None:
    assert answer_of(cover, cover.evidence("Rust.")).text == "What is not covered\nRust."


def test_items_of_one_list_stand_together_below_one_announcement(cover: Case) -> None:
    answer = answer_of(
        cover,
        cover.evidence(PETS, name="e1", score=0.9),
        cover.evidence("Rust.", name="e2", score=0.8),
        cover.evidence("theft from an unlocked outbuilding", name="e3", score=0.7),
    )
    assert answer.text.split("\n") == [
        "We do not pay for:",
        PETS,
        "theft from an unlocked outbuilding",
        "What is not covered",
        "Rust.",
    ]


def test_an_announcement_that_was_chosen_itself_is_quoted_once(cover: Case) -> None:
    answer = answer_of(
        cover,
        cover.evidence(PETS, name="e1", score=0.9),
        cover.evidence("We do not pay for:", name="e2", score=0.8),
    )
    assert answer.text == f"We do not pay for:\n{PETS}"


def test_the_citation_of_an_item_names_what_announces_it_whoever_wrote_the_answer(
    cover: Case,
) -> None:
    item = cover.evidence(PETS)
    claim = Claim(text="There is no damage by pets that we do pay for.", evidence_ids=("e1",))
    written = Draft(claims=(claim,), evidence=(item,), mode=Mode.GENERATED)
    chosen = Draft(
        claims=(Claim(text=PETS, evidence_ids=("e1",)),), evidence=(item,), mode=Mode.QUOTED
    )
    for answer in (cover.verify(written), cover.verify(chosen)):
        assert answer.status is Status.ANSWERED, answer.reasons
        assert [one.text for one in answer.citations[-1].announced_by] == ["We do not pay for:"]
        assert [*announcing_lines(answer.citations[-1])] == ['below: "We do not pay for:"']


def test_a_statement_that_leaves_the_negation_of_the_list_out_is_not_shown(cover: Case) -> None:
    claim = Claim(text="We pay for damage by pets.", evidence_ids=("e1",))
    draft = Draft(claims=(claim,), evidence=(cover.evidence(PETS),), mode=Mode.GENERATED)
    assert cover.verify(draft).status is Status.ABSTAINED


def test_saved_answers_hold_what_announces_an_item_and_are_checked_for_it(cover: Case) -> None:
    form = json.loads(json.dumps(answer_form(answer_of(cover, cover.evidence(PETS)))))
    assert form["citations"][1]["announced_by"][0]["cited_text"] == "We do not pay for:"
    assert check_receipt(form, FileReader()).holds
    form["citations"][1]["announced_by"][0]["cited_text"] = "We pay for:"
    assert not check_receipt(form, FileReader()).holds


def test_a_page_shows_what_announces_an_item(cover: Case) -> None:
    item = cover.evidence(PETS)
    form = answer_form(answer_of(cover, item))
    context = {"before": "", "after": ""}
    page = receipt_page(sealed({**form, "contexts": [context, context]}))
    assert b'data-shows="citations/1/announced_by/0/cited_text">We do not pay for:<' in page


def test_a_refusal_tells_an_item_with_what_announces_it(cover: Case) -> None:
    answer = cover.verify(draft_of(cover.evidence(PETS, score=0.1)), abstain_below=0.99)
    assert answer.status is Status.ABSTAINED
    assert any(f'"We do not pay for:" "{PETS}"' in reason for reason in answer.reasons)


def test_an_item_is_quoted_alone_where_nothing_above_it_limits_it(cover: Case) -> None:
    sentence = "The agent answers questions about the policy."
    answer = answer_of(cover, cover.evidence(sentence))
    assert answer.text == sentence
    assert [*announcing_lines(answer.citations[0])] == ['below: "These people help:"']
    assert answer_of(cover, cover.evidence("the agent")).text == "the agent"


def test_of_the_lines_above_a_whole_sentence_only_those_that_limit_it_are_quoted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "deed.md"
    path.write_text(
        "The parties agree as follows:\n\n- The Seller does not warrant that:\n"
        "    - The goods are free of faults of any kind.\n",
        encoding="utf-8",
    )
    case = Case(FileReader().read(path), path)
    whole = "The goods are free of faults of any kind."
    limit = "The Seller does not warrant that:"
    assert answer_of(case, case.evidence(whole)).text == f"{limit}\n{whole}"
