"""Measures what each step of reading a question contributes, also for misspelt questions.

    python benchmarks/understanding.py squad2-open product-docs --queries 200
    python benchmarks/understanding.py xquad-open --language de --typos 1

Searches by words only, so that no encoder hides differences, and prints nDCG@10 with the default
settings and with each step of `understanding` inverted, and the milliseconds that reading a question
takes. With `--typos N`, N words of each question get one error each (a neighbouring key, a missing
letter, two letters swapped, an extra letter), the same in each run.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping
from statistics import mean, median

from open_sets import answerable, collection, load

from pincite.evaluate.datasets import Collection
from pincite.evaluate.measures import ranking_values
from pincite.pipeline import search
from pincite.records.flow import Question
from pincite.settings.groups import UnderstandingSettings
from pincite.settings.loading import Layer, load_settings

MEASURE = "nDCG@10"
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SHORTEST_SPOILT = 5
WORDS_ALONE: Layer = {
    "embedding": {"model": "none"},
    "rerank": {"method": "term_coverage", "candidates": 1, "weight": 0.0, "threshold": 0.0},
}


def main() -> None:
    """Print a line for each set and step."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--language")
    parser.add_argument("--typos", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name in chosen.sets:
        data = load(name)
        questions = answerable(data, chosen.queries, language=chosen.language)
        generator = random.Random(chosen.seed)
        asked = {one.id: spoilt(one.text, chosen.typos, generator) for one in questions}
        relevant = {one.id: one.relevant for one in questions}
        with collection(data, WORDS_ALONE) as searched:
            figure, milliseconds = measured(searched, asked, relevant, {})
            print(
                f"{name}: {len(asked)} questions, {MEASURE} {figure:.4f}, "
                f"read in {milliseconds:.2f} ms"
            )
            for step, value in UnderstandingSettings().model_dump().items():
                changed, _ = measured(searched, asked, relevant, {step: not value})
                turned = "off" if value else "on"
                print(f"  {step} {turned}: {changed:.4f} ({changed - figure:+.4f})")


def measured(
    searched: Collection,
    asked: Mapping[str, str],
    relevant: Mapping[str, Mapping[str, int]],
    steps: Mapping[str, bool],
) -> tuple[float, float]:
    """nDCG@10, and the median of the milliseconds that reading a question took."""
    settings, _ = load_settings(overrides={**WORDS_ALONE, "understanding": steps})
    stages = searched.library.stages_with(settings)
    ranked, times = {}, []
    for question, text in asked.items():
        found = search(Question(text=text), stages)
        times.append(found.timings["understand"])
        ranked[question] = searched.ranked(found.hits)
    values = ranking_values(relevant, ranked).values()
    return mean(one[MEASURE] for one in values), median(times)


def spoilt(text: str, errors: int, generator: random.Random) -> str:
    """The text with one error each in some of its longer words."""
    words = text.split()
    long = [
        place
        for place, word in enumerate(words)
        if word.isascii() and word.isalpha() and len(word) >= SHORTEST_SPOILT
    ]
    for place in generator.sample(long, min(errors, len(long))):
        words[place] = mistyped(words[place], generator)
    return " ".join(words)


def mistyped(word: str, generator: random.Random) -> str:
    """One error behind the first letter."""
    place = generator.randrange(1, len(word))
    before, letter, after = word[:place], word[place], word[place + 1 :]
    row = next((row for row in ROWS if letter.lower() in row), "")
    column = row.find(letter.lower())
    around = row[max(0, column - 1) : column] + row[column + 1 : column + 2]
    near = generator.choice(around) if row else letter
    kind = generator.choice(["neighbour", "missing", "swapped", "extra"])
    if kind == "neighbour":
        return before + near + after
    if kind == "extra":
        return before + near + letter + after
    if kind == "swapped" and after:
        return before + after[0] + letter + after[1:]
    return before + after


if __name__ == "__main__":
    main()
