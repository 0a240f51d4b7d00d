from __future__ import annotations

from itertools import permutations

from pincite.ingest.pdf.order import in_order_of_reading
from pincite.ingest.pdf.styles import PLAIN
from pincite.ingest.pdf.words import Item, Segment, Table, Word


def line(text: str, y0: float, y1: float) -> list[Segment]:
    return [Segment([Word(text, 50.0, y0, 200.0, y1, 12.0, PLAIN, glued=False)])]


def texts(items: list[Item]) -> list[str]:
    return [item[0].text for item in items if not isinstance(item, Table)]


def test_what_stands_above_comes_first_however_the_file_holds_it() -> None:
    lines = [line("head", 10, 22), line("first", 30, 42), line("second", 50, 62)]
    for order in permutations(lines):
        assert texts(in_order_of_reading(list(order))) == ["head", "first", "second"]


def test_a_line_without_height_waits_for_those_above_and_is_not_lost() -> None:
    lines = [line("above", 10, 22), line("flat", 30, 30), line("below", 50, 62)]
    for order in permutations(lines):
        found = texts(in_order_of_reading(list(order)))
        assert sorted(found) == ["above", "below", "flat"]
        assert found.index("above") < found.index("flat")
        assert found.index("above") < found.index("below")
