"""Answers from the part that a question names: a clause, a release, a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pincite.answer.rescoring import lifted, numbered, scored_sentences, word_list
from pincite.records.document import BlockKind, Span
from pincite.records.flow import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.dates import moments
from pincite.text.details import names
from pincite.text.numbered_parts import (
    Numbered,
    Release,
    bears,
    bears_a_number,
    parts_named,
    release_of,
    releases_named,
    without_parts_named,
    without_releases,
)
from pincite.text.terms import fold, stem, terms

_MOST_SENTENCES = 15
"""Of parts that are asked for as a whole; more would be a chapter."""

_DOCUMENT = re.compile(r"(?:of|from|to|vom|von|du|de|del|dans|en|about\W*$)", re.IGNORECASE)
"""How the name of its document follows the number of a part ("in" and "des" are words that ask)."""
_WORD = re.compile(r"[^\W\d_]+")


class _Found(NamedTuple):
    span: Span
    hit: Hit
    score: float
    is_below_heading: bool

    @property
    def document_named(self) -> float:
        """How certainly the question names the document that it stands in."""
        return self.hit.scores.get("documents", 0.0)


class NumberedPartsSelector:
    """Quotes the clause, section or schedule that a question names by its number.

    A part is told by a sentence or heading that begins with its number: to an encoder a number is
    one token among others, and sentences with the word "clause" win. What is asked of a part is
    answered by its best sentences; where the part itself is asked for ("What does clause 5.3
    say?"), by all of it. Where nothing found bears or names such a part, there is no evidence.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses; of a part that is asked for as a whole, all sentences."""
        parts = dict.fromkeys(parts_named(question.plain))
        if not parts:
            return self._selector.select(question, hits)
        borne = {part: self._sentences(part, hits) for part in parts}
        every = {found.span: found for several in borne.values() for found in several}
        before, after = map(_behind_asking, without_parts_named(question.plain))
        if before or (after and not _DOCUMENT.match(after)):
            return self._selector.select(question, lifted(hits, every))
        lacking = [part.written for part, found in borne.items() if not found]
        told = (f"no sentence or heading begins with the number: {', '.join(lacking)}",)
        if every:
            whole = self._whole(question, list(every.values()), document=after)
            return replace(whole, notices=told if lacking else ())
        if not any(self._is_mentioned(part, hits) for part in parts):
            return Selection(evidence=(), notices=told)
        selection = self._selector.select(question, hits)
        return replace(selection, notices=(*selection.notices, *told))

    def _sentences(self, part: Numbered, hits: Sequence[Hit]) -> list[_Found]:
        """The sentences of a part that were found, in the order of the hits.

        Where a heading of a document bears the number, an item of some list with that number is none.
        """
        found: dict[Span, _Found] = {}
        for hit in hits:
            for one in self._in_passage(part, hit):
                found.setdefault(one.span, one)
        headed = {one.span.document_id for one in found.values() if one.is_below_heading}
        return [
            one
            for one in found.values()
            if one.is_below_heading or one.span.document_id not in headed
        ]

    def _in_passage(self, part: Numbered, hit: Hit) -> Iterator[_Found]:
        is_below = any(bears(heading, part, is_heading=True) for heading in hit.passage.section)
        is_inside = is_below
        for score, span, _ in scored_sentences([hit]):
            text = self._sources.text_of(span)
            if not is_below and bears_a_number(text) and not self._is_row(span):
                is_inside = bears(text, part, is_heading=False)
            if is_inside:
                yield _Found(span, hit, score, is_below)

    def _is_row(self, span: Span) -> bool:
        blocks = self._sources.document(span.document_id).blocks_in(span.start, span.end)
        return any(block.kind is BlockKind.TABLE_ROW for block in blocks)

    def _is_mentioned(self, part: Numbered, hits: Sequence[Hit]) -> bool:
        texts = (hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in hits)
        return any(
            (named.number, named.is_attachment) == (part.number, part.is_attachment)
            for text in texts
            for named in parts_named(text)
        )

    def _whole(self, question: Question, found: Sequence[_Found], *, document: str) -> Selection:
        """As it is read, from the document of the best passage first.

        Of documents that the question names only the surest. A number that was looked up is certain,
        but not where the question names a `document` that may be another.
        """
        surest = max(one.document_named for one in found)
        kept = [one for one in found if one.document_named == surest]
        language = question.language
        asked = set(terms(document, language))
        named = set(terms(" ".join(names(document)), language))
        above = [set(terms(one.hit.passage.context, language)) for one in kept]
        is_certain = not asked or any(asked & held and named <= held for held in above)
        rank: dict[str, float] = {}
        for one in kept:
            document = one.span.document_id
            rank[document] = max(rank.get(document, 0.0), one.hit.score)
        in_order = sorted(kept, key=lambda one: (-rank[one.span.document_id], one.span))
        return Selection(
            evidence=tuple(
                Evidence(
                    id=f"e{number}",
                    span=one.span,
                    quote=self._sources.text_of(one.span),
                    passage=one.hit.passage,
                    score=1.0 if is_certain else one.score,
                )
                for number, one in enumerate(in_order[:_MOST_SENTENCES], start=1)
            )
        )


def _behind_asking(text: str) -> str:
    """What is left from the first word on that does more than ask for all of something."""
    asking = word_list("asks_for_part")
    words = (word for word in _WORD.finditer(text) if word[0].casefold() not in asking)
    first = next(words, None)
    return text[first.start() :] if first else ""


# What a question asks of a released version is quoted from what stands below its heading.

_RELEASES_MOST_SENTENCES = 15
"""Of one version; more would be a chapter."""

_FEWEST_RELEASES = 2
"""Of a document that is cut by versions; one heading with a number may be anything."""

_ASKS_WHEN = re.compile(r"\b(?:when|date|wann|datum|quand|cuándo|fecha)\b", re.IGNORECASE)
_RELEASES_WORD = re.compile(r"[^\W\d_]+")


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
            return Selection(evidence=numbered(headings[:_RELEASES_MOST_SENTENCES]))
        if words <= word_list("changes") and (whole := [*self._whole(question, meant, words)]):
            return Selection(evidence=numbered(whole[:_RELEASES_MOST_SENTENCES]))
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
    above = {word.casefold() for word in _RELEASES_WORD.findall(hit.passage.context)}
    words = {word.casefold() for word in _RELEASES_WORD.findall(without_releases(question.plain))}
    asking, changes, dates = map(word_list, ("asks_for_version", "changes", "comes_out"))
    return (words - asking) - (above - changes - dates)


# The sentence that defines a role or a term, or names the parties, comes before those that use
# it.

_QUOTED = r"[\"“”„«][^\"“”„«»]{2,60}[\"“”»]"
_NAMES_PARTIES = re.compile(
    rf"\b(?:between|among|zwischen|entre)\b(?:.*?\([^()]{{0,60}}?{_QUOTED}\s*\)){{2}}",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_FOR_PARTIES = re.compile(
    r"^\W*(?:(?:who|what|which) (?:are|were)|between whom|wer sind|qui sont|quelles sont|"
    r"quiénes son|cuáles son|(?:name|list|nenne))\b.{0,40}"
    r"\b(?:parties|vertragsparteien|parteien|vertragspartner|partes)\b"
    r"(?:\s+(?:to|of|in|under|der|des|von|à|au|du|de|del|al|en)\b)?(?P<of>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_FOR_MEANING = re.compile(
    r"^\W*(?:(?:what is )?the (?:definition|meaning) of|who (?:is|are)|"
    r"what (?:is|are)(?: meant by)?|what does|define|wer ist|was (?:ist|sind|bedeutet|heißt)|"
    r"qui est|que (?:signifie|désigne)|quién es|qué (?:es|significa))\s+"
    r"(?:(?:the term|the|a|an|der|die|das|le|la|el|l['’])\s+)?"
    r"[\"“„«'‘]?(?P<term>[^\"“”„«»'‘’?]{2,60}?)[\"”»'’]?\s*"
    r"(?:\b(?:mean|stand for|defined as)\b\s*)?(?:\b(?:in|under|of|im|unter|dans|en)\s(?P<of>.*))?\W*$",
    re.IGNORECASE | re.DOTALL,
)

_LEAST_SCORE = 0.8
"""What such a sentence scores, unless the question names a document that may be another: that it
names or defines is told by its form."""


class DefinedTermsSelector:
    """Lets another selector see what defines a term before what uses it.

    `X Ltd (the "Supplier")` and `"Services" means ...` answer who the Supplier is and what Services
    are; a sentence that names two such roles between which something is agreed answers who the
    parties are. It hardly has the word "parties", which many a clause has.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses from the hits, sentences of definition first."""
        asked = _ASKS_FOR_PARTIES.match(question.plain) or _ASKS_FOR_MEANING.match(question.plain)
        if asked is None:
            return self._selector.select(question, hits)
        answers = _defining(asked["term"]) if "term" in asked.groupdict() else _NAMES_PARTIES
        found = {
            span: f"{hit.passage.context}\n{text}"
            for _, span, hit in scored_sentences(hits)
            if answers.search(text := self._sources.text_of(span))
        }
        language = question.language
        document = set(terms(asked["of"] or "", language))
        is_certain = any(document <= set(terms(text, language)) for text in found.values())
        least = _LEAST_SCORE if is_certain else 0.0
        return self._selector.select(question, lifted(hits, found, least=least))


def _defining(term: str) -> re.Pattern[str]:
    """What a sentence has that defines a term."""
    words = r"\s+".join(map(re.escape, term.split()))
    return re.compile(
        rf"\([^()]{{0,60}}?[\"“„«]{words}[\"“”»]\s*\)|[\"“„«]{words}[\"“”»]\s+(?:shall\s+)?"
        r"(?:means?|has the meaning|refers to|bedeutet|bezeichnet|meint|heißt|sind|ist|signifie|"
        r"désigne|significa)\b",
        re.IGNORECASE,
    )
