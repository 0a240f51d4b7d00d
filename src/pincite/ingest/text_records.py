"""Tells lines that are records of their own (a log, a list of numbers), or a drawing, from prose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_DATE = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.](?:\d{1,2}|[A-Z][a-z]{2})[-/.]\d{4}"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"
_WORD_WITH_A_SIGN = r"(?=[^\W\d]*+(?:\d|[^\w\s]|\s\s))[^\s\w]*+[\w.:-]*+(?:[^\s\w.:-][\w.:-]*+)?"
# What begins an entry: a date, a time or a level, behind at most a few words with numbers or signs
# in them (`10.0.0.7 - - [10/Oct/2025:13:55:36`), or as `Oct  3 13:55:36`.
_STAMP = re.compile(
    rf"(?:{_WORD_WITH_A_SIGN}[ \t]++){{0,4}}?[\[(<{{\"']*"
    rf"(?:(?:{_DATE})(?:[T :]{_CLOCK})?|{_CLOCK}|{_LEVEL}|[A-Z][a-z]{{2}} [ \d]\d {_CLOCK})"
)
_LONGEST_STAMP_CHARS = 80
_DIGITS = re.compile(r"\d+")

_WORDS = re.compile(r"[^\W\d_]+(?:[ '’.&-]{1,2}[^\W\d_]+)*\.?")
_BLANKS = re.compile(r"[ \t]{2,}|\t")
_TELLING = re.compile(r"[9\t:=|–—]")
# No line of prose begins in lower case and runs on behind a comma; none of a list ends a sentence.
_RUNS_ON = re.compile(r"[.!?,;…-]$|[.!?…]\s+[^\W\d_]")
_LONGEST_RECORD_CHARS = 80
_FEWEST_RECORDS = 3
_SHORT_WIDTH = 60
_DRAWN = re.compile(r"[\u2500-\u257f]|\+[-=]{2}|[-=]{2}\+|-->|<--|[|/\\]$|^[|/\\]")
_CORNER = re.compile(r"[\u2500-\u257f]|\+[-=]{2}|[-=]{2}\+|-->|<--")
_FEWEST_DRAWN = 3
_LEAST_DRAWN = 0.6


def record_starts(lines: Sequence[str], *, width: int) -> list[int]:
    """The numbers of the lines of a paragraph that begin a record; the first alone for prose.

    `width` is the length of the longest line of the file, at which prose would be wrapped.
    """
    if len(lines) < 2:
        return [0]
    entries = _entries(lines)
    if len(entries) > 1:
        return entries
    return list(range(len(lines))) if _are_records(lines, max(width, _SHORT_WIDTH)) else [0]


def is_drawing(lines: Sequence[str]) -> bool:
    """Whether the lines of a paragraph are boxes and arrows made of signs: they say nothing apart."""
    drawn = sum(map(bool, map(_DRAWN.search, lines)))
    if not any(map(_CORNER.search, lines)):
        return False
    return len(lines) >= _FEWEST_DRAWN and drawn >= _LEAST_DRAWN * len(lines)


def _entries(lines: Sequence[str]) -> list[int]:
    """The lines that begin with a stamp of the first one's form; others go on with the one above."""
    form = _stamp_form(lines[0])
    return [n for n, line in enumerate(lines) if _stamp_form(line) == form] if form else []


def _stamp_form(line: str) -> str:
    match = _STAMP.match(line[:_LONGEST_STAMP_CHARS])
    if match is None:
        return ""
    return " ".join(re.sub(r"[^\W\d_]+", "a", _DIGITS.sub("9", match[0])).split())


def _are_records(lines: Sequence[str], width: int) -> bool:
    """Whether the lines were broken on purpose, and half of them look alike beyond plain words."""
    if len(lines) < _FEWEST_RECORDS or any(map(_is_prose, lines)):
        return False
    for line, following in pairwise(lines):
        if len(line) + 1 + len(following.split(maxsplit=1)[0]) > width:
            return False
    forms = Counter(form for form in map(_form, lines) if _TELLING.search(form))
    return max(forms.values(), default=0) >= max(2, len(lines) / 2)


def _is_prose(line: str) -> bool:
    return len(line) > _LONGEST_RECORD_CHARS or line[0].islower() or bool(_RUNS_ON.search(line))


def _form(line: str) -> str:
    """A line with one letter for words in a row, one digit for a number, one tab for a gap."""
    return _DIGITS.sub("9", _WORDS.sub("a", _BLANKS.sub("\t", line)))
