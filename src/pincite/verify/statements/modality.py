"""Does a statement keep what its quotes say is a duty, a permission, advice or bound to a condition?"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import Enum

from pincite.verify.statements.wording import Word


class Modality(Enum):
    """How a verb is meant."""

    DUTY = "must"
    CHANCE = "may"
    ADVICE = "should"


_MODALS = {
    Modality.DUTY: """must shall required mandatory obligatory obliged compulsory necessary muss mussen
        musst mussten verpflichtet erforderlich doit doivent obligatoire debe deben deve devono moet
        moeten""",
    Modality.CHANCE: """may might could can possible possibly perhaps allowed permitted optional
        optionally darf durfen kann konnen konnte moglich peut peuvent puede pueden puo possono
        mag mogen""",
    Modality.ADVICE: """should ought recommended advised advisable recommend recommends sollte sollten
        soll sollen empfohlen devrait devraient deberia dovrebbe""",
}
_CLASS = {word: kind for kind, listed in _MODALS.items() for word in listed.split()}
_HAVE = frozenset({"have", "has", "had", "need", "needs", "needed"})
# "can" says hardly more than the verb alone; these do.
_HEDGES = frozenset(
    """may might could possibly perhaps possible likely potential potentially probably former formerly
    alleged allegedly reportedly supposed supposedly almost nearly partly rarely seldom proposed
    planned attempted suspected rumoured rumored unlikely once ehemals angeblich vielleicht fast
    moglicherweise vermutlich""".split()
)
"""Words that take something back; a statement that leaves one out says more than its quote."""
_EXCEPTIONS = frozenset(
    """unless except excepting excluding otherwise ausser sofern es-sei-denn sauf excepto salvo
    eccetto tranne tenzij behalve""".split()
)
_IFS = frozenset({"if", "wenn", "falls", "si", "provided"})
_CONDITIONS = _IFS | frozenset(
    "when whenever case should where after once as during sobald bei quand lorsque cuando".split()
)
_ADDED = frozenset(
    "only solely exclusively always all every entirely completely nur immer alle".split()
)
_WHOLES = frozenset("all every always each any whole entire alle jeder immer".split())
_NEAR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Modal:
    """A modal word and the keys of the first words that it is said of."""

    word: Word
    kind: Modality
    scope: tuple[str, ...]


def modality_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]]) -> str:
    """The modal word that the two do not share; empty when they agree."""
    said = _modals(claim)
    stated = [modal for quote in quotes for modal in _modals(quote)]
    for modal in said:
        kinds = {other.kind for other in stated if _meet(modal, other)}
        if kinds and modal.kind not in kinds:
            return modal.word.text
        if not kinds and modal.kind is not Modality.CHANCE and not _commanded(modal, quotes):
            return modal.word.text
    bound = {key for modal in said for key in modal.scope}
    plain = {word.key for word in claim if word.is_content} - bound
    free = {
        word.key
        for quote in quotes
        for word in quote
        if word.is_content and word.clause not in {modal.word.clause for modal in _modals(quote)}
    }
    for modal in stated:
        is_weaker = modal.word.folded in _HEDGES or modal.kind is Modality.ADVICE
        if is_weaker and modal.scope and modal.scope[0] in plain - free:
            return modal.word.text
    return _left_out_hedge(claim, quotes)


def modalities(words: Sequence[Word]) -> set[Modality]:
    """What the modal words of a text say."""
    return {modal.kind for modal in _modals(words)}


def _left_out_hedge(claim: Sequence[Word], quotes: Sequence[Sequence[Word]]) -> str:
    said = {word.folded for word in claim}
    keys = [word.key for word in claim if word.is_content]
    for quote in quotes:
        for place, word in enumerate(quote):
            if word.folded not in _HEDGES or word.folded in _CLASS or word.folded in said:
                continue
            after = [other for other in quote[place + 1 :] if other.is_content][:1]
            if after and after[0].clause == word.clause and after[0].key in keys:
                return word.text
    return ""


def condition_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]]) -> str:
    """An exception that was left out, or a word such as "only" that was added; else empty."""
    said = {word.folded for word in claim}
    stated = {word.folded for quote in quotes for word in quote}
    added = next((word.text for word in claim if _is_added(word.folded, stated)), "")
    if added or said & (_EXCEPTIONS | _CONDITIONS):
        return added
    keys = {word.key for word in claim if word.is_content}
    for quote in quotes:
        for place, word in enumerate(quote):
            if word.folded in _EXCEPTIONS or word.folded in _IFS:
                bound = _bound(quote, place)
                if sum(key in keys for key in bound) * 2 > len(bound):
                    return word.text
    return ""


def _is_added(word: str, stated: Set[str]) -> bool:
    if word in _EXCEPTIONS:
        return not stated & _EXCEPTIONS
    if word in _WHOLES and stated & _WHOLES:
        return False
    return word in _ADDED and word not in stated


def _bound(quote: Sequence[Word], place: int) -> list[str]:
    """Keys of the words that a condition binds: those before it, or those of the clause after it."""
    before = [word.key for word in quote[:place] if word.is_content][-_NEAR:]
    after = [
        word.key for word in quote[place:] if word.is_content and word.clause > quote[place].clause
    ]
    return before or after[:_NEAR]


def _modals(words: Sequence[Word]) -> list[Modal]:
    found = []
    for place, word in enumerate(words):
        kind = _kind(words, place)
        if kind:
            after = [
                other.key
                for other in words[place + 1 :]
                if other.is_content and other.clause == word.clause and other.folded not in _CLASS
            ]
            before = [
                other.key
                for other in words[:place][::-1]
                if other.is_content and other.clause == word.clause
            ]
            found.append(Modal(word=word, kind=kind, scope=tuple((after or before)[:3])))
    return found


def _kind(words: Sequence[Word], place: int) -> Modality | None:
    word = words[place]
    if word.text == "May" and not word.opens:
        return None
    follows = words[place + 1].folded if place + 1 < len(words) else ""
    if word.folded in _HAVE and follows == "to":
        return Modality.DUTY
    return _CLASS.get(word.folded)


def _meet(claimed: Modal, stated: Modal) -> bool:
    return bool(set(claimed.scope[:2]) & set(stated.scope[:2]))


def _commanded(modal: Modal, quotes: Sequence[Sequence[Word]]) -> bool:
    """Whether a quote commands it: "Wear gloves." """
    return any(
        word.key in modal.scope[:1] and (word.opens or not place)
        for quote in quotes
        for place, word in enumerate(quote)
    )
