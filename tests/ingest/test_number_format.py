from __future__ import annotations

import pytest
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import from_excel

from pincite.ingest.number_format import shown_value


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.1 + 0.2, "General", "0.3"),
        (1234567.0, "General", "1234567"),
        (1e20, "General", "1E+20"),
        (1234.5, "#,##0.00", "1,234.50"),
        (0.256, "0.0%", "25.6%"),
        (-1234.0, "#,##0;(#,##0)", "(1,234)"),
        (-1234.0, "#,##0", "-1,234"),
        (-0.4, "0", "0"),
        (7.0, "00000", "00007"),
        (12.5, '"$"#,##0.00', "$12.50"),
        (12.5, "[$€-407] #,##0.0", "€ 12.5"),
        (12.5, '0.0" kg"', "12.5 kg"),
        (2_500_000.0, '0.0,,"M"', "2.5M"),
        (0.00012, "0.00E+00", "1.20E-04"),
        (1.5, "0.##", "1.5"),
        (3.0, "# ?/?", "3"),
        (0.0, '0;-0;"none"', "none"),
        (5.0, "[Red][>3]0.0;0", "5"),
        (1234.5, BUILTIN_FORMATS[44], "1,234.50"),
        (1234.5, BUILTIN_FORMATS[42], "$1,234"),
        (0.5, "d/m/yyyy", "12:00"),
        (-0.25, "[h]:mm", "-6:00"),
        (45000.0, "yyyy-mm-dd", "2023-03-15"),
        (45000.0, "[$-409]d\\-mmm\\-yyyy;@", "2023-03-15"),
        (45000.5625, "dd/mm/yyyy hh:mm", "2023-03-15 13:30"),
        (45000.0, "mmm-yy", "2023-03"),
        (0.5625, "h:mm AM/PM", "13:30"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (1.0, "yyyy-mm-dd", "1900-01-01"),
    ],
)
def test_a_number_is_shown_as_its_cell_shows_it(value: float, code: str, shown: str) -> None:
    is_elapsed = is_timedelta_format(code)
    is_date = is_elapsed or is_date_format(code)
    cell = from_excel(value, timedelta=is_elapsed) if is_date else value
    assert shown_value(cell, code) == shown
