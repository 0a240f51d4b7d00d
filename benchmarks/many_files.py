"""Measures memory and speed while a large folder is ingested, and the first answers afterwards.

    python benchmarks/many_files.py --files 10000 --steps 10

Creates a folder of Markdown files of a few sections each, ingests it in its own process, and prints,
for each share of the files, the files and passages per second and the resident memory of that process
and of its readers, and what grew from the first share to the last. Then, in a new process: seconds to
open the library including imports, milliseconds of the first and the second question, and seconds of
another ingest that finds nothing new.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pincite import Library

WORDS = (
    "valve pump seal bolt torque pressure leak gauge hose filter bearing shaft oil drain check "
    "replace tighten inspect record open close measure clean lift start stop before after while"
).split()
PAGE_BYTES = 4096
MEGABYTE = 1_000_000


def make_files(folder: Path, count: int) -> None:
    """Files of one to six sections, a hundred in a folder."""
    chance = random.Random(1)
    for number in range(count):
        path = folder / f"{number // 100:04d}" / f"procedure {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(_section(chance, number) for _ in range(chance.randint(1, 6))))


def _section(chance: random.Random, number: int) -> str:
    sentences = (
        f"{' '.join(chance.choices(WORDS, k=chance.randint(6, 18))).capitalize()} {number}."
        for _ in range(chance.randint(2, 10))
    )
    return f"## {chance.choice(WORDS).title()} {number}\n\n{' '.join(sentences)}"


def resident_megabytes(process: int) -> float:
    """Memory of a process and its children that is not shared between them."""
    own = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE_BYTES / MEGABYTE
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own + sum(resident_megabytes(int(child)) for child in children)


def ingest(folder: Path, library: Path, model: str, steps: int, results: Any) -> None:
    """Ingest and report at each share of the files."""
    import os

    started = time.perf_counter()
    told = 0
    with Library.open(library, overrides={"embedding": {"model": model}}) as opened:

        def show(step: Any) -> None:
            nonlocal told
            share = step.files_done * steps // step.files_total
            if share > told:
                told = share
                seconds = time.perf_counter() - started
                results.put(
                    (step.files_done, step.passages, seconds, resident_megabytes(os.getpid()))
                )

        report = opened.ingest([folder], progress=show)
        seconds = time.perf_counter() - started
        memory = resident_megabytes(os.getpid())
        results.put((report.documents, report.passages, seconds, memory))
        results.put(None)


def ask(folder: Path, library: Path, model: str, results: Any) -> None:
    """Time the first questions of a process, and an ingest that has nothing to do."""
    started = time.perf_counter()
    with Library.open(library, overrides={"embedding": {"model": model}}) as opened:
        opened.stages()
        seconds = [time.perf_counter() - started]
        for question in ("How is valve 7 of procedure 9 drained?", "When is seal 3 replaced?"):
            started = time.perf_counter()
            opened.ask(question)
            seconds.append(time.perf_counter() - started)
        started = time.perf_counter()
        opened.ingest([folder])
        seconds.append(time.perf_counter() - started)
    results.put(seconds)


def main() -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--model", default="all-MiniLM-L6-v2", help="none: lexical only")
    chosen = parser.parse_args()
    home = Path(tempfile.mkdtemp())
    try:
        make_files(home / "files", chosen.files)
        context = get_context("spawn")
        results = context.Queue()
        arguments = (home / "files", home / "library", chosen.model, chosen.steps, results)
        process = context.Process(target=ingest, args=arguments)
        process.start()
        print(f"{'files':>7} {'passages':>9} {'seconds':>8} {'files/s':>8} {'MB':>7}")
        memory = []
        while (row := results.get()) is not None:
            files, passages, seconds, megabytes = row
            memory.append(megabytes)
            print(
                f"{files:>7} {passages:>9} {seconds:>8.1f} {files / seconds:>8.1f} {megabytes:>7.0f}"
            )
        process.join()
        grown = memory[-2] - memory[0]
        print(f"grew by {grown:.0f} MB from the first share to the last; {memory[-1]:.0f} MB with")
        print("the indexes made (last line)")
        process = context.Process(
            target=ask, args=(home / "files", home / "library", chosen.model, results)
        )
        process.start()
        opening, first, second, again = results.get()
        process.join()
        print(
            f"a new process: opened in {opening:.2f} s, first question {1000 * first:.0f} ms, "
            f"second {1000 * second:.0f} ms, nothing new found in {again:.1f} s"
        )
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
