"""Why a question is refused, and what to know about an answer: a kind, its data, and one sentence.

All sentences stand in `_WORDINGS`, by kind. A `Reason` is the sentence itself, so that it can be shown
wherever a text can; programs read its `kind` and `data` and never the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Self


class ReasonKind(StrEnum):
    """What a reason says. The values are part of the JSON interface."""

    # Refusals: the cause, then the nearest passages, then what is missing.
    UNCERTAIN = "uncertain"
    """The confidence is too low; with `got` and `needed`."""
    UNLIKE = "unlike"
    """The best passage scores too low."""
    FEW_QUOTES = "few-quotes"
    OTHER_TIME = "other-time"
    """It asks for the times `asked`, and the quotes are about `instead`."""
    OTHER_ROW = "other-row"
    OTHER_DAY = "other-day"
    OTHER_NAME = "other-name"
    UNKNOWN_NAME = "unknown-name"
    OTHER_LANGUAGE = "other-language"
    NO_SUCH_KIND = "no-such-kind"
    """No quote has the `asked` number, time or place."""
    UNSUPPORTED = "unsupported"
    """The documents do not seem to answer; `cause` has the reason for that."""
    NO_WORDS = "no-words"
    NOTHING_ALIKE = "nothing-alike"
    NOTHING_NEAR = "nothing-near"
    NOTHING_VERIFIED = "nothing-verified"
    BEST_LOST = "best-lost"
    NEAREST = "nearest"
    NEXT = "next"
    NEAR = "near"
    """The nearest `places`, where no passage is nearest of all."""
    NOWHERE = "nowhere"
    """`words` are in none of the documents."""
    NOT_THERE = "not-there"
    """`words` are not in the nearest passages."""
    OPPOSITE = "opposite"
    NEGATED = "negated"
    # Remarks on answers that are shown.
    NOWHERE_REMARK = "nowhere-remark"
    NOT_NAMED = "not-named"
    NOT_DATED = "not-dated"
    NOT_IN_BEST = "not-in-best"
    DIFFER = "differ"
    """Two `quotes`, by number, state different amounts, codes or names."""
    LEFT_OUT = "left-out"
    QUOTES_INSTEAD = "quotes-instead"
    QUOTES_ALONE = "quotes-alone"
    """No model wrote the answer; `cause` says why."""
    RECOGNISED = "recognised"
    FLAGGED = "flagged"
    GAP = "gap"
    NEWER = "newer"
    ALSO_IN = "also-in"
    PART_MISSING = "part-missing"
    """No answer was found for the part `words` of the question."""
    COMPARED = "compared"
    """Between the files `before` and `after`, `count` of `total` statements differ."""
    MORE_CHANGES = "more-changes"
    SAME = "same"
    """A refusal: the files `before` and `after` do not differ in what is asked."""
    NOT_COMPARED = "not-compared"
    """A refusal: the files `before` and `after` are too long to be compared for an answer."""
    OTHER = "other"
    """Everything that is only shown."""


_WORDINGS = {
    ReasonKind.UNCERTAIN: "confidence {got}, {needed} needed{bound}",
    ReasonKind.UNLIKE: "the best passage scores {got}, {needed} needed",
    ReasonKind.FEW_QUOTES: "too little support: {support}",
    ReasonKind.OTHER_TIME: "it asks for {asked}, but the nearest quote is about {instead}",
    ReasonKind.OTHER_ROW: "it asks for {asked}, and the nearest row is about {instead}",
    ReasonKind.OTHER_DAY: "it asks for {asked}, and the nearest quotes are about other days",
    ReasonKind.OTHER_NAME: "the passages that come nearest name no {asked}, but another",
    ReasonKind.UNKNOWN_NAME: "it asks for {asked}, which appears in none of the documents",
    ReasonKind.OTHER_LANGUAGE: (
        "it is asked in {language}, and the quotes contain too few of its words"
    ),
    ReasonKind.NO_SUCH_KIND: "it asks for {asked}, and there is none in the quotes",
    ReasonKind.UNSUPPORTED: "the documents do not seem to answer this: {cause}",
    ReasonKind.NO_WORDS: "the question has no words to search for",
    ReasonKind.NOTHING_ALIKE: "nothing in the documents resembles the question",
    ReasonKind.NOTHING_NEAR: "no sentence in the documents comes near the question",
    ReasonKind.NOTHING_VERIFIED: "no statement could be verified against its source",
    ReasonKind.BEST_LOST: (
        "the sentence closest to the question is no longer in its source, and the other quotes from "
        "that file only add to it"
    ),
    ReasonKind.NEAREST: "the nearest passage is in {place}{quoted}",
    ReasonKind.NEXT: "next come {places:; }",
    ReasonKind.NEAR: "the nearest are {places:; }",
    ReasonKind.NOWHERE: "in none of the documents: {words}",
    ReasonKind.NOT_THERE: "not found there: {words}",
    ReasonKind.OPPOSITE: "it says '{instead}' where the question says '{asked}'",
    ReasonKind.NEGATED: "it states what the question negates",
    ReasonKind.NOWHERE_REMARK: (
        "in none of the documents: {words}; the answer may be about something else"
    ),
    ReasonKind.NOT_NAMED: (
        "the cited passages do not name: {words}; they may be about something else"
    ),
    ReasonKind.NOT_DATED: ("no quote on this is about {words}; they may be about another time"),
    ReasonKind.NOT_IN_BEST: (
        "the passage of the best quote does not name: {words}; another cited one does"
    ),
    ReasonKind.DIFFER: (
        "quotes [{quotes[0]}] and [{quotes[1]}] differ: {here} in {file}, {there} in {other_file}"
    ),
    ReasonKind.LEFT_OUT: "{count} of {total} {statements} left out: {faults}",
    ReasonKind.QUOTES_INSTEAD: "{cause}; the quotes themselves are shown",
    ReasonKind.QUOTES_ALONE: "the quotes themselves are shown: {cause}",
    ReasonKind.RECOGNISED: (
        "quote [{quotes}] was recognised from a picture ({sure} sure): compare it with the page"
    ),
    ReasonKind.FLAGGED: "{file}: a quote contains {flag}: {detail}",
    ReasonKind.GAP: "{file}: {detail}",
    ReasonKind.NEWER: "{file} is cited; by their names there are newer versions: {newer}",
    ReasonKind.ALSO_IN: "the sentence of quote [{quotes}] also appears in {files}",
    ReasonKind.COMPARED: ("{before} → {after}: {count} of {total} statements differ{about}"),
    ReasonKind.MORE_CHANGES: "{count} more differences: pincite compare shows all",
    ReasonKind.SAME: "{before} and {after} were compared, and do not differ{about}",
    ReasonKind.NOT_COMPARED: (
        "{before} and {after} are too long to be compared for an answer: use pincite compare"
    ),
    ReasonKind.PART_MISSING: "no answer found for: {words}",
}
"""The sentence of each kind. Items of a list have a comma between them, or what follows the colon."""


class Reason(str):
    """One sentence that knows what it says."""

    kind: ReasonKind
    data: Mapping[str, Any]
    """Texts, numbers and lists of texts by name; of a cause, its own kind and data."""

    def __new__(
        cls, text: str, kind: ReasonKind = ReasonKind.OTHER, data: Mapping[str, Any] | None = None
    ) -> Self:
        """A sentence that is worded elsewhere."""
        made = super().__new__(cls, text)
        made.kind = kind
        made.data = dict(data or {})
        return made

    @classmethod
    def of(cls, kind: ReasonKind, *, wording: Mapping[str, str] | None = None, **data: Any) -> Self:
        """The reason of this kind, worded with its data and with words that only the sentence needs."""
        said = {name: _Words(v) if _is_list(v) else v for name, v in data.items()}
        return cls(_WORDINGS[kind].format_map({**said, **(wording or {})}), kind, data)

    def told(self, message: Callable[[str], str]) -> Self:
        """The same reason with every text changed by `message`, which hides what may not be known."""
        data = {name: _changed(value, message) for name, value in self.data.items()}
        return type(self)(message(self), self.kind, data)

    @property
    def quotes(self) -> frozenset[int]:
        """The numbers of the quotes that it is about, from 1."""
        return frozenset(self.data.get("quotes", ()))

    def form(self) -> dict[str, Any]:
        """The kind and the data as JSON."""
        return {"kind": str(self.kind), **{name: _form(value) for name, value in self.data.items()}}


def as_reason(text: str) -> Reason:
    """`text` itself if it is a reason, else one that is only shown."""
    return text if isinstance(text, Reason) else Reason(text)


def reason_forms(reasons: Iterable[str]) -> list[dict[str, Any]]:
    """The kinds and data of reasons, in their order."""
    return [as_reason(reason).form() for reason in reasons]


class _Words(tuple[Any, ...]):
    """A list in a sentence; the format is what stands between its items, a comma if it is empty."""

    def __format__(self, spec: str) -> str:
        return (spec or ", ").join(map(str, self))


def _changed(value: Any, message: Callable[[str], str]) -> Any:
    if isinstance(value, Reason):
        return value.told(message)
    if isinstance(value, str):
        return message(value)
    return [_changed(one, message) for one in value] if _is_list(value) else value


def _form(value: Any) -> Any:
    if isinstance(value, Reason):
        return {**value.form(), "text": str(value)}
    return list(value) if _is_list(value) else value


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))
