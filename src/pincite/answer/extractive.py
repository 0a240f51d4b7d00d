"""Answers that consist only of quotes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from pincite.records.document import BlockKind, Document, Span
from pincite.records.flow import AnsweredPart, Claim, Draft, Evidence, Question, Selection
from pincite.stages import Sources
from pincite.text.details import identifiers
from pincite.text.structure import PARAGRAPH_CHARS, Unit, is_read_together, pieces_of, unit_around
from pincite.text.versions import Version, are_counterparts, names_version, version_in

_MOST_SHOWN = 3
"""Sentences shown for one question; other chosen sentences are further reading."""
_MOST_ROWS_SHOWN = 20
"""Of rows that are exactly what is asked for."""

_NEAR_BEST = 0.06
"""A sentence at most this far below the best is shown with it, without a request."""


class ExtractiveAnswerer:
    """Shows the chosen sentences in the units of the document that contain them, best first.

    Each unit is one claim, word for word. Units that score nearly as high as the best are shown with
    it, in brief, and the rest on request; for several questions in one, the best of each is shown.
    With `newest_first` a newer version of a document comes before an older one. Every draft has the
    `notices`.
    """

    def __init__(
        self,
        sources: Sources,
        notices: tuple[str, ...] = (),
        *,
        newest_first: NewestFirst | None = None,
    ) -> None:
        self._sources = sources
        self._notices = notices
        self._newest_first = newest_first

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,  # noqa: ARG002
    ) -> Draft:
        """One claim for each unit; no evidence gives an empty draft."""
        units = _Units(self._sources, question, selection)
        in_order = self._in_order(question, selection.evidence)
        leading = {name for part in selection.parts for name in part.evidence_ids[:1]}
        leading = leading or {item.id for item in in_order[:1]}
        for item in in_order:
            units.add(item, is_brief=item.id not in leading)
        most = _MOST_ROWS_SHOWN if selection.is_exact else _MOST_SHOWN
        shown = set(_shown(units, selection.parts, most))
        claims = [
            self._claim(units, item, selection.parts, is_further=item.id not in shown)
            for item in units.evidence
        ]
        return Draft(
            claims=tuple(sorted(claims, key=lambda claim: claim.is_further)),
            evidence=tuple(units.evidence),
            notices=self._notices,
            parts=tuple(part.text for part in selection.parts),
            derivation=selection.derivation,
            nothing=selection.nothing,
        )

    def _in_order(self, question: Question, evidence: Sequence[Evidence]) -> list[Evidence]:
        """Best first, except that a newer version precedes the older one."""
        ranked: Sequence[Sequence[Evidence]]
        ranked = [[item] for item in sorted(evidence, key=lambda item: -item.score)]
        if self._newest_first is not None:
            ranked = self._newest_first.order(question, ranked)
        return [item for items in ranked for item in items]

    def _claim(
        self, units: _Units, item: Evidence, parts: Sequence[AnsweredPart], *, is_further: bool
    ) -> Claim:
        start, telling = item.span.start, item.telling or item.span
        document = self._sources.document(item.span.document_id)
        carried = units.carried[item.id]
        return Claim(
            text=item.quote,
            evidence_ids=(item.id,),
            telling=(telling.start - start, telling.end - start),
            pieces=pieces_of(document, item.span.start, item.span.end),
            left_out=units.left_out[item.id],
            parts=tuple(
                number
                for number, part in enumerate(parts)
                if carried.intersection(part.evidence_ids)
            ),
            is_further=is_further,
        )


class _Units:
    """The units of sentences, which are added best first; a unit with several appears once."""

    def __init__(self, sources: Sources, question: Question, chosen: Selection) -> None:
        self._sources = sources
        self._named = identifiers(question.asked)
        self._chosen = [item.span for item in chosen.evidence]
        self._is_exact = chosen.is_exact
        self.evidence: list[Evidence] = []
        self.carried: dict[str, set[str]] = {}
        """The ids of the sentences in each unit, by the unit's id, which is its best sentence's."""
        self.left_out: dict[str, str] = {}

    def add(self, item: Evidence, *, is_brief: bool) -> None:
        document = self._sources.document(item.span.document_id)
        if self._is_exact:  # A row, a label with its value: the ones around it were not asked for.
            self.evidence.append(replace(item, telling=item.span))
            self.carried[item.id], self.left_out[item.id] = {item.id}, ""
            return
        unit = unit_around(
            document,
            item.span.start,
            item.span.end,
            is_wanted=self._is_wanted(document),
            is_brief=is_brief,
        )
        if self._names_others(document.text[unit.start : unit.end]):
            if self.evidence and self._is_of_others(document, item.span):
                return
            unit = self._alone(document, item.span)
        for number, known in enumerate(self.evidence):
            if self._repeats(known, item):
                self.carried[known.id].add(item.id)
                return
            joined = _joined(document, known, item, unit)
            if joined is None and self._is_read_with(document, number, item, unit):
                joined = _both(known, unit)
            if joined is not None:
                self.evidence[number] = self._of(known, joined)
                self.carried[known.id].add(item.id)
                self._join_overlapping()
                return
        shown = self._of(replace(item, telling=item.span), unit)
        self.evidence.append(shown)
        self.carried[item.id] = {item.id}
        self.left_out[item.id] = unit.left_out

    def _join_overlapping(self) -> None:
        """Join the units that one that has grown reaches into, into the best of them."""
        place = 1
        while place < len(self.evidence):
            item = self.evidence[place]
            before = (n for n in range(place) if _overlap(self.evidence[n].span, item.span))
            first = next(before, None)
            if first is None:
                place += 1
                continue
            best = self.evidence[first]
            both = _both(best, Unit(start=item.span.start, end=item.span.end))
            self.evidence[first] = self._of(best, both)
            self.carried[best.id] |= self.carried.pop(item.id)
            del self.evidence[place]
            place = 1

    def _is_of_others(self, document: Document, span: Span) -> bool:
        """Whether the paragraph of a sentence names others of the series, and not what is asked for."""
        blocks = document.blocks_in(span.start, span.end)
        text = document.text[blocks[0].start : blocks[0].end] if len(blocks) == 1 else ""
        return self._names_others(text) and not self._named.keys() & identifiers(text).keys()

    def _alone(self, document: Document, span: Span) -> Unit:
        """The paragraph of a sentence, or the sentence if its paragraph names others too."""
        blocks = document.blocks_in(span.start, span.end)
        if len(blocks) == 1 and blocks[0].kind is not BlockKind.TABLE_ROW:
            whole = replace(span, start=blocks[0].start, end=blocks[0].end)
            is_free = not any(whole.contains(known.span) for known in self.evidence)
            is_short = whole.end - whole.start <= PARAGRAPH_CHARS
            if is_free and is_short and not self._names_others(self._sources.text_of(whole)):
                return Unit(start=whole.start, end=whole.end)
        return Unit(start=span.start, end=span.end)

    def _names_others(self, text: str) -> bool:
        """Whether it names others of the same series as a thing that is asked for by its code."""
        found = identifiers(text) if self._named else {}
        return any(
            series in self._named.values() and code not in self._named
            for code, series in found.items()
        )

    def _is_read_with(self, document: Document, number: int, item: Evidence, unit: Unit) -> bool:
        """Whether both would be shown, and are near each other in one section."""
        known = self.evidence[number]
        both = _both(known, unit)
        between = Span(document_id=item.span.document_id, start=both.start, end=both.end)
        others = (*self.evidence[:number], *self.evidence[number + 1 :])
        return (
            known.span.document_id == item.span.document_id
            and item.score >= self.evidence[0].score - _NEAR_BEST
            and not (unit.left_out or self.left_out[known.id])
            and not any(between.contains(other.span) for other in others)
            and not self._names_others(self._sources.text_of(between))
            and is_read_together(document, both.start, both.end)
        )

    def _repeats(self, known: Evidence, item: Evidence) -> bool:
        """Whether a unit answers in the same words; equal table rows may have different headers."""
        if item.passage.headers_of(item.span):
            return False
        return _words(known.narrowed().quote) == _words(item.quote)

    def _is_wanted(self, document: Document) -> Callable[[int, int], bool]:
        spans = [span for span in self._chosen if span.document_id == document.id]
        return lambda start, end: any(start < span.end and span.start < end for span in spans)

    def _of(self, item: Evidence, unit: Unit) -> Evidence:
        span = Span(document_id=item.span.document_id, start=unit.start, end=unit.end)
        return replace(item, span=span, quote=self._sources.text_of(span))


def _words(text: str) -> list[str]:
    return text.casefold().split()


def _overlap(one: Span, other: Span) -> bool:
    return one.document_id == other.document_id and one.start < other.end and other.start < one.end


def _both(known: Evidence, unit: Unit) -> Unit:
    start, end = known.span.start, known.span.end
    return Unit(start=min(start, unit.start), end=max(end, unit.end))


def _joined(document: Document, known: Evidence, item: Evidence, unit: Unit) -> Unit | None:
    """The range of both if they overlap, or are in one short paragraph; else None."""
    if known.span.document_id != item.span.document_id:
        return None
    here, both = known.span, _both(known, unit)
    if here.start <= unit.start and unit.end <= here.end:
        return Unit(start=here.start, end=here.end)
    shares = here.start < unit.end and unit.start < here.end
    blocks = document.blocks_in(both.start, both.end)
    is_short = len(blocks) == 1 and both.end - both.start <= PARAGRAPH_CHARS
    return both if shares or is_short else None


def _shown(units: _Units, parts: Sequence[AnsweredPart], most: int) -> Iterator[str]:
    """The ids of the units shown without a request: the best of each part, or those near the best.

    A unit with several of the best sentences leaves less room for other units.
    """
    if parts:
        for part in parts:
            yield from _first_carrying(units, part)
        return
    best = max((item.score for item in units.evidence), default=0.0)
    near = [item for item in units.evidence if item.score >= best - _NEAR_BEST]
    carried = 0
    for item in near or units.evidence:
        if carried >= most:
            return
        yield item.id
        carried += len(units.carried[item.id])


def _first_carrying(units: _Units, part: AnsweredPart) -> Iterator[str]:
    """The unit of the best sentence for the part that is in any unit."""
    for name in part.evidence_ids:
        for unit, carried in units.carried.items():
            if name in carried:
                yield unit
                return


# Of two versions of a document that say the same, the newer one comes first.

_Passage: TypeAlias = Sequence[Evidence]
_Versioned: TypeAlias = tuple[Version | None, _Passage]


class NewestFirst:
    """Puts passages of a newer version before those of an older one that say the same.

    Versions are recognised by file names alone. Nothing moves if the question names a version, or
    if the evidence from the newer document has no sentence like the best of the older passage.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def order(self, question: Question, passages: Sequence[_Passage]) -> list[_Passage]:
        """Reorders passages. Each is the evidence from it, best first, as are the passages given."""
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
