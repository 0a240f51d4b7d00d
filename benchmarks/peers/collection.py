"""Pools several open sets into one collection of passages that every system is given as they are.

A passage holds whole sentences, at most `MOST_TOKENS` tokens, so that no system cuts anything off.
The passages that answer the questions go in first, then the other passages of the same sets, then
those of sets that are not asked about, then lines of a filler file.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the processes that measure the others read collections without Pincite
    from pincite.evaluate.datasets import Dataset

MOST_TOKENS = 190
"""Every system's default reads at least 256 tokens; BM25 and snippets are the same for all."""

WARM_UP = 8
"""Questions asked before the clock runs; none of them is measured."""

LEAST_FILLER_CHARS = 40
"""Shorter lines of a filler file say too little to be a passage."""


class CollectionError(Exception):
    """The sets or the filler cannot give what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What is searched: one stretch of text of one document of one set."""

    id: str
    set: str
    document: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of one set, and the documents that answer it with their grades."""

    id: str
    set: str
    text: str
    relevant: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Passages in the order they are ingested, questions in the order they are asked."""

    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    warm_up: tuple[str, ...]


Cut = Callable[[str], Iterable[str]]
"""Cuts a text into passages."""


def cutter(sentences: Callable[[str], list[tuple[int, int]]], tokens: Callable[[str], int]) -> Cut:
    """Passages of whole sentences, up to `MOST_TOKENS`; longer sentences are cut between words."""

    def cut(text: str) -> Iterator[str]:
        # A byte order mark at the start of a file is no text, and readers drop it.
        text = " ".join(text.replace("\ufeff", "").split())
        piece: list[str] = []
        size = 0
        for start, end in sentences(text):
            for part in _words_that_fit(text[start:end], tokens):
                more = tokens(part)
                if piece and size + more > MOST_TOKENS:
                    yield " ".join(piece)
                    piece, size = [], 0
                piece.append(part)
                size += more
        if piece:
            yield " ".join(piece)

    return cut


def _words_that_fit(sentence: str, tokens: Callable[[str], int]) -> Iterator[str]:
    if tokens(sentence) <= MOST_TOKENS:
        yield sentence
        return
    words = sentence.split(" ")
    if len(words) == 1:  # a chain of signs without a blank: nobody asks for its end
        yield sentence[:MOST_TOKENS]
        return
    middle = len(words) // 2
    yield from _words_that_fit(" ".join(words[:middle]), tokens)
    yield from _words_that_fit(" ".join(words[middle:]), tokens)


def pool(
    asked: Iterable[Dataset],
    others: Iterable[Dataset],
    filler: Iterable[str],
    cut: Cut,
    *,
    size: int,
) -> Collection:
    """A collection of `size` passages with the questions of each set in `asked`.

    The last question of each set warms up. Raises CollectionError when `size` is too small for the
    passages that answer, or when there are not enough passages.
    """
    asked = list(asked)
    questions, warm_up = [], []
    for data in asked:
        chosen = data.questions
        warm_up.append(chosen[-1].text)
        questions += [
            Question(
                id=f"{data.name}/{question.id}",
                set=data.name,
                text=question.text,
                relevant={f"{data.name}/{d}": grade for d, grade in question.relevant.items()},
            )
            for question in chosen[:-1]
        ]
    needed = {document for question in questions for document in question.relevant}
    passages = _chosen(asked, others, filler, cut, needed=needed, size=size)
    shuffle = random.Random(1).shuffle
    shuffle(passages)
    shuffle(questions)
    return Collection(
        passages=tuple(passages), questions=tuple(questions), warm_up=tuple(warm_up[:WARM_UP])
    )


def _chosen(
    asked: list[Dataset],
    others: Iterable[Dataset],
    filler: Iterable[str],
    cut: Cut,
    *,
    needed: set[str],
    size: int,
) -> list[Passage]:
    """The first `size` passages with different texts, those of documents in `needed` first."""
    seen: set[str] = set()
    gold = list(_new(_of_sets(asked, cut, lambda name: name in needed), seen))
    if len(gold) > size:
        raise CollectionError(
            f"the documents that answer the questions make {len(gold):,} passages, asked were "
            f"{size:,}: ask for more passages, or fewer questions with --queries"
        )
    rest = chain(
        _of_sets(asked, cut, lambda name: name not in needed),
        _of_sets(others, cut, lambda _: True),
        _of_filler(filler, cut),
    )
    found = gold + list(islice(_new(rest, seen), size - len(gold)))
    if len(found) < size:
        raise CollectionError(
            f"the sets and the filler make {len(found):,} different passages, asked were "
            f"{size:,}: give --filler FILE with at least {size - len(found):,} more lines"
        )
    return found


def _of_sets(sets: Iterable[Dataset], cut: Cut, wanted: Callable[[str], bool]) -> Iterator[Passage]:
    for data in sets:
        for document in data.documents:
            name = f"{data.name}/{document.id}"
            if wanted(name):
                yield from _passages(data.name, name, cut(document.text))


def _of_filler(lines: Iterable[str], cut: Cut) -> Iterator[Passage]:
    for number, line in enumerate(lines):
        if len(line.strip()) >= LEAST_FILLER_CHARS:
            yield from _passages("filler", f"filler/{number}", islice(cut(line), 1))


def _passages(name: str, document: str, texts: Iterable[str]) -> Iterator[Passage]:
    for number, text in enumerate(texts):
        yield Passage(id=f"{document}#{number}", set=name, document=document, text=text)


def _new(passages: Iterable[Passage], seen: set[str]) -> Iterator[Passage]:
    """Passages whose text has not been seen: equal passages could not be told apart."""
    for passage in passages:
        if passage.text not in seen:
            seen.add(passage.text)
            yield passage


def save(collection: Collection, folder: Path) -> None:
    """Write the three files that the systems read."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, items in (("passages", collection.passages), ("questions", collection.questions)):
        lines = (json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "warm_up.json").write_text(json.dumps(collection.warm_up), encoding="utf-8")


def load(folder: Path) -> Collection:
    """Read what `save` wrote."""
    return Collection(
        passages=tuple(Passage(**item) for item in _lines(folder / "passages.jsonl")),
        questions=tuple(Question(**item) for item in _lines(folder / "questions.jsonl")),
        warm_up=tuple(json.loads((folder / "warm_up.json").read_text(encoding="utf-8"))),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
