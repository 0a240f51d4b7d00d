"""Shows a spreadsheet's numbers the way its number formats do, as far as that is sensible."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

# The formats every workbook has without naming them (ECMA-376 part 1, 18.8.30).
BUILT_IN = {
    **{0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%"},
    **{11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy"},
    **{16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm"},
    **{21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)"},
    **{39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 44: "#,##0.00", 45: "mm:ss"},
    **{46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@"},
}
_MILLISECONDS_PER_DAY = 86_400_000
_LAST_DAY = 2_958_465  # 9999-12-31
# Quoted text, an escaped sign, a space as wide as a sign, a sign repeated to fill the cell.
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_(.)|\*(.)')
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_BRACKET = re.compile(r"\[(?!\$)([^\]]*)\]")
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?(,*)")
_EXPONENT = re.compile(r"[Ee][+-]?[0#]+")
_KEPT, _KEPT_END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """Which parts of a date or a time a format shows."""

    year: bool
    day: bool
    clock: bool
    seconds: bool
    elapsed: str


def format_number(value: float, code: str, *, epoch_1904: bool = False) -> str:
    """The number as a cell with this format code shows it; dates and times as ISO 8601."""
    if code == "General":
        return general(value)
    moment = _moment(code)
    if moment is not None and 0 <= value <= _LAST_DAY:
        return _date_text(value, moment, epoch_1904=epoch_1904)
    section = _section(code, value)
    if section is None or "/" in _bare(section):
        return general(value)
    return _numeric_text(value, section, has_sign=len(code.split(";")) < 2 or value >= 0)


def general(value: float) -> str:
    """A number without a format: 15 digits, as many as a spreadsheet keeps."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return format(value, ".15g").upper()


@lru_cache(maxsize=1024)
def _moment(code: str) -> _Moment | None:
    """What a date format shows; None for any other format."""
    first = _LITERAL.sub("", code.split(";")[0])
    brackets = _BRACKET.findall(first)
    elapsed = next((b[0].lower() for b in brackets if re.fullmatch(r"[hms]+", b, re.I)), "")
    bare = _BRACKET.sub("", _CURRENCY.sub("", first)).lower()
    if bare.strip() == "general" or not (elapsed or re.search(r"[ydhs]|m{3}|^m", bare)):
        return None
    clock = bool(re.search(r"[hs]", bare)) or bool(elapsed)
    return _Moment(
        year="y" in bare,
        day="d" in bare,
        clock=clock,
        seconds="s" in bare,
        elapsed=elapsed,
    )


def _date_text(value: float, moment: _Moment, *, epoch_1904: bool) -> str:
    milliseconds = round(value * _MILLISECONDS_PER_DAY)
    if moment.elapsed:
        seconds = milliseconds // 1000
        text = f"{seconds // 3600}:{seconds // 60 % 60:02d}"
        with_seconds = moment.seconds or moment.elapsed == "s"
        return f"{text}:{seconds % 60:02d}" if with_seconds else text
    # Day 60 of the 1900 system is a 29 February that never was.
    shift = 1462 if epoch_1904 else (1 if value < 60 else 0)
    instant = datetime(1899, 12, 30) + timedelta(days=shift, milliseconds=milliseconds)
    clock = instant.strftime("%H:%M:%S" if moment.seconds else "%H:%M") if moment.clock else ""
    if moment.day:
        date = instant.strftime("%Y-%m-%d") if moment.year else instant.strftime("%m-%d")
    elif moment.year or not clock:
        date = instant.strftime("%Y-%m")
    else:
        return clock
    return f"{date} {clock}".rstrip()


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
