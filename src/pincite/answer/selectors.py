"""Selectors around the choice of sentences: supporting and newer ones, and rows whose range fits."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.records.document import Block, BlockKind, Document, Span
from pincite.records.flow import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.remarks import is_remark
from pincite.text.terms import terms
from pincite.text.value_ranges import Quantity, quantities, unit_of, value_ranges
from pincite.text.versions import Version, are_counterparts, names_version, version_in, version_of

_LEAST_SHARE = 0.5
"""A sentence with a smaller share of the question's words is about something else."""

_LEAST_SCORE = 0.5
"""Least score, as a share of the best quote's score."""


class SupportingSelector:
    """Adds sentences to another selector's selection until there are `least` of them.

    Each continues the best one in its paragraph, or contains half of the words of the question.
    Sentences about something else are never added, so an answer may have fewer.
    """

    def __init__(self, selector: Selector, sources: Sources, *, least: int) -> None:
        self._selector = selector
        self._sources = sources
        self._least = least

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection followed by those sentences, best first."""
        selection = self._selector.select(question, hits)
        chosen = selection.evidence
        missing = self._least - len(chosen)
        if not chosen or missing <= 0:
            return selection
        best = max(chosen, key=lambda item: item.score)
        quotes = {item.quote for item in chosen}
        found: dict[str, Evidence] = {}
        for item in sorted(self._near(question, best, hits), key=lambda item: -item.score):
            if item.quote not in quotes:
                found.setdefault(item.quote, item)
        added = [*found.values()][:missing]
        spans = {item.span for item in added}
        return replace(
            selection,
            evidence=numbered([*chosen, *added]),
            dropped=tuple(drop for drop in selection.dropped if drop.span not in spans),
        )

    def _near(self, question: Question, best: Evidence, hits: Sequence[Hit]) -> Iterator[Evidence]:
        asked = frozenset(terms(question.asked, question.language))
        for hit in hits:
            for span, score in zip(hit.passage.sentences, hit.sentence_scores, strict=False):
                if score < _LEAST_SCORE * best.score or _is_read_before(span, best.span):
                    continue
                quote = self._sources.text_of(span)
                if quote.rstrip().endswith(("?", "？")) or is_remark(quote):
                    continue
                shared = asked.intersection(terms(quote, question.language))
                if len(shared) < _LEAST_SHARE * len(asked) and not self._continues(span, best.span):
                    continue
                # A supporting sentence comes after the one it supports.
                yield Evidence(
                    id="",
                    span=span,
                    quote=quote,
                    passage=hit.passage,
                    score=min(score, best.score),
                )

    def _continues(self, span: Span, best: Span) -> bool:
        """Whether it is the next sentence of the same paragraph."""
        if span.document_id != best.document_id or span.start < best.end:
            return False
        document = self._sources.document(span.document_id)
        is_next = not document.text[best.end : span.start].strip()
        return is_next and len(document.blocks_in(best.start, span.end)) == 1


def _is_read_before(span: Span, best: Span) -> bool:
    return span.document_id == best.document_id and span.start < best.start


# Counterparts of chosen sentences in newer versions of their files.

_NEAR = 0.15
"""How far below the older sentence the newer one may score."""


class NewerSelector:
    """Adds counterparts from newer versions of the files to another selector's selection.

    They may have been dropped as repeats: "approved by the department head" and "approved by the
    supervisor" are nearly the same to an encoder. A counterpart in the same words replaces the older
    sentence. Versions are recognised by file names alone; if the question names one, nothing
    changes.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection followed by the counterparts."""
        selection = self._selector.select(question, hits)
        found: dict[Span, Evidence] = {}
        counterparts: list[Evidence] = []
        for item in selection.evidence:
            newer = self._counterpart(question, item, hits)
            shown = item
            if newer is not None and newer.quote == item.quote:
                shown = replace(newer, score=item.score)
            elif newer is not None:
                counterparts.append(newer)
            found.setdefault(shown.span, shown)
        for item in counterparts:
            found.setdefault(item.span, item)
        evidence = numbered(found.values())
        return replace(
            selection,
            evidence=evidence,
            dropped=tuple(drop for drop in selection.dropped if drop.span not in found),
        )

    def _counterpart(
        self, question: Question, item: Evidence, hits: Sequence[Hit]
    ) -> Evidence | None:
        """The best sentence of the newest version that says it differently, or in the same words."""
        here = version_in(self._sources, item.span.document_id, question.collection)
        if here is None or names_version(question.text, here):
            return None
        candidates: list[tuple[Version, Evidence]] = []
        for hit in hits:
            if not hit.sentence_scores:  # It was not compared with the question.
                continue
            there = version_of(self._path(question, hit.passage.span))
            if there is None or not there.is_of(here) or there.numbers <= here.numbers:
                continue
            if names_version(question.text, there):
                return None
            candidates += [(there, other) for other in self._alike(item, hit)]
        best = max(candidates, key=lambda one: (one[0].numbers, one[1].score), default=None)
        return best[1] if best else None

    def _alike(self, item: Evidence, hit: Hit) -> Iterator[Evidence]:
        for span, score in zip(hit.passage.sentences, hit.sentence_scores, strict=False):
            if score < item.score - _NEAR:
                continue
            quote = self._sources.text_of(span)
            if are_counterparts(item.quote, quote):
                yield Evidence(id="", span=span, quote=quote, passage=hit.passage, score=score)

    def _path(self, question: Question, span: Span) -> str:
        return self._sources.source(span.document_id, question.collection).path


# Selects the table row whose range includes the value asked for.

_FEWEST_ROWS = 2
"""Fewest rows of a table that is divided by ranges."""
_NEAR_ROW = 0.15
"""How far below the best sentence a row of a table may score, unless both are in one passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The rows of one table with a range of the measure asked for."""

    holding: frozenset[Span]
    others: frozenset[Span]


class RangedRowsSelector:
    """Makes another selector prefer rows whose range includes the value, and ignore other rows.

    By its words "child of 3 years" is as near to "6 to 24 months" as to "2 to 4 years". The range is
    in the first cell or the header of a row; its unit is there, or in the column header. If no row
    of the table includes the value, a notice says so and none of its rows is shown.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The other selector's selection, with a notice if the table has no such row."""
        notices: list[str] = []
        for asked in quantities(question.plain):
            near = self._near(asked, hits)
            holding = frozenset(span for rows in near for span in rows.holding)
            others = frozenset(span for rows in near for span in rows.others)
            if others and not holding:
                notices.append(f"the nearest table has no row for {asked.written}")
            hits = lifted(silenced(hits, others), holding)
        selection = self._selector.select(question, hits)
        return replace(selection, notices=(*selection.notices, *notices))

    def _near(self, asked: Quantity, hits: Sequence[Hit]) -> list[_Rows]:
        """The rows of tables near the best sentence, by score or in its passage."""
        # Passages that were not compared have no scores, and need not be read.
        compared = [hit for hit in hits if hit.sentence_scores]
        scores = {span: score for score, span, _ in scored_sentences(compared)}
        if not scores:
            return []
        best = max(scores, key=lambda span: scores[span])
        same_passage = [hit.passage.sentences for hit in compared if best in hit.passage.sentences]
        near = {span for spans in same_passage for span in spans}
        near |= {span for span, score in scores.items() if score >= scores[best] - _NEAR_ROW}
        tables = [rows for hit in compared for rows in [self._rows(asked, hit)] if rows]
        return [rows for rows in tables if not near.isdisjoint(rows.holding | rows.others)]

    def _rows(self, asked: Quantity, hit: Hit) -> _Rows | None:
        document = self._sources.document(hit.passage.span.document_id)
        holding: set[Span] = set()
        others: set[Span] = set()
        for span in hit.passage.sentences:
            ranges = [
                found
                for label, unit in _labels(document, span)
                for found in value_ranges(label, unit=unit)
                if found.measure == asked.measure
            ]
            if ranges:
                kept = holding if any(found.holds(asked) for found in ranges) else others
                kept.add(span)
        if len(holding) + len(others) < _FEWEST_ROWS:
            return None
        if not holding:
            # Their header row would bring them all back.
            others |= {head for span in others for head in hit.passage.headers_of(span)}
        return _Rows(holding=frozenset(holding), others=frozenset(others))


def _labels(document: Document, span: Span) -> Iterator[tuple[str, str]]:
    """The first cell of a row and its row headers, each with the unit of the column header."""
    for block in document.blocks_in(span.start, span.end):
        if block.kind is not BlockKind.TABLE_ROW or not block.cells:
            continue
        first = block.cells[0]
        ranges = {(first.start, first.end), *_row_headers(block)}
        heads = " ".join(document.text[start:end] for start, end in first.column_headers)
        for start, end in sorted(ranges):
            yield document.text[start:end], unit_of(heads)


def _row_headers(block: Block) -> Iterator[tuple[int, int]]:
    for cell in block.cells:
        yield from cell.row_headers


# Changes the scores of sentences, so that a selector prefers those that surely answer.

_LEAD = 0.001
"""How far the best lifted sentence is put above the best of all."""


def scored_sentences(hits: Sequence[Hit]) -> Iterator[tuple[float, Span, Hit]]:
    """Every sentence that has a score, with its hit."""
    for hit in hits:
        for score, span in zip(hit.sentence_scores, hit.passage.sentences, strict=False):
            yield score, span, hit


def lifted(hits: Sequence[Hit], spans: Container[Span], *, least: float = 0.0) -> Sequence[Hit]:
    """The hits with these sentences scored higher, up to 1.

    All are raised by the same amount, so that the best of them is the best of all, and at least
    `least`.
    """
    scores = [(score, span in spans) for score, span, _ in scored_sentences(hits)]
    own = max((score for score, inside in scores if inside), default=None)
    if own is None:
        return hits
    best, is_among = max(scores)
    lift = max(0.0 if is_among else best - own + _LEAD, least - own)
    if lift <= 0:
        return hits
    return [
        rescored(hit, lambda score, span: min(1.0, score + lift) if span in spans else score)
        for hit in hits
    ]


def silenced(hits: Sequence[Hit], spans: Container[Span]) -> Sequence[Hit]:
    """The hits with these sentences scored 0."""
    return [rescored(hit, lambda score, span: 0.0 if span in spans else score) for hit in hits]


def rescored(hit: Hit, score_of: Callable[[float, Span], float]) -> Hit:
    """The hit with `score_of` applied to the score of each sentence."""
    scored = zip(hit.sentence_scores, hit.passage.sentences, strict=False)
    scores = tuple(score_of(score, span) for score, span in scored)
    return hit if scores == hit.sentence_scores else replace(hit, sentence_scores=scores)


# Ids of selected sentences.


def numbered(items: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The items in their order as `e1`, `e2`, ..., by which drafts cite them."""
    return tuple(replace(item, id=f"e{number}") for number, item in enumerate(items, start=1))
