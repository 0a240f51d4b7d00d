"""No text may cost a pattern more than its length."""

from __future__ import annotations

import re

import pytest

from tests.hostile_patterns import Used, hostile_texts, offences, used_patterns

_LONGEST_GIVEN = {
    # Texts are cut, or longer ones left out, before these patterns see them.
    "pincite.verify.statements.wording:_OPENS": 6,
    "pincite.retrieve.count_questions": 500,
    "pincite.ingest.html.charset:_META": 4096,
}


def given_at_most(used: Used) -> int | None:
    module = used.where.partition(":")[0]
    return _LONGEST_GIVEN.get(used.where, _LONGEST_GIVEN.get(module))


def test_every_pattern_of_the_package_is_linear_on_hostile_texts() -> None:
    used = used_patterns()
    assert len(used) > 500
    found = [slow for one in used for slow in offences(one, given_at_most(one))]
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    "pattern", [r"\s*$", r"(\w+)\s+x", r"(a+)+b", r"-*x*-*y", r"see\s*\w*\s*\w*x"]
)
def test_a_bad_pattern_is_seen(pattern: str) -> None:
    assert list(offences(Used("here", re.compile(pattern), ("search",))))


def test_hostile_texts_lead_to_each_part_that_repeats() -> None:
    assert ("see page", " ") in hostile_texts(re.compile(r"see page\s+\d+"))
    assert ("see page ", "1") in hostile_texts(re.compile(r"see page\s\d+"))
