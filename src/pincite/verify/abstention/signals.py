"""What speaks for the quotes answering the question, and what against it, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from itertools import groupby, pairwise

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Question
from pincite.stages import PassageReader, Sources, TermWeights, ToRead, log_odds
from pincite.text.negations import takes_back
from pincite.text.question_words import is_asking_verb, is_grammar, without_asking_phrases
from pincite.text.terms import is_unspaced, question_terms, terms
from pincite.verify.abstention.opposition import is_negated_alike, is_negated_otherwise, opposites
from pincite.verify.numbers.missing import cited_texts, has_digits, missing_numbers
from pincite.verify.quotes.list_lead_ins import read_with_announcements

IN_NO_PASSAGE = 0.999
"""Weight from which on a word stands nowhere in the library; the weight of such a word is 1."""


class ScoredBy(StrEnum):
    """Which stage gave the sentences their scores: these mean different things from each."""

    LATE_INTERACTION = "late_interaction"
    LATE_UNREAD = "late_unread"
    """Late interaction by an encoder that does not read the script of the question."""
    SENTENCE_COSINE = "sentence_cosine"
    TERM_COVERAGE = "term_coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Values in 0..1.

    `sentence`: score of the best cited sentence. `faint`: how far that is below one half, doubled,
    since below it no sentence answers. `coverage`: share of the question's words, weighted
    by how telling they are, that stand in the quotes or in the headings above them. `elsewhere`: the
    share that stands in the best sentence's passage but not in that sentence. `agreement`: fused score
    of the first hit, which is 1 where the search by words and that by meaning put the same passage
    first. `unknown`: the share that stands nowhere in the library. `numbers`: the share that is numbers
    which no cited passage names. `negated`: 1 where the best sentence
    states what the question negates and no other quote negates it; `opposed`: 1 where it holds a word
    of opposite meaning. `read`: what a reader of question and passages together says, where there is
    one.
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
    read: Read | None = None

    @property
    def model(self) -> str:
        """The logistic model that weighs these signals."""
        return f"{self.scored_by}{'_read' if self.read else ''}"

    def values(self) -> dict[str, float]:
        """Each by its name."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        del own["scored_by"], own["read"]
        return {**own, **(asdict(self.read) if self.read else {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The terms of a question: the weight in 0..1 of each, and the word that it comes from."""

    language: str
    weights: Mapping[str, float]
    words: Mapping[str, str]

    def share(self, held: set[str]) -> float:
        """Of the weight of all terms, that of those in `held`."""
        total = sum(self.weights.values())
        found = sum(weight for term, weight in self.weights.items() if term in held)
        return found / total if total else 0.0

    def missing(self, held: set[str]) -> list[str]:
        """Words that are not in `held`, the most telling first, each once.

        Where no blanks part the words, the longest runs of letters that no held pair has a part in.
        """
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
        """Terms that stand in no passage of the library."""
        return {term for term, weight in self.weights.items() if weight >= IN_NO_PASSAGE}


def asked_terms(question: Question, weights: TermWeights) -> Asked:
    """What is asked for, as terms of the question's language; not how it is asked ("how many")."""
    # Told from all its words, of which those that only frame it are left out here.
    language = weights.language(question.written)
    plain = without_asking_phrases(question.plain, language)
    weighed = {
        term: (word, weights.weight(term)) for term, word in question_terms(plain, language).items()
    }
    # "What does it cost" is answered by a price, and the word need not be there.
    kept = {
        term: (word, weight)
        for term, (word, weight) in weighed.items()
        if weight < IN_NO_PASSAGE or not is_asking_verb(word, question.plain, language)
    }
    telling = {term: found for term, found in kept.items() if not is_grammar(term)}
    kept = telling or kept
    return Asked(
        language=language,
        weights={term: weight for term, (_, weight) in kept.items()},
        words={term: word for term, (word, _) in kept.items()},
    )


def measure(
    question: Question,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    *,
    weights: TermWeights,
    sources: Sources,
    reader: PassageReader | None = None,
) -> Signals:
    """The signals for an answer that would cite this evidence, of which there is at least one.

    The reader is asked only in English, which it was taught, and where late interaction scored the
    sentences, beside which its model was fitted.
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
        numbers=asked.share(_lost_numbers(question, evidence, asked.language, sources)),
        negated=float(states_what_is_negated(question, evidence, asked.language, sources)),
        opposed=float(bool(opposed)),
        read=read(reader, question, evidence, hits, sources=sources) if reader else None,
    )


def states_what_is_negated(
    question: Question, evidence: Sequence[Evidence], language: str, sources: Sources
) -> bool:
    """Whether the best quote states what the question negates, and nothing says that it is not.

    That may be another quote, or the sentence behind the best one, which is shown with it.
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
    question: Question, evidence: Sequence[Evidence], language: str, sources: Sources
) -> set[str]:
    """Terms of the numbers that stand in none of the cited passages."""
    if not has_digits(question.plain):
        return set()
    lost = missing_numbers(question.plain, evidence, cited_texts(evidence, sources))
    return {term for number in lost for term in terms(number, language)}


def _lost_runs(pairs: Sequence[str], held: set[str]) -> Iterator[str]:
    """Runs of letters of which no pair is held.

    The letters where two known words meet are a new pair, and no new word.
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
    """Where runs of True begin and end; of one alone, with what is beside it."""
    at = 0
    for flag, run in groupby(flags):
        end = at + len([*run])
        if flag:
            alone = end - at == 1
            yield (max(0, at - 1), min(len(flags), end + 1)) if alone else (at, end)
        at = end


def evidence_terms(evidence: Sequence[Evidence], language: str, sources: Sources) -> set[str]:
    """Terms of the quotes, of the headings and file names above them, and of a row's column headers."""
    texts = [f"{item.passage.context}\n{item.quote}" for item in evidence]
    texts += [
        sources.text_of(header)
        for item in evidence
        for header in item.passage.headers_of(item.span)
    ]
    return {term for text in texts for term in terms(text, language)}


def _scored_by(hits: Sequence[Hit]) -> ScoredBy:
    """The first of the stages whose score some hit has: there may be hits that nobody looked at."""
    given = {name for hit in hits for name in hit.scores}
    return next((stage for stage in ScoredBy if stage.value in given), ScoredBy.LATE_INTERACTION)


# What a model that reads question and passages together says of an answer, as signals.

_QUOTES = 2
"""The best quotes are read, each within its passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Log-odds in -9.2..9.2, of the best of what was read.

    `answers`: a passage answers. `answering`: a quoted sentence is part of an answer.
    """

    answers: float
    answering: float


def read(
    reader: PassageReader,
    question: Question,
    evidence: Sequence[Evidence],
    hits: Sequence[Hit],
    *,
    sources: Sources,
) -> Read:
    """For an answer that would cite this evidence, of which there is at least one piece."""
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
    return Read(
        answers=max(log_odds(reading.answers) for reading in readings),
        answering=max(map(log_odds, quoted)),
    )


def _best_sentence(hit: Hit) -> Span:
    if not hit.sentence_scores:
        return hit.passage.sentences[0] if hit.passage.sentences else hit.passage.span
    scored = zip(hit.sentence_scores, hit.passage.sentences, strict=True)
    return max(scored, key=lambda pair: pair[0])[1]
