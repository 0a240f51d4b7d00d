"""Measures how quick this machine is: encoding, ingest, search, answers, and a first command.

The documents are made from the sentences that it is given, shuffled with a fixed seed and numbered, so
that every machine reads the same text and no passage is encoded twice.
"""

from __future__ import annotations

import os
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pincite.library.library import Library
from pincite.records.document import Span

PAGE_CHARS = 1_800
"""Characters of a page of text."""

_PAGES_A_FILE = 6
_SENTENCES_A_PARAGRAPH = 5
_PARAGRAPHS_A_SECTION = 3
_ENCODED = 128
_QUESTIONS = 40
_COLD_RUNS = 3
_SEED = 20261128
_INSTRUCTIONS = ("avx2", "avx512f", "avx_vnni", "avx512_vnni", "amx_int8", "asimddp")
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The processor, its cores that this process may use, and what speeds up the models."""

    processor: str
    cores: int
    instructions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """What was measured; times in milliseconds, unless said otherwise, rates a second.

    `encoded` are passages of the encoder alone, `ingested` those of a whole ingest.
    """

    machine: Machine
    pages: int
    passages: int
    encoded: float
    ingested: float
    search_median: float
    search_p95: float
    ask_median: float
    ask_p95: float
    cold_seconds: float
    library_mb: float
    peak_mb: float

    def as_form(self) -> dict[str, Any]:
        """For JSON, with what other numbers of pages would take."""
        return {**asdict(self), "expected": [asdict(one) for one in self.expected()]}

    def expected(self, pages: Sequence[int] = (1_000, 100_000, 1_000_000)) -> list[Expected]:
        """Ingest and disk for other numbers of pages, in proportion to what was measured.

        The disk is at most that: token states end at `rerank.stored_mb`.
        """
        each = self.passages / self.pages
        return [
            Expected(
                pages=one,
                ingest_seconds=one * each / self.ingested,
                library_mb=one * self.library_mb / self.pages,
            )
            for one in pages
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What so many pages would take; not measured."""

    pages: int
    ingest_seconds: float
    library_mb: float


def this_machine() -> Machine:
    """The processor by the names that the system gives."""
    path = Path("/proc/cpuinfo")
    told = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    named = re.search(r"^model name\s*: (.+)$", told, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*: (.+)$", told, re.MULTILINE)
    known = set(flags[1].split()) if flags else set()
    affinity = getattr(os, "sched_getaffinity", None)
    return Machine(
        processor=named[1] if named else platform.processor() or platform.machine(),
        cores=len(affinity(0)) if affinity else os.cpu_count() or 1,
        instructions=tuple(name for name in _INSTRUCTIONS if name in known),
    )


def measure(
    sentences: Sequence[str], questions: Sequence[str], pages: int, step: Callable[[str], None]
) -> Speed:
    """Ingest so many pages into a library that is deleted afterwards, and ask questions of it."""
    with tempfile.TemporaryDirectory(prefix="pincite-bench-") as home:
        files = _write(Path(home) / "documents", sentences, pages)
        with Library.open(Path(home) / "library") as library:
            library.encoder()  # Loaded before anything is timed.
            step(f"reading {pages:,} pages")
            began = time.perf_counter()
            report = library.ingest(files)
            ingested = report.passages / (time.perf_counter() - began)
            step("encoding")
            encoded = _encoded(library)
            step("searching")
            library.search(questions[0])
            search = _spent(lambda text: library.search(text), questions)
            step("asking")
            library.ask(questions[0])
            ask = _spent(lambda text: library.ask(text), questions)
            on_disk = library.stats().bytes_on_disk / _MEGABYTE
        step("starting")
        cold = [_cold(Path(home) / "library", questions[0]) for _ in range(_COLD_RUNS)]
    return Speed(
        machine=this_machine(),
        pages=pages,
        passages=report.passages,
        encoded=encoded,
        ingested=ingested,
        search_median=statistics.median(search),
        search_p95=statistics.quantiles(search, n=20)[-1],
        ask_median=statistics.median(ask),
        ask_p95=statistics.quantiles(ask, n=20)[-1],
        cold_seconds=statistics.median(cold),
        library_mb=on_disk,
        peak_mb=_peak_mb(),
    )


def _write(folder: Path, sentences: Sequence[str], pages: int) -> list[Path]:
    order = random.Random(_SEED)  # noqa: S311  # The same text on every machine.
    folder.mkdir()
    files = []
    number = 0
    for first in range(0, pages, _PAGES_A_FILE):
        wanted = min(_PAGES_A_FILE, pages - first) * PAGE_CHARS
        parts = [f"# Volume {first // _PAGES_A_FILE + 1}"]
        while sum(map(len, parts)) < wanted:
            number += 1
            parts.append(f"## Section {number}")
            for _ in range(_PARAGRAPHS_A_SECTION):
                chosen = order.choices(sentences, k=_SENTENCES_A_PARAGRAPH)
                parts.append(" ".join((f"Paragraph {order.randrange(10**6)}.", *chosen)))
        path = folder / f"volume-{first // _PAGES_A_FILE + 1:05}.md"
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        files.append(path)
    return files


def _encoded(library: Library) -> float:
    """Passages a second of the encoder alone."""
    encoder = library.encoder()
    if encoder is None:
        return 0.0
    catalog = library.catalog
    held = islice(catalog.passages(catalog.passage_keys()[:_ENCODED]).values(), _ENCODED)
    spans: list[Span] = [passage.span for passage in held]
    texts = [catalog.text_of(span) for span in spans]
    began = time.perf_counter()
    done = sum(1 for _ in encoder.encode(texts))
    return done / (time.perf_counter() - began)


def _spent(ask: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    """Milliseconds of each question; they differ, since what one has computed is remembered."""
    spent = []
    for number in range(_QUESTIONS):
        text = f"{questions[number % len(questions)].rstrip('?')} in section {number}?"
        began = time.perf_counter()
        ask(text)
        spent.append((time.perf_counter() - began) * 1000)
    return spent


def _cold(library: Path, question: str) -> float:
    """Seconds of one command in a process of its own."""
    command = [sys.executable, "-m", "pincite", "ask", question, "-l", str(library)]
    environment = {**os.environ, "PINCITE_RESIDENT": "off"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.perf_counter()
    subprocess.run(command, env=environment, capture_output=True, check=False)
    return time.perf_counter() - began


def _peak_mb() -> float:
    try:
        import resource
    except ImportError:  # Windows.
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / _MEGABYTE
