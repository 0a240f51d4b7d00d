"""Decides whether there is enough to answer: computes confidence and compares it with thresholds."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pincite.models.vectors import sigmoid
from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Question
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import PassageReader, Sources, TermWeights
from pincite.text.question_words import spoken_language
from pincite.text.tables.learned.choosing import UNDOUBTED
from pincite.text.tables.reading import Reading
from pincite.verify.abstention.asked_kinds import NUMBER, missing_kind
from pincite.verify.abstention.by_table import (
    asked_cell,
    by_table,
    names_its_cell,
    not_compared,
    of_another_row,
)
from pincite.verify.abstention.calibration import UNCALIBRATED, Calibration
from pincite.verify.abstention.clauses import is_of_another_name
from pincite.verify.abstention.dated import wrong_years
from pincite.verify.abstention.near_misses import near_miss
from pincite.verify.abstention.signals import Signals, asked_terms, evidence_terms, measure

_MOST = 0.6
"""Weighted share of the question's words: with this many in the quotes, fewer quotes are enough."""

_TELLING = 0.5
"""Least weight of a name or number that is in few passages."""

_NAMED, _NAMED_SHARE = 0.9, 0.5
"""Confidence in a quote that names the very thing asked about, and the least share of the other words
that it must have."""

_CERTAIN = 0.99
"""Confidence in the rows that a table's exact reading of the question finds: only the reading can be
wrong."""

_SHARED = 0.4
"""Least share of the words of a question in an unsupported language that relevant quotes contain."""

_ENGLISH, _NEARLY_ALL = "en", 0.9
"""The language, and the share of a question's words in no document, from which an answer is in doubt.
Of 108 judged questions and 45 about manual pages, no answer without doubt had more than 0.62."""

SHORT_ANSWER_PROBABILITY = 0.5
"""Short answers that are less likely are not shown (`python benchmarks/short_answers.py`)."""

_DECIMALS = 4
"""Confidence is rounded so that it does not suggest more precision than it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What an answer needs. `support` is a number of quotes, `score` the first hit's score, in 0..1.

    Fewer quotes are enough if they contain most of what is asked for: a single fact often appears
    once. Without a `confidence`, that of the `stance` is needed. A calibration's threshold replaces
    both.
    """

    confidence: float | None = None
    stance: str = "balanced"
    support: int = 0
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The confidence of an answer, in 0..1, and why it is refused (`too_little`, empty if it is not).

    `caveat` must be shown with the answer. `short` is the place of the few words that answer by
    themselves; None if the reader is not sure of them. `is_doubtful` if the first quote is likely not
    the right one; the strict stance then refuses.
    """

    confidence: float
    too_little: str = ""
    caveat: str = ""
    short: Span | None = None
    is_doubtful: bool = False
    is_certain: bool = False
    """A table's rows were found by an exact reading of the question."""


class Judge:
    """Judges whether evidence answers. `message` describes the confidence in every answer."""

    def __init__(
        self,
        sources: Sources,
        weights: TermWeights,
        needed: Thresholds,
        *,
        calibration: Calibration | None = None,
        message: str = UNCALIBRATED,
        reader: PassageReader | None = None,
    ) -> None:
        self._reader = reader
        self._sources = sources
        self._weights = weights
        self._needed = needed
        self._calibration = calibration
        self.message = message

    def judge(
        self, question: Question, evidence: Sequence[Evidence], hits: Sequence[Hit]
    ) -> Judgement:
        """The judgement of an answer based on this evidence, which must not be empty."""
        if readings := by_table(question, evidence, hits, self._sources):
            return self._by_table(readings)
        signals = measure(
            question,
            evidence,
            hits,
            weights=self._weights,
            sources=self._sources,
            reader=self._reader,
        )
        shipped = round(confidence(signals), _DECIMALS)
        first, undoubted = first_confidence(signals), threshold("doubt", signals.model + _FIRST)
        is_doubtful = first < undoubted
        uncompared = not_compared(question, evidence, self._sources)
        few = self._few(evidence)
        are_held = not few or self._holds_most(question, evidence)
        if not _speaks_against(signals) and self._is_named(question, evidence):
            shipped = max(shipped, _NAMED)
            is_doubtful = False
        is_doubtful = is_doubtful or bool(uncompared) or _stands_nowhere(question, signals)
        kind = self._missing_kind(question, evidence)
        lacking = is_doubtful and not uncompared and kind not in {"", NUMBER}
        # The date in a heading tells when a meeting was, not when what is quoted of it happens.
        is_doubtful = is_doubtful or bool(
            self._missing_kind(question, evidence, with_headings=False)
        )
        too_little = self._too_little(signals, shipped, hits)
        if is_doubtful and self._refuses_doubtful:
            too_little = too_little or _uncertain(first, undoubted)
        if few and not are_held:
            too_little = too_little or Reason.of(ReasonKind.FEW_QUOTES, support=few)
        return Judgement(
            confidence=round(self._calibrated(shipped), _DECIMALS),
            # A quote about something else is a better reason than a low number.
            too_little=self._of_another(question, evidence, hits)
            or self._of_another_language(question, evidence)
            or too_little
            or (Reason.of(ReasonKind.NO_SUCH_KIND, asked=kind) if lacking else ""),
            caveat=_caveat(uncompared, few, len(evidence)),
            short=None if is_doubtful else self._short_answer(question, evidence, signals),
            is_doubtful=is_doubtful,
        )

    def _by_table(self, readings: Sequence[Reading]) -> Judgement:
        likely = min(reading.probability for reading in readings)
        is_doubtful = likely < UNDOUBTED
        needed = self._needed.confidence or 0.0
        if self._calibration is not None and self._calibration.bound is not None:
            needed = self._calibration.bound.threshold
        elif is_doubtful and self._refuses_doubtful:
            needed = UNDOUBTED
        return Judgement(
            confidence=round(min(likely, _CERTAIN), _DECIMALS),
            too_little=_uncertain(likely, needed) if likely < needed else "",
            short=asked_cell(readings),
            is_certain=likely == 1.0,
            is_doubtful=is_doubtful,
        )

    @property
    def _refuses_doubtful(self) -> bool:
        is_calibrated = self._calibration is not None and self._calibration.bound is not None
        is_strict = self._needed.stance == "strict" and self._needed.confidence is None
        return is_strict and not is_calibrated

    def _short_answer(
        self, question: Question, evidence: Sequence[Evidence], signals: Signals
    ) -> Span | None:
        read = signals.read
        if read is None or read.short is None or read.short_probability < SHORT_ANSWER_PROBABILITY:
            return None
        short = read.short
        told = (item.narrowed().span for item in evidence)
        for span in filter(lambda one: one.contains(short), told):
            place = short.start - span.start, short.end - span.start
            if is_of_another_name(self._sources.text_of(span), place, question.plain):
                return None
        return short if names_its_cell(question, short, self._sources) else None

    def _is_named(self, question: Question, evidence: Sequence[Evidence]) -> bool:
        """Whether the best quote names the date, code or number that is asked about, in any form.

        It then says what is asked, however little its meaning resembles the question, provided that
        it has most of the other words too.
        """
        asked = asked_terms(question, self._weights)
        best = max(evidence, key=lambda item: item.score)
        said = evidence_terms([best], asked.language, self._sources)
        return asked.share_beside_keys(said) >= _NAMED_SHARE

    def _missing_kind(
        self, question: Question, evidence: Sequence[Evidence], *, with_headings: bool = True
    ) -> str:
        return missing_kind(
            question.plain,
            evidence,
            asked_terms(question, self._weights).language,
            self._sources,
            with_headings=with_headings,
        )

    def _calibrated(self, shipped: float) -> float:
        return self._calibration.right(shipped) if self._calibration else shipped

    def _of_another(
        self, question: Question, evidence: Sequence[Evidence], hits: Sequence[Hit]
    ) -> str:
        """Why the quotes are certainly about something else, however similar; empty if not certain."""
        weights, sources = self._weights, self._sources
        wrong = wrong_years(question, evidence, weights=weights, sources=sources)
        if wrong.instead:
            asked, held = ([*map(str, years)] for years in (wrong.asked, wrong.instead))
            return Reason.of(ReasonKind.OTHER_TIME, asked=asked, instead=held)
        missed = near_miss(question, evidence, hits, weights=weights, sources=sources)
        return missed or of_another_row(question, evidence, sources)

    def _of_another_language(self, question: Question, evidence: Sequence[Evidence]) -> str:
        """Why the quotes are unrelated to a question in an unsupported language; empty if related."""
        foreign = question.understood.foreign if question.understood else ""
        if not foreign:
            return ""
        asked = asked_terms(question, self._weights)
        said = evidence_terms(evidence, asked.language, self._sources)
        is_named = any(
            weight >= _TELLING and term in said for term, weight in asked.weights.items()
        )
        if is_named or asked.share(said) >= _SHARED:
            return ""
        return Reason.of(ReasonKind.OTHER_LANGUAGE, language=foreign)

    def _few(self, evidence: Sequence[Evidence]) -> str:
        quotes = "quote" if len(evidence) == 1 else "quotes"
        is_few = len(evidence) < self._needed.support
        return f"{len(evidence)} {quotes}, {self._needed.support} needed" if is_few else ""

    def _holds_most(self, question: Question, evidence: Sequence[Evidence]) -> bool:
        asked = asked_terms(question, self._weights)
        return asked.share(evidence_terms(evidence, asked.language, self._sources)) >= _MOST

    def _too_little(self, signals: Signals, shipped: float, hits: Sequence[Hit]) -> str:
        needed, sure = self._needed, self._calibrated(shipped)
        bound = self._calibration.bound if self._calibration else None
        if bound is not None:
            if shipped < bound.threshold:
                least = self._calibrated(bound.threshold)
                return _uncertain(sure, least, f" for {bound.risk:.0%} wrong at most")
        elif needed.confidence is not None:
            if sure < needed.confidence:
                return _uncertain(sure, needed.confidence)
        elif shipped < (least := threshold(needed.stance, signals.model)):
            return _uncertain(sure, self._calibrated(least))
        score = hits[0].score if hits else 0.0
        if score < needed.score:
            return Reason.of(ReasonKind.UNLIKE, got=f"{score:.2f}", needed=f"{needed.score:.2f}")
        return ""


def _uncertain(got: float, needed: float, bound: str = "") -> Reason:
    return Reason.of(ReasonKind.UNCERTAIN, got=f"{got:.2f}", needed=f"{needed:.2f}", bound=bound)


def _stands_nowhere(question: Question, signals: Signals) -> bool:
    """Whether nearly nothing that an English question asks for stands in any document.

    In other languages its words may be foreign to the documents and its meaning not.
    """
    is_english = spoken_language(question.plain, question.language) == _ENGLISH
    return is_english and signals.unknown >= _NEARLY_ALL


def _caveat(uncompared: str, few: str, count: int) -> str:
    if uncompared:
        return (
            f"the rows were not compared: '{uncompared}' was not understood; ask for rows by the names "
            "of their columns"
        )
    contain = "it contains" if count == 1 else "they contain"
    return f"{few}, but {contain} most of what is asked for" if few else ""


def _speaks_against(signals: Signals) -> bool:
    """Whether the quotes lack a number of the question, or say the opposite."""
    return bool(signals.numbers or signals.negated or signals.opposed)


# The confidence that quotes answer a question.

SIGNALS = (
    "sentence",
    "faint",
    "coverage",
    "elsewhere",
    "agreement",
    "unknown",
    "numbers",
    "negated",
    "opposed",
)
READ = ("sentence", "agreement", "numbers", "negated", "opposed", "answers", "answering")
"""With the small reader's output; the other signals did not help on sets left out of the fit."""

_FIRST = "_first"
OF_FIRST = ("ahead", "place")
OF_FIRST_READ = (*OF_FIRST, "pointing")
"""What tells, beside these, whether the first quote is right: how it stands among the others."""

MODELS_FILE = "confidence.toml"
"""Written by `python benchmarks/fit_confidence.py`, which documents the data of the fit."""


def confidence(signals: Signals) -> float:
    """Confidence in 0..1 by a logistic model. Not calibrated on the user's own documents."""
    return _score(signals.model, signals)


def first_confidence(signals: Signals) -> float:
    """Confidence in 0..1 that the first quote is right. The documents may answer in another one."""
    return _score(signals.model + _FIRST, signals)


def _score(name: str, signals: Signals) -> float:
    model, values = _models()[name], signals.values()
    # A model has coefficients only for the signals that its fit kept.
    score = sum(model[name] * value for name, value in values.items() if name in model)
    return sigmoid(model["intercept"] + score)


def threshold(name: str, model: str) -> float:
    """The confidence that a stance requires from this model, or below which it is in `doubt`."""
    return _models()[model][name]


def models_digest() -> str:
    """Identifies the shipped models: calibrations made with others are not valid."""
    return hashlib.sha256(_file().encode()).hexdigest()[:16]


@cache
def _models() -> Mapping[str, Mapping[str, float]]:
    """Coefficients and thresholds by the name of the model (`Signals.model`)."""
    return tomllib.loads(_file())


def _file() -> str:
    return files("pincite.verify.abstention").joinpath(MODELS_FILE).read_text(encoding="utf-8")
