"""Splits text into sentences as exact spans: `text[start:end]`, without surrounding whitespace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import nupunkt

from pincite.settings.toml_files import shipped
from pincite.text.languages import stop_words

# Abbreviations whose full stop does not end a sentence, from lists for many languages.

LONGEST_CHARS = 24
"""Maximum length of an abbreviation, including the sign before it."""

# "Dipl.-Ing.", "z.B.", "dott.ssa": some contain dots and hyphens.
_LAST_WORD = re.compile(r"(?<![^\s(\[\"'’„“«‘])((?:[^\W\d_]+(?:\.-?|-))*[^\W\d_]+)\.\s*$")
_INITIALS = re.compile(r"[^\W\d_]\.-[^\W\d_]")
_STREET = re.compile(r"[^\W\d_]{3,}(?:str|stra)")
_NUMBER = re.compile(r"[\d§№#]|[IVXLC]{2,}\b|[A-Z]\.[ \d-]")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abbreviations:
    """Abbreviations without their last stop; the data file explains each list."""

    inside: frozenset[str]
    number: frozenset[str]
    name: frozenset[str]


@cache
def _abbreviations() -> _Abbreviations:
    languages = shipped("text/data", "abbreviations").values()

    def listed(kind: str) -> frozenset[str]:
        words = [word for lists in languages for word in lists.get(kind, "").split()]
        return frozenset((*words, *(word[0].upper() + word[1:] for word in words)))

    return _Abbreviations(inside=listed("inside"), number=listed("number"), name=listed("name"))


@cache
def _openers() -> frozenset[str]:
    return frozenset(word.capitalize() for words in stop_words().values() for word in words)


def goes_on_behind(text: str, begin: int, end: int, start: int) -> bool:
    """Whether `text[begin:end]` ends with an abbreviation and continues at `start`."""
    last = _LAST_WORD.search(text, max(begin, end - LONGEST_CHARS), end)
    if last is None:
        return False
    # For "Dipl.-Ing" the last part is enough.
    words = {last[1], last[1].rpartition("-")[2]}
    known = _abbreviations()
    if words & known.inside or _INITIALS.fullmatch(last[1]):
        return True
    if _NUMBER.match(text, start):
        return bool(words & known.number or _STREET.fullmatch(last[1]))
    following = _WORD.match(text, start)
    return bool(words & known.name and following and following[0] not in _openers())


@cache
def sentence_words(name: str) -> frozenset[str]:
    """The words of a list in `text/data/sentence_words.toml`, which explains each list."""
    return frozenset(shipped("text/data", "sentence_words")[name].split())


# Splitting.

# "Rs. 9,375", "No. 5", "Fig. 3": a short capitalised word before a number is an abbreviation.
_ABBREVIATION_END = re.compile(
    r"(?<![^\s(])(?:[A-Z][a-z]{0,3}|max|min|approx|ca|nr|abs|art|vol|eq|fig|no|pp?)\.\s*$"
)

_RUN_END = 500
_LONG_RUN = re.compile(rf"(?<!\S)(\S{{{_RUN_END}}})(\S{{{_RUN_END},}})\S{{{_RUN_END}}}")

_ITEM_NUMBER = re.compile(r"\(?\d{1,3}[.)]\s*")
_ORDINAL_END = re.compile(r"(?<![^\s(])(?:\d{1,3}|[IVX]+)\.[^\S\n]*$")
# "am 2. Donnerstag", "der 1. Vorsitzende": only after German words, and not before a word that
# opens a sentence.
_GERMAN_ORDINAL_END = re.compile(
    r"(?<!\w)(?:am|beim|der|dem|den|des|im|vom|zum|zur|jede[nmrs]?)\s\d{1,3}\.[^\S\n]*$", re.I
)
_NEXT_WORD = re.compile(r"[^\W\d_]+")
# A word that is not the name of a program or an address, which are always in lower case.
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?=[\s,;:.!?)]|$)(?!\.\w)")
_SHORT_END = re.compile(r"(?<![^\W_])([^\W\d_]{1,4})\.[)\s]*$")
_AFTER_QUOTE = re.compile(r"(?:と(?![きこてもり])|って|という|を|、)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of `text`, in order; whitespace between them is excluded."""
    trimmed = (_trim(text, *span) for span in _merged(text))
    return [(start, end) for start, end in trimmed if start < end]


def _merged(text: str) -> Iterator[tuple[int, int]]:
    """The trained splitter's spans, split at ends in other scripts and joined after abbreviations."""
    previous: tuple[int, int] | None = None
    for start, end in _split_other_scripts(text):
        if previous and _belongs_to(text, previous, start):
            previous = (previous[0], end)
            continue
        if previous:
            yield previous
        previous = (start, end)
    if previous:
        yield previous


def _belongs_to(text: str, previous: tuple[int, int], start: int) -> bool:
    """Whether the text from `start` continues the previous sentence."""
    begin, end = previous
    if _ITEM_NUMBER.fullmatch(text, begin, end):
        return True
    # Only its end is checked: a sentence joined from many pieces may be long.
    tail = max(begin, end - LONGEST_CHARS)
    if text[start : start + 1].isdigit() and _ABBREVIATION_END.search(text, tail, end):
        return True
    if goes_on_behind(text, begin, end, start):
        return True
    if text[tail:end].rstrip()[-1:] in ("」", "』"):
        return bool(_AFTER_QUOTE.match(text, start))
    if "\n" in text[end:start] or "\n" in text[tail:end][len(text[tail:end].rstrip()) :]:
        return False
    return _goes_on_in_small_letters(text, previous, start) or _is_ordinal(text, tail, end, start)


def _goes_on_in_small_letters(text: str, previous: tuple[int, int], start: int) -> bool:
    """Whether a short word with a full stop, probably an abbreviation, precedes a lower-case letter.

    False if the sentence itself starts in lower case, as in a chat.
    """
    begin, end = previous
    while begin < end and not text[begin].isalnum():
        begin += 1
    if text[begin].islower() or not text[start].islower() or not _PLAIN_WORD.match(text, start):
        return False
    last = _SHORT_END.search(text, max(begin, end - LONGEST_CHARS), end)
    return bool(
        last
        and not last[1][-2:].isupper()
        and last[1].casefold() not in sentence_words("ordinary") | _every_stop_word()
    )


@cache
def _every_stop_word() -> frozenset[str]:
    return frozenset().union(*stop_words().values())


def _is_ordinal(text: str, tail: int, end: int, start: int) -> bool:
    """Whether a number with a full stop is an ordinal: "zum 3. Werktag"."""
    if not _ORDINAL_END.search(text, tail, end):
        return False
    following = _NEXT_WORD.match(text, start)
    word = following.group() if following else ""
    if word[:1].islower() or word.casefold() in _ordinals():
        return True
    is_german = _GERMAN_ORDINAL_END.search(text, tail, end)
    opens = stop_words()["de"] | sentence_words("openers")
    return bool(word and is_german and word.casefold() not in opens)


@cache
def _ordinals() -> frozenset[str]:
    """Words that follow an ordinal number."""
    return sentence_words("months") | sentence_words("numbered")


@cache
def _other_end() -> re.Pattern[str]:
    """Sentence ends that the trained splitter does not know.

    These are ends in other scripts (CJK needs no space after them; Arabic, Urdu and Devanagari do),
    after words that it mistakes for abbreviations, and after quantities.
    """
    return re.compile(
        r"[。！？｡]+[」』）”’\"]*|(?<![।॥؟۔])[।॥؟۔]+(?=\s)"
        rf"|(?<=[\s-])(?:{'|'.join(sorted(sentence_words('ordinary')))})\.(?=\s+[A-Z])"
        rf"|(?<=\d\s)(?:{'|'.join(sorted(sentence_words('units')))})\."
        r"(?=\s+[A-ZÀ-ÖØ-ÞА-Я][a-zß-öø-ÿа-я]+\s)"
    )


def _split_other_scripts(text: str) -> Iterator[tuple[int, int]]:
    for start, end in nupunkt.sent_spans(_without_long_runs(text)) if text.strip() else ():
        for match in _other_end().finditer(text, start, end):
            yield start, match.end()
            start = match.end()
        if start < end:
            yield start, end


def _without_long_runs(text: str) -> str:
    """The text with the middle of very long runs without whitespace replaced by as many letters.

    The trained splitter scans the whole run at each of its full stops, and finds an end only after the
    last one.
    """
    return _LONG_RUN.sub(lambda run: run[1] + "x" * len(run[2]) + run[0][-_RUN_END:], text)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
