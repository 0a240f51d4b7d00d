"""`python -m training.layouts --data FOLDER`: paragraphs as they stand in documents.

A reader that has seen paragraphs only takes headings, entries of a contents list and repetitions of
the question for answers. Here they stand around the paragraph, with its neighbours, or its sentences
are the items of a list; what answers stays what it was. Questions with and without an answer are laid
out alike, so that the layout gives nothing away. Needs the package, not PyTorch.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pincite.text.sentences import sentence_spans
from training.rows import Row, rows_of, write_rows

FILES = ("squad-ans", "squad2-unans", "squad-train")
SHARE = 3
"""Of so many rows one is laid out."""

_ENTRIES = 5
_MARKS = ("- ", "* ", "\u2022 ", "")


@dataclass(slots=True)
class Page:
    """A passage that grows line by line: its text, its units, and where the paragraph's came to lie."""

    text: str = ""
    units: list[tuple[int, int]] = field(default_factory=list)
    moved: list[tuple[int, int, int]] = field(default_factory=list)

    def line(self, text: str, *, before: str = "\n") -> None:
        """A line that is one unit: a heading, an entry, a question."""
        if self.text:
            self.text += before
        self.units.append((len(self.text), len(self.text) + len(text)))
        self.text += text

    def paragraph(self, text: str) -> None:
        """Text of which every sentence is a unit."""
        if self.text:
            self.text += "\n\n"
        shift = len(self.text)
        self.units += [(shift + start, shift + end) for start, end in sentence_spans(text)]
        self.text += text

    def original(self, text: str) -> None:
        """The paragraph that was asked about."""
        self.paragraph(text)
        self.moved.append((0, len(text), len(self.text) - len(text)))

    def items(self, text: str, mark: str) -> None:
        """The paragraph that was asked about, each sentence an item of a list."""
        for number, (start, end) in enumerate(sentence_spans(text), start=1):
            shown = f"{number}. " if mark == "1" else mark
            self.line(f"{shown}{text[start:end]}")
            self.moved.append((start, end, len(self.text) - (end - start)))

    def place_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a range of the paragraph lies now; None if it was divided."""
        for first, last, new in self.moved:
            if first <= start and end <= last:
                return new + start - first, new + end - first
        return None


@dataclass(frozen=True, slots=True)
class Article:
    """Other paragraphs and other questions of the article that a row is from."""

    paragraphs: Sequence[str]
    questions: Sequence[str]

    def neighbour(self, passage: str, random: Random) -> str:
        """A paragraph of the article, another where there is one."""
        others = [one for one in self.paragraphs if one != passage]
        return random.choice(others) if others else ""

    def entries(self, question: str, random: Random) -> list[str]:
        """Some questions of the article, the one that is asked among them."""
        others = [one for one in self.questions if one != question]
        return random.sample(others, min(_ENTRIES, len(others)))


Layout = Callable[[Page, Row, Article, Random], None]


def _repeated(page: Page, row: Row, _article: Article, random: Random) -> None:
    number = f"{random.randint(1, 12)}. " if random.random() < 0.5 else ""
    page.line(f"{number}{row['question']}")
    page.original(row["passage"])


def _agenda(page: Page, row: Row, article: Article, random: Random) -> None:
    _contents(page, row, article, random)
    page.original(row["passage"])


def _contents(page: Page, row: Row, article: Article, random: Random) -> None:
    entries = [*article.entries(row["question"], random), row["question"]]
    random.shuffle(entries)
    mark = random.choice(_MARKS)
    page.line(random.choice(("Contents", "Agenda", "Questions", "In this section:", "Topics")))
    for number, entry in enumerate(entries, start=1):
        page.line(f"{mark or f'{number}. '}{entry}")


def _listed(page: Page, row: Row, _article: Article, random: Random) -> None:
    heading = row["title"].replace("_", " ")
    page.line(random.choice(("Overview:", "The main points are:", f"{heading}:", "Notes:")))
    page.items(row["passage"], random.choice(("- ", "* ", "\u2022 ", "1")))


def _among_others(page: Page, row: Row, article: Article, random: Random) -> None:
    places = ["before", "behind"]
    for place in random.sample(places, random.randint(1, 2)):
        neighbour = article.neighbour(row["passage"], random)
        if place == "before" and neighbour:
            page.paragraph(neighbour)
    page.original(row["passage"])
    if neighbour := article.neighbour(row["passage"], random):
        page.paragraph(neighbour)


def _without(page: Page, row: Row, article: Article, random: Random) -> bool:
    """The question as a heading, an entry or a line, and a paragraph that does not answer it."""
    neighbour = article.neighbour(row["passage"], random)
    answers = [answer["text"].casefold() for answer in row["answers"]]
    if not neighbour or any(answer in neighbour.casefold() for answer in answers):
        return False
    if random.random() < 0.5:
        _contents(page, row, article, random)
    else:
        page.line(f"{random.choice(('', '## ', '3. ', 'Q: '))}{row['question']}")
    if random.random() < 0.8:
        page.paragraph(neighbour)
    return True


def _below_headings(page: Page, row: Row, article: Article, random: Random) -> None:
    mark = random.choice(("# ", "", "1.2 "))
    page.line(f"{mark}{row['title'].replace('_', ' ') or 'Introduction'}")
    page.original(row["passage"])
    if article.questions and random.random() < 0.5:
        page.line(random.choice(article.questions), before="\n\n")


LAYOUTS: tuple[Layout, ...] = (_repeated, _agenda, _listed, _among_others, _below_headings)


def laid_out(rows: Sequence[Row], names: dict[str, str]) -> Iterator[Row]:
    """Some of the rows, each in one layout; `names` gives the article of a passage."""
    paragraphs: dict[str, list[str]] = defaultdict(list)
    questions: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        name = names[row["passage"]]
        if row["passage"] not in paragraphs[name]:
            paragraphs[name].append(row["passage"])
        questions[name].append(row["question"])
    articles = {name: Article(paragraphs[name], questions[name]) for name in paragraphs}
    for row in rows:
        drawn = hashlib.sha256(row["id"].encode()).digest()
        if drawn[0] % SHARE:
            continue
        random = Random(row["id"])
        name = names[row["passage"]]
        page, title = Page(), {**row, "title": name}
        LAYOUTS[drawn[1] % len(LAYOUTS)](page, title, articles[name], random)
        if made := _row(row, page):
            yield made
        page = Page()
        if row["answers"] and _without(page, title, articles[name], random):
            yield _row({**row, "id": f"without/{row['id']}", "answers": []}, page) or {}


def _row(row: Row, page: Page) -> Row | None:
    """The row with the page for its passage; None where an answer was divided."""
    places = [page.place_of(answer["start"], answer["end"]) for answer in row["answers"]]
    if not all(places):
        return None
    answers = [
        {"start": place[0], "end": place[1], "text": page.text[place[0] : place[1]]}
        for place in places
        if place
    ]
    made: Row = {
        **row,
        "id": f"laid-out/{row['id']}",
        "title": "",
        "passage": page.text,
        "answers": answers,
        "units": page.units,
    }
    if not answers and page.moved:
        made["focus"] = {"start": page.moved[0][2], "end": page.moved[-1][2] + 1}
    return made


def articles_of(rows: Sequence[Row]) -> dict[str, str]:
    """The title of each passage; misleading questions come without, their twins have it."""
    found = {row["passage"]: row["title"] for row in rows if row["title"]}
    return {row["passage"]: found.get(row["passage"], "") for row in rows}


def main() -> None:
    """Write `laid-out.jsonl`."""
    parser = argparse.ArgumentParser(prog="python -m training.layouts", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the training files")
    parser.add_argument("--output", type=Path, default=Path("build/mined"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [row for name in FILES for row in rows_of(options.data / f"{name}.jsonl")]
    write_rows(options.output / "laid-out.jsonl", laid_out(rows, articles_of(rows)))


if __name__ == "__main__":
    main()
