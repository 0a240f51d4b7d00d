"""Forty companies, three yearly reports of each, all in the same words: which one is meant?"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from pincite.assemble.retrieving import dense_search, lexical_search
from pincite.records.flow import Question
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.hybrid import BoostedRetriever, HybridRetriever, weighted_min_max
from pincite.retrieve.named_documents import DocumentRoutes, NamedDocumentBooster
from pincite.retrieve.near_duplicates import TwinsLeftOut
from pincite.retrieve.searches import Searches
from pincite.stages import Retriever
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested
from pincite.text.document_names import NameTable

ENCODER = FakeEncoder()
FIRST = "Acme Borea Cirrus Delta Ember Fjord Gamma Helio Iris Juno".split()
SECOND = ("Foods", "Bank", "Motors", "Pharma")
COMPANIES = [f"{first} {second}" for first in FIRST for second in SECOND]
YEARS = (2017, 2018, 2019)
TOPICS = ("capital expenditure", "revenue", "number of employees", "dividend", "tax rate")


def report(chance: random.Random, year: int) -> str:
    """The passages say "the company", as those of real reports do."""
    parts = [f"# Annual report\nWe are pleased to present our results for {year}."]
    for topic in TOPICS:
        now, before = chance.randint(100, 999), chance.randint(100, 999)
        parts.append(
            f"# {topic.title()}\nThe {topic} of the company was {now} in {year}, after {before} "
            f"in {year - 1}. The board expects the {topic} to remain stable. " * 2
        )
    return "\n".join(parts)


def file_name(chance: random.Random, company: str, year: int) -> str:
    """As files are called after ten years of good intentions."""
    joined = company.replace(" ", "")
    return chance.choice(
        [
            f"{joined}_{year}_10K.txt",
            f"{year}-10K_{joined}.final({chance.randint(1, 3)}).txt",
            f"{joined.upper()}-FY{year % 100}-annual-report.txt",
            f"{company} {year} copy.txt",
            f"annual report {year} ({company.lower()}) v{chance.randint(1, 3)}.txt",
        ]
    )


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    chance = random.Random(7)
    opened = Catalog(tmp_path_factory.mktemp("reports") / "catalog")
    for company in COMPANIES:
        for year in YEARS:
            name = file_name(chance, company, year)
            item = ingested(f"{company}/{name}", report(chance, year), encoder=ENCODER)
            opened.put("default", item, recipe="r")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def indexes(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Indexes:
    folder = tmp_path_factory.mktemp("index")
    index = IndexFolder(folder, model=ENCODER.name, dimensions=ENCODER.dimensions)
    return index.rebuild(catalog)


@pytest.fixture(scope="module")
def plain(catalog: Catalog, indexes: Indexes) -> HybridRetriever:
    lexical = lexical_search(catalog, indexes)
    searches = Searches(
        lexical=lexical,
        keys_in=catalog.keys_in,
        dense=dense_search(catalog, indexes),
        encoder=ENCODER,
        lexical_limit=100,
        dense_limit=100,
        alpha=0.5,
    )
    return HybridRetriever(
        searches,
        catalog.passages,
        ExactWords(lexical, catalog.passages, catalog.text_of, ["en"]),
        lambda text, lexical, dense: weighted_min_max(lexical, dense, alpha=0.5),
        keep=100,
    )


def right_at_first(catalog: Catalog, retriever: Retriever) -> tuple[float, float]:
    """Share of questions whose first hit is in the right report, and on the right topic there."""
    in_report = on_topic = 0
    for number, company in enumerate(COMPANIES):
        year, topic = YEARS[number % len(YEARS)], TOPICS[number % 2]
        question = Question(text=f"What was the {topic} of {company} in FY{year}?")
        first = retriever.retrieve(question)[0]
        path = catalog.source(first.passage.span.document_id).path
        is_year = f"{year}" in path or f"FY{year % 100}" in path
        is_report = path.startswith(f"{company}/") and is_year
        in_report += is_report
        on_topic += is_report and f"The {topic}" in catalog.text_of(first.passage.span)
    return in_report / len(COMPANIES), on_topic / len(COMPANIES)


def test_a_question_that_names_company_and_year_gets_that_report(
    catalog: Catalog, plain: HybridRetriever
) -> None:
    routes = DocumentRoutes(lambda collection: NameTable.from_files(catalog.names(collection)))
    boosters = [NamedDocumentBooster(routes, weight=0.25)]
    off = right_at_first(catalog, plain)
    boosted = right_at_first(catalog, BoostedRetriever(plain, boosters))
    without_twins = TwinsLeftOut(plain, routes, catalog.text_of)
    default = right_at_first(catalog, BoostedRetriever(without_twins, boosters))
    print(f"right at first (report, topic): {off=} {boosted=} {default=}")
    assert min(default) >= 0.95
    assert off < boosted
