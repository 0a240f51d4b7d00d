"""Answers from the rows of a table: exact rows, and numbers computed from cited cells."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pincite import Library
from pincite.ingest.readers import FileReader
from pincite.records.derivations import Derivation, Operand
from pincite.records.flow import Answer, Citation, Mode, Status
from pincite.settings.loading import Settings
from pincite.text.tables.asking import named_rows
from pincite.text.tables.reading import derived_value
from pincite.text.tables.tables import tables_of
from pincite.verify.derivations import WITHHELD, derivation_form, derivation_problems, recomputed
from pincite.verify.receipts.receipt import answer_form, check_receipt

HALLS = ("North", "South", "East")


def pumps(count: int) -> list[tuple[str, str, int]]:
    draw = random.Random(count)
    return [(f"PU-{100 + n}", draw.choice(HALLS), draw.randint(90, 2500)) for n in range(count)]


def write(path: Path, rows: list[tuple[str, str, int]]) -> None:
    lines = ["Pump,Hall,Price (EUR)", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join([*lines, f"Total,,{sum(row[2] for row in rows)}"]) + "\n")


@pytest.fixture(params=[12, 90, 1000], scope="module")
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    tmp_path = tmp_path_factory.mktemp("pumps")
    rows = pumps(request.param)
    write(tmp_path / "pumps.csv", rows)
    (tmp_path / "notes.md").write_text("# Pumps\n\nThe pumps are checked every May.\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "pumps.csv", tmp_path / "notes.md"])
        yield library, rows, tmp_path / "pumps.csv"


def test_a_row_is_found_by_its_key_with_the_cell_that_is_asked_for(asked: Any) -> None:
    library, rows, _ = asked
    for name, _, price in random.Random(1).sample(rows, 5):
        answer = library.ask(f"What is the price of {name}?")
        assert answer.short_answer == str(price)
        assert [citation.quote.split(",")[0] for citation in answer.citations] == [name]
        assert answer.confidence > 0.95
        assert not answer.is_doubtful


def test_a_key_that_is_not_there_is_refused(asked: Any) -> None:
    library, _, _ = asked
    answer = library.ask("What is the price of PU-9999?")
    assert answer.status is Status.ABSTAINED
    assert "PU-9999" in " ".join(answer.reasons)


def test_comparisons_quote_all_rows_that_fit_and_no_others(asked: Any) -> None:
    library, rows, _ = asked
    answer = library.ask("Which pumps cost less than 400?")
    fitting = [name for name, _, price in rows if price < 400]
    assert [citation.quote.split(",")[0] for citation in answer.citations] == fitting
    dearest = max(price for _, _, price in rows)
    answer = library.ask("Which pump has the highest price?")
    quoted = {int(citation.quote.split(",")[2]) for citation in answer.citations}
    assert quoted == {dearest}
    answer = library.ask("Which pumps cost more than 5000?")
    assert answer.status is Status.ABSTAINED
    assert f"none of its {len(rows):,} rows fits" in answer.reasons[0]


def test_sums_and_counts_are_those_of_the_rows_without_the_total(asked: Any) -> None:
    library, rows, _ = asked
    answer = library.ask("What is the total price of all pumps?")
    assert answer.short_answer == f"{sum(price for _, _, price in rows)} €"
    assert answer.derivation is not None
    assert len(answer.derivation.operands) == len(rows)
    assert "1 total row" in " ".join(answer.reasons)
    answer = library.ask("How many pumps are in hall North?")
    assert answer.short_answer == str(sum(hall == "North" for _, hall, _ in rows))


def test_a_receipt_of_a_sum_is_computed_again_without_the_library(asked: Any) -> None:
    library, _, path = asked
    receipt = json.loads(json.dumps(answer_form(library.ask("total price of the pumps"))))
    assert [*problems(receipt)] == []
    forged = json.loads(json.dumps(receipt))
    forged["derivation"]["value"] = forged["short_answer"] = "1"
    assert any("derived" in one or "sum of the cells" in one for one in problems(forged))
    forged = json.loads(json.dumps(receipt))
    forged["derivation"]["unit"] = "$"
    forged["short_answer"] = forged["short_answer"].replace("€", "$")
    assert any("name the unit" in one for one in problems(forged))
    forged = json.loads(json.dumps(receipt))
    forged["derivation"]["operands"][0]["cited_text"] = "7"
    assert problems(forged)
    path.write_text(
        path.read_text().replace(receipt["derivation"]["operands"][3]["cited_text"], "1")
    )
    assert problems(receipt)


def problems(receipt: dict[str, Any]) -> list[str]:
    check = check_receipt(receipt, FileReader())
    return [*check.problems, *(one for citation in check.citations for one in citation.problems)]


def test_a_cell_that_changed_in_the_file_withholds_the_number(asked: Any) -> None:
    library, rows, path = asked
    library.ask("total price of the pumps")
    changed = [*rows]
    changed[len(rows) // 2] = (*rows[len(rows) // 2][:2], 9999)
    write(path, changed)
    answer = library.ask("total price of the pumps")
    write(path, rows)
    assert answer.derivation is None
    assert answer.status is Status.ABSTAINED or WITHHELD in answer.reasons


# Derivations themselves.


def made(draw: random.Random) -> tuple[Derivation, list[Citation]]:
    operation = draw.choice(["sum", "average", "count", "share", "proportion"])
    least = 1 if operation == "share" else -500
    cells = [
        str(draw.randint(least, 5000) / draw.choice([1, 4, 10])) for _ in range(draw.randint(2, 9))
    ]
    quotes, operands, start = [], [], 0
    for number, cell in enumerate(cells):
        quote = f"row {number},{cell},x"
        at = start + quote.index(",") + 1
        quotes.append(
            Citation(
                document="d",
                source="a.csv",
                sha256="",
                page=None,
                section="",
                start=start,
                end=start + len(quote),
                start_byte=None,
                end_byte=None,
                quote=quote,
            )
        )
        operands.append(Operand(document="d", start=at, end=at + len(cell), text=cell))
        start += len(quote) + 1
    part = draw.randrange(1, len(cells)) if operation in ("share", "proportion") else 0
    value = derived_value(operation, cells, part=part)
    assert value is not None
    derivation = Derivation(
        operation=operation,
        value=value,
        operands=tuple(operands),
        said="",
        unit="%" if part else "",
        part=part,
    )
    return derivation, quotes


def test_of_a_thousand_derivations_with_one_thing_changed_none_is_shown() -> None:
    draw = random.Random(7)
    for _ in range(1000):
        derivation, quotes = made(draw)
        assert recomputed(derivation, quotes) is derivation
        assert not [*derivation_problems(derivation_form(derivation), derivation.text, quotes)]
        place = draw.randrange(len(quotes))
        cell = derivation.operands[place].text
        other = quotes[place].quote.replace(f",{cell},", f",{cell[:-1]}{9 - int(cell[-1])},")
        changed = [*quotes]
        changed[place] = with_quote(quotes[place], other)
        assert recomputed(derivation, changed) is None
        assert recomputed(derivation, quotes[:place] + quotes[place + 1 :]) is None
        if derivation.part:
            assert recomputed(replace(derivation, unit=""), quotes) is None
            assert recomputed(replace(derivation, part=0), quotes) is None


def with_quote(citation: Citation, quote: str) -> Citation:
    return replace(citation, quote=quote)


def test_a_cell_is_not_counted_twice() -> None:
    derivation, quotes = made(random.Random(3))
    twice = (*derivation.operands, derivation.operands[0])
    value = derived_value(derivation.operation, [cell.text for cell in twice])
    assert value is not None
    assert recomputed(replace(derivation, operands=twice, value=value), quotes) is None


def test_an_answer_is_not_changed_by_words_beside_the_table(tmp_path: Path) -> None:
    write(tmp_path / "pumps.csv", pumps(12))
    (tmp_path / "why.md").write_text("# Prices\n\nThe pumps are expensive because steel is.\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "pumps.csv", tmp_path / "why.md"])
        answer: Answer = library.ask("Why are the pumps expensive?")
    assert "because steel is" in answer.text


def test_tables_of_one_kind_answer_together_and_are_not_added_up(tmp_path: Path) -> None:
    write(tmp_path / "pumps-may.csv", [("PU-1", "North", 300), ("PU-2", "South", 500)])
    write(tmp_path / "pumps-june.csv", [("PU-1", "North", 310), ("PU-3", "East", 700)])
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "pumps-may.csv", tmp_path / "pumps-june.csv"])
        dear = library.ask("Which pumps cost more than 400?")
        assert {citation.quote for citation in dear.citations} == {
            "PU-2,South,500",
            "PU-3,East,700",
        }
        highest = library.ask("Which pump has the highest price?")
        assert {one.quote for one in highest.citations} == {"PU-2,South,500", "PU-3,East,700"}
        assert sum("read as: rows of pumps" in reason for reason in highest.reasons) == 2, (
            highest.reasons
        )
        total = library.ask("What is the total price of all pumps?")
        assert total.status is Status.ABSTAINED
        assert "name one of them" in total.reasons[0]
        assert library.ask("total price in pumps-june").short_answer == "1010 €"


def test_cells_without_a_value_take_no_part_in_a_sum(tmp_path: Path) -> None:
    (tmp_path / "pumps.csv").write_text("Pump,Price\nPU-1,300\nPU-2,n/a\nPU-3,\nPU-4,55\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "pumps.csv"])
        answer = library.ask("What is the total price of all pumps?")
    assert answer.short_answer == "355"
    assert "2 empty cells" in " ".join(answer.reasons)


def test_a_table_has_the_name_of_the_collection_that_is_asked(tmp_path: Path) -> None:
    for name in ("zorplan", "pumps"):
        write(tmp_path / f"{name}.csv", pumps(12))
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "zorplan.csv"], collection="theirs")
        library.ingest([tmp_path / "pumps.csv"], collection="mine")
        library.ask("Which pumps cost less than 400?", collection="theirs")
        answer = library.ask("Which pumps cost less than 400?", collection="mine")
    assert answer.citations
    assert "rows of pumps" in answer.reasons[0]
    assert "zor" not in " ".join(answer.reasons)


@pytest.fixture
def budget(tmp_path: Path) -> Any:
    (tmp_path / "budget.csv").write_text(
        "Item,Category,Planned (EUR),Spent (EUR)\nSalaries,Staff,182000,179500\n"
        "Training,Staff,6400,5120\nElectricity,Energy,7300,8120\nGas,Energy,5200,4975\n"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "budget.csv"])
        yield library


@pytest.mark.parametrize(
    "question",
    [
        "Which items planned at over 7000 went over budget?",
        "How many things were dearer than we thought?",
    ],
)
def test_rows_that_were_not_compared_are_no_sure_answer(budget: Library, question: str) -> None:
    answer = budget.ask(question)
    assert answer.status is Status.ABSTAINED or (
        answer.is_doubtful and "were not compared" in " ".join(answer.reasons)
    )


def test_all_rows_that_are_asked_for_are_shown_up_to_twenty(tmp_path: Path) -> None:
    rows = [(f"PU-{n}", "North" if n % 2 else "South", 100 + n) for n in range(60)]
    write(tmp_path / "pumps.csv", rows)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "pumps.csv"])
        some = library.ask("Which pumps cost less than 108?")
        many = library.ask("Which pumps are in hall North?")
        total = library.ask("What is the total price of pumps in hall North?")
    assert [claim.text.split(",")[0] for claim in some.shown] == [f"PU-{n}" for n in range(8)]
    assert (len(many.shown), len(many.claims)) == (20, 30)
    assert len(total.shown) == 20


def test_a_table_answers_without_a_language_model(budget: Library) -> None:
    settings = budget.settings.model_dump()
    settings["generation"].update(mode="generated", model="smollm2")
    answer = budget.ask("What is the total planned?", settings=Settings(**settings))
    assert answer.short_answer == "200900 €"
    assert answer.mode is Mode.EXTRACTIVE


def test_a_difference_is_derived_from_two_cells_and_checked_again(budget: Library) -> None:
    answer = budget.ask("What is the difference in planned between Electricity and Gas?")
    assert answer.short_answer == "2100 €"
    assert answer.derivation is not None
    assert [one.text for one in answer.derivation.operands] == ["7300", "5200"]
    form = derivation_form(answer.derivation)
    assert not [*derivation_problems(form, answer.short_answer, answer.citations)]
    wrong = [{**form["operands"][0], "cited_text": "7301"}, form["operands"][1]]
    changed = {**form, "operands": wrong}
    assert [*derivation_problems(changed, answer.short_answer, answer.citations)]


@pytest.fixture(scope="module")
def spending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("spending")
    (home / "spending.csv").write_text(
        "Item,Owner,Status,Amount\nRent,Ida,paid,1200 €\nPower,Jon,open,300 €\nWater,Ida,open,\n"
        "Boats,Mia,paid,2400 €\nPaint,Jon,void,100 €\nTotal,,,4000 €\n",
        encoding="utf-8",
    )
    with Library.open(home / "library") as library:
        library.ingest([home / "spending.csv"])
        yield library


@pytest.mark.parametrize(
    ("question", "value", "said"),
    [
        ("What share of the amount is Rent?", "30 %", "Item = Rent"),
        ("What is the share of boats?", "60 %", "Item = Boats"),
        ("What share of the total is Power?", "7.5 %", "Item = Power"),
        ("What share of the amount is open?", "7.5 %", "Status = open"),
        ("What percentage of items are open?", "40 %", "Status = open"),
        ("What proportion of the rows is paid?", "40 %", "Status = paid"),
        ("What percentage of items are void?", "20 %", "Status = void"),
    ],
)
def test_a_share_is_that_of_amounts_or_of_rows_without_the_total(
    spending: Library, question: str, value: str, said: str
) -> None:
    answer = spending.ask(question)
    assert (answer.short_answer, answer.is_doubtful) == (value, False)
    assert answer.derivation is not None
    assert said in answer.derivation.said
    form = derivation_form(answer.derivation)
    assert not [*derivation_problems(form, value, answer.citations)]
    assert [*derivation_problems({**form, "part": form["part"] + 1}, value, answer.citations)]


@pytest.mark.parametrize(
    "question",
    [
        "What share of the amount is water?",
        "What share of the amount is sails?",
        "What share of the amount is owned by the bank?",
        "What is the share?",
        "What percentage of the spending is paid?",
    ],
)
def test_a_share_of_what_is_not_there_is_not_computed(spending: Library, question: str) -> None:
    answer = spending.ask(question)
    assert answer.derivation is None
    assert answer.status is Status.ABSTAINED or answer.is_doubtful


@pytest.mark.parametrize(
    ("table", "question", "value"),
    [
        (
            "Company,Market share,Staff\nAlpha,31 %,120\nBeta,22 %,80",
            "What share does Beta have?",
            "22 %",
        ),
        (
            "Company,Market share,Staff\nAlpha,31 %,120\nBeta,22 %,80",
            "What is the market share of Alpha?",
            "31 %",
        ),
        (
            "Company,Market share,Staff\nAlpha,31 %,120\nBeta,22 %,80",
            "What share of the staff does Beta have?",
            "40 %",
        ),
        (
            "Fund,Percentage of assets,Fee\nNord,12,1.5\nSued,40,2.5",
            "What percentage of assets is Nord?",
            "12",
        ),
        (
            "Fund,Percentage of assets,Fee\nNord,12,1.5\nSued,40,2.5",
            "What share of the fee is Nord?",
            "37.5 %",
        ),
        ("Item,Percent\nRent,30\nFood,25", "What percent is Food?", "25"),
    ],
)
def test_a_share_that_the_table_tells_is_looked_up(
    tmp_path: Path, table: str, question: str, value: str
) -> None:
    (tmp_path / "told.csv").write_text(f"{table}\n", encoding="utf-8")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "told.csv"])
        answer = library.ask(question)
    assert (answer.short_answer, answer.is_doubtful) == (value, False)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What percentage of the students is from Oslo?", ""),
        ("What is the share of Oslo?", ""),
        ("What percentage of the rows is from Oslo?", "≈66.7 %"),
        ("What percentage of the names are from Oslo?", "≈66.7 %"),
    ],
)
def test_ages_are_no_amounts_to_have_a_share_of(tmp_path: Path, question: str, value: str) -> None:
    (tmp_path / "students.csv").write_text(
        "Name,City,Age\nIda,Oslo,20\nJon,Oslo,30\nMia,Bergen,50\n"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "students.csv"])
        answer = library.ask(question)
    assert (answer.derivation.text if answer.derivation else "") == value


def test_numbers_asked_together_are_told_to_be_asked_alone(budget: Library) -> None:
    answer = budget.ask("How many items are in category Staff and how many in Energy?")
    assert answer.status is Status.ABSTAINED
    assert "if it is asked alone" in answer.reasons[0]
    assert budget.ask("How many items are in category Staff?").short_answer == "2"


def test_of_two_questions_the_one_that_is_computed_is_not_said_to_have_no_answer(
    budget: Library,
) -> None:
    answer = budget.ask("How many items are in category Staff and what is the category of Gas?")
    assert [citation.quote.split(",")[0] for citation in answer.citations] == ["Gas"]
    assert answer.parts == ("what is the category of Gas?",)
    told = " ".join(answer.reasons)
    assert "computed if asked alone: How many items are in category Staff" in told
    assert "no answer found" not in told


@pytest.fixture(scope="module")
def registers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("registers")
    (folder / "staff.csv").write_text(
        "Name,Department,Phone\nAda Gusson,Sales,40118\nMarit Gusson,Legal,81030\n"
    )
    (folder / "duty.csv").write_text(
        "Date,On duty,Visitors\n2024-03-05,Salma Rao,2067\n2024-03-06,Jan Kowal,1912\n"
    )
    (folder / "notes.md").write_text(
        "# Notes\n\nThe phone number of Kofi Mensah is 55012. The Oslo branch has an office; its phone "
        "number is 70044.\n"
    )
    with Library.open(folder / "library") as library:
        library.ingest([folder])
        yield library


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What is the phone number of Maria Gusson?", "the nearest: Marit Gusson"),
        ("Who was on duty on 2024-03-11?", "the nearest: 2024-03-06, 2024-03-05"),
        ("How does Maria Gusson like her phone?", ""),
        ("How were the visitors greeted on 2024-03-11?", ""),
    ],
)
def test_the_row_of_another_is_no_answer(registers: Library, question: str, reason: str) -> None:
    answer = registers.ask(question)
    assert answer.status is Status.ABSTAINED
    assert reason in " ".join(answer.reasons)


@pytest.mark.parametrize(
    ("name", "number"), [("Kofi Mensah", "55012"), ("the Oslo Office", "70044")]
)
def test_a_name_that_no_row_has_may_stand_in_a_text(
    registers: Library, name: str, number: str
) -> None:
    answer = registers.ask(f"What is the phone number of {name}?")
    assert number in " ".join(one.quote for one in answer.citations)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("orders")
    (folder / "orders.csv").write_text(
        "Order,Customer,Country,Total (EUR)\nA-1,Norda,Germany,478.80\nA-2,Felix,UK,756\n"
        "A-3,Norda,Germany,1058\nA-4,Arvo,Finland,1125\nTotal,,,3417.80\n"
    )
    with Library.open(folder / "library") as library:
        library.ingest([folder / "orders.csv"])
        yield library


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many orders per customer?", "Norda: 2; Felix: 1; Arvo: 1"),
        ("How many orders are there in each country?", "Germany: 2; UK: 1; Finland: 1"),
        ("average total by country", "Germany: 768.4 €; UK: 756 €; Finland: 1125 €"),
        (
            "What is the sum of the totals by customer?",
            "Norda: 1536.80 €; Felix: 756 €; Arvo: 1125 €",
        ),
    ],
)
def test_numbers_are_computed_for_each_group(orders: Library, question: str, value: str) -> None:
    answer = orders.ask(question)
    assert answer.short_answer == value
    assert answer.derivation is not None
    names = [one.split(":")[0] for one in value.split("; ")]
    assert [name for name, _ in answer.derivation.groups] == names
    assert not problems(answer_form(answer))


@pytest.mark.parametrize(
    "change",
    [
        lambda groups: groups[0].update(name="UK"),
        lambda groups: groups[0].update(value="3"),
        lambda groups: groups[1].update(operands=groups[0]["operands"]),
        lambda groups: groups.append(groups[0]),
        lambda groups: groups[0]["operands"].append(groups[1]["operands"][0]),
        lambda groups: groups[0].update(operation="sum"),
    ],
)
def test_a_changed_group_is_found(orders: Library, change: Any) -> None:
    form = json.loads(json.dumps(answer_form(orders.ask("How many orders per customer?"))))
    change(form["derivation"]["groups"])
    assert problems(form)


ELECTION = """<h1>Council election</h1><table>
<tr><th>Party</th><th>Votes</th><th>Seats</th></tr>
<tr><td>Greens</td><td>4,120</td><td>9</td></tr><tr><td>Liberals</td><td>2,605</td><td>6</td></tr>
<tr><td>Labour</td><td>1,710</td><td>4</td></tr></table>
"""


def test_a_number_of_another_column_is_no_short_answer(tmp_path: Path) -> None:
    (tmp_path / "election.html").write_text(ELECTION)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "election.html"])
        assert library.ask("How many seats did the Liberals get?").short_answer == "6"
        for question in ("How many ballots went to the Greens?", "How did the Greens do?"):
            assert library.ask(question).short_answer not in ("4,120", "9")


def test_a_number_is_written_with_the_decimal_mark_of_its_cells(tmp_path: Path) -> None:
    (tmp_path / "kosten.csv").write_text("Monat;Kosten (EUR)\nJanuar;131,84\nFebruar;124,16\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "kosten.csv"])
        answer = library.ask("Wie hoch waren die Kosten insgesamt?")
    assert answer.short_answer == "256,00 €"
    assert answer.derivation is not None
    form = derivation_form(answer.derivation)
    assert form["value"] == "256.00"
    for shown in ("256,00 €", "256.00 €"):
        assert list(derivation_problems(form, shown, answer.citations)) == []
    assert list(derivation_problems(form, "256,01 €", answer.citations))


STAFF = """Name,Department,Line manager
Ben Carver,IT,Rui Costa
Chloe Dumont,Sales,Peter Nash
Dev Patel,IT,Rui Costa
Hiro Tanaka,IT,Rui Costa
"""


@pytest.mark.parametrize(
    "question", ["Who reports to Rui Costa?", "Whom does Rui Costa look after?"]
)
def test_all_rows_with_the_name_are_shown_where_a_word_is_unknown(
    tmp_path: Path, question: str
) -> None:
    (tmp_path / "staff.csv").write_text(STAFF)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "staff.csv"])
        answer = library.ask(question)
    quoted = [citation.quote.split(",")[0] for citation in answer.citations]
    assert quoted == ["Ben Carver", "Dev Patel", "Hiro Tanaka"]


@pytest.mark.parametrize(
    "question",
    [
        "Who does not report to Rui Costa?",
        "Who else works for IT except Dev Patel?",
        "Who has reported to Rui Costa since 2020?",
    ],
)
def test_rows_with_a_name_are_no_answer_where_others_or_some_are_asked_for(
    tmp_path: Path, question: str
) -> None:
    path = tmp_path / "staff.csv"
    path.write_text(STAFF)
    (table,) = tables_of(FileReader().read(path))
    assert named_rows("Who reports to Rui Costa?", table)
    assert named_rows(question, table) == ()


def test_the_row_of_the_one_who_is_left_out_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text(STAFF)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "staff.csv"])
        answer = library.ask("Who other than Dev Patel is in IT?")
        unknown = library.ask("Who other than Zoe Hill is in IT?")
    assert answer.status is Status.ANSWERED
    assert not answer.is_doubtful
    assert answer.citations
    assert all("Dev" not in one.quote and ",IT," in one.quote for one in answer.citations)
    assert any("≠" in str(reason) for reason in answer.reasons)
    assert unknown.status is Status.ABSTAINED or unknown.is_doubtful


EXIT_CODES = """NAME
       fetch - gets files

EXIT STATUS
       0   No problems occurred.

       1   A file was missing.

       2   The server refused the request.
"""
GLOSSARY = (
    "<h1>Groups</h1><dl><dt>kmem</dt><dd>Members may read the memory of the system.</dd>"
    "<dt>dialout</dt><dd>Members may use the serial ports and dial anywhere.</dd>"
    "<dt>fax</dt><dd>Members may use the fax software.</dd>"
    "<dt>voice</dt><dd>Members may use the answering machine.</dd></dl>"
)


def test_a_code_and_a_term_are_explained_alone(tmp_path: Path) -> None:
    (tmp_path / "fetch.txt").write_text(EXIT_CODES)
    (tmp_path / "groups.html").write_text(GLOSSARY)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "fetch.txt", tmp_path / "groups.html"])
        code = library.ask("What does exit status 2 of fetch mean?")
        assert [claim.text.split()[0] for claim in code.claims] == ["2"]
        assert not code.is_doubtful
        absent = library.ask("What does exit status 7 of fetch mean?")
        assert absent.status is Status.ABSTAINED or absent.is_doubtful
        group = library.ask("What is the dialout group for?")
        first = group.claims[0].text
        assert "serial ports" in first
        assert "kmem" not in first
        assert "fax" not in first


def test_a_label_with_a_colon_ends_there_in_columns_too(tmp_path: Path) -> None:
    lines = (
        "Customer:       Anna Lind",
        "Contact:        Karl Moe Berg",
        "Delivered to:   Bergen harbour west",
    )
    (tmp_path / "order.txt").write_text("Order 17\n\n" + "\n".join(lines) + "\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "order.txt"])
        answer = library.ask("Who is the customer?")
    assert answer.short_answer == "Anna Lind"


def test_groups_in_order_and_different_cells_are_computed_again_from_a_receipt(
    budget: Library,
) -> None:
    for question, told in (
        ("Which category has the highest total spent?", "Staff: 184620 €; Energy: 13095 €"),
        ("How many different categories are there?", "2"),
    ):
        answer = budget.ask(question)
        assert (answer.short_answer, answer.is_doubtful) == (told, False)
        receipt = json.loads(json.dumps(answer_form(answer)))
        assert problems(receipt) == []
        derivation = receipt["derivation"]
        computed = derivation["groups"][0] if "groups" in derivation else derivation
        computed["value"] = "3"
        assert problems(receipt)


def test_how_much_more_is_in_doubt_where_it_is_not_computed(tmp_path: Path) -> None:
    (tmp_path / "paid.csv").write_text(
        "Invoice,Customer,Paid EUR\nI-1,Alder,500\nI-2,Birch,90\nI-3,Alder,70\nI-4,Birch,20\n"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "paid.csv"])
        answer = library.ask("How much more did Alder pay than Birch?")
    assert answer.is_doubtful or answer.status is Status.ABSTAINED
