"""Answers drafted by a plugin, from the selected evidence only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pincite.records.document import Span
from pincite.records.flow import Draft, Evidence, Mode, Question, Selection
from pincite.stages import Answerer

_MODES = (Mode.EXTRACTIVE, Mode.QUOTED, Mode.GENERATED)


class AddedAnswerer:
    """Wraps the answerer of a plugin and keeps its drafts to the selected evidence.

    Scores and passages are those of the selection, so a plugin cannot choose its own confidence. If
    too little of a draft holds, the quotes are shown.
    """

    def __init__(self, added: Answerer, quotes: Answerer, *, name: str) -> None:
        self._added = added
        self._quotes = quotes
        self._name = name

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,  # noqa: ARG002  (nothing is shown unfinished)
    ) -> Draft:
        """The plugin's draft, without evidence from outside the selection."""
        drafted = self._added.draft(question, selection)
        quotes = self._quotes.draft(question, selection)
        own = (*selection.evidence, *selection.context, *quotes.evidence)
        return replace(
            drafted,
            evidence=tuple(_of_the_selection(drafted, own)),
            mode=drafted.mode if drafted.mode in _MODES else Mode.GENERATED,
            model=self._name,
            fallback=quotes,
        )


def _of_the_selection(drafted: Draft, own: tuple[Evidence, ...]) -> Iterator[Evidence]:
    """The drafted evidence that overlaps selected evidence; claims on other evidence lose it."""
    for item in drafted.evidence:
        here = [one for one in own if _meet(one.span, item.span)]
        if here:
            best = max(here, key=lambda one: one.score)
            yield replace(item, passage=best.passage, score=best.score, telling=None)


def _meet(one: Span, other: Span) -> bool:
    same = one.document_id == other.document_id
    return same and one.start < other.end and other.start < one.end
