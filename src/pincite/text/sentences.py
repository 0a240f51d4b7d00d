"""Sentences as exact spans: `text[start:end]` is the sentence, without the blanks around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import nupunkt

from pincite.text.sentence_words import MONTHS, NUMBERED, ORDINARY, UNITS

# Sentence ends the trained splitter does not know: of other scripts (CJK needs no space after them;
# Arabic, Urdu and Devanagari do), of words it takes for abbreviations, and of quantities.
_OTHER_END = re.compile(
    r"[。！？｡]+[」』）”’\"]*|[।॥؟۔]+(?=\s)"
    rf"|(?<=[\s-])(?:{'|'.join(sorted(ORDINARY))})\.(?=\s+[A-Z])"
    rf"|(?<=\d\s)(?:{'|'.join(UNITS)})\.(?=\s+[A-Z][a-z]+\s)"
)

# "Rs. 9,375", "No. 5", "Fig. 3": a short capitalised word before a number is an abbreviation.
_ABBREVIATION_END = re.compile(
    r"(?:^|[\s(])(?:[A-Z][a-z]{0,3}|max|min|approx|ca|nr|abs|art|vol|eq|fig|no|pp?)\.$"
)
_LONGEST_ABBREVIATION = 12

_ITEM_NUMBER = re.compile(r"\(?\d{1,3}[.)]\s*")
_ORDINAL_END = re.compile(r"(?:^|[\s(])(?:\d{1,3}|[IVX]+)\.[^\S\n]*$")
_LONGEST_ORDINAL = 12
_RUN_END = 500
_LONG_RUN = re.compile(rf"(?<!\S)(\S{{{_RUN_END}}})(\S{{{_RUN_END},}})\S{{{_RUN_END}}}")
_NEXT_WORD = re.compile(r"[^\W\d_]+")


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
    if _ITEM_NUMBER.fullmatch(text, *previous):
        return True
    if text[start : start + 1].isdigit():
        # From the end: the sentence before may be a list of prices, and grows with each of them.
        end = _without_blanks(text, *previous)
        return bool(
            _ABBREVIATION_END.search(text, max(previous[0], end - _LONGEST_ABBREVIATION), end)
        )
    begin = max(previous[0], previous[1] - _LONGEST_ORDINAL)
    if "\n" in text[previous[1] : start] or not _ORDINAL_END.search(text, begin, previous[1]):
        return False
    following = _NEXT_WORD.match(text, start)
    word = following.group() if following else ""
    return word[:1].islower() or word.casefold() in MONTHS | NUMBERED


def _split_other_scripts(text: str) -> Iterator[tuple[int, int]]:
    for start, end in nupunkt.sent_spans(_without_long_runs(text)) if text.strip() else ():
        for match in _OTHER_END.finditer(text, start, end):
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
    return start, _without_blanks(text, start, end)


def _without_blanks(text: str, start: int, end: int) -> int:
    while start < end and text[end - 1].isspace():
        end -= 1
    return end
