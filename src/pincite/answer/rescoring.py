"""How chosen sentences are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pincite.records.flow import Evidence


def numbered(items: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The items in their order as `e1`, `e2`, ..., by which drafts cite them."""
    return tuple(replace(item, id=f"e{number}") for number, item in enumerate(items, start=1))
