"""Reads a question for a line of a statement: labels, with a number for each of several periods.

"What were the total assets in 2014?" names a row by its whole label and a column by its period. The
labels of sums are found as well: what a report calls "Total assets" is a line of it. Without a period
the newest is meant, which the reading says. Between two periods a change is computed, over several an
average: these cells are named, so nothing that was not read can be missing from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath

from pincite.text.dates import moments
from pincite.text.tables.phrases import Phrases, Run, stems, words_in
from pincite.text.tables.reading import Condition, Operation, Reading
from pincite.text.tables.tables import NO_VALUE, Row, Table
from pincite.text.tables.words import ways_of, words_of
from pincite.text.units import scale_word

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NOTE = re.compile(r"(?<=\S) ?\(\w{1,2}\)$")
_NOTE_MARKS = " :*†‡¹²³⁴⁵"
"""The marks of footnotes behind a label."""
_MONTHS_OF_QUARTER, _MONTHS_OF_HALF, _MONTHS_OF_YEAR = 3, 6, 12
_MOST_CACHED = 4096

Period = tuple[int, int, int]
"""A year, and the month and day in which it ends; 0 where they are not given."""


def statement_line(question: str, table: Table, language: str, *, file: str = "") -> Reading | None:
    """The line that a question names by its label; None if it asks for anything else."""
    months = _length(question)
    periods = _periods(table, months)
    if not periods or table.is_form:
        return None
    phrases = Phrases(question, language)
    words = [word.folded for word in phrases.words]
    others = words_of("of_cells") - words_of("how")
    if not words or words[0] in words_of("yes_or_no") or others.intersection(words):
        return None
    named = _named(question)
    is_of_term = phrases.at(0, words_of("of_terms")) and not words_of("articles").intersection(
        words
    )
    if is_of_term and not named:
        return None  # "What is EBITDA?"
    operation = _operation(phrases)
    asked = _asked(periods, named, operation, phrases, is_of_year=months == _MONTHS_OF_YEAR)
    labels = _labels(table, periods)
    lines = _lines(table, labels, phrases, named, _beside(table, file, language), language)
    if len(lines) != 1 or not asked:
        return None
    (row,) = lines
    if not _is_in_one_scale(table, labels, row, asked, operation):
        return None
    cells = [table.text(row, one) for one in asked]
    if any(not cell or cell.lower() in NO_VALUE for cell in cells):
        return None
    if operation is Operation.PERCENT_CHANGE and any("%" in cell for cell in cells):
        return None  # Of percents it may be their difference that is asked for.
    newest = "" if named else table.columns[asked[0]].name
    return Reading(
        table=table,
        name=table.section[-1] if table.section else file,
        operation=operation,
        rows=(row,),
        conditions=(Condition(column=labels, values=(table.text(row, labels),)),),
        asked=tuple(asked),
        newest=newest,
        is_inferred=not named,
        is_line=True,
    )


def compared_periods(question: str, language: str) -> str:
    """The word with which a question asks for a change between two periods; empty if it does not."""
    phrases = Phrases(question, language)
    if _operation(phrases) not in (Operation.CHANGE, Operation.PERCENT_CHANGE):
        return ""
    words = [word.text for word in phrases.words if word.use and not word.is_quiet]
    return words[-1] if len(set(_named(question))) > 1 else ""


def _operation(phrases: Phrases) -> Operation:
    """What is computed; takes the words that ask for it. ROWS if the number itself is asked for."""
    averages = [phrase for phrase, way in ways_of("aggregates").items() if way == "average"]
    found: dict[str, list[Run]] = {"changes": [], "percent": [], "average": []}
    for place in range(len(phrases.words)):
        for way, runs in found.items():
            phrase = phrases.at(place, averages if way == "average" else words_of(way))
            if phrase:
                runs.append(phrase[1])
    is_change, is_average = bool(found["changes"]), bool(found["average"])
    if is_change == is_average:
        return Operation.ROWS  # The label may have such a word: "Net increase in cash".
    for run in (*found["average"], *found["changes"], *found["percent"]):
        phrases.take(run, "aggregate")
    if is_average:
        return Operation.AVERAGE
    return Operation.PERCENT_CHANGE if found["percent"] else Operation.CHANGE


def _is_in_one_scale(
    table: Table, labels: int, row: Row, asked: Sequence[int], operation: Operation
) -> bool:
    """Whether the scale of what is computed can be told: heads say it, or there is none."""
    if operation in (Operation.ROWS, Operation.PERCENT_CHANGE):
        return True
    heads = [head_with_scale(table, one, labels) for one in asked]
    scales = {scale_word(head, table.text(row, labels)) for head in heads}
    return len(scales) == 1 and (not table.is_scaled or any(map(scale_word, heads)))


def head_with_scale(table: Table, column: int, labels: int) -> str:
    """The head of a column, and that of the labels, where the scale may stand."""
    return f"{table.columns[column].name} {table.columns[labels].name}"


def _periods(table: Table, months: int) -> Mapping[int, Period]:
    """The period of each column that has one in its head; none unless there are two, each its own.

    Those of so many `months`, if these are not 0. Else all have one length; a year need not say its.
    """
    found: dict[int, Period] = {}
    lengths: dict[int, int] = {}
    for place, column in enumerate(table.columns):
        told = () if place == table.key else _named(column.name)
        if told and len({period[0] for period in told}) > 1:
            return {}  # "2019 to 2018"
        if told:
            found[place], lengths[place] = max(told), _length(column.name) or _MONTHS_OF_YEAR
    if months:
        found = {place: held for place, held in found.items() if lengths[place] == months}
    elif len(set(lengths.values())) > 1:
        return {}
    return found if 1 < len(set(found.values())) == len(found) else {}


@lru_cache(maxsize=_MOST_CACHED)
def _length(text: str) -> int:
    """How many months a period has that a text names; 0 where it does not say."""
    said = f" {' '.join(word.folded for word in words_in(text, ''))} ".replace("-", " ")
    for phrase, months in ways_of("months").items():
        if f" {phrase} " in said:
            return int(months)
    return 0


def _labels(table: Table, periods: Mapping[int, Period]) -> int:
    """The column of the labels: the key, or where its cells are empty the next one."""
    columns = [table.key, *(n for n in range(len(table.columns)) if n not in periods)]
    return next((one for one in columns if any(table.texts(one))), table.key)


@lru_cache(maxsize=_MOST_CACHED)
def _named(text: str) -> tuple[Period, ...]:
    """The periods that a text names."""
    return tuple(_periods_in(text))


def _periods_in(text: str) -> Iterator[Period]:
    dates = [moment for moment in moments(text) if moment.year]
    for one in dates:
        month = one.month or _MONTHS_OF_QUARTER * (one.quarter or 0)
        yield one.year or 0, month or _MONTHS_OF_HALF * (one.half or 0), one.day or 0
    for year in _YEAR.finditer(text):
        if not any(one.start <= year.start() < one.end for one in dates):
            yield int(year[0]), 0, 0


def _asked(
    periods: Mapping[int, Period],
    named: Sequence[Period],
    operation: Operation,
    phrases: Phrases,
    *,
    is_of_year: bool,
) -> list[int]:
    """The columns of the periods that are named, else the newest; none if one is lacking.

    Of a change the newer one comes first. An average "from 2017 to 2019" is over those between, too.
    """
    newest_first = sorted(periods, key=lambda place: periods[place], reverse=True)
    if not named:
        return newest_first[:1] if operation is Operation.ROWS else []
    found = [
        [place for place in newest_first if _is_of(periods[place], one, is_of_year=is_of_year)]
        for one in named
    ]
    if any(len(one) != 1 for one in found):
        return []
    places = list(dict.fromkeys(place for one in found for place in one))
    if operation is Operation.ROWS:
        return places
    if len(places) < 2 or (operation is not Operation.AVERAGE and len(places) > 2):
        return []
    is_range = any(word.folded in words_of("range") for word in phrases.words)
    first, last = sorted(newest_first.index(place) for place in places)[:: len(places) - 1]
    if operation is Operation.AVERAGE and is_range and len(places) == 2:
        return newest_first[first : last + 1]
    return [place for place in newest_first if place in places]


def _is_of(held: Period, asked: Period, *, is_of_year: bool) -> bool:
    if asked[1] and not held[1] and not is_of_year:
        return False  # A year is not its June.
    return all(one == other for one, other in zip(held, asked, strict=True) if one and other)


def _beside(table: Table, file: str, language: str) -> set[str]:
    """Words that name the document and not the line: its file, its title, its headings."""
    texts = (file, PurePath(file).stem, table.document.title, *table.section)
    written = re.sub(r"[\W\d_]+", " ", " ".join(texts))
    return {*stems(written, language), *words_of("of_periods")}


def _lines(
    table: Table,
    labels: int,
    phrases: Phrases,
    named: Sequence[Period],
    beside: set[str],
    language: str,
) -> list[Row]:
    """The rows whose whole label the question has, with nothing else but what names the document."""
    dated = {str(number) for period in named for number in period}
    words = [word for word in phrases.words if not (word.is_quiet or word.use)]
    words = [word for word in words if any(map(str.isalnum, word.text))]
    months = {word.folded for word in words if moments(f"{word.text} 2000")}
    asked = [word.stem for word in words if word.text not in dated and word.folded not in months]
    found = []
    for row in (*table.rows, *table.totals):
        label = _NOTE.sub("", table.text(row, labels).rstrip(_NOTE_MARKS)).rstrip(_NOTE_MARKS)
        wanted = [one.stem for one in Phrases(label, language).words if not one.is_quiet]
        rest = _without(asked, wanted) if wanted else None
        if rest is not None and beside.issuperset(rest):
            found.append(row)
    return found


def _without(asked: Sequence[str], label: Sequence[str]) -> list[str] | None:
    """What is left of the words of a question without a label; None if it is not in them."""
    for first in range(len(asked) - len(label) + 1):
        if asked[first : first + len(label)] == list(label):
            return [*asked[:first], *asked[first + len(label) :]]
    return None
