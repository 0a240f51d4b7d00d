from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.flow import NamedFile
from pincite.retrieve.named_documents import LEAST_CERTAINTY, NamedDocuments, Naming
from pincite.text.document_names import NameTable

COMPANIES = tuple(
    f"{first}{second}"
    for first in "Acme Borea Cirrus Delta Ember Fjord Gamma Helio Iris Juno".split()
    for second in ("Foods", "Bank", "Motors", "Pharma")
)
YEARS = (2017, 2018, 2019)


def files(*names: str) -> list[NamedFile]:
    return [NamedFile(document_id=name, path=f"/docs/{name}.pdf", title="") for name in names]


def named_in(held: Iterable[NamedFile]) -> NamedDocuments:
    return NamedDocuments(NameTable.from_files(held))


REPORTS = named_in(files(*(f"{c}_{y}_10K" for c in COMPANIES for y in YEARS)))


def best(named: Mapping[str, Naming]) -> str | None:
    return max(named, key=lambda name: named[name].certainty, default=None)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("year", YEARS)
def test_company_and_year_together_name_one_report(company: str, year: int) -> None:
    spoken = "".join(f" {sign}" if sign.isupper() else sign for sign in company).strip()
    named = REPORTS.named(f"What was the capital expenditure of {spoken} in FY{year}?")
    assert list(named) == [f"{company}_{year}_10K"]
    assert named[f"{company}_{year}_10K"].certainty >= 0.7


def test_a_year_alone_names_no_report() -> None:
    assert REPORTS.named("Who had the highest revenue in 2018?") == {}


def test_the_one_report_that_is_meant_stands_alone() -> None:
    named = REPORTS.named("What did Acme Foods earn in 2018, and what Acme Bank?")
    assert not any(naming.is_alone for name, naming in named.items() if "2018" not in name)
    (alone,) = (
        n
        for n, naming in REPORTS.named("The sales of Acme Foods in 2018").items()
        if naming.is_alone
    )
    assert alone == "AcmeFoods_2018_10K"
    years = REPORTS.named("What does the board of Acme Foods expect?")
    assert {name for name, naming in years.items() if naming.is_alone} == {
        f"AcmeFoods_{year}_10K" for year in YEARS
    }
    assert not any(naming.is_alone for naming in REPORTS.named("banks in 2018").values())


def test_a_rare_name_counts_more_than_several_words_of_many_names() -> None:
    table = named_in(
        files(
            "ExcelerateStandardFormat",
            *(f"{name}-Non-Disclosure-Agreement" for name in ("Advanide", "Kerber", "Kenway")),
            *("Minutes March", "Minutes April", "Price List", "Manual"),
        )
    )
    named = table.named("Consider Excelerate's Non-Disclosure Agreement; may it be shared?")
    assert best(named) == "ExcelerateStandardFormat"


def test_a_kind_of_document_that_several_are_is_no_name() -> None:
    kinds = ("Mutual Non-Disclosure Agreement", "Non-Disclosure Agreement", "Confidentiality")
    table = named_in(
        NamedFile(document_id=f"{n}", path=f"/{word}.pdf", title=kinds[n % 3])
        for n, word in enumerate("velco kenway kerber advanide excelerate oshkosh igc lse".split())
    )
    named = table.named("Does the Mutual Non-Disclosure Agreement of EFCA end after a year?")
    assert not any(naming.is_alone for naming in named.values())


def test_words_that_stand_in_every_name_say_nothing() -> None:
    table = named_in(files(*(f"Report {n}" for n in ("Oslo", "Rome", "Bonn", "Riga"))))
    assert table.named("What does the report say?") == {}
    assert list(table.named("What does the report on Rome say?")) == ["Report Rome"]


def test_the_title_names_a_document_as_well_as_the_file() -> None:
    table = named_in(
        [
            NamedFile(document_id="a", path="/x/d0001.pdf", title="Data Protection Act"),
            NamedFile(document_id="b", path="/x/d0002.pdf", title="Road Traffic Act"),
            NamedFile(document_id="c", path="/x/d0003.pdf", title="Water Resources Act"),
        ]
    )
    assert list(table.named("What does the Road Traffic Act say about lights?")) == ["b"]


def test_documents_with_the_same_names_are_named_together() -> None:
    table = named_in(
        [
            *(NamedFile(document_id=f"o{n}", path=f"/{n}/Oslo.txt", title="") for n in range(9)),
            NamedFile(document_id="r", path="/9/Rome.txt", title=""),
        ]
    )
    assert set(table.named("How old is Oslo?")) == {f"o{n}" for n in range(9)}


@pytest.mark.parametrize("held", [[], files("Oslo")])
def test_with_no_choice_nothing_is_named(held: list[NamedFile]) -> None:
    assert named_in(held).named("How old is Oslo?") == {}


WORDS = st.lists(st.sampled_from("oslo rome Bonn 2018 2019 report 3M act".split()), max_size=5)


@given(st.lists(WORDS.map(" ".join), max_size=8), WORDS.map(" ".join))
def test_certainty_is_in_range_and_does_not_depend_on_the_order(
    names: list[str], question: str
) -> None:
    held = [
        NamedFile(document_id=str(n), path=f"/{name}.txt", title="") for n, name in enumerate(names)
    ]
    named = named_in(held).named(question)
    assert all(LEAST_CERTAINTY <= naming.certainty <= 1 for naming in named.values())
    turned = named_in(held[::-1]).named(question)
    assert {d: n.certainty for d, n in turned.items()} == pytest.approx(
        {d: n.certainty for d, n in named.items()}
    )


def test_ten_thousand_documents_take_milliseconds() -> None:
    companies = [f"{c}{x}{y}" for c in COMPANIES for x in "abcde" for y in "klmno"]
    table = named_in(files(*(f"{c}_{y}_10-K" for c in companies for y in range(2010, 2020))))
    questions = [f"What did {c} earn in FY{2010 + n % 10}?" for n, c in enumerate(companies[::10])]
    started = time.process_time()
    named = [table.named(question) for question in questions]
    assert (time.process_time() - started) / len(questions) < 0.01
    assert all(named)
