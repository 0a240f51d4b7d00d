"""Charts of Word and PowerPoint files, as the tables that they draw (ECMA-376 part 1, 21.2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lxml import etree
from openpyxl.styles.numbers import is_date_format
from openpyxl.utils.datetime import from_excel

from pincite.ingest.assembly import TextAssembly
from pincite.ingest.office.xlsx_cells import shown_value
from pincite.ingest.tables import Headers, TableCell, TableRow, TableWriter
from pincite.records.document import BlockKind

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MOST_POINTS = 100_000
_MOST_SERIES = 100


def add_chart(chart: etree._Element, assembly: TextAssembly, hidden: str = "") -> bool:
    """Add a chart's title and the numbers of its series; returns whether it holds any."""
    series = list(islice(chart.iter(f"{_C}ser"), _MOST_SERIES))
    columns = [_points(one, "val", "yVal") for one in series]
    if not any(columns):
        return False
    names = [_name(one) or f"series {number}" for number, one in enumerate(series, start=1)]
    labels: dict[int, str] = {}
    for one in series:
        labels = _points(one, "cat", "xVal") | labels
    # Axes have titles too.
    titles = chart.iterfind(f"{_C}chart/{_C}title")
    title = "".join(text for one in titles for text in one.itertext(f"{_A}t"))
    if title.strip():
        assembly.add_hidden(title, hidden) if hidden else assembly.add(title, BlockKind.CAPTION)
    writer = TableWriter(assembly, headers=Headers(rows=1, columns=1), separator="\t")
    writer.add(_row(["", *names], hidden))
    for place in sorted(set().union(*columns))[:_MOST_POINTS]:
        values = [column.get(place, "") for column in columns]
        writer.add(_row([labels.get(place, str(place + 1)), *values], hidden))
    return True


def _row(texts: list[str], hidden: str) -> TableRow:
    cells = (TableCell(text=text, column=column) for column, text in enumerate(texts))
    return TableRow(cells=tuple(cells), hidden=hidden)


def _name(series: etree._Element) -> str:
    return " ".join("".join(_first(series, "tx").itertext(f"{_C}v")).split())


def _points(series: etree._Element, *kinds: str) -> dict[int, str]:
    """The values of a series by their place, as they are shown."""
    found: dict[int, str] = {}
    for kind in kinds:
        data = _first(series, kind)
        # Without a cache of numbers they are words, such as "007".
        is_number = (
            data.find(f".//{_C}numCache") is not None or data.find(f"{_C}numLit") is not None
        )
        code = _first(data, "formatCode").text or "General"
        for place, text in _values(data):
            found.setdefault(place, _shown(text, code) if is_number else text)
    return found


def _values(data: etree._Element) -> Iterator[tuple[int, str]]:
    # Of names on several levels the first level has one for each point.
    level = data.find(f".//{_C}lvl")
    for point in islice((data if level is None else level).iter(f"{_C}pt"), _MOST_POINTS):
        index, text = point.get("idx") or "", point.findtext(f"{_C}v") or ""
        if index.isdecimal() and len(index) < 9 and text.strip():
            yield int(index), " ".join(text.split())


def _shown(text: str, code: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    if is_date_format(code):
        try:
            return shown_value(from_excel(number), code)
        except (ValueError, OverflowError):
            return text
    return shown_value(number, code)


def _first(parent: etree._Element, name: str) -> etree._Element:
    """The first element of this name below a parent; an empty one if there is none."""
    found = parent.find(f".//{_C}{name}")
    return etree.Element("none") if found is None else found
