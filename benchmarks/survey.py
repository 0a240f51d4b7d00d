"""Measures how long a count over a large library takes.

    python benchmarks/survey.py FOLDER [--passages 100000]

Creates a library of generated text files in FOLDER (once; lexical only), then counts words that occur
in few, some and most passages, and compares each count with that of a simple script.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path

import pincite

PARAGRAPHS = 200
WORDS_IN_PARAGRAPH = 110
VOCABULARY = 20_000


def main() -> None:
    """Make the library if it is not there, and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=100_000)
    chosen = parser.parse_args()
    files, words = write_files(chosen.folder / "files", chosen.passages)
    overrides = {"embedding": {"model": "none"}}
    with pincite.Library.open(chosen.folder / "library", overrides=overrides) as library:
        if not library.stats().documents:
            library.ingest([chosen.folder / "files"])
        held = library.stats()
        size = sum(path.stat().st_size for path in files) / 1e6
        print(f"{held.passages:,} passages of {held.documents:,} documents, {size:.0f} MB of text")
        library.stages()
        asked = [words[rank] for rank in (10, 300, 5_000, 19_000)] + ["zzyzx"]
        for word in asked:
            report(library, files, word)


def report(library: pincite.Library, files: list[Path], word: str) -> None:
    """Count one word twice, and once by hand."""
    quoted = f'"{word}"'
    library.count(quoted)
    started, used = time.perf_counter(), time.process_time()
    answer = library.count(quoted)
    wall, processor = time.perf_counter() - started, time.process_time() - used
    pattern = re.compile(rf"(?<!\w){word}(?!\w)", re.IGNORECASE)
    counts = [len(pattern.findall(path.read_text(encoding="utf-8"))) for path in files]
    by_hand = (sum(counts), sum(map(bool, counts)))
    survey = answer.survey
    assert survey is not None
    same = "same" if by_hand == (survey.mentions, len(survey.rows)) else f"BY HAND {by_hand}"
    print(
        f"{word:>12}: {survey.mentions:>9,} mentions, {len(survey.rows):>6,} documents, "
        f"scan {answer.timings['scan'] / 1000:.2f} s, check and cite "
        f"{answer.timings['verify'] / 1000:.2f} s, total {wall:.2f} s ({processor:.2f} s of "
        f"processor); {same}"
    )


def write_files(folder: Path, passages: int) -> tuple[list[Path], list[str]]:
    """Text files in which words are as frequent as in a language, and those words, most first."""
    chance = random.Random(2026)
    words = vocabulary(chance)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    wanted = max(1, passages // 100)
    files = [folder / f"{number:05}.txt" for number in range(wanted)]
    if not all(path.is_file() for path in files):
        folder.mkdir(parents=True, exist_ok=True)
        for path in files:
            path.write_text(text(chance, words, weights), encoding="utf-8")
    return files, words


def vocabulary(chance: random.Random) -> list[str]:
    """Distinct words without meaning."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(chance.choices(syllables, k=chance.choice((2, 3, 3, 4))))] = None
    return list(found)


def text(chance: random.Random, words: list[str], weights: list[float]) -> str:
    """Paragraphs of sentences; some have signs beyond ASCII, as printed texts do."""
    paragraphs = []
    for _ in range(PARAGRAPHS):
        chosen = chance.choices(words, weights, k=WORDS_IN_PARAGRAPH)
        sentences = [chosen[start : start + 11] for start in range(0, len(chosen), 11)]
        told = [f"{' '.join(sentence).capitalize()}." for sentence in sentences]
        paragraphs.append(" ".join(told).replace("a ", "a – ", 1))
    return "\n\n".join(paragraphs)


if __name__ == "__main__":
    main()
