from __future__ import annotations

import pytest

from pincite.ingest.pdf.styles import PLAIN
from pincite.ingest.pdf.table_heads import columns_of, heads_of
from pincite.ingest.pdf.words import Segment, TableCell, TableRow, Word


def cell(text: str, column: int, x0: float) -> TableCell:
    word = Word(text, x0, 0.0, x0 + 5.0 * len(text), 10.0, 10.0, PLAIN, glued=False)
    return TableCell([Segment([word])], column, column)


@pytest.mark.parametrize("places", [(100.0, 200.0), (200.0, 100.0)])
def test_a_head_is_in_the_middle_whichever_way_the_columns_are_counted(
    places: tuple[float, float],
) -> None:
    body = [TableRow([cell("1,093", n + 1, x0) for n, x0 in enumerate(places)])]
    columns = columns_of(body, first=1)
    (head,) = heads_of(TableRow([cell("2015", 1, 152.5)]), columns, columns)
    assert head.columns == {1, 2}
