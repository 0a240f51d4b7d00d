"""What a question asks of a released version is quoted from what stands below its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.document import BlockKind, Span
from pincite.evidence.numbering import numbered
from pincite.evidence.rescoring import scored_sentences
from pincite.evidence.word_lists import word_list
from pincite.records import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.dates import moments
from pincite.text.numbered import parts_named
from pincite.text.released import Release, release_of, releases_named, without_releases
from pincite.text.terms import fold, stem, terms

_MOST_SENTENCES = 15
"""Of one version; more would be a chapter."""

_FEWEST_RELEASES = 2
"""Of a document that is cut by versions; one heading with a number may be anything."""

_ASKS_WHEN = re.compile(r"\b(?:when|date|wann|datum|quand|cuándo|fecha)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


class _Below(NamedTuple):
    """A passage that stands below the heading of a version."""

    hit: Hit
    release: Release
    heading: str
    depth: int


class ReleasesSelector:
    """Keeps from another selector what stands below the headings of other versions than that asked for.

    To an encoder a version is a few tokens among others, and change logs say much the same of each.
    What changed in a version is quoted whole, as it is read, or what is of the kind asked for
    ("removed"); of when it came out, its heading. Only documents with headings of several versions
    are read so.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What is quoted of the version; what the other selector chooses where none is asked for."""
        asked = list(releases_named(question.plain))
        if not asked or next(parts_named(question.plain), None):
            return self._selector.select(question, hits)
        below = [one for hit in hits for one in self._below(hit)]
        meant = [one for one in below if any(one.release.is_of(wanted) for wanted in asked)]
        if not meant:
            return self._without(question, hits, asked, is_logged=bool(below))
        words = _words_beside(question, meant[0].hit)
        asks_when = words <= word_list("comes_out") and _ASKS_WHEN.search(question.plain)
        if asks_when and (headings := [*self._headings(meant)]):
            return Selection(evidence=numbered(headings[:_MOST_SENTENCES]))
        if words <= word_list("changes") and (whole := [*self._whole(question, meant, words)]):
            return Selection(evidence=numbered(whole[:_MOST_SENTENCES]))
        others = {one.hit.passage.id for one in below} - {one.hit.passage.id for one in meant}
        others -= {hit.passage.id for hit in hits if self._names(hit, asked)}
        return self._selector.select(
            question, [hit for hit in hits if hit.passage.id not in others]
        )

    def _without(
        self, question: Question, hits: Sequence[Hit], asked: Sequence[Release], *, is_logged: bool
    ) -> Selection:
        """Nothing where the changes of a version are asked for that nothing found names."""
        words = _words_beside(question, hits[0]) if hits else set()
        is_whole = words <= word_list("changes") or words <= word_list("comes_out")
        if is_logged and is_whole and not any(self._names(hit, asked) for hit in hits):
            named = ", ".join(one.written for one in asked)
            told = f"no heading is of the version: {named}"
            return Selection(evidence=(), notices=(told,))
        return self._selector.select(question, hits)

    def _below(self, hit: Hit) -> Iterator[_Below]:
        for depth, heading in reversed([*enumerate(hit.passage.section)]):
            release = release_of(heading)
            if release and self._is_cut_by_releases(hit.passage.span.document_id):
                yield _Below(hit, release, heading, depth)
                return

    def _is_cut_by_releases(self, document_id: str) -> bool:
        found = set()
        for block in self._sources.document(document_id).blocks:
            heading = block.section[-1:] if block.kind is BlockKind.HEADING else ()
            if heading and (release := release_of(heading[0])):
                found.add(release.numbers)
                if len(found) == _FEWEST_RELEASES:
                    return True
        return False

    def _names(self, hit: Hit, asked: Sequence[Release]) -> bool:
        named = releases_named(hit.passage.with_context(self._sources.text_of(hit.passage.span)))
        return any(one.is_of(wanted) for one in named for wanted in asked)

    def _whole(
        self, question: Question, meant: Sequence[_Below], kinds: set[str]
    ) -> Iterator[Evidence]:
        """The sentences of the versions, as they are read; of kinds of changes only theirs."""
        language = question.language
        wanted = {stem(fold(kind), language) for kind in kinds}
        found: dict[Span, Evidence] = {}
        for one in meant:
            above = "\n".join(one.hit.passage.section[one.depth + 1 :])
            for _, span, _ in scored_sentences([one.hit]):
                quote = self._sources.text_of(span)
                if not wanted or wanted.intersection(terms(f"{above}\n{quote}", language)):
                    found.setdefault(span, _evidence(span, quote, one.hit))
        yield from sorted(found.values(), key=lambda item: item.span)

    def _headings(self, meant: Sequence[_Below]) -> Iterator[Evidence]:
        """The headings that tell when a version came out."""
        seen = set()
        for one in meant:
            document = self._sources.document(one.hit.passage.span.document_id)
            path = one.hit.passage.section[: one.depth + 1]
            for block in document.blocks:
                if block.kind is BlockKind.HEADING and block.section == path:
                    span = Span(document_id=document.id, start=block.start, end=block.end)
                    quote = self._sources.text_of(span)
                    if span not in seen and moments(quote):
                        seen.add(span)
                        yield _evidence(span, quote, one.hit)


def _evidence(span: Span, quote: str, hit: Hit) -> Evidence:
    return Evidence(id="", span=span, quote=quote, passage=hit.passage, score=1.0)


def _words_beside(question: Question, hit: Hit) -> set[str]:
    """The words of a question but for versions, the name of the document, and words that only ask."""
    above = {word.casefold() for word in _WORD.findall(hit.passage.context)}
    words = {word.casefold() for word in _WORD.findall(without_releases(question.plain))}
    asking, changes, dates = map(word_list, ("asks_for_version", "changes", "comes_out"))
    return (words - asking) - (above - changes - dates)
