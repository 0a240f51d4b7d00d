"""A library that followed a folder through its history is the one made of its last state."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tiers import often

from pincite import Library

STEPS = often(200, 60)
LEXICAL = {"embedding": {"model": "none"}, "chunking": {"max_chars": 200}}
WORDS = "valve pump seal bolt torque pressure leak gauge hose filter".split()
QUESTIONS = ("Which valve leaks?", "torque of the bolt", "pump pressure gauge")


class Folder:
    """A folder that someone works in."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.chance = random.Random(seed)
        self.done: Counter[str] = Counter()
        path.mkdir()

    def files(self) -> list[Path]:
        return sorted(p for p in self.path.rglob("*") if p.is_file())

    def step(self) -> None:
        kinds = [self.add, self.add, self.edit, self.copy, self.move, self.delete, self.swap]
        kind = self.chance.choice(kinds) if len(self.files()) > 1 else self.add
        kind()
        self.done[kind.__name__] += 1

    def add(self) -> None:
        self.new_place().write_text(self.text())

    def edit(self) -> None:
        self.any_file().write_text(self.text())

    def copy(self) -> None:
        shutil.copyfile(self.any_file(), self.new_place())

    def move(self) -> None:
        self.any_file().rename(self.new_place())

    def delete(self) -> None:
        self.any_file().unlink()

    def swap(self) -> None:
        first, second = self.chance.sample(self.files(), 2)
        middle = first.with_name("middle")
        first.rename(middle)
        second.rename(first)
        middle.rename(second)

    def any_file(self) -> Path:
        return self.chance.choice(self.files())

    def new_place(self) -> Path:
        folder = self.path / self.chance.choice(("", "left", "right", "right/deep"))
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{self.chance.choice(WORDS)} {self.chance.randrange(10_000)}"
        return folder / f"{name}.{self.chance.choice(('txt', 'md'))}"

    def text(self) -> str:
        lines = [f"# {self.chance.choice(WORDS).title()}", ""] if self.chance.random() < 0.5 else []
        for _ in range(self.chance.randrange(1, 8)):
            words = " ".join(self.chance.choices(WORDS, k=self.chance.randrange(4, 12)))
            lines.append(f"The {words} has number {self.chance.randrange(40)}.")
        return "\n".join(lines) + "\n"


def held(library: Library) -> dict[str, Any]:
    """Everything a library holds and finds, but for row numbers and what was before."""
    entries = library.files()
    documents = sorted({entry.document_id for entry in entries})
    return {
        "version": library.catalog.meta("corpus_version"),
        "files": [
            (entry.path, entry.document_id, entry.title, entry.passages) for entry in entries
        ],
        "passages": [
            (passage.id, passage.span, passage.context, passage.section, passage.sentences)
            for document in documents
            for passage in library.catalog.passages_of(document)
        ],
        "found": [
            sorted((round(hit.score, 5), hit.passage.id) for hit in library.search(text).hits)
            for text in QUESTIONS
        ],
    }


@pytest.mark.parametrize("seed", often([1, 2, 3], [1]))
def test_following_a_folder_ends_where_a_fresh_ingest_does(tmp_path: Path, seed: int) -> None:
    folder = Folder(tmp_path / "documents", seed)
    with Library.open(tmp_path / "followed", overrides=LEXICAL) as followed:
        for _ in range(STEPS):
            folder.step()
            if folder.chance.random() < 0.3 and folder.files():
                followed.ingest([folder.path])
        followed.ingest([folder.path])
        assert followed.plan([folder.path]).changes == ()
        with Library.open(tmp_path / "fresh", overrides=LEXICAL) as fresh:
            fresh.ingest([folder.path])
            assert held(followed) == held(fresh)
    assert min(folder.done.values()) > STEPS // 20, folder.done
