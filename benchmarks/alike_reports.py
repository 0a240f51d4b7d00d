"""Finding the report that a question names among reports of many companies in the same words.

    python benchmarks/alike_reports.py                     # boost, first and filter, three seeds
    python benchmarks/alike_reports.py --settings boosts.documents=off --seeds 1

Forty companies, three years each, files named in one of several ways; every question names a company
and a year. Prints the share of questions whose first hit is in that report, and the share whose first
hit is also on the topic, with the full search, default encoder and reranker.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pincite
from pincite import pipeline
from pincite.evaluate.run import configurations
from pincite.records.flow import Question

YEARS = (2021, 2022, 2023)
TOPICS = ("capital expenditure", "revenue", "number of employees", "dividend", "tax rate")
_STARTS = "Al Bor Cir Del Em Fjo Gam Hel Iri Jun Kal Lor Mer Nor Ost Pal Qui Ros Sil Tor".split()
_ENDS = "an ea us ta ber rd ma ion is o".split()
_LINES = "Foods Bank Motors Pharma Energy Logistics Holdings Group".split()

_SAID = (
    "The {topic} of the company was {now} in {year}, after {before} in {last}.",
    "In {year} the company had a {topic} of {now}; in {last} it had been {before}.",
    "For the year {year} we report a {topic} of {now}, against {before} in the year before.",
)
_FURTHER = (
    "The board expects the {topic} to remain stable in the coming year.",
    "The auditors have examined how the {topic} was determined and have no remarks.",
    "Exchange rates had little influence on the {topic}, as in other years.",
)
"""The first two in all reports; in loose ones any two."""

Scheme = Callable[[random.Random, str, str, int], str]


def _joined(name: str) -> str:
    return name.replace(" ", "")


def by_people(chance: random.Random, name: str, ticker: str, year: int) -> str:
    """As files are called after ten years of good intentions."""
    del ticker
    return chance.choice(
        [
            f"{_joined(name)}_{year}_10K",
            f"{year}-10K_{_joined(name)}.final({chance.randint(1, 3)})",
            f"{_joined(name).upper()}-FY{year % 100}-annual-report",
            f"{name} {year} copy",
            f"annual report {year} ({name.lower()}) v{chance.randint(1, 3)}",
        ]
    )


def regular(chance: random.Random, name: str, ticker: str, year: int) -> str:
    """One scheme for all, as of a download."""
    del chance, ticker
    return f"{_joined(name).upper()}_{year}_10K"


def by_ticker(chance: random.Random, name: str, ticker: str, year: int) -> str:
    """The exchange's abbreviation, with the year in two digits."""
    del chance, name
    return f"{ticker}_10-K_FY{year % 100}"


def quarterly(chance: random.Random, name: str, ticker: str, year: int) -> str:
    """More numbers than the year."""
    del ticker
    return f"{name.replace(' ', '-').lower()}-q{chance.randint(1, 4)}-{year}-ex{chance.randint(10, 99)}"


SCHEMES: dict[str, Scheme] = {
    "people": by_people,
    "regular": regular,
    "ticker": by_ticker,
    "quarterly": quarterly,
}


def companies(chance: random.Random) -> list[tuple[str, str]]:
    """Forty names, each with its own ticker."""
    found: dict[str, str] = {}
    while len(found) < 40:
        name = f"{chance.choice(_STARTS)}{chance.choice(_ENDS)} {chance.choice(_LINES)}"
        ticker = "".join(chance.sample(_joined(name).upper()[:8], 4))
        if name not in found and ticker not in found.values():
            found[name] = ticker
    return list(found.items())


def report(chance: random.Random, year: int, *, is_loose: bool = False) -> str:
    """The passages say "the company", as those of real reports do; loose ones vary their words."""
    parts = [f"# Annual report\n\nWe are pleased to present our results for {year}."]
    for topic in TOPICS:
        now, before = chance.randint(100, 999), chance.randint(100, 999)
        said = chance.choice(_SAID if is_loose else _SAID[:1])
        further = chance.sample(_FURTHER, 2) if is_loose else _FURTHER[:2]
        text = " ".join([said, *further])
        text = text.format(topic=topic, now=now, year=year, before=before, last=year - 1)
        parts.append(f"# {topic.title()}\n\n{text}")
    return "\n\n".join(parts)


def question(chance: random.Random, asked: str, topic: str, year: int) -> str:
    """As people ask."""
    return chance.choice(
        [
            f"What was the {topic} of {asked} in {year}?",
            f"What was {asked}'s {topic} in FY{year}?",
            f"FY{year % 100} {topic} of {asked}",
            f"Based on the {year} report, how high was the {topic} of {asked}?",
        ]
    )


def measured(
    scheme: str, seed: int, expressions: list[str], *, is_loose: bool = False
) -> dict[str, tuple[float, float]]:
    """For each configuration: right report first, and on the topic there."""
    chance = random.Random(seed)
    held = companies(chance)
    with tempfile.TemporaryDirectory() as place:
        files = Path(place) / "files"
        for number, (name, ticker) in enumerate(held):
            for year in YEARS:
                folder = files / f"{number:03d}"
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / f"{SCHEMES[scheme](chance, name, ticker, year)}.md"
                path.write_text(report(chance, year, is_loose=is_loose), encoding="utf-8")
        return _asked(Path(place), files, scheme, chance, held, expressions)


def _asked(
    place: Path,
    files: Path,
    scheme: str,
    chance: random.Random,
    held: list[tuple[str, str]],
    expressions: list[str],
) -> dict[str, tuple[float, float]]:
    asked = []
    for number, (name, ticker) in enumerate(held):
        year, topic = chance.choice(YEARS), chance.choice(TOPICS)
        called = ticker if scheme == "ticker" else name
        asked.append((number, year, topic, question(chance, called, topic, year)))
    results = {}
    with pincite.Library.open(place / "library") as library:
        library.ingest([files])
        for one in configurations(expressions, library.settings):
            stages = library.stages_with(one.settings)
            in_report = on_topic = 0
            for number, year, topic, text in asked:
                hits = pipeline.search(Question(text=text), stages).hits
                span = hits[0].passage.span
                path = Path(library.catalog.source(span.document_id).path)
                said = library.catalog.text_of(span)
                is_right = path.parent.name == f"{number:03d}" and f"results for {year}" in (
                    library.catalog.document(span.document_id).text
                )
                in_report += is_right
                on_topic += is_right and f"{topic} " in said
            results[one.name] = (in_report / len(asked), on_topic / len(asked))
    return results


def main() -> None:
    """Print one line for each scheme, seed and configuration."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--settings",
        nargs="+",
        default=["boosts.documents=boost", "boosts.documents=off"],
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--schemes", nargs="+", default=list(SCHEMES), choices=SCHEMES)
    parser.add_argument("--loose", action="store_true", help="reports whose words vary")
    chosen = parser.parse_args()
    for scheme in chosen.schemes:
        for seed in chosen.seeds:
            for name, (report_share, topic_share) in measured(
                scheme, seed, chosen.settings, is_loose=chosen.loose
            ).items():
                print(
                    f"{scheme:<10} seed {seed}  {name:<28} {report_share:.2f} {topic_share:.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
