"""Checks that answers are byte-identical when repeated, also in another process.

    python benchmarks/determinism.py --questions 200

Questions of squad2-open and product-docs, half each, are asked twice in this process and once in
another one; everything but the timings is compared. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from open_sets import collection, load

from pincite import Library
from pincite.evaluate.datasets import GoldQuestion
from pincite.settings.loading import Layer
from pincite.verify.receipts.receipt import answer_form

SETS = ("squad2-open", "product-docs")
_TIMINGS = "timings"


def without_timings(form: dict[str, Any]) -> str:
    """An answer as bytes would be, without what the clock says."""
    return json.dumps({name: value for name, value in form.items() if name != _TIMINGS})


def answers(name: str, questions: Sequence[GoldQuestion], overrides: Layer) -> list[str]:
    """Every answer of one pass over one set."""
    with collection(load(name)) as opened:
        path = opened.library.path
    with Library.open(path, overrides=overrides) as library:
        return [without_timings(answer_form(library.ask(q.text))) for q in questions]


def one_pass(most: int, overrides: Layer) -> list[str]:
    """The answers over all sets."""
    found: list[str] = []
    for name in SETS:
        found += answers(name, load(name).some(most // len(SETS), None), overrides)
    return found


def elsewhere(arguments: Sequence[str]) -> list[str]:
    """The answers of another process."""
    command = [sys.executable, __file__, *arguments, "--print"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main() -> None:
    """Print how many answers are the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--mode", default="extractive")
    parser.add_argument("--model", default="none")
    parser.add_argument("--print", action="store_true", help="print the answers and nothing else")
    given = parser.parse_args()
    overrides = {"generation": {"mode": given.mode, "model": given.model}}
    first = one_pass(given.questions, overrides)
    if given.print:
        print("\n".join(first))
        return
    again = one_pass(given.questions, overrides)
    other = elsewhere(
        ["--questions", str(given.questions), "--mode", given.mode, "--model", given.model]
    )
    same = sum(one == two for one, two in zip(first, again, strict=True))
    same_elsewhere = sum(one == two for one, two in zip(first, other, strict=True))
    print(f"{given.mode}: {len(first)} answers; the same again {same}, elsewhere {same_elsewhere}")
    if min(same, same_elsewhere) < len(first):
        sys.exit(1)


if __name__ == "__main__":
    main()
