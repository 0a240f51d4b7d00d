"""Quotes list items below the sentences and headings that introduce them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pincite.records.document import Document, Span
from pincite.records.flow import Claim, Draft, Evidence, Label, Mode
from pincite.stages import Sources
from pincite.text.list_lead_ins import announcements, limits_above


def announced_by(document: Document, start: int, end: int) -> tuple[Label, ...]:
    """The lead-ins of `text[start:end]`, word for word, outermost first; empty for no list item."""
    found = announcements(document, start, end)
    return tuple(Label(start=a, end=b, text=document.text[a:b]) for a, b in found)


def read_with_announcements(item: Evidence, sources: Sources) -> str:
    """A quote after its lead-ins, one on each line, as a reader must understand it."""
    document = sources.document(item.span.document_id)
    labels = announced_by(document, item.span.start, item.span.end)
    return "\n".join([*(label.text for label in labels), item.quote])


def with_announcements(draft: Draft, sources: Sources) -> Draft:
    """Adds the lines that limit or exclude a quoted item as quotes of their own, right above it.

    The citation of an item lists all its lead-ins, whether they limit it or not.
    Statements that a model wrote stay as they are, since their citations list the lead-ins.
    """
    if draft.mode is Mode.GENERATED:
        return draft
    evidence = {item.id: item for item in draft.evidence}
    tree = _Tree(sources)
    for claim in draft.claims:
        known = [evidence[name] for name in claim.evidence_ids if name in evidence]
        if known:
            tree.add(claim, known[0])
    if not tree.is_nested:
        return draft
    unknown = [claim for claim in draft.claims if not evidence.keys() & {*claim.evidence_ids}]
    return replace(
        draft,
        claims=(*tree.claims(), *unknown),
        evidence=(*draft.evidence, *tree.announcing.values()),
    )


class _Tree:
    """Claims by lead-in, in their original order."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._below: dict[Span | None, dict[Span, None]] = {None: {}}
        self._claims: dict[Span, Claim] = {}
        self.announcing: dict[Span, Evidence] = {}
        """The lead-ins that were added, by their spans."""

    def add(self, claim: Claim, item: Evidence) -> None:
        document = self._sources.document(item.span.document_id)
        above: Span | None = None
        place = (item.span.start, item.span.end)
        for start, end in limits_above(document, *place, announcements(document, *place)):
            span = Span(document_id=document.id, start=start, end=end)
            self._place(span, above)
            if span not in self._claims:
                self._announce(span, item, claim)
            above = span
        self._place(item.span, above)
        self._claims[item.span] = claim
        self.announcing.pop(item.span, None)

    @property
    def is_nested(self) -> bool:
        """Whether any claim has a lead-in."""
        return len(self._below) > 1

    def claims(self) -> Iterator[Claim]:
        yield from self._claims_below(None)

    def _claims_below(self, above: Span | None) -> Iterator[Claim]:
        """Single items before those with items of their own, which would seem to include them."""
        spans = list(self._below.get(above, ()))
        if above is not None:
            spans.sort(key=lambda span: span in self._below)
        for span in spans:
            yield self._claims[span]
            yield from self._claims_below(span)

    def _place(self, span: Span, above: Span | None) -> None:
        if span not in self._claims:
            self._below.setdefault(above, {})[span] = None

    def _announce(self, span: Span, item: Evidence, claim: Claim) -> None:
        name = f"{item.id}:{span.start}-{span.end}"
        quote = self._sources.text_of(span)
        # It answers nothing by itself, so it gets no score.
        self.announcing[span] = Evidence(
            id=name, span=span, quote=quote, passage=item.passage, score=0.0
        )
        self._claims[span] = Claim(
            text=quote, evidence_ids=(name,), parts=claim.parts, is_further=claim.is_further
        )
