"""Answers made of nothing but quotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pincite.answer.newest import NewestFirst
from pincite.document import Span
from pincite.records import Claim, Draft, Evidence, Question, Selection


class ExtractiveAnswerer:
    """Puts the chosen sentences in reading order; each sentence is one claim, word for word.

    Passages come in the order of their best sentence, so that the answer starts where the strongest
    evidence stands; within a passage the sentences come as they stand there, but of a table the best
    row first, and the row that heads it last: it says nothing alone. With `newest_first` a
    newer version of a document comes before an older one. `notices` are told with every draft.
    """

    def __init__(
        self, notices: tuple[str, ...] = (), *, newest_first: NewestFirst | None = None
    ) -> None:
        self._notices = notices
        self._newest_first = newest_first

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,  # noqa: ARG002
    ) -> Draft:
        """One claim for each piece of evidence; no evidence gives an empty draft."""
        evidence = selection.evidence
        passages: dict[str, list[Evidence]] = {}
        for item in sorted(evidence, key=lambda e: -e.score):
            passages.setdefault(item.passage.id, []).append(item)
        leading: Sequence[Sequence[Evidence]] = list(passages.values())
        if self._newest_first is not None:
            leading = self._newest_first.order(question, leading)
        in_order = [item for items in leading for item in _as_read(items)]
        return Draft(
            claims=tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in in_order),
            evidence=tuple(in_order),
            notices=self._notices,
        )


def _as_read(items: Sequence[Evidence]) -> list[Evidence]:
    """Evidence from one passage, given best first, in the order in which it is read."""
    tables: dict[Span, list[Evidence]] = {}
    for item in items:
        tables.setdefault(_table_of(item), []).append(item)

    def place(table: Span, item: Evidence) -> tuple[int, int, int]:
        rows = [row for row in tables[table] if not row.passage.rows_under(row.span)]
        rank = 0 if [item] == rows[:1] else 1 if item in rows else 2
        return min(row.span.start for row in tables[table]), rank, item.span.start

    placed = [(place(table, row), row) for table, rows in tables.items() for row in rows]
    return [row for _, row in sorted(placed, key=lambda one: one[0])]


def _table_of(item: Evidence) -> Span:
    """The first row that heads the table which it is a row of; itself where it is of none."""
    passage = item.passage
    rows = passage.rows_under(item.span) or [item.span]
    return (passage.headers_of(rows[0]) or [item.span])[0]
