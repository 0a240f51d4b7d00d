"""`pincite bench`: how quick Pincite is on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import print_json, say
from pincite.interfaces.cli.progress import progress_line

_FEWEST_PAGES, _MOST_PAGES = 12, 100_000


def bench(
    pages: Annotated[
        int,
        typer.Option(
            "--pages", min=_FEWEST_PAGES, max=_MOST_PAGES, help="Pages to read, of made text."
        ),
    ] = 120,
    as_json: JsonOption = False,
) -> None:
    """Measure this machine: encoding, ingest, search, answers, and a first command.

    Takes about a minute. Reads made text into a library that is deleted afterwards, and says what other
    numbers of pages would take.
    """
    from pincite.evaluate.machine import measure
    from pincite.interfaces.samples.asked import sample_questions, sample_sentences

    with progress_line() as show:
        found = measure(sample_sentences(), sample_questions(), pages, show)
    if as_json:
        print_json(found.as_form())
        return
    machine = found.machine
    say(f"{machine.processor}, {machine.cores} cores ({', '.join(machine.instructions) or '-'})")
    say()
    rows = (
        ("encoder alone", f"{found.encoded:.0f} passages a second"),
        ("ingest", f"{found.ingested:.0f} passages a second ({found.pages:,} pages of text)"),
        ("search", f"{found.search_median:.0f} ms, 95 % within {found.search_p95:.0f} ms"),
        ("answer", f"{found.ask_median:.0f} ms, 95 % within {found.ask_p95:.0f} ms"),
        ("a first command", f"{found.cold_seconds:.1f} s"),
        ("memory", f"{found.peak_mb:.0f} MB at most"),
    )
    for name, told in rows:
        say(f"{name:16}{told}")
    say()
    for one in found.expected():
        took = f"{_duration(one.ingest_seconds)} to ingest"
        say(f"{one.pages:,} pages: {took}, at most {_size(one.library_mb)} on disk")


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _size(megabytes: float) -> str:
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"
