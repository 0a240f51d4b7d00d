"""What do many small collections in one library cost, against one collection with the same passages?

    PYTHONPATH=src python benchmarks/many_collections.py [--collections 1000] [--passages 10]

Both libraries hold the same generated documents, each with sentences of its own and words that all
share: in one each document is a collection (a tenant), in the other all are in one. Search is by words
alone, as the encoder's part of a question is the same. Prints bytes, and milliseconds for a question:
the first one of a tenant, which looks its passages up, and a later one.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from pincite import Library
from pincite.testing.samples import ingested

OVERRIDES = {"embedding": {"model": "none"}, "verification": {"stance": "eager"}}
ASKED = 50


def text_of(number: int, passages: int) -> str:
    """A document of a tenant."""
    parts = (
        f"## Pump {number}-{part}\n\nThe pump {number}-{part} holds {number + part} litres of oil. "
        "The oil is changed every year by the people of the workshop.\n"
        for part in range(passages)
    )
    return "\n".join(parts)


def filled(folder: Path, *, documents: int, passages: int, is_split: bool) -> Library:
    """A library of them; `is_split`: each in a collection of its own."""
    library = Library.open(folder, overrides=OVERRIDES)
    for number in range(documents):
        one = ingested(f"/files/{number}.md", text_of(number, passages))
        library.catalog.put(f"tenant-{number}" if is_split else "all", one, recipe="made")
    return library


def asked(library: Library, numbers: range, *, is_split: bool) -> list[float]:
    """Milliseconds of a question of each tenant."""
    spent = []
    for number in numbers:
        collection = f"tenant-{number}" if is_split else "all"
        began = time.perf_counter()
        library.ask(f"How many litres of oil does pump {number}-1 hold?", collection=collection)
        spent.append((time.perf_counter() - began) * 1000)
    return spent


def measure(folder: Path, name: str, *, documents: int, passages: int, is_split: bool) -> None:
    """Make a library, ask, and print a line."""
    with filled(folder, documents=documents, passages=passages, is_split=is_split) as library:
        library.ask("Which pump holds oil?", collection="tenant-0" if is_split else "all")
        numbers = range(0, documents, max(1, documents // ASKED))
        times = [statistics.median(asked(library, numbers, is_split=is_split)) for _ in range(2)]
        held = library.stats()
    print(
        f"{name:<18} {len(held.collections)} collections, {held.passages} passages, "
        f"{held.bytes_on_disk / 1e6:.1f} MB; a question {times[0]:.0f} ms at first, "
        f"{times[1]:.0f} ms again (medians of {len(numbers)})",
        flush=True,
    )


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--collections", type=int, default=1000)
    parser.add_argument("--passages", type=int, default=10, help="sections of each document")
    given = parser.parse_args()
    size = {"documents": given.collections, "passages": given.passages}
    with tempfile.TemporaryDirectory() as named:
        for name, is_split in (("many collections", True), ("one collection", False)):
            measure(Path(named) / name, name, **size, is_split=is_split)


if __name__ == "__main__":
    main()
