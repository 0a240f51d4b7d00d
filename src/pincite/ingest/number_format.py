"""Shows a spreadsheet's numbers the way its number formats do, as far as that is sensible."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.datetime import to_excel

Moment = datetime | date | time | timedelta
# openpyxl writes its built-in accounting format without the signs between its sections.
_CORRECTED = {BUILTIN_FORMATS[44]: "#,##0.00"}
# Quoted text, an escaped sign, a space as wide as a sign, a sign repeated to fill the cell.
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_(.)|\*(.)')
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_BRACKET = re.compile(r"\[(?!\$)([^\]]*)\]")
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(,*)")
_EXPONENT = re.compile(r"[Ee][+-]?[0#]+")
_KEPT, _KEPT_END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """Which parts of a date or a time a format shows."""

    year: bool
    month: bool
    day: bool
    clock: bool
    seconds: bool
    elapsed: str


def shown_value(value: object, code: str) -> str:
    """A cell's value, as openpyxl gives it, as a cell with this format code shows it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return format_number(value, _CORRECTED.get(code, code))
    return format_moment(value, code) if isinstance(value, Moment) else str(value)


def is_amount(value: object) -> bool:
    """Whether a cell's value is a number or a point in time, not a word."""
    return isinstance(value, int | float | Moment) and not isinstance(value, bool)


def format_number(value: float, code: str) -> str:
    """The number as a cell with this format code shows it."""
    if code == "General":
        return general(value)
    section = _section(code, value)
    if section is None or "/" in _bare(section):
        return general(value)
    return _numeric_text(value, section, has_sign=len(code.split(";")) < 2 or value >= 0)


def format_moment(value: Moment, code: str) -> str:
    """The date or time in ISO 8601, with the parts that this format code shows."""
    shown = _shown_parts(code)
    if shown.elapsed or isinstance(value, timedelta):
        return _elapsed_text(value, shown)
    clock_code = "%H:%M:%S" if shown.seconds else "%H:%M"
    if isinstance(value, time):
        return value.strftime(clock_code)
    clock = value.strftime(clock_code) if shown.clock else ""
    if shown.day or not (shown.year or shown.month or clock):
        date_code = "%Y-%m-%d" if shown.year or not shown.day else "%m-%d"
    elif shown.year or not clock:
        date_code = "%Y-%m"
    else:
        return clock
    return f"{value.strftime(date_code)} {clock}".rstrip()


def general(value: float) -> str:
    """A number without a format: 15 digits, as many as a spreadsheet keeps."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return format(value, ".15g").upper()


@lru_cache(maxsize=1024)
def _shown_parts(code: str) -> _Shown:
    first = _LITERAL.sub("", code.split(";")[0])
    brackets = _BRACKET.findall(first)
    elapsed = next((b[0].lower() for b in brackets if re.fullmatch(r"[hms]+", b, re.I)), "")
    bare = _BRACKET.sub("", _CURRENCY.sub("", first)).lower()
    return _Shown(
        year="y" in bare,
        month=bool(re.search(r"m{3}|^m", bare)),
        day="d" in bare,
        clock=bool(re.search(r"[hs]", bare)),
        seconds="s" in bare or elapsed == "s",
        elapsed=elapsed,
    )


def _elapsed_text(value: Moment, shown: _Shown) -> str:
    passed = value if isinstance(value, timedelta) else timedelta(days=to_excel(value))
    seconds = round(passed.total_seconds())
    text = f"{seconds // 3600}:{seconds // 60 % 60:02d}"
    return f"{text}:{seconds % 60:02d}" if shown.seconds else text


def _section(code: str, value: float) -> str | None:
    """The part of a format that holds for this value; None where there is nothing to follow."""
    sections = code.split(";")
    if any(re.match(r"[<>=]", bracket) for bracket in _BRACKET.findall(code)):
        return None
    chosen = sections[0]
    if value < 0 and len(sections) > 1:
        chosen = sections[1]
    elif value == 0 and len(sections) > 2:
        chosen = sections[2]
    bare = _bare(chosen).strip().lower()
    return None if bare in ("", "general", "@") and not _LITERAL.search(chosen) else chosen


def _bare(section: str) -> str:
    return _BRACKET.sub("", _CURRENCY.sub("", _LITERAL.sub("", section)))


def _numeric_text(value: float, section: str, *, has_sign: bool) -> str:
    """The digits of a number between the literal text of its format."""
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return f"{_KEPT}{len(kept) - 1}{_KEPT_END}"

    pattern = _LITERAL.sub(lambda m: keep(m[1] or m[2] or (" " if m[3] else "")), section)
    pattern = _BRACKET.sub("", _CURRENCY.sub(lambda m: keep(m[1]), pattern))
    digits = _DIGITS.search(re.sub(rf"{_KEPT}\d+{_KEPT_END}", lambda m: "\0" * len(m[0]), pattern))
    if digits is None:
        shown = pattern
    else:
        number = _digits_text(abs(value) if not has_sign else value, digits, pattern)
        rest = _drop_digits(_EXPONENT.sub("", pattern[digits.end() :]))
        shown = pattern[: digits.start()] + number + rest
    for place, text in enumerate(kept):
        shown = shown.replace(f"{_KEPT}{place}{_KEPT_END}", text)
    return " ".join(shown.split())


def _drop_digits(rest: str) -> str:
    """What follows the number, without further places for digits (`00-00`, `##0.0 #`)."""
    parts = re.split(rf"({_KEPT}\d+{_KEPT_END})", rest)
    return "".join(part if part.startswith(_KEPT) else re.sub(r"[#0?]", "", part) for part in parts)


def _digits_text(value: float, digits: re.Match[str], pattern: str) -> str:
    whole, _, decimals = digits[0].rstrip(",").partition(".")
    places = len(decimals)
    if "%" in _without_kept(pattern):
        value *= 100
    value /= 1000 ** len(digits[1])
    if _EXPONENT.search(_without_kept(pattern)):
        return format(value, f".{places}E")
    text = format(value, f"{',' if ',' in whole else ''}.{places}f")
    if decimals.endswith(("#", "?")):
        least = len(decimals.rstrip("#?"))
        head, _, tail = text.partition(".")
        tail = tail[:least] + tail[least:].rstrip("0")
        text = f"{head}.{tail}" if tail else head
    zeros = whole.count("0")
    if "," not in whole and zeros > 1:
        sign, bare = ("-", text[1:]) if text.startswith("-") else ("", text)
        text = sign + bare.zfill(zeros + len(bare) - len(bare.partition(".")[0]))
    is_zero = not float(text.replace(",", ""))
    return text.removeprefix("-") if is_zero else text


def _without_kept(pattern: str) -> str:
    return re.sub(rf"{_KEPT}\d+{_KEPT_END}", "", pattern)
