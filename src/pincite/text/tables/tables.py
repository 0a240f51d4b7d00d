"""The tables of a document: columns with their heads, rows, and the values of cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property

from pincite.records.document import Block, BlockKind, Cell, Document, Range
from pincite.text.numbers import DecimalMark, decimal_mark, figures
from pincite.text.tables.words import words_of
from pincite.text.terms import fold
from pincite.text.units import IN_SCALE, REMARK, currency, measure_at

MOST_CELLS = 400_000
"""Of a document; larger ones are searched only, since every question would go through all cells."""

_PLAIN = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,9})?")
_AROUND = " \t\n()*†‡'\"\u00a0\u202f"
_MINUS = "-−–"
_LEAD_CHARS = 500
"""Before a table, in which its scale may be stated."""
_LONGEST_UNIT_SIGN = 3
_DIGITS_OF_A_NAME = 3
_LONGEST_NAME_CHARS = 120
_PERSON = re.compile(r"[A-ZÀ-Þ][^\W\d_]*[.'’-]?(?:[ -][A-ZÀ-Þ][^\W\d_]*[.'’]?){1,3}")
_BEFORE_UNITS = ("per", "of", "pro", "je")
_FEWEST_NAMED = 3
_FEWEST_ADDED, _FEWEST_FIGURES = 2, 5
"""1,000 after 400 and 600 may be a price like these; 59,200 jobs and 194 after their parts are not."""
_PART = re.compile(r"\d+|[^\W\d_]+")
_GROUPS = re.compile(r"(?<!\d)\d+(?:[^\w]{1,3}\d+)+")
CLOCK = "o'clock"
_HOURS = re.compile(
    r"(?P<hours>\d{1,2})(?:[:.](?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?)?"
    r"(?:[ \u00a0\u202f]?(?P<half>[ap])\.?m\.?|[ \u00a0\u202f]?(?P<whole>uhr|o['’]clock))?",
    re.IGNORECASE,
)
_WITH_SECONDS, _DIGITS = "0:0:0", re.compile(r"\d+")
_SPAN_OF_TIMES = re.compile(r"[ \u00a0]?[-–—][ \u00a0]?| to | bis ")
_NOON, _HOURS_OF_DAY = 12, 24
NO_VALUE = frozenset(
    ("", "-", "–", "—", "n/a", "n.a.", "na", "nil", "none", "null", "?", "…", "tbd", "/")
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the ranges of its heads, outermost first, their words, and these without a unit."""

    heads: tuple[Range, ...]
    name: str
    bare: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A data row: the block's range and a cell for each column; None where it is empty."""

    start: int
    end: int
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """The number or date of a cell. Of a date, `value` orders days and `end` is behind its period.

    A time of day is a date with the unit `CLOCK` and its seconds. Of a span of times, `value` is the
    first and `end` the last.
    """

    value: Decimal
    unit: str = ""
    is_date: bool = False
    end: Decimal | None = None


@dataclass(frozen=True)
class Table:
    """Rows below one row of heads. `key` is the column that names the rows, if the table has one.

    `is_scaled`: a line above it says that its numbers are in thousands or the like.
    `is_of_parties`: its rows are what a contract calls its parties, and their names.
    """

    document: Document
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    totals: tuple[Row, ...] = ()
    """Rows of sums and averages, which are not among `rows`."""
    notes: tuple[Row, ...] = ()
    """Rows of one cell in a table of more."""
    section: tuple[str, ...] = ()
    is_scaled: bool = False
    is_of_parties: bool = False
    key: int = 0
    _columns: dict[int, tuple[Quantity | None, ...] | None] = field(
        default_factory=dict, compare=False
    )
    _parts: dict[int, Mapping[str, Sequence[str]]] = field(default_factory=dict, compare=False)

    def mark(self, column: int) -> DecimalMark | None:
        """The decimal mark of a column's numbers; None if neither it nor the table shows one."""
        filled = [text for text in self.texts(column) if text.lower() not in NO_VALUE]
        return _mark(filled) or self._mark

    @cached_property
    def _mark(self) -> DecimalMark | None:
        """The decimal mark of the whole table."""
        return decimal_mark([text for one in range(len(self.columns)) for text in self.texts(one)])

    def text(self, row: Row, column: int) -> str:
        """The text of a cell; empty without one."""
        cell = row.cells[column]
        return self.document.text[cell.start : cell.end].strip() if cell else ""

    def texts(self, column: int) -> Iterator[str]:
        """The texts of a column's cells, in order."""
        return (self.text(row, column) for row in self.rows)

    def texts_with(self, column: int, parts: Iterable[str]) -> set[str]:
        """The different texts of a column that may say what some words do: they share a part of these.

        Of labels all, since other words ask for them.
        """
        if self.is_form:
            return set(self.texts(column))
        if column not in self._parts:
            found: dict[str, list[str]] = defaultdict(list)
            for text in set(self.texts(column)):
                for part in parts_of(text[:_LONGEST_NAME_CHARS]):
                    found[part].append(text)
            self._parts[column] = found
        held = self._parts[column]
        return {text for part in parts for text in held.get(part, ())}

    def quantities(self, column: int) -> tuple[Quantity | None, ...] | None:
        """A number or date for each row, None for empty cells; None if the column has other values too.

        Also None if the decimal mark cannot be told, the cells have several units, or the numbers are
        in a scale that the cells do not name.
        """
        if column not in self._columns:
            self._columns[column] = self._read(column)
        return self._columns[column]

    def quantity(self, row: Row, column: int) -> Quantity | None:
        """The number or date in a cell; None if it is empty or the column has none."""
        values = self.quantities(column)
        return values[self._places[row.start]] if values else None

    @cached_property
    def names(self) -> frozenset[int]:
        """The columns that name rows: the key, and those of words of which each row has another."""
        return frozenset({self.key, *(one for one in range(len(self.columns)) if self._names(one))})

    def _names(self, column: int) -> bool:
        texts = list(self.texts(column))
        are_words = all(text[:1].isalpha() and "," not in text for text in texts)
        is_one_each = _FEWEST_NAMED <= len(texts) == len(set(texts))
        return is_one_each and are_words and self.quantities(column) is None and not self.is_form

    @cached_property
    def sums(self) -> frozenset[int]:
        """Where those of `rows` begin that add up others without being called so: "Quarter 1"."""
        columns = [one for one in self.numeric() if not self.is_dated(one)]
        since, single, added = _Added(), _Added(), _Added()
        found: set[int] = set()
        for row in self.rows:
            held = {one: got.value for one in columns if (got := self.quantity(row, one))}
            if any(some.is_sum(held) for some in (since, single, added)):
                found.add(row.start)
                added.add(held)
                since = _Added()
            else:
                since.add(held)
                single.add(held)
        return frozenset(found)

    @property
    def is_form(self) -> bool:
        """Whether it is labels with their values, without heads."""
        return not any(column.heads for column in self.columns)

    @cached_property
    def is_numbered(self) -> bool:
        """Whether rows are named by whole numbers, another one for each row: exit codes, or orders.

        Numbers of one digit name rows only where nothing but what they mean is beside them.
        """
        names = [text for text in self.texts(self.key) if text]
        fewest = 1 if self.is_form else _DIGITS_OF_A_NAME
        are_numbers = all(text.isdecimal() and len(text) >= fewest for text in names)
        return are_numbers and 1 < len(names) == len(set(names))

    @cached_property
    def _places(self) -> Mapping[int, int]:
        return {row.start: place for place, row in enumerate(self.rows)}

    def _read(self, column: int) -> tuple[Quantity | None, ...] | None:
        texts = ["" if text.lower() in NO_VALUE else text for text in self.texts(column)]
        filled = [text for text in texts if text]
        if not filled:
            return None
        mark = self.mark(column)
        found: list[Quantity | None] = []
        for text in texts:
            read = quantity(text, mark) if text else None
            if text and read is None:
                return None
            found.append(read)
        kinds = {(one.unit, one.is_date) for one in found if one is not None}
        # Of "9:30" beside "1:02:10" it is not certain that these are hours.
        if (CLOCK, True) in kinds and len(
            {_WITH_SECONDS in _DIGITS.sub("0", one) for one in filled}
        ) > 1:
            return None
        is_scaled = self.is_scaled or IN_SCALE.search(self.columns[column].name) is not None
        if is_scaled and not all(one.is_date for one in found if one is not None):
            return None
        # Groups of three behind commas are thousands; behind points they may be either.
        if mark is None and any("." in text and _is_undecided(text) for text in filled):
            return None
        return tuple(found) if len(kinds) == 1 else None

    def numeric(self) -> list[int]:
        """The columns of numbers or of dates."""
        return [one for one in range(len(self.columns)) if self.quantities(one) is not None]

    def is_dated(self, column: int) -> bool:
        """Whether a column has dates."""
        return any(one is not None and one.is_date for one in self.quantities(column) or ())

    def has_spans(self, column: int) -> bool:
        """Whether a column has spans of times (`18:00-19:30`)."""
        held = (one for one in self.quantities(column) or () if one is not None)
        return any(one.unit == CLOCK and one.end is not None for one in held)

    def unit(self, column: int) -> str:
        """The unit of a column's numbers, from its cells or its head; empty if it has none."""
        found = next((one for one in self.quantities(column) or () if one is not None), None)
        return (found.unit if found else "") or self.columns[column].unit


class _Added:
    """The sums of some rows, column by column."""

    def __init__(self) -> None:
        self._rows = 0
        self._sums: defaultdict[int, Decimal] = defaultdict(Decimal)

    def add(self, held: Mapping[int, Decimal]) -> None:
        self._rows += 1
        for column, value in held.items():
            self._sums[column] += value

    def is_sum(self, held: Mapping[int, Decimal]) -> bool:
        """Whether a row has these sums, in so many figures that it cannot be by chance."""
        if self._rows < _FEWEST_ADDED or any(self._sums[one] != held[one] for one in held):
            return False
        figures_of = (f"{abs(value):f}".replace(".", "").strip("0") for value in held.values())
        return sum(map(len, figures_of)) >= _FEWEST_FIGURES


def parts_of(text: str) -> set[str]:
    """Runs of letters and of digits, without zeros in front, and digits that stand in groups as one.

    Two ways to write a date, number or code share one at least.
    """
    parts = {part.lstrip("0") or "0" for part in _PART.findall(fold(text))}
    for run in _GROUPS.findall(text):
        groups = re.findall(r"\d+", run)
        parts |= {"".join(some).lstrip("0") for some in (groups, groups[:-1])}
    return parts


def names_of_persons(table: Table) -> list[int]:
    """The columns of the persons that rows are: a key of several words called so, or "First name"."""
    head = {word.casefold() for word in table.columns[table.key].name.split()}
    names = [text for text in table.texts(table.key) if text]
    if head & words_of("of_persons") and all(" " in text and text[0].isupper() for text in names):
        return [table.key]
    return [
        place
        for place, column in enumerate(table.columns)
        if fold(column.bare) in words_of("names_of_persons")
        and all(text[:1].isupper() for text in table.texts(place))
    ]


def has_persons(table: Table, column: int) -> bool:
    """Whether each cell is the name of a person, as far as can be seen: two to four capital words."""
    texts = {text for text in table.texts(column) if text}
    return bool(texts) and all(_PERSON.fullmatch(text) for text in texts)


def quantity(text: str, mark: DecimalMark | None = None) -> Quantity | None:
    """The number or date that a text consists of; None if it is something else."""
    if _PLAIN.fullmatch(text) and (mark != "," or "." not in text):
        return Quantity(Decimal(text))
    if (clock := _clock(text)) is not None:
        return clock
    found = figures(text, mark or ".")
    if len(found.moments) == 1 and not found.numbers:
        moment = found.moments[0]
        readings = moment.readings()
        is_whole = moment.quarter is None and moment.half is None
        if len(readings) == 1 and is_whole and not _rest(text, moment.start, moment.end):
            only = readings[0]
            return period(only.year, only.month, only.day) if only.year else None
        return None
    if len(found.numbers) != 1 or found.moments:
        return None
    number = found.numbers[0]
    if number.is_worded or number.is_ordinal or number.is_tolerance:
        return None
    before, behind = text[: number.start].strip(_AROUND), text[number.end :].strip(_AROUND)
    if behind or not _is_before_number(before, is_negative=number.value < 0):
        return None
    value = -abs(number.value) if number.is_bracketed else number.value
    return Quantity(value, number.unit)


def _clock(text: str) -> Quantity | None:
    """A time of day or a span of two (`18:00-19:30`); None if it is something else."""
    written = [_HOURS.fullmatch(part) for part in _SPAN_OF_TIMES.split(text.strip(), maxsplit=2)]
    if not 1 <= len(written) <= 2:
        return None
    halves = [found["half"] for found in written if found and found["half"]]
    half = halves[0] if len(halves) == 1 and written[-1] and written[-1]["half"] else ""
    times = [_seconds(found, half) if found else None for found in written]
    if times[0] is None or times[-1] is None:
        return None
    if half and times[0] > times[-1]:  # "11:30-1 pm" begins before noon.
        times[0] -= _NOON * 3600
    end = Decimal(times[1]) if len(times) > 1 and times[1] is not None else None
    return Quantity(Decimal(times[0]), CLOCK, is_date=True, end=end)


def _seconds(found: re.Match[str], half: str) -> int | None:
    """The seconds of a time since midnight; `half` of the day is that of a span's end ("6-7:30 pm")."""
    half = (found["half"] or half).lower()
    hours, is_called_so = int(found["hours"]), bool(half or found["whole"])
    # "18.30" may be an amount, and "18" anything.
    has_colon = found["minutes"] and ":" in found.group()
    if not (is_called_so or has_colon) or hours > (_NOON if half else _HOURS_OF_DAY):
        return None
    if half:
        hours = hours % _NOON + (_NOON if half == "p" else 0)
    return hours * 3600 + int(found["minutes"] or 0) * 60 + int(found["seconds"] or 0)


def _is_before_number(written: str, *, is_negative: bool) -> bool:
    """Whether a currency or a minus that the number has stands before it, and nothing else."""
    has_minus = any(sign in written for sign in _MINUS)
    bare = written.strip(_AROUND + _MINUS)
    return (not bare or bool(currency(bare))) and (is_negative or not has_minus)


def period(year: int, month: int | None = None, day: int | None = None) -> Quantity | None:
    """A day, month or year as a quantity, in days since year 1; None if there is no such day."""
    months = year * 12 + (month or 1) - 1
    behind = months + (1 if month else 12)
    try:
        first = date(year, month or 1, day or 1)
        end = first + timedelta(1) if day else date(behind // 12, behind % 12 + 1, 1)
    except (ValueError, OverflowError):
        return None
    return Quantity(Decimal(first.toordinal()), is_date=True, end=Decimal(end.toordinal()))


def _rest(text: str, start: int, end: int) -> str:
    return (text[:start] + text[end:]).strip(" ()[]*,")


def _mark(texts: Sequence[str]) -> DecimalMark | None:
    if all(text.isdecimal() for text in texts):
        return "."
    return decimal_mark(texts)


def _is_undecided(text: str) -> bool:
    """Whether it is another number with the other decimal mark."""
    one, other = quantity(text, "."), quantity(text, ",")
    return one is not None and other is not None and one.value != other.value


# The tables of a document.


def tables_of(document: Document) -> tuple[Table, ...]:
    """The tables with heads, in order; a table that goes on below the same heads is one table."""
    if sum(len(block.cells) for block in document.blocks) > MOST_CELLS:
        return ()
    found: list[Table] = []
    for heads, rows in _grouped(document):
        table = _table(document, heads, rows)
        if table is None:
            continue
        if found and _goes_on(found[-1], table):
            found[-1] = _both(found[-1], table)
        else:
            found.append(table)
    return tuple(found)


def _grouped(document: Document) -> Iterator[tuple[Block, list[Block]]]:
    """Rows by the block with their innermost heads."""
    rows = [block for block in document.blocks if block.kind is BlockKind.TABLE_ROW]
    are_heads = {ranges[0] for row in rows for cell in row.cells for ranges in cell.column_headers}
    heads: Block | None = None
    held: list[Block] = []
    before: Block | None = None
    for block in document.blocks:
        start = _innermost_head(block)
        if start is not None and (heads is None or not heads.start <= start < heads.end):
            if heads is not None:
                yield heads, held
            heads, held = next(iter(document.blocks_in(start, start + 1)), None), []
        # A row of which only the first cell is filled has no heads, and is a row all the same.
        is_bare = bool(held) and held[-1] is before and block.kind is BlockKind.TABLE_ROW
        is_bare = is_bare and block.section == held[-1].section
        is_bare = is_bare and not any(cell.start in are_heads for cell in block.cells)
        if heads is not None and (start is not None or (is_bare and block.cells)):
            held.append(block)
        before = block
    if heads is not None:
        yield heads, held


def _innermost_head(block: Block) -> int | None:
    """Where the head of a row's first cell with one begins."""
    headed = (cell.column_headers[-1][0] for cell in block.cells if cell.column_headers)
    return next(headed, None) if block.kind is BlockKind.TABLE_ROW else None


def _table(document: Document, heads: Block, rows: list[Block]) -> Table | None:
    columns: dict[tuple[Range, ...], int] = {}
    for block in rows:
        for cell in block.cells:
            if cell.column_headers:
                columns.setdefault(cell.column_headers, len(columns))
    order = sorted(columns, key=lambda ranges: ranges[-1])
    named = {ranges[-1] for ranges in order}
    lonely = [(cell.start, cell.end) for cell in heads.cells if (cell.start, cell.end) not in named]
    has_key = any(cell.row_headers for block in rows for cell in block.cells) and any(
        not cell.column_headers for block in rows for cell in block.cells
    )
    if has_key:
        order = [(lonely[0],) if lonely and lonely[0] < order[0][-1] else (), *order]
    places = {ranges: place for place, ranges in enumerate(order)}
    made = [row for block in rows if (row := _row(block, places, has_key=has_key)) is not None]
    if len(made) < len(rows) or len(order) < 2:
        return None  # Two cells in one column, or a list: nothing to look up exactly.
    table = Table(
        document,
        tuple(_column(document, ranges) for ranges in order),
        (),
        section=rows[0].section,
    )
    kinds = {id(row): _kind(table, row) for row in made}
    return Table(
        document,
        table.columns,
        tuple(row for row in made if kinds[id(row)] == "row"),
        tuple(row for row in made if kinds[id(row)] == "total"),
        tuple(row for row in made if kinds[id(row)] == "note"),
        table.section,
        is_scaled=_is_scaled(document, heads),
    )


def _is_scaled(document: Document, heads: Block) -> bool:
    above = document.text[max(0, heads.start - _LEAD_CHARS) : heads.end]
    return any(REMARK.search(line) for line in above.splitlines())


def _row(block: Block, places: Mapping[tuple[Range, ...], int], *, has_key: bool) -> Row | None:
    cells: list[Cell | None] = [None] * len(places)
    for cell in block.cells:
        place = places.get(cell.column_headers)
        if not cell.column_headers:
            place = 0 if has_key else None
        if place is None or cells[place] is not None:
            return None
        cells[place] = cell
    return Row(block.start, block.end, tuple(cells))


def _kind(table: Table, row: Row) -> str:
    filled = [
        place for place, cell in enumerate(row.cells) if cell is not None and table.text(row, place)
    ]
    first = table.text(row, filled[0]).lower() if filled else ""
    if (len(filled) == 1 and len(table.columns) > 2) or not filled:
        return "note"
    # "Total", "Sub-total:", "Total North", "North total".
    words = first.replace("-", " ").replace(":", " ").split()
    ends = {*words[:1], *words[-1:]}
    return "total" if ends & words_of("total_rows") and len(words) <= 4 else "row"


def _column(document: Document, ranges: tuple[Range, ...]) -> Column:
    parts = (" ".join(document.text[start:end].split()) for start, end in ranges)
    name = " ".join(dict.fromkeys(parts))
    bare, unit = unit_apart(name)
    return Column(ranges, name, bare, unit)


def unit_apart(name: str) -> tuple[str, str]:
    """A head without what is in brackets at its end or a unit ("Flow l/min"), and that unit."""
    if name.endswith((")", "]")):
        start = max(name.rfind("("), name.rfind("["))
        return name[:start].rstrip() or name, _unit(
            name[start + 1 : -1].removeprefix("in ").strip()
        )
    bare, _, last = name.rpartition(" ")
    is_sign = len(last) <= _LONGEST_UNIT_SIGN or not last.isalpha()
    unit = _unit(last) if bare and is_sign and bare.split()[-1] not in _BEFORE_UNITS else ""
    if unit:
        return bare.removesuffix(" in").rstrip(",;/ "), unit
    before, _, behind = name.rpartition(" in ")
    return (before, _unit(behind)) if before and _unit(behind) else (name, "")


def _unit(written: str) -> str:
    measure = measure_at(f"1 {written}", 1)
    is_all = bool(written) and measure.end == len(written) + 2
    return measure.unit if is_all and not measure.scale else ""


def _goes_on(one: Table, other: Table) -> bool:
    """Whether the same heads are repeated below, as on the next page."""
    return one.section == other.section and [column.name for column in one.columns] == [
        column.name for column in other.columns
    ]


def _both(one: Table, other: Table) -> Table:
    return Table(
        one.document,
        one.columns,
        (*one.rows, *other.rows),
        (*one.totals, *other.totals),
        (*one.notes, *other.notes),
        one.section,
        is_scaled=one.is_scaled or other.is_scaled,
    )
