"""Explains what an answer, or a refusal, is missing, and which passages come nearest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from pincite.records.flow import Evidence, Hit, Passage, Question
from pincite.records.reasons import Reason, ReasonKind, as_reason
from pincite.stages import Sources, TermWeights
from pincite.text.languages import is_latin
from pincite.text.question_words import spoken_language, without_asking_words
from pincite.text.terms import fold, terms
from pincite.verify.abstention.asked_kinds import missing_kind
from pincite.verify.abstention.dated import wrong_years
from pincite.verify.abstention.opposition import opposites
from pincite.verify.abstention.signals import (
    Asked,
    asked_terms,
    evidence_terms,
    states_what_is_negated,
)
from pincite.verify.numbers.missing import cited_texts, has_digits, missing_numbers
from pincite.verify.quotes.list_lead_ins import announced_by, read_with_announcements
from pincite.verify.statements.names import missing_names, names

# Informative words of a question that appear in none of the documents.

_ENGLISH = "en"
_SHORTEST = 5
"""Letters of a rare word."""
_CODE = re.compile(r"(?=.{4})[^\W\d_]+[-_./]?\d[\w./-]*")
"""Letters and digits; "15th" and "Q3" do not match."""
_ROMAN = re.compile(r"[IVXLC]+")
_POSSESSIVE = re.compile(r"['’]s?$")


def words_nowhere(
    question: Question, asked: Asked, cited: Sequence[str], is_rare: Callable[[str], bool]
) -> Iterator[str]:
    """Names, codes and, in English, rare words without any known part, as they are written.

    A name that may be a short form of one in the `cited` passages is left out, as is a word with a
    spelling correction or expansion, which is reported elsewhere.
    """
    if not asked.unknown:
        return
    understood = question.understood
    otherwise = {*understood.corrections, *understood.expansions} if understood else set()
    is_english = spoken_language(question.plain, asked.language) == _ENGLISH
    lost = {*missing_names(question.plain, cited, [], "", asked.language)}
    for word in dict.fromkeys(asked.words[term] for term in sorted(asked.unknown)):
        written = _POSSESSIVE.sub("", word)
        is_code = _CODE.fullmatch(written) is not None
        parts = {term for term, one in asked.words.items() if one == word}
        if is_code:  # Its letters may well appear elsewhere: the E of E-0418.
            parts = {term for term in parts if any(map(str.isdigit, term))}
        if written in otherwise or not parts <= asked.unknown or not is_latin(written):
            continue
        is_name = written in lost and not _ROMAN.fullmatch(written)
        if is_name or is_code or (is_english and _is_rare(written, is_rare)):
            yield written


def _is_rare(word: str, is_rare: Callable[[str], bool]) -> bool:
    is_plain = word.isalpha() and word.islower() and len(word) >= _SHORTEST
    return is_plain and is_rare(fold(word))


# Reasons for refusals, and remarks on answers that are shown.

_WORDS_NAMED = 5
_PASSAGES_NAMED = 3
_QUOTE_CHARS = 160
"""A longer sentence is not quoted in a reason, since quotes are never cut."""


class MissingParts:
    """Words the reasons of refusals, and remarks on what a shown answer does not mention."""

    def __init__(
        self,
        sources: Sources,
        weights: TermWeights,
        is_rare: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._sources = sources
        self._weights = weights
        self._is_rare = is_rare

    def reasons(
        self, question: Question, evidence: Sequence[Evidence], hits: Sequence[Hit], too_little: str
    ) -> Iterator[Reason]:
        """Why statements that hold are not shown, and which passages come nearest."""
        best = max(evidence, key=lambda item: item.score)
        cause = as_reason(too_little)
        yield Reason.of(ReasonKind.UNSUPPORTED, cause=cause)
        place = self._place(question, best.passage)
        yield Reason.of(ReasonKind.NEAREST, place=place, quoted=self._quoted(best))
        yield from self.nearest(question, hits, besides=best.passage)
        for reason in self._unsupported(question, evidence, best):
            if reason.kind is not cause.kind:
                yield reason

    def nearest(
        self, question: Question, hits: Sequence[Hit], *, besides: Passage | None = None
    ) -> Iterator[Reason]:
        """The best passages retrieved, by file, page and section."""
        passages = [hit.passage for hit in hits if besides is None or hit.passage.id != besides.id]
        places = dict.fromkeys(self._place(question, one) for one in passages[:_PASSAGES_NAMED])
        if besides is not None:
            places.pop(self._place(question, besides), None)
        if places:
            yield Reason.of(ReasonKind.NEXT if besides else ReasonKind.NEAR, places=[*places])

    def remarks(self, question: Question, evidence: Sequence[Evidence]) -> Iterator[Reason]:
        """What the question names and the cited passages do not.

        Each missing number is reported; names only if the passages contain none of them, since a
        question often names more than what it asks about.
        """
        asked = asked_terms(question, self._weights)
        cited = cited_texts(evidence, self._sources)
        nowhere = [*words_nowhere(question, asked, cited, self._is_rare)]
        if nowhere:
            yield Reason.of(ReasonKind.NOWHERE_REMARK, words=nowhere[:_WORDS_NAMED])
        spoken = spoken_language(question.plain, asked.language)
        missing = self._not_named(question.plain, evidence, cited, spoken)
        said = evidence_terms(evidence, asked.language, self._sources)
        otherwise = asked.written_otherwise(said)
        unnamed = [
            word
            for word in missing
            if word not in nowhere and not otherwise.issuperset(terms(word, asked.language))
        ]
        if unnamed:
            yield Reason.of(ReasonKind.NOT_NAMED, words=[*dict.fromkeys(unnamed[:_WORDS_NAMED])])
        wrong = wrong_years(question, evidence, weights=self._weights, sources=self._sources)
        years = [year for year in map(str, wrong.asked) if not any(year in one for one in unnamed)]
        if years:
            yield Reason.of(ReasonKind.NOT_DATED, words=years)
        elsewhere = self._not_in_best(question.plain, evidence, cited)
        if named := [one for one in elsewhere if one not in years]:
            yield Reason.of(ReasonKind.NOT_IN_BEST, words=named)
        best = max(evidence, key=lambda item: item.score)
        yield from self._opposed(question, best, asked)

    def _not_named(
        self, question: str, evidence: Sequence[Evidence], cited: Sequence[str], language: str
    ) -> Iterator[str]:
        asking = without_asking_words(question, language)
        asked_names = [name for name in names(question, language) if name.text in asking]
        if not asked_names and not has_digits(question):
            return
        numbers = [*islice(missing_numbers(question, evidence, cited), _WORDS_NAMED)]
        yield from numbers
        lost = missing_names(question, cited, [], "", language) if asked_names else []
        if {name.text for name in asked_names} <= {*lost}:
            yield from (name for name in lost if not any(number in name for number in numbers))

    def _not_in_best(
        self, question: str, evidence: Sequence[Evidence], cited: Sequence[str]
    ) -> list[str]:
        """Numbers of the question that are cited, but not in the passage of the best quote.

        Names are left out: right answers often appear below a heading that gives the name once.
        """
        if len(cited) < 2 or not has_digits(question):
            return []
        best = cited_texts([max(evidence, key=lambda item: item.score)], self._sources)
        everywhere = {*missing_numbers(question, evidence, cited)}
        here = missing_numbers(question, evidence, best)
        lost = [one for one in here if one not in everywhere]
        return list(dict.fromkeys(lost[:_WORDS_NAMED]))

    def _unsupported(
        self, question: Question, evidence: Sequence[Evidence], best: Evidence
    ) -> Iterator[Reason]:
        """Parts of the question that the quotes do not support."""
        asked = asked_terms(question, self._weights)
        # A question of stop words alone is searched by them, but the index never contains them.
        if terms(question.plain, asked.language):
            yield from self._missing_words(asked, evidence)
        yield from self._opposed(question, best, asked)
        if states_what_is_negated(question, evidence, asked.language, self._sources):
            yield Reason.of(ReasonKind.NEGATED)
        kind = missing_kind(question.plain, evidence, asked.language, self._sources)
        if kind:
            yield Reason.of(ReasonKind.NO_SUCH_KIND, asked=kind)

    def _missing_words(self, asked: Asked, evidence: Sequence[Evidence]) -> Iterator[Reason]:
        held = evidence_terms(evidence, asked.language, self._sources)
        nowhere = asked.missing(set(asked.weights) - asked.unknown | held)
        missing = [word for word in asked.missing(held | asked.unknown) if word not in nowhere]
        if nowhere:
            yield Reason.of(ReasonKind.NOWHERE, words=nowhere[:_WORDS_NAMED])
        if missing:
            yield Reason.of(ReasonKind.NOT_THERE, words=missing[:_WORDS_NAMED])

    def _quoted(self, best: Evidence) -> str:
        """The sentence after its lead-ins, each in its own quotation marks."""
        if len(best.quote) > _QUOTE_CHARS:
            return ""
        span = best.span
        above = announced_by(self._sources.document(span.document_id), span.start, span.end)
        return ": " + " ".join(f'"{text}"' for text in (*(one.text for one in above), best.quote))

    def _opposed(self, question: Question, best: Evidence, asked: Asked) -> Iterator[Reason]:
        said = read_with_announcements(best, self._sources)
        found = opposites(question.plain, said, asked.language, above=best.passage.context)
        for word, opposite in found.items():
            yield Reason.of(ReasonKind.OPPOSITE, instead=opposite, asked=word)

    def _place(self, question: Question, passage: Passage) -> str:
        source = self._sources.source(passage.span.document_id, question.collection)
        page = f", page {passage.page}" if passage.page else ""
        section = f", section '{' > '.join(passage.section)}'" if passage.section else ""
        return f"{Path(source.path).name}{page}{section}"
