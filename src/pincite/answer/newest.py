"""Of two versions of one document that say the same thing, the newer one is read first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from pincite.records import Evidence, Question
from pincite.stages import Sources
from pincite.text.versions import (
    Version,
    are_counterparts,
    names_version,
    version_in,
)

_Passage: TypeAlias = Sequence[Evidence]
_Versioned: TypeAlias = tuple[Version | None, _Passage]


class NewestFirst:
    """Puts passages of a newer version before those of an older one that say the same.

    Versions are told by the names of files alone. Nothing moves where the question names a version,
    or where the evidence from the newer document has no sentence like the older passage's best.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def order(self, question: Question, passages: Sequence[_Passage]) -> list[_Passage]:
        """The same passages, each the evidence from it, best first; the best passage came first."""
        left = [
            (version_in(self._sources, passage[0].span.document_id, question.collection), passage)
            for passage in passages
        ]
        if any(version and names_version(question.text, version) for version, _ in left):
            return list(passages)
        ordered: list[_Passage] = []
        while left:
            first = max(
                (one for one in left if _replaces(one, left[0])),
                key=lambda one: one[0].numbers if one[0] else (),
                default=left[0],
            )
            left.remove(first)
            ordered.append(first[1])
        return ordered


def _replaces(one: _Versioned, other: _Versioned) -> bool:
    (here, items), (there, (best, *_)) = one, other
    if here is None or there is None:
        return False
    if not here.is_of(there) or here.numbers <= there.numbers:
        return False
    return any(are_counterparts(item.quote, best.quote) for item in items)
