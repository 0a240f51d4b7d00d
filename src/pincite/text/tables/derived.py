"""What may be computed from the cells of a table: a short list of operations, in decimals."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from pincite.text.numbers import DecimalMark
from pincite.text.tables.tables import quantity

OPERATIONS = ("count", "sum", "average")
_MORE_PLACES = 2
"""An average is written with so many more decimal places than its cells."""


def derived_value(operation: str, cells: Sequence[str], mark: DecimalMark = ".") -> str | None:
    """The result as plain digits (`1234.5`); None if a cell has no number, or units differ."""
    if not cells or operation not in OPERATIONS:
        return None
    if operation == "count":
        return str(len(cells))
    read = [quantity(cell.strip(), mark) for cell in cells]
    values = [one.value for one in read if one is not None and not one.is_date]
    if len(values) < len(cells) or len({one.unit for one in read if one is not None}) > 1:
        return None
    with localcontext() as context:
        context.prec = 60
        total = sum(values, Decimal(0))
        if operation == "sum":
            return f"{total:f}"
        places = max(-int(value.as_tuple().exponent) for value in values) + _MORE_PLACES
        exact = total / len(values)
        rounded = exact.quantize(Decimal(1).scaleb(-max(places, _MORE_PLACES)), ROUND_HALF_EVEN)
        shown = f"{rounded:f}".rstrip("0").rstrip(".") if "." in f"{rounded:f}" else f"{rounded:f}"
        return shown if rounded == exact else f"≈{shown}"
