"""Reasons know what they say: programs read kinds and data, people read the sentence."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pincite.records.reasons import Reason, ReasonKind, as_reason, reason_forms

DOCS = Path(__file__).parents[2] / "docs" / "abstention.md"


def test_a_reason_is_its_sentence_and_knows_its_words() -> None:
    reason = Reason.of(ReasonKind.NOWHERE, words=["GSE-999", "lorazepam"])
    assert reason == "in none of the documents: GSE-999, lorazepam"
    assert reason.form() == {"kind": "nowhere", "words": ["GSE-999", "lorazepam"]}


def test_a_cause_keeps_its_own_kind_in_the_reason() -> None:
    cause = Reason.of(ReasonKind.OTHER_TIME, asked=["2025"], instead=["2022", "2023"])
    reason = Reason.of(ReasonKind.UNSUPPORTED, cause=cause)
    assert reason.endswith("it asks for 2025, but the nearest quote is about 2022, 2023")
    assert reason.form()["cause"] == {
        "kind": "other-time",
        "asked": ["2025"],
        "instead": ["2022", "2023"],
        "text": str(cause),
    }


def test_what_hides_paths_changes_the_data_too() -> None:
    cause = Reason.of(ReasonKind.GAP, file="/srv/a.pdf", detail="page 3 has no text")
    reason = Reason.of(ReasonKind.UNSUPPORTED, cause=cause)
    other = Reason.of(ReasonKind.NEWER, file="b.pdf", newer=["/srv/a.pdf"])
    told = [one.told(lambda text: text.replace("/srv/", "")) for one in (reason, other)]
    assert "/srv/" not in repr((told, reason_forms(told)))
    assert [one.kind for one in told] == [ReasonKind.UNSUPPORTED, ReasonKind.NEWER]


def test_the_quotes_it_is_about_are_numbers() -> None:
    data = {"here": "5 mm", "file": "a.md", "there": "6 mm", "other_file": "b.md"}
    reason = Reason.of(ReasonKind.DIFFER, quotes=[1, 3], **data)
    assert reason == "quotes [1] and [3] differ: 5 mm in a.md, 6 mm in b.md"
    assert reason.quotes == {1, 3}
    assert as_reason("a note").quotes == frozenset()


def test_words_that_only_the_sentence_needs_are_no_data() -> None:
    data = {"count": 1, "total": 2, "faults": "5 is in no quote"}
    reason = Reason.of(ReasonKind.LEFT_OUT, wording={"statements": "statements was"}, **data)
    assert reason == "1 of 2 statements was left out: 5 is in no quote"
    assert reason.form() == {"kind": "left-out", **data}


def test_places_stand_with_semicolons() -> None:
    places = ["a.md, page 3", "b.md"]
    assert Reason.of(ReasonKind.NEXT, places=places) == "next come a.md, page 3; b.md"


def test_a_reason_survives_a_process() -> None:
    reason = Reason.of(ReasonKind.NOT_THERE, words=["torque"])
    again = pickle.loads(pickle.dumps(reason))
    assert (again, again.kind, again.data) == (reason, reason.kind, reason.data)


@pytest.mark.parametrize("kind", ReasonKind)
def test_every_kind_is_documented(kind: ReasonKind) -> None:
    assert f"| `{kind}` |" in DOCS.read_text(encoding="utf-8")
