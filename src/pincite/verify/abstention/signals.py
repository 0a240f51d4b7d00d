"""Measures the signals for and against the quotes answering the question."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from itertools import groupby, pairwise

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Question
from pincite.stages import PassageReader, Sources, TermWeights, ToRead, log_odds
from pincite.text.keys import keys, named_by
from pincite.text.negations import takes_back
from pincite.text.question_words import is_asking_verb, is_grammar, without_asking_phrases
from pincite.text.terms import analysed, is_unspaced, question_terms, terms, tokens
from pincite.verify.abstention.opposition import is_negated_alike, is_negated_otherwise, opposites
from pincite.verify.numbers.missing import cited_texts, has_digits, missing_numbers
from pincite.verify.quotes.list_lead_ins import read_with_announcements

IN_NO_PASSAGE = 0.999
"""A word of at least this weight is nowhere in the library; its exact weight is 1."""


class ScoredBy(StrEnum):
    """The stage that scored the sentences; scores of different stages are not comparable."""

    LATE_INTERACTION = "late_interaction"
    LATE_UNREAD = "late_unread"
    """Late interaction with an encoder that does not know the question's script."""
    SENTENCE_COSINE = "sentence_cosine"
    TERM_COVERAGE = "term_coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Values in 0..1.

    `sentence`: score of the best cited sentence. `faint`: how far that is below one half, doubled,
    because no sentence below one half answers. `coverage`: weighted share of the question's words that
    are in the quotes or in the headings above them. `elsewhere`: the share that is in the best
    sentence's passage but not in that sentence. `agreement`: fused score of the first hit, 1 if both
    searches rank the same passage first. `unknown`: the share that is nowhere in the library.
    `numbers`: the share made of numbers that no cited passage names. `negated`: 1 if the best sentence
    states what the question negates and no other quote negates it. `opposed`: 1 if it contains an
    antonym of a word of the question. `ahead`: how far the best sentence's score is above the mean of
    the five best different ones. `place`: minus the logarithm of the place of the best quote's passage
    among the hits, at most 0. `read`: signals from the small reader, if it is used.
    """

    scored_by: ScoredBy
    sentence: float
    faint: float
    coverage: float
    elsewhere: float
    agreement: float
    unknown: float
    numbers: float
    negated: float
    opposed: float
    ahead: float = 0.0
    place: float = 0.0
    read: Read | None = None

    @property
    def model(self) -> str:
        """Name of the logistic model that weighs these signals."""
        return f"{self.scored_by}{'_read' if self.read else ''}"

    def values(self) -> dict[str, float]:
        """The signals by name."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        del own["scored_by"], own["read"]
        if self.read is None:
            return own
        return {**own, **self.read.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The terms of a question: each one's weight, in 0..1, and the word it comes from."""

    language: str
    weights: Mapping[str, float]
    words: Mapping[str, str]
    spelt: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For the key of a date or number, the other terms in which the question writes it."""

    def share_beside_keys(self, held: set[str]) -> float:
        """The weighted share of the words beside the keys that are in `held`; 0 if no key is.

        1 if there are no other words.
        """
        # The keys of a day include its month, which is not what is asked for.
        finest = [key for key in self.spelt if not any(f"{key}-" in other for other in self.spelt)]
        if not any(key in held for key in finest):
            return 0.0
        found, total = self._beside_keys(held)
        return found / total if total else 1.0

    def is_nothing_beside_keys(self, held: set[str]) -> bool:
        """Whether `held` has none of the words beside the keys."""
        return not self._beside_keys(held)[0]

    def _beside_keys(self, held: set[str]) -> tuple[float, float]:
        own = frozenset(self.spelt).union(*self.spelt.values())
        beside = {term: weight for term, weight in self.weights.items() if term not in own}
        return sum(weight for term, weight in beside.items() if term in held), sum(beside.values())

    def written_otherwise(self, held: set[str]) -> frozenset[str]:
        """The terms of each key that is in `held`, where the text may write the same otherwise."""
        return frozenset[str]().union(*(own for key, own in self.spelt.items() if key in held))

    def _with_spelt(self, held: set[str]) -> set[str]:
        return held | self.written_otherwise(held)

    def share(self, held: set[str]) -> float:
        """The weighted share of the terms that are in `held`."""
        held = self._with_spelt(held)
        total = sum(self.weights.values())
        found = sum(weight for term, weight in self.weights.items() if term in held)
        return found / total if total else 0.0

    def missing(self, held: set[str]) -> list[str]:
        """Words that are not in `held`, those with the highest weight first, each once.

        In scripts without spaces, the longest runs of letters that belong to no pair in `held`.
        """
        held = self._with_spelt(held)
        pairs = [term for term in self.weights if is_unspaced(term)]
        lost = [(-self.weights[run[:2]], run) for run in _lost_runs(pairs, held)]
        lost += [
            (-self.weights[term], word)
            for term, word in self.words.items()
            if term not in held and not is_unspaced(term)
        ]
        return list(dict.fromkeys(word for _, word in sorted(lost)))

    @property
    def unknown(self) -> set[str]:
        """Terms that are in no passage of the library, not even written otherwise."""
        known = self._with_spelt({t for t, w in self.weights.items() if w < IN_NO_PASSAGE})
        return {term for term in self.weights if term not in known}


def asked_terms(question: Question, weights: TermWeights) -> Asked:
    """The terms of what is asked for, without framing words such as "how many"."""
    # The language is detected from all words, including the framing ones.
    language = weights.language(question.written)
    plain = without_asking_phrases(question.plain, language)
    weighed = {
        term: (word, weights.weight(term)) for term, word in question_terms(plain, language).items()
    }
    # "What does it cost" is answered by a price; the verb need not appear in it.
    kept = {
        term: (word, weight)
        for term, (word, weight) in weighed.items()
        if weight < IN_NO_PASSAGE or not is_asking_verb(word, question.plain, language)
    }
    telling = {term: found for term, found in kept.items() if not is_grammar(term)}
    kept = telling or kept
    spelt = _spelt(plain, language)
    # A key that is nowhere is no loss by itself: the words that it is made of say what is missing.
    lost = {key for key in spelt if kept.get(key, ("", 0.0))[1] >= IN_NO_PASSAGE}
    kept = {term: found for term, found in kept.items() if term not in lost} or kept
    return Asked(
        spelt={key: terms for key, terms in spelt.items() if key not in lost},
        language=language,
        weights={term: weight for term, (_, weight) in kept.items()},
        words={term: word for term, (word, _) in kept.items()},
    )


_LONG_NUMBER = 7
"""A number with so many digits names one thing."""


def _spelt(plain: str, language: str) -> dict[str, frozenset[str]]:
    """Keys and codes in a question, each with the other terms that it is written in.

    The word before one says what it is ("the IP 10.20.0.17") and belongs to it.
    """
    found = {
        key.term: frozenset(terms(_with_word_before(plain, key.start, key.end), language))
        for key in keys(plain)
    }
    place = 0
    for token in tokens(plain):
        start = plain.find(token, place)
        place = max(start, place)
        whole, *parts = analysed([token], language) or [""]
        if start >= 0 and has_digits(whole) and (parts or len(whole) >= _LONG_NUMBER):
            written = _with_word_before(plain, start, start + len(token))
            found.setdefault(whole, frozenset([*parts, *terms(written, language)]) - {whole})
    return found


def _with_word_before(text: str, start: int, end: int) -> str:
    before = text[:start].split()[-1:] if text[:start].endswith(" ") else []
    return " ".join([*before, text[start:end]])


def measure(
    question: Question,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    *,
    weights: TermWeights,
    sources: Sources,
    reader: PassageReader | None = None,
) -> Signals:
    """The signals for an answer that cites this evidence, which must not be empty.

    The reader is used only for English, its training language, and only with scores from late
    interaction, for which its confidence model was fitted.
    """
    asked = asked_terms(question, weights)
    best = max(evidence, key=lambda item: item.score)
    passage = {
        *terms(best.passage.context, asked.language),
        *terms(sources.text_of(best.passage.span), asked.language),
    }
    sentence = set(terms(best.quote, asked.language))
    said = read_with_announcements(best, sources)
    opposed = opposites(question.plain, said, asked.language, above=best.passage.context)
    scored_by = _scored_by(hits)
    if asked.language != "en" or scored_by is not ScoredBy.LATE_INTERACTION:
        reader = None
    return Signals(
        scored_by=scored_by,
        sentence=best.score,
        faint=max(0.0, 1 - 2 * best.score),
        coverage=asked.share(evidence_terms(evidence, asked.language, sources)),
        elsewhere=asked.share(passage) - asked.share(sentence),
        agreement=hits[0].scores.get("fused", 0.0) if hits else 0.0,
        unknown=asked.share(asked.unknown),
        numbers=asked.share(_lost_numbers(question, evidence, asked, sources)),
        negated=float(states_what_is_negated(question, evidence, asked.language, sources)),
        opposed=float(bool(opposed)),
        ahead=_ahead(best.score, hits, sources),
        place=-math.log(1 + _place(best, hits)),
        read=read(reader, question, evidence, hits, sources=sources) if reader else None,
    )


_COMPARED = 5
"""Sentences that the best one is compared with, itself among them."""


def _ahead(best: float, hits: Sequence[Hit], sources: Sources) -> float:
    """How far a score is above the mean of the best different sentences; copies count once."""
    scored = sorted(
        (
            (score, span)
            for hit in hits
            for score, span in zip(hit.sentence_scores, hit.passage.sentences, strict=False)
        ),
        key=lambda pair: (-pair[0], pair[1]),
    )
    different: dict[str, float] = {}
    for score, span in scored:
        different.setdefault(sources.text_of(span).casefold(), score)
        if len(different) == _COMPARED:
            break
    return best - sum(different.values()) / len(different) if different else 0.0


def _place(best: Evidence, hits: Sequence[Hit]) -> int:
    ids = [hit.passage.id for hit in hits]
    return ids.index(best.passage.id) if best.passage.id in ids else len(ids)


def states_what_is_negated(
    question: Question, evidence: Sequence[Evidence], language: str, sources: Sources
) -> bool:
    """Whether the best quote states what the question negates, and nothing withdraws it.

    Another quote may withdraw it, or the sentence after the best one, which is shown with it.
    """
    best = max(evidence, key=lambda item: item.score)
    if not is_negated_otherwise(question.plain, read_with_announcements(best, sources), language):
        return False
    behind = [after for before, after in pairwise(best.passage.sentences) if before == best.span]
    if any(takes_back(sources.text_of(span)) for span in behind):
        return False
    return not any(
        is_negated_alike(question.plain, read_with_announcements(other, sources), language)
        for other in evidence
        if other is not best
    )


def _lost_numbers(
    question: Question, evidence: Sequence[Evidence], asked: Asked, sources: Sources
) -> set[str]:
    """Terms of the numbers that are in none of the cited passages, not even written otherwise."""
    if not has_digits(question.plain):
        return set()
    lost = missing_numbers(question.plain, evidence, cited_texts(evidence, sources))
    said = evidence_terms(evidence, asked.language, sources)
    # A number that the question writes without groups, and the quote with them.
    otherwise = asked.written_otherwise(said) | (named_by(question.plain) & said)
    return {term for number in lost for term in terms(number, asked.language)} - otherwise


def _lost_runs(pairs: Sequence[str], held: set[str]) -> Iterator[str]:
    """Runs of letters that belong to no pair in `held`.

    The two letters where known words meet are an unknown pair, but not an unknown word.
    """
    place = 0
    while place < len(pairs):
        end = place + 1
        while end < len(pairs) and pairs[end - 1][1:] == pairs[end][0]:
            end += 1
        chain = pairs[place:end]
        letters = chain[0][0] + "".join(pair[1:] for pair in chain)
        known = [pair in held for pair in chain]
        lost = [not any(known[max(0, at - 1) : at + 1]) for at in range(len(letters))]
        yield from (letters[first:last] for first, last in _runs(lost))
        place = end


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Start and end of each run of True; a single flag is extended by its neighbours."""
    at = 0
    for flag, run in groupby(flags):
        end = at + len([*run])
        if flag:
            alone = end - at == 1
            yield (max(0, at - 1), min(len(flags), end + 1)) if alone else (at, end)
        at = end


def evidence_terms(evidence: Sequence[Evidence], language: str, sources: Sources) -> set[str]:
    """Terms of the quotes, their headings and file names, and the column headers of quoted rows."""
    texts = [f"{item.passage.context}\n{item.quote}" for item in evidence]
    texts += [
        sources.text_of(header)
        for item in evidence
        for header in item.passage.headers_of(item.span)
    ]
    return {term for text in texts for term in terms(text, language)}


def _scored_by(hits: Sequence[Hit]) -> ScoredBy:
    """The first stage that scored any of the hits; some hits may not have been scored."""
    given = {name for hit in hits for name in hit.scores}
    return next((stage for stage in ScoredBy if stage.value in given), ScoredBy.LATE_INTERACTION)


# Signals from the small reader, which reads question and passages together.

_QUOTES = 2
"""How many of the best quotes are read, each in its passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Log-odds in -9.2..9.2, each the highest of what was read.

    `answers`: that a passage answers. `answering`: that a quoted sentence is part of an answer.
    `pointing`: the probability, in 0..1, of the short answer, if the best quote holds it. `short` is
    the short answer in the best quote's passage, as a span of its document; `short_probability`, in
    0..1, is the product of the probabilities that the passage answers and that these words do.
    """

    answers: float
    answering: float
    pointing: float = 0.0
    short: Span | None = None
    short_probability: float = 0.0

    def values(self) -> dict[str, float]:
        """The signals by name."""
        names = ("answers", "answering", "pointing")
        return {name: getattr(self, name) for name in names}


def read(
    reader: PassageReader,
    question: Question,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    *,
    sources: Sources,
) -> Read:
    """The reader's signals for an answer that cites this evidence, which must not be empty."""
    best = sorted(evidence, key=lambda item: -item.score)[:_QUOTES]
    places = [(item.passage, item.span) for item in best]
    cited = {item.passage.id for item in best}
    if hits and hits[0].passage.id not in cited:
        places.append((hits[0].passage, _best_sentence(hits[0])))
    readings = reader.read(
        question.plain,
        [
            ToRead.from_passage(passage, sources.text_of(passage.span), span)
            for passage, span in places
        ],
    )
    quoted = [
        reading.best_of(item.passage, item.span)
        for reading, item in zip(readings[: len(best)], best, strict=True)
    ]
    short = readings[0].short
    begin = best[0].passage.span.start
    told = best[0].narrowed().span
    is_told = short is not None and told.start - begin <= short.start < told.end - begin
    return Read(
        answers=max(log_odds(reading.answers) for reading in readings),
        answering=max(map(log_odds, quoted)),
        pointing=short.probability if short and is_told else 0.0,
        short=replace(best[0].span, start=begin + short.start, end=begin + short.end)
        if short
        else None,
        short_probability=short.probability * readings[0].answers if short else 0.0,
    )


def _best_sentence(hit: Hit) -> Span:
    if not hit.sentence_scores:
        return hit.passage.sentences[0] if hit.passage.sentences else hit.passage.span
    scored = zip(hit.sentence_scores, hit.passage.sentences, strict=True)
    return max(scored, key=lambda pair: pair[0])[1]
