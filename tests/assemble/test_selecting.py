"""What stands around the choice of evidence stands there in an order, and for a reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pincite.assemble.writing import quoting_selector
from pincite.settings.loading import Settings
from pincite.stages import Selector
from pincite.testing.fakes import MemorySources

ORDER = [
    "SupportingSelector",
    "MarginsSelector",
    "RangedRowsSelector",
    "AskedRowsSelector",
    "NewerSelector",
    "MmrSelector",
]

BEFORE = [
    ("Margins", "AskedRows", "no row is compared with a line at the edge of a page"),
    ("RangedRows", "AskedRows", "no row is compared with one for another value"),
]


def chain(selector: Selector) -> Iterator[str]:
    """The names of what stands around the choice, and of the choice."""
    inside: Selector | None = selector
    while inside is not None:
        yield type(inside).__name__
        inside = getattr(inside, "_selector", None)


def test_hits_pass_them_in_this_order() -> None:
    assert list(chain(quoting_selector(Settings(), MemorySources([])))) == ORDER


@pytest.mark.parametrize(("first", "then", "why"), BEFORE)
def test_each_stands_before_what_needs_its_work(first: str, then: str, why: str) -> None:
    names = [*chain(quoting_selector(Settings(), MemorySources([])))]
    assert names.index(f"{first}Selector") < names.index(f"{then}Selector"), why
