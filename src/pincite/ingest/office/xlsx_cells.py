"""Reads the cells of an openpyxl sheet as displayed, and which are hidden or merged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from openpyxl.cell.cell import Cell
from openpyxl.cell.read_only import EmptyCell, ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils import range_boundaries
from openpyxl.utils.datetime import to_excel
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet.worksheet import Worksheet

from pincite.ingest.office.sheets import Sheet, SheetCell
from pincite.ingest.office.symbols import in_symbol_font
from pincite.text.marks import Run, written

# Formats numbers according to their number formats, as far as is sensible.

Moment = datetime | date | time | timedelta
# openpyxl's built-in accounting format lacks the separators between its sections.
_CORRECTED = {BUILTIN_FORMATS[44]: "#,##0.00"}
# Quoted text, an escaped character, a space as wide as a character, a character that fills the cell.
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_(.)|\*(.)')
_CURRENCY = re.compile(r"\[\$([^\[\]-]*)(?:-[^\[\]]*)?\]")
_BRACKET = re.compile(r"\[(?!\$)([^\[\]]*)\]")
_SCIENTIFIC = re.compile(r"[#0?][#0?,]{0,64}+(?:\.([#0?]{0,64}+))?[Ee][+-]?[0#?]+")
# From the first digit placeholder to the last one, with the commas after it.
_PLACES = re.compile(r"[#0?](?:.*[#0?])?\.?,*", re.DOTALL)
# Excel allows 255 characters and shows 30 decimals.
_LONGEST_CODE = 1_000
_MOST_DECIMALS = 30
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
_AS_IT_IS = re.compile(r"General|@", re.IGNORECASE)
# Each literal text is temporarily replaced by one private use character.
_KEPT = 0xF0000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The parts of a date or time that a format shows."""

    year: bool
    month: bool
    day: bool
    clock: bool
    seconds: bool
    elapsed: str


def shown_value(value: object, code: str) -> str:
    """A cell's value from openpyxl, as displayed with this format code."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return format_number(value, _CORRECTED.get(code, code))
    return format_moment(value, code) if isinstance(value, Moment) else str(value)


def is_amount(value: object) -> bool:
    """Whether a cell's value is a number, date or time."""
    return isinstance(value, int | float | Moment) and not isinstance(value, bool)


def format_number(value: float, code: str) -> str:
    """The number as displayed with this format code."""
    if not math.isfinite(value * 100):  # as a percent sign would make it
        return str(value)
    if code in ("", "General") or len(code) > _LONGEST_CODE:
        return general(value)
    section = _section(code, value)
    if section is None or "/" in _bare(section):
        return general(value)
    return _numeric_text(value, section, has_sign=len(code.split(";")) < 2 or value >= 0)


def format_moment(value: Moment, code: str) -> str:
    """The date or time in ISO 8601, with only the parts that this format code shows."""
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
    """A number without a format: 15 digits, the precision of a spreadsheet."""
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
    """The section of a format that applies to this value; None if there is none."""
    sections = code.split(";")
    if any(re.match(r"[<>=]", bracket) for bracket in _BRACKET.findall(code)):
        return None
    chosen = sections[0]
    if value < 0 and len(sections) > 1:
        chosen = sections[1]
    elif value == 0 and len(sections) > 2:
        chosen = sections[2]
    if not chosen:
        return ""  # `;;;` shows nothing
    bare = _bare(chosen).strip().lower()
    return None if bare in ("", "general", "@") and not _LITERAL.search(chosen) else chosen


def _bare(section: str) -> str:
    return _BRACKET.sub("", _CURRENCY.sub("", _LITERAL.sub("", section)))


def _numeric_text(value: float, section: str, *, has_sign: bool) -> str:
    """The formatted number, including the literal text of its format."""
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return chr(_KEPT + len(kept) - 1)

    pattern = _LITERAL.sub(lambda m: keep(m[1] or m[2] or (" " if m[3] else "")), section)
    pattern = _BRACKET.sub("", _CURRENCY.sub(lambda m: keep(m[1]), pattern))
    number = _fifteen_digits(value).copy_abs() * (100 if "%" in pattern else 1)
    start, end, digits = _placed_digits(number, pattern)
    shown = f"{pattern[:start]}{digits}{pattern[end:]}"
    for place, text in enumerate(kept):
        shown = shown.replace(chr(_KEPT + place), text)
    is_negative = has_sign and value < 0 and re.search("[1-9]", digits)
    return ("-" if is_negative else "") + " ".join(shown.split())


def _placed_digits(number: Decimal, pattern: str) -> tuple[int, int, str]:
    """The range of the digit placeholders in a pattern, and the digits to insert."""
    scientific = _SCIENTIFIC.search(pattern)
    if scientific is not None:
        return *scientific.span(), format(float(number), f".{len(scientific[1] or '')}E")
    places = _PLACES.search(pattern)
    if places is not None:
        return *places.span(), _filled(number, places[0])
    whole = _AS_IT_IS.search(pattern)
    return (*whole.span(), general(float(number))) if whole is not None else (0, 0, "")


def _fifteen_digits(value: float) -> Decimal:
    """The number at spreadsheet precision: 2.675 instead of 2.67499999999999982."""
    return Decimal(format(value, ".15g"))


def _filled(number: Decimal, places: str) -> str:
    """The digits of a number, without its sign, in the placeholders of a format (`#,##0.00`)."""
    bare = places.rstrip(",")
    whole, point, decimals = bare.partition(".")
    unscaled = whole.rstrip(",")
    number = number.scaleb(-3 * (len(places) - len(bare) + len(whole) - len(unscaled)))
    count = min(len(re.findall("[#0?]", decimals)), _MOST_DECIMALS)
    rounded = number.quantize(Decimal(1).scaleb(-count), context=_EXACT)
    head, _, tail = format(rounded, "f").partition(".")
    shown_tail = _decimals(tail, decimals)
    return _whole(head, unscaled) + (point + shown_tail if shown_tail else "")


def _whole(digits: str, places: str) -> str:
    """Digits filled into placeholders from the right; the first one takes all remaining digits."""
    left = list(digits.lstrip("0"))
    is_grouped, count = "," in places, 0
    first = re.search("[#0?]", places)
    shown: list[str] = []
    for position in range(len(places) - 1, -1, -1):
        sign = places[position]
        if sign not in "#0?":
            shown += sign.replace(",", "")
            continue
        is_first = first is not None and position == first.start()
        while left or sign == "0":
            if is_grouped and count and count % 3 == 0:
                shown.append(",")
            shown.append(left.pop() if left else "0")
            count, sign = count + 1, "#"
            if not (is_first and left):
                break
    return "".join(reversed(shown))


def _decimals(digits: str, places: str) -> str:
    """Decimals in their placeholders; trailing zeros only where the format requires them."""
    kinds = re.findall("[#0?]", places)[: len(digits)]
    length = len(digits)
    while length and digits[length - 1] == "0" and kinds[length - 1] != "0":
        length -= 1
    left = iter(digits[:length])
    return "".join(next(left, "") if sign in "#0?" else sign for sign in places)


_SCRIPTS = {"superscript": 1, "subscript": -1}
_SHOWN_SPACE = re.compile(r"[\t\r\n\v\f]+")
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


def fill_sheet(sheet: Sheet, source: Worksheet | ReadOnlyWorksheet) -> None:
    """Record the contents of a sheet; for a streamed sheet, only its cells."""
    if isinstance(source, Worksheet):
        _note_layout(sheet, source)
    for cell in cells_of(source):
        if cell.value is None:
            if cell.data_type == "n":
                sheet.without_value.add((cell.row, cell.column))
        elif text := _SHOWN_SPACE.sub(" ", _shown_cell(cell)).strip():
            # A cell is one line, because tabs and line ends separate cells and rows.
            found = SheetCell(cell.row, cell.column, text, is_amount(cell.value), bool(cell.font.b))
            sheet.rows.setdefault(cell.row, []).append(found)


def _shown_cell(cell: Cell | ReadOnlyCell) -> str:
    """A cell's text with the marks of its font, or of the fonts within it."""
    value, font = cell.value, cell.font
    whole = Run("", _SCRIPTS.get(font.vertAlign or "", 0), bool(font.strike))
    if not isinstance(value, CellRichText):
        text = in_symbol_font(shown_value(value, cell.number_format), font.name)
        return written([replace(whole, text=text)])
    return written(
        Run(
            in_symbol_font(part.text, part.font.rFont),
            _SCRIPTS.get(part.font.vertAlign or "", 0),
            bool(part.font.strike),
        )
        if isinstance(part, TextBlock)
        else replace(whole, text=part)
        for part in value
    )


def cells_of(source: Worksheet | ReadOnlyWorksheet) -> Iterable[Cell | ReadOnlyCell]:
    """The cells that the file contains, in no particular order."""
    if isinstance(source, Worksheet):
        # Not by rows: that creates a cell at each empty place, millions in a sheet whose only other
        # cell is in the last row.
        return [cell for cell in source._cells.values() if isinstance(cell, Cell)]
    source.reset_dimensions()  # many programs write wrong dimensions, which would cut off rows
    rows = source.iter_rows(max_row=_LAST_ROW)
    return (cell for row in rows for cell in row if not isinstance(cell, EmptyCell))


def _note_layout(sheet: Sheet, source: Worksheet) -> None:
    sheet.hidden_rows.update(n for n, row in source.row_dimensions.items() if row.hidden)
    for column in source.column_dimensions.values():
        if column.hidden:
            sheet.hidden_columns.update(range(column.min, min(column.max, _LAST_COLUMN) + 1))
    for area in source.merged_cells.ranges:
        sheet.merged[area.min_row, area.min_col] = area
    tables = [table.ref for table in source.tables.values() if table.headerRowCount != 0]
    for reference in filter(None, (source.auto_filter.ref, *tables)):
        sheet.header_rows.add(range_boundaries(reference)[1])
    for place, cell in sorted(source._cells.items()):
        if isinstance(cell, Cell) and cell.comment:
            sheet.comments[place] = cell.comment.text.strip()
