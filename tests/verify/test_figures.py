"""Numbers, units, scales, signs, periods and dates of a claim against its quotes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.flow import Citation, CitedCell, Label, Verdict
from pincite.verify.numbers.figures import check_figures

UNITS = ("", " bar", "%", " %", " °C", "°C", " N·m", " kW/h", " crore", " mm²")
LEADS = ("", "the value is ", "approx. ", "₹ ", "$", "(", "≥ ", "from 6.0-", "Part M12 holds ")


def quote(text: str, *, section: str = "", source: str = "/a.txt") -> Citation:
    return Citation(
        document="d", source=source, sha256="0", page=None, section=section, start=0,
        end=len(text), start_byte=None, end_byte=None, quote=text,
    )  # fmt: skip


def row(*cells: tuple[str, tuple[str, ...]]) -> Citation:
    """A table row of cells, each with its column headers."""
    text = " | ".join(cell for cell, _ in cells)
    placed, start = [], 0
    for cell, headers in cells:
        columns = tuple(Label(start=0, end=len(label), text=label) for label in headers)
        placed.append(CitedCell(start=start, end=start + len(cell), text=cell, columns=columns))
        start += len(cell) + len(" | ")
    return Citation(
        document="d", source="/a.html", sha256="0", page=None, section="", start=0,
        end=len(text), start_byte=None, end_byte=None, quote=text, cells=tuple(placed),
    )  # fmt: skip


SALES = row(
    ("Net sales", ("(in thousands)",)),
    ("$1,452", ("Year ended June 30,", "2019")),
    ("(1,146)", ("Year ended June 30,", "2018")),
)


def faults(claim: str, *cited: Citation) -> list[Verdict]:
    return [fault.verdict for fault in check_figures(claim, cited).faults]


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("It cost ₹93.75 billion.", "It cost Rs. 9,375 crores."),
        ("It is 5 percent.", "It is 5 %."),
        ("It is five percent.", "It is 5%."),
        ("A soil pH of 6.0 to 7.0 is best.", "Best at pH 6.0-7.0."),
        ("Keep it between 6 and 7 bar.", "Keep it at 6–7 bar."),
        ("It weighs 1.5 kg.", "Es wiegt 1,5 kg und nicht mehr als das."),
        ("It weighs 1500 kg.", "Die Maschine ist schwer und wiegt mit dem Wagen 1.500 kg."),
        ("It lasts 5 years.", "It lasts five years."),
        ("On 30 September 2019 it began.", "It began on 2019-09-30."),
        ("It began in September 2019.", "It began on September 30, 2019."),
        ("A loss of $5.2 million.", "The result was $(5.2) million."),
        ("The loss was 5 million.", "The result was -5 million."),
        ("About $1.5 billion was paid.", "Paid were $1,496.5 million."),
        ("It opens at 6.5.", "It opens at 6.5 bar."),
        ("Half of them left.", "50% of them left; half, that is."),
        ("One of them left.", "They left."),
        ("1. It opens at 6.5 bar. [2]", "It opens at 6.5 bar."),
        ("In FY2019 it grew.", "It grew in fiscal 2019."),
        (
            "It is 4,207 meters (13,802 feet) high.",
            "Standing 4,207 m ( 13,802 ft ) above sea level.",
        ),
    ],
)
def test_the_same_number_written_otherwise_is_carried(claim: str, text: str) -> None:
    assert faults(claim, quote(text)) == []


@pytest.mark.parametrize(
    ("claim", "text", "verdict"),
    [
        ("It cost ₹9,375 million.", "It cost Rs. 9,375 crores.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It cost $9,375 crores.", "It cost Rs. 9,375 crores.", Verdict.UNIT_DIFFERS),
        ("It cost 9,375.", "It cost Rs. 9,375 crores.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It is 5.", "It is 5 %.", Verdict.UNIT_DIFFERS),
        ("It is 5 mm.", "It is 5 cm.", Verdict.UNIT_DIFFERS),
        ("It is 50 mm.", "It is 5 cm.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It is 5 percentage points.", "It is 5 %.", Verdict.UNIT_DIFFERS),
        ("It is -5 °C.", "It is 5 °C.", Verdict.SIGN_DIFFERS),
        ("It has 5 km.", "It has 5.", Verdict.UNIT_DIFFERS),
        ("It was the 5th.", "It was 5.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It is ± 5 mm.", "It is 5 mm.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It began on 30 September 2019.", "It began in September 2019.", Verdict.DATE_NOT_IN_QUOTE),
        ("It began in May 2019.", "It began in June 2019.", Verdict.DATE_NOT_IN_QUOTE),
        ("It is two and a half.", "It is two.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("It paid $1.5 billion.", "It paid $1,496.5 million.", Verdict.NUMBER_NOT_IN_QUOTE),
        ("In 2018 it was 13.0%.", "It was 13.0% in 2019 and 18.3% in 2018.", Verdict.PERIOD_DIFFERS),
        ("In 2018 it was 4.", "It was 4, 5 and 6 in 2017, 2018 and 2019, respectively.",
         Verdict.PERIOD_DIFFERS),
    ],
)  # fmt: skip
def test_another_number_is_not(claim: str, text: str, verdict: Verdict) -> None:
    assert verdict in faults(claim, quote(text))


def test_headers_tell_scale_period_and_sign_of_a_cell() -> None:
    assert faults("Net sales were $1,452 thousand in 2019.", SALES) == []
    assert faults("Net sales were $1.452 million in 2019.", SALES) == []
    assert faults("Net sales were -1,146 thousand in 2018.", SALES) == []
    assert faults("Net sales were $1,452 million in 2019.", SALES) != []
    assert faults("Net sales were $1,452 in 2019.", SALES) != []
    assert faults("Net sales were $1,452 thousand in 2018.", SALES) == [Verdict.PERIOD_DIFFERS]
    assert faults("Net sales were 1,146 thousand in 2018.", SALES) == [Verdict.SIGN_DIFFERS]
    assert faults("On June 30, 2019 they were $1,452 thousand.", SALES) == []


def test_units_stand_in_a_header_too() -> None:
    pump = row(("Relief valve", ("Part",)), ("6.5", ("Pressure (bar)",)), ("12", ("Share in %",)))
    assert faults("The relief valve opens at 6.5 bar.", pump) == []
    assert faults("Its share is 12%.", pump) == []
    assert faults("The relief valve opens at 6.5 psi.", pump) == [Verdict.UNIT_DIFFERS]


def test_a_remark_in_another_quote_of_the_document_tells_the_scale() -> None:
    bare = row(("Net sales", ("Item",)), ("1,452", ("2019",)))
    remark = quote("The following table shows net sales (in millions):")
    assert faults("Net sales were 1,452 million in 2019.", bare, remark) == []
    assert faults("Net sales were 1,452 million in 2019.", bare) != []


def test_years_of_headings_and_file_names_count() -> None:
    text = "Revenue was 5 million."
    assert faults("Revenue was 5 million in 2019.", quote(text, section="Results 2019")) == []
    assert faults("Revenue was 5 million in 2019.", quote(text, source="/report-2019.pdf")) == []
    assert faults("Revenue was 5 million in 2019.", quote(text)) != []


# --- What was computed ------------------------------------------------------------------------

SHOPS = row(("Shops", ()), ("40", ("2019",)), ("50", ("2018",)))


@pytest.mark.parametrize(
    "claim",
    [
        "The total of shops in 2018 and 2019 is 90.",
        "Shops decreased by 10 from 2018 to 2019.",
        "The change from 2018 to 2019 is -10.",
        "Shops fell by 20% from 2018 to 2019.",
        "The average of 2018 and 2019 is 45.",
        "The ratio of 2019 to 2018 is 0.80.",
    ],
)
def test_what_follows_from_operands_in_the_quotes_is_told_to_be_derived(claim: str) -> None:
    found = check_figures(claim, [SHOPS])
    assert found.faults == ()
    assert len(found.derived) == 1


@pytest.mark.parametrize(
    "claim",
    [
        "There are 90 shops.",
        "The total of shops in 2018 and 2019 is 91.",
        "Shops increased by 10 from 2018 to 2019.",
        "The change from 2018 to 2019 is 10.",
        "Shops decreased by 10 from 2017 to 2019.",
        "The total of shops in 2018 and 2019 is 90%.",
        "The total of shops in 2018 and 2019 is 90 kg.",
    ],
)
def test_what_does_not_follow_or_is_not_named_is_no_derivation(claim: str) -> None:
    assert faults(claim, SHOPS) != []


SALES_AND_COSTS = [
    row(("Product sales", ("(in thousands)",)), ("800", ("2019",)), ("700", ("2018",))),
    row(("Cost of sales", ("(in thousands)",)), ("300", ("2019",)), ("330", ("2018",))),
    row(("Total assets", ("(in thousands)",)), ("4,000", ("2019",)), ("5,000", ("2018",))),
]


@pytest.mark.parametrize(
    "claim",
    [
        "The 2019 average of product sales is 750 thousand.",
        "Gross profit was 500 thousand in 2019.",
        "Product sales of 2019 were 114.29% of those of 2018.",
    ],
)
def test_means_shares_and_named_balances_of_named_rows_are_derived(claim: str) -> None:
    found = check_figures(claim, SALES_AND_COSTS)
    assert found.faults == ()
    assert len(found.derived) == 1


@pytest.mark.parametrize(
    "claim",
    [
        "The 2019 average of product sales is 752 thousand.",
        "The change in total product sales and cost of sales from 2018 to 2019 is 70 thousand.",
        "Product sales and cost of sales were 27.5% of total assets in 2019.",
        "Gross profit was 500 thousand in 2018.",
        "Gross profit was 500 million in 2019.",
        "Product sales were 500 thousand in 2019.",
    ],
)
def test_two_steps_and_another_number_year_or_name_are_not(claim: str) -> None:
    assert faults(claim, *SALES_AND_COSTS) != []


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("In 2018 it was 4.",
         "It rose to 5 in 2019 compared to 4 for the prior year. The year 2018 was dry."),
        ("In 2019 it was 5.", "In the year ended June 2019 it rose to 5 from 4 in 2018."),
        ("Section 106 applied in 2018.", "In 2011 Section 106 applied. In 2018 it did too."),
        ("It grew from Jun-2018 on.", "It grew from June 2018 on."),
        ("In 2018 it was $169 thousand.",
         "In 2018 it was $169 (all amounts expressed in thousands of U.S. dollars)."),
    ],
)  # fmt: skip
def test_words_around_a_number_tell_its_period_and_its_scale(claim: str, text: str) -> None:
    assert faults(claim, quote(text)) == []


def test_a_number_that_is_said_of_the_year_before_is_not_of_this_one() -> None:
    text = "It rose to 5 in 2019 compared to 4 for the prior year."
    assert faults("In 2019 it was 4.", quote(text)) == [Verdict.PERIOD_DIFFERS]
    compared = "In the year ended June 2019 it rose to 5 from 4 in 2018."
    assert faults("In 2018 it was 5.", quote(compared)) == [Verdict.PERIOD_DIFFERS]


def test_the_first_cell_of_a_row_without_a_header_says_what_the_row_is_about() -> None:
    text = "Allowance | (135) | (23)"
    cells = tuple(
        CitedCell(start=text.index(cell), end=text.index(cell) + len(cell), text=cell,
                  columns=(Label(start=0, end=4, text=year),))
        for cell, year in (("(135)", "2019"), ("(23)", "2018"))
    )  # fmt: skip
    allowance = replace(quote(text), cells=cells)
    assert faults("The allowance increased by 112 from 2018 to 2019.", allowance) == []


def test_among_many_numbers_a_chance_hit_is_no_derivation() -> None:
    many = row(*((str(number), ("Value",)) for number in range(100, 140)))
    assert faults("The difference is 17.", many) == [Verdict.NUMBER_NOT_IN_QUOTE]


# --- Invariants -------------------------------------------------------------------------------


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("0123456789.,-%° ()$/")))
def test_a_claim_that_is_its_quote_is_carried(text: str) -> None:
    assert faults(text, quote(text)) == []


@given(
    lead=st.sampled_from(LEADS),
    number=st.from_regex(r"[0-9]{1,4}([.,][0-9]{1,3})?", fullmatch=True),
    unit=st.sampled_from(UNITS),
    data=st.data(),
)
def test_changing_one_digit_is_always_caught(
    lead: str, number: str, unit: str, data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from([i for i, c in enumerate(number) if c.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != number[place]]))
    changed = number[:place] + digit + number[place + 1 :]
    if changed.replace(",", ".") in ("6.0", "6.00", "6.000"):
        return  # "6.0-" stands in one of the leads, so this number is carried.
    assert faults(f"{lead}{changed}{unit}.", quote(f"{lead}{number}{unit}.")) != []


@given(st.permutations([SALES, SHOPS, quote("It opens at 6.5 bar in 2019."), quote("5 % of 9")]))
def test_the_order_of_quotes_does_not_matter(cited: list[Citation]) -> None:
    for claim in ("40 shops in 2019, 6.5 bar, 5 percent", "Shops fell by 20% from 2018 to 2019."):
        assert faults(claim, *cited) == []
    assert len(faults("41 shops, 6.5 psi, 5 kg", *cited)) == 3


@given(
    number=st.integers(min_value=2, max_value=999_999),
    scale=st.sampled_from(["thousand", "million", "billion", "lakh", "crore"]),
    other=st.sampled_from(["thousand", "million", "billion", "lakh", "crore"]),
)
def test_another_scale_word_is_another_number(number: int, scale: str, other: str) -> None:
    carried = faults(f"It is {number} {other}.", quote(f"It is {number} {scale}.")) == []
    assert carried == (scale == other)


@pytest.mark.parametrize(
    ("claim", "text", "holds"),
    [
        ("The pump starts at 06:30.", "The pump starts at 06:30 on working days.", True),
        ("The pump starts at 6:30.", "The pump starts at 06:30 on working days.", True),
        ("The pump starts at 07:30.", "The pump starts at 06:30 on working days.", False),
        ("The gate closes at 6:30 pm.", "The gate closes at 18:30.", True),
        ("The gate closes at 18:30.", "The gate closes at 6:30 p.m. on Mondays.", True),
        ("The gate closes at 6:30.", "The gate closes at 6:30 pm.", True),
        ("The gate closes at 6:30 am.", "The gate closes at 6:30 pm.", False),
        ("The gate closes at 12:15 am.", "The gate closes at 00:15.", True),
        ("The scale of the map is 1:500.", "The scale of the map is 1:250.", False),
        ("It took 1:02:03.", "It took 1:02:04.", False),
        ("At least 10 years, ideally 10 years.", "At least 7 years, ideally 10 years.", False),
        ("In 2014 the 18F team had 18 staff.", "In 2014 the 18F team had 15 staff.", False),
        ("The team had 15 staff.", "In March 2014, the team had 15 staff, later 18 staff.", True),
    ],
)  # fmt: skip
def test_times_ratios_and_numbers_in_the_place_of_others(
    claim: str, text: str, holds: bool
) -> None:
    assert (not faults(claim, quote(text))) == holds
