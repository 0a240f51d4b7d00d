"""Decides whether quotes support a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import groupby

from pincite.errors import ModelError
from pincite.records.flow import Citation, Mode, Question, Verdict
from pincite.stages import TermWeights
from pincite.text.marks import STRIKE, without_struck
from pincite.verify.numbers.figures import check_figures, without_marks
from pincite.verify.statements.alignment import Alignment
from pincite.verify.statements.deletion import changed_words, is_same, joined_clauses, parts_of
from pincite.verify.statements.entailment import EntailmentModel
from pincite.verify.statements.meaning import headings_of, meaning_fault
from pincite.verify.statements.own_judgement import OwnJudgement
from pincite.verify.statements.scopes import changes_scope
from pincite.verify.statements.wording import FRAMES, Word, words_of

# Measures how much of a statement its quotes contain, word by word and in order.

_ASKED_COUNTS = 0.5
"""Weight of a word that is only in the question, which may assume something false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A quote and the headings above it, which may name what "it" in the quote refers to."""

    quote: str
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How much of a statement its quotes contain.

    `words` is the number of words looked for. `held` is the share of them, in 0..1, that are in the
    quotes, the headings above them or the question, weighted by inverse document frequency;
    `missing` words are in none of these. `changed` words differ from the nearest quote or were
    dropped from it.
    """

    words: int
    held: float
    missing: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def is_clear(self) -> bool:
        """Whether the statement may be shown, judged by its words."""
        return self.words > 0 and not self.changed


def stated_by(cited: Iterable[Citation]) -> list[Stated]:
    """Quotes with the headings above each."""
    return [Stated(quote=one.quote, headings=tuple(headings_of([one]))) for one in cited]


def measure_support(
    claim: str,
    stated: Sequence[Stated],
    question: str,
    weights: TermWeights,
) -> Support:
    """Which words of a statement the quotes contain, and which it changes."""
    language = weights.language(claim)
    words = words_of(claim, language)
    wanted = [word for word in words if _is_subject(word)]
    read = [_read(one, language) for one in stated]
    asked = _keys(question, language)
    quoted = {key for one in read for key in (*one.keys, *one.above)}
    weight = {word.key: weights.weight(word.key) for word in wanted}
    total = sum(weight.values()) or 1.0
    share = {word.key: _share(word, quoted, asked) for word in wanted}
    return Support(
        words=len(weight),
        held=sum(weight[key] * share[key] for key in weight) / total,
        missing=_once(word for word in wanted if share[word.key] < 1),
        changed=_changed(words, read, language),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The words of a quote, their keys, and those of the words of its headings."""

    words: tuple[Word, ...]
    keys: frozenset[str]
    above: frozenset[str]


def _read(stated: Stated, language: str) -> _Read:
    return _Read(
        words=words_of(stated.quote, language),
        keys=frozenset(_keys(stated.quote, language)),
        above=frozenset(key for text in stated.headings for key in _keys(text, language)),
    )


def _changed(words: Sequence[Word], read: Sequence[_Read], language: str) -> tuple[str, ...]:
    """Words in which a statement differs from the nearest quote.

    Clauses joined by "and" or "but" may each be compared with a quote of their own.
    """

    def least(part: Sequence[Word], *, is_from_start: bool = False) -> list[Word]:
        found = [
            changed_words(
                part,
                one.words,
                language,
                given=one.above,
                is_from_start=is_from_start,
            )
            for one in read
        ]
        return min(found, key=len, default=[*part])

    whole = least(words)
    parts = joined_clauses(words, language)
    if not whole or len(parts) == 1:
        return _once(whole)
    apart = [word for part in parts for word in least(part, is_from_start=True)]
    return _once(apart if len(apart) < len(whole) else whole)


def _once(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.text for word in words))


def _is_subject(word: Word) -> bool:
    return (
        word.is_content
        and word.folded not in FRAMES
        and any(sign.isalpha() for sign in word.folded)
    )


def _keys(text: str, language: str) -> set[str]:
    """The keys of a text's words and of the parts of compound words."""
    words = words_of(text, language)
    return {part.key for word in words for part in (word, *parts_of(word, language))}


def _share(word: Word, quoted: set[str], asked: set[str]) -> float:
    if _is_in(word.key, quoted):
        return 1.0
    parts = word.folded.split("-")
    if len(parts) > 1 and all(_is_in(part, quoted) for part in parts):
        return 1.0
    return _ASKED_COUNTS if word.key in asked else 0.0


def _is_in(key: str, keys: set[str]) -> bool:
    """Whether the keys contain a word, possibly in another form."""
    return key in keys or any(is_same(key, other) for other in keys)


# Decides whether quotes support a statement.

# Whether the numbers of a statement come from a quote with its words, or about something else.

_LEAST_WITH_NUMBER = 0.6
"""Weighted share of the words around a number that must be in the quote that contains it. Not all
need be, since a sentence often uses a pronoun for what the previous one names."""
_FEWEST_WORDS = 2


def number_apart(claim: str, cited: Sequence[Citation], weights: TermWeights) -> str:
    """The first part of a statement whose numbers and words are in no one quote; empty for none."""
    if not any(map(str.isdigit, claim)) or _is_in_one(claim, cited, weights):
        return ""
    parts = [part for part in _parts(claim, weights) if any(map(str.isdigit, part))]
    return next((part for part in parts if not _is_in_one(part, cited, weights)), "")


def _is_in_one(part: str, cited: Sequence[Citation], weights: TermWeights) -> bool:
    return any(
        _held(part, citation, weights) >= _LEAST_WITH_NUMBER
        and not check_figures(part, [citation]).faults
        for citation in cited
    )


def _held(part: str, citation: Citation, weights: TermWeights) -> float:
    return measure_support(part, stated_by([citation]), "", weights).held


def _parts(claim: str, weights: TermWeights) -> Iterator[str]:
    """The clauses of a statement; very short ones are joined with the next or the previous one."""
    words = words_of(claim, weights.language(claim))
    clauses = [list(group) for _, group in groupby(words, key=lambda word: word.clause)]
    joined = [clauses[0]] if clauses else []
    for clause in clauses[1:]:
        is_short = (
            min(sum(word.is_content for word in one) for one in (joined[-1], clause))
            < _FEWEST_WORDS
        )
        if is_short:
            joined[-1] = [*joined[-1], *clause]
        else:
            joined.append(clause)
    yield from (claim[one[0].start : one[-1].end] for one in joined)


# The verdict on a statement.

_WORDS_NAMED = 5
_CONTRADICTED_FROM = 0.5
_DECIMALS = 4
"""Probabilities are rounded so that they do not suggest more precision than they have."""

CARRIED = frozenset({Verdict.SUPPORTED, Verdict.DERIVED, Verdict.WORDED_FREELY})
"""Verdicts of statements that may be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The verdict on a statement; `detail` names the words or numbers at fault.

    `support` is the probability, in 0..1, that its quotes support it; None if no model judged it.
    """

    verdict: Verdict
    detail: str = ""
    support: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the statement may be shown."""
        return self.verdict in CARRIED

    def __str__(self) -> str:
        return f"{self.verdict} ({self.detail})" if self.detail else str(self.verdict)


class ClaimChecker:
    """Compares a statement with the quotes it cites.

    Numbers, names and negations are compared first, and any fault is final. Then the words are
    compared, or, if there is one, an `entailment` model judges instead: its probability must be at
    least `least_entailed`, in 0..1. With an `alignment`, or the `judgement` of the model that wrote
    it, a statement whose words differ may be worded freely, which is a verdict of its own.
    """

    def __init__(
        self,
        weights: TermWeights,
        *,
        entailment: EntailmentModel | None = None,
        least_entailed: float = 0.5,
        alignment: Alignment | None = None,
        judgement: OwnJudgement | None = None,
    ) -> None:
        self.weights = weights
        self._entailment = entailment
        self._least_entailed = least_entailed
        self._alignment = alignment
        self._judgement = judgement

    def at_once(self) -> ClaimChecker:
        """The same without the judgement of the model, which takes seconds."""
        quick = copy(self)
        quick._judgement = None
        return quick

    @property
    def judged_by(self) -> str:
        """What compares statements with quotes, after the checks of numbers and of meaning."""
        if self._entailment:
            return self._entailment.name
        own = self._judgement
        return f"words, and {own.name}" if own and own.is_believed else "words alone"

    def check(
        self,
        question: Question,
        claim: str,
        cited: Sequence[Citation],
        mode: Mode,
    ) -> Finding:
        """Whether the statement may be shown.

        A statement that is one of its quotes, word for word, always may. In modes without a
        language model, no other may.
        """
        if not claim.strip():
            return Finding(verdict=Verdict.EMPTY)
        if not cited:
            return Finding(verdict=Verdict.NOT_CITED)
        if any(citation.quote == claim for citation in cited):
            return Finding(verdict=Verdict.SUPPORTED)
        if mode is not Mode.GENERATED:
            return Finding(verdict=Verdict.NOT_WORD_FOR_WORD)
        return self._check_written(question, without_marks(claim), cited)

    def _check_written(self, question: Question, claim: str, cited: Sequence[Citation]) -> Finding:
        cited = [_that_holds(citation) for citation in cited]
        figures = check_figures(claim, cited)
        if figures.faults:
            verdict = figures.faults[0].verdict
            wrong = [fault.written for fault in figures.faults if fault.verdict is verdict]
            return Finding(verdict=verdict, detail=", ".join(wrong))
        fault = meaning_fault(claim, cited, question.plain)
        if fault:
            return Finding(verdict=fault.verdict, detail=fault.written)
        judged = (
            self._entailed(self._entailment, claim, cited)
            if self._entailment
            else self._worded(question, claim, cited)
        )
        if not judged.holds:
            return judged
        if figures.derived:
            return replace(judged, verdict=Verdict.DERIVED, detail=", ".join(figures.derived))
        apart = number_apart(claim, cited, self.weights)
        return replace(judged, verdict=Verdict.NUMBER_APART, detail=apart) if apart else judged

    def _entailed(self, model: EntailmentModel, claim: str, cited: Sequence[Citation]) -> Finding:
        try:
            found = model.judge(claim, premise_of(cited))
        except ModelError as error:
            return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=str(error))
        sure = round(found.supported, _DECIMALS)
        if found.contradicted > _CONTRADICTED_FROM:
            return Finding(verdict=Verdict.CONTRADICTED, support=sure)
        if found.supported < self._least_entailed:
            detail = f"{sure:.2f} by {model.name.partition('#')[0]}"
            return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=detail, support=sure)
        return Finding(verdict=Verdict.SUPPORTED, support=sure)

    def _worded(self, question: Question, claim: str, cited: Sequence[Citation]) -> Finding:
        support = measure_support(claim, stated_by(cited), question.plain, self.weights)
        if support.is_clear:
            return Finding(verdict=Verdict.SUPPORTED)
        quotes, language = [citation.quote for citation in cited], self.weights.language(claim)
        if self._alignment and self._alignment.is_worded_freely(claim, quotes, language):
            return Finding(verdict=Verdict.WORDED_FREELY)
        if self._judgement and not changes_scope(claim, quotes, language):
            likelihood = self._judgement.likelihood(claim, premise_of(cited))
            if likelihood is not None:
                sure = round(likelihood, _DECIMALS)
                return Finding(verdict=Verdict.WORDED_FREELY, support=sure)
        words = ", ".join((support.missing or support.changed)[:_WORDS_NAMED])
        return Finding(verdict=Verdict.NOT_CLEARLY_CARRIED, detail=words)


def _that_holds(citation: Citation) -> Citation:
    """The citation without struck-out text, which supports nothing; places stay the same."""
    if STRIKE not in citation.quote:
        return citation
    cells = tuple(replace(cell, text=without_struck(cell.text)) for cell in citation.cells)
    return replace(citation, quote=without_struck(citation.quote), cells=cells)


def premise_of(cited: Sequence[Citation]) -> str:
    """The text that a model reads: headings, quotes, and table cells with their headers."""
    cells = [
        f"{', '.join(label.text for label in (*cell.rows, *cell.columns))}: {cell.text}"
        for citation in cited
        for cell in citation.cells
        if cell.rows or cell.columns
    ]
    return "\n".join([*headings_of(cited), *(citation.quote for citation in cited), *cells])
