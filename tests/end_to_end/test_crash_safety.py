"""An ingest that is killed at any moment loses nothing that was done, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import docx
import pytest
from tiers import IS_FULL, often

import pincite
from end_to_end.running import (
    children,
    is_running,
    run_cli,
    started,
    wait_until,
    without_timings,
)
from pincite.store.index.indexes import INDEX_FORMAT
from pincite.verify.receipts.receipt import answer_form

# Several passages a file, so that files are stored in more than one go.
SMALL_PASSAGES = "[chunking]\nmax_chars = 100\noverlap_chars = 0\n"
KILLS = often(50, 2)
KILLS_PER_LIBRARY = often(10, 2)
FILES = 24
FILTERS = 12
"""What is encoded within a quarter of a second is stored together; this takes a good second."""
QUESTIONS = (
    "How many litres does pump 17 hold?",
    "When was valve 20 inspected?",
    "Who repaired the ferry?",
)
TABLES = {
    "documents": "SELECT id, sha256, title, name, encoding, text, layout, coverage FROM documents",
    "sources": "SELECT collection, path, document_id FROM sources",
    "passages": 'SELECT id, document_id, start, "end", page, section, context, sentences, '
    "embedding_key FROM passages",
    "embeddings": "SELECT key, model, vector, sentence_vectors, token_codes FROM embeddings",
    "meta": "SELECT value FROM meta WHERE name = 'corpus_version'",
    "failures": "SELECT * FROM failures",
}


def make_files(folder: Path) -> Path:
    """Small files of four kinds, and one that cannot be read."""
    folder.mkdir()
    for number in range(FILES):
        paragraphs = [
            f"Pump {number} holds {number * 3 + 1} litres of oil and was built in {1950 + number}.",
            f"Valve {number} was inspected on day {number * 7} by shift {number % 3}.",
            f"The gauge beside machine {number} shows {number / 4} bar when all is well.",
            *(
                f"Filter {part} of line {number} was changed in week {number + part} by hand."
                for part in range(FILTERS)
            ),
        ]
        kind = ("txt", "md", "html", "docx")[number % 4]
        path = folder / f"file-{number:02}.{kind}"
        if kind == "docx":
            document = docx.Document()
            for paragraph in paragraphs:
                document.add_paragraph(paragraph)
            document.save(str(path))
        else:
            mark, end = {"txt": ("", ""), "md": ("# Part\n\n", ""), "html": ("<p>", "</p>")}[kind]
            path.write_text("\n\n".join(f"{mark}{text}{end}" for text in paragraphs) + "\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    return folder


def contents(library: Path) -> dict[str, Any]:
    """Everything in the catalog but row numbers, which depend on what a killed run had done."""
    connection = sqlite3.connect(library / "catalog.sqlite3")
    try:
        return {name: sorted(connection.execute(query)) for name, query in TABLES.items()}
    finally:
        connection.close()


def results(library: Path) -> list[Any]:
    """Search results and answers, without timings."""
    found: list[Any] = []
    with pincite.Library.open(library) as opened:
        for question in QUESTIONS:
            hits = opened.search(question).hits
            found.append([(hit.passage.id, hit.score, dict(hit.scores)) for hit in hits])
            found.append(without_timings(json.loads(json.dumps(answer_form(opened.ask(question))))))
    return found


def empty_library(path: Path) -> Path:
    """A library folder with settings of its own."""
    path.mkdir(parents=True)
    (path / "settings.toml").write_text(SMALL_PASSAGES)
    return path


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    folder = make_files(tmp_path / "documents")
    reference = empty_library(tmp_path / "reference")
    run_cli("ingest", folder, "--library", reference)  # prepares the encoder
    shutil.rmtree(reference)
    empty_library(reference)
    began = time.monotonic()
    assert run_cli("ingest", folder, "--library", reference).returncode == 0
    seconds = time.monotonic() - began
    expected = contents(reference), results(reference)
    assert len(expected[0]["documents"]) == FILES
    assert expected[1][1]["status"] == "answered"

    chance = random.Random(50)
    kills, stages = 0, set()
    while kills < KILLS:
        library = empty_library(tmp_path / f"library-{kills}")
        for _ in range(KILLS_PER_LIBRARY):
            delay = seconds * chance.uniform(0.2, 0.9)
            killed = kill_an_ingest(folder, library, delay)
            stages.add(documents_in(library))
            if not killed:
                break
            kills += 1
        last = run_cli("ingest", folder, "--library", library, "--json")
        assert last.returncode == 0, last.stderr
        assert json.loads(last.stdout)["documents"] == FILES
        assert contents(library) == expected[0], f"after {kills} kills"
        assert results(library) == expected[1], f"after {kills} kills"
        assert stray_files(library) == [], f"after {kills} kills"
        shutil.rmtree(library)
    # Few kills may hit like moments by chance.
    assert not IS_FULL or len(stages) > 2, "the kills did not hit different moments"


def documents_in(library: Path) -> int:
    """How far an ingest had come."""
    try:
        return len(contents(library)["sources"])
    except sqlite3.OperationalError:
        return -1


def stray_files(library: Path) -> list[str]:
    """Drafts and old indexes that a killed run left and the next one should have swept away."""
    index = library / "index" / INDEX_FORMAT
    drafts = [path.name for path in index.glob(".*")]
    kinds = [sorted(index.glob(name)) for name in ("lexical-*", "dense-*")]
    return drafts + [path.name for kind in kinds for path in kind[1:]]


def kill_an_ingest(folder: Path, library: Path, delay: float) -> bool:
    """Whether an ingest was still running when it was killed; its workers must end by themselves."""
    with started("ingest", folder, "--library", library) as process:
        time.sleep(delay)
        if process.poll() is not None:
            return False
        workers = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert wait_until(lambda: not any(map(is_running, workers)), seconds=5), "a worker lives on"
    return True
