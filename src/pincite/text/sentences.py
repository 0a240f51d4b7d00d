"""Sentences as exact spans: `text[start:end]` is the sentence, without the blanks around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import nupunkt

from pincite.settings.toml_files import shipped
from pincite.text.languages import stop_words

# Does the full stop behind this abbreviation end the sentence? By lists for many languages.

LONGEST_CHARS = 24
"""No abbreviation is longer, with what stands before it."""

# "Dipl.-Ing.", "z.B.", "dott.ssa": dots and hyphens stand within some.
_LAST_WORD = re.compile(r"(?<![^\s(\[\"'’„“«‘])((?:[^\W\d_]+(?:\.-?|-))*[^\W\d_]+)\.\s*$")
_INITIALS = re.compile(r"[^\W\d_]\.-[^\W\d_]")
_STREET = re.compile(r"[^\W\d_]{3,}(?:str|stra)")
_NUMBER = re.compile(r"[\d§№#]|[IVXLC]{2,}\b|[A-Z]\.[ \d-]")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abbreviations:
    """Abbreviations without their last stop; what each list means stands in the file."""

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
    """Whether `text[begin:end]` ends with an abbreviation that what begins at `start` belongs to."""
    last = _LAST_WORD.search(text, max(begin, end - LONGEST_CHARS), end)
    if last is None:
        return False
    # Of "Dipl.-Ing" the end tells as much as the whole.
    words = {last[1], last[1].rpartition("-")[2]}
    known = _abbreviations()
    if words & known.inside or _INITIALS.fullmatch(last[1]):
        return True
    if _NUMBER.match(text, start):
        return bool(words & known.number or _STREET.fullmatch(last[1]))
    following = _WORD.match(text, start)
    return bool(words & known.name and following and following[0] not in _openers())


# Words that decide whether a full stop ends a sentence.


@cache
def sentence_words(name: str) -> frozenset[str]:
    """Those of a list in `text/data/sentence_words.toml`, which says what each is for."""
    return frozenset(shipped("text/data", "sentence_words")[name].split())


# Sentences as exact spans: `text[start:end]` is the sentence, without the blanks around it.

# "Rs. 9,375", "No. 5", "Fig. 3": a short capitalised word before a number is an abbreviation.
_ABBREVIATION_END = re.compile(
    r"(?<![^\s(])(?:[A-Z][a-z]{0,3}|max|min|approx|ca|nr|abs|art|vol|eq|fig|no|pp?)\.\s*$"
)

_RUN_END = 500
_LONG_RUN = re.compile(rf"(?<!\S)(\S{{{_RUN_END}}})(\S{{{_RUN_END},}})\S{{{_RUN_END}}}")

_ITEM_NUMBER = re.compile(r"\(?\d{1,3}[.)]\s*")
_ORDINAL_END = re.compile(r"(?<![^\s(])(?:\d{1,3}|[IVX]+)\.[^\S\n]*$")
# "am 2. Donnerstag", "der 1. Vorsitzende": of German words alone, and before no word that opens
# a sentence.
_GERMAN_ORDINAL_END = re.compile(
    r"(?<!\w)(?:am|beim|der|dem|den|des|im|vom|zum|zur|jede[nmrs]?)\s\d{1,3}\.[^\S\n]*$", re.I
)
_NEXT_WORD = re.compile(r"[^\W\d_]+")
# A word that is no name of a program or an address: those stand in small letters anywhere.
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?=[\s,;:.!?)]|$)(?!\.\w)")
_SHORT_END = re.compile(r"(?<![^\W_])([^\W\d_]{1,4})\.[)\s]*$")
_AFTER_QUOTE = re.compile(r"(?:と(?![きこてもり])|って|という|を|、)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of `text`, in order; blanks between them belong to none."""
    trimmed = (_trim(text, *span) for span in _merged(text))
    return [(start, end) for start, end in trimmed if start < end]


def _merged(text: str) -> Iterator[tuple[int, int]]:
    """The trained splitter's spans, split at other scripts' ends and joined after abbreviations."""
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
    """Whether what was split off goes on with the previous sentence."""
    begin, end = previous
    if _ITEM_NUMBER.fullmatch(text, begin, end):
        return True
    # Looked at from its end: a sentence that many pieces were joined to may be long.
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
    """Whether a short word with a full stop, as abbreviations are, is followed by a small letter.

    Not where a sentence itself began with one, as in a chat.
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
    """Whether a number with a full stop counts what follows: "zum 3. Werktag"."""
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
    """What is counted by an ordinal number."""
    return sentence_words("months") | sentence_words("numbered")


@cache
def _other_end() -> re.Pattern[str]:
    """Sentence ends the trained splitter does not know.

    Of other scripts (CJK needs no space after them; Arabic, Urdu and Devanagari do), of words it takes
    for abbreviations, and of quantities.
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
    """As long as the text, with letters in the middle of runs that no blank interrupts.

    The trained splitter looks through the whole run at each of its full stops, and finds an end only
    behind its last one.
    """
    return _LONG_RUN.sub(lambda run: run[1] + "x" * len(run[2]) + run[0][-_RUN_END:], text)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
