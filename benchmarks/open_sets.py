"""Reads the open evaluation sets and makes libraries of them.

The sets lie outside the project, in the folder that PINCITE_SHARED names (default: ../shared).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pincite import Library

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
WORK = Path(os.environ.get("PINCITE_BENCHMARK_DIR", Path.home() / ".cache/pincite-benchmarks"))


@dataclass(frozen=True, slots=True)
class OpenSet:
    """One set: questions, which documents answer them, and where the answers stand."""

    name: str
    documents: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    relevant: dict[str, dict[str, int]]
    spans: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def answerable(self, most: int) -> list[dict[str, Any]]:
        """Up to `most` answerable questions, spread evenly over the set."""
        return spread([q for q in self.queries if self.relevant.get(q["id"])], most)

    def unanswerable(self, most: int) -> list[dict[str, Any]]:
        """Up to `most` questions that no document answers."""
        return spread([q for q in self.queries if not q.get("answerable", True)], most)


def spread(items: list[Any], most: int) -> list[Any]:
    """Every n-th item, so that at most `most` are left."""
    return items[:: max(1, -(-len(items) // most))]


def load(name: str, *, language: str | None = None) -> OpenSet:
    """Read a set; with `language`, only its questions (and documents that name it)."""
    folder = SHARED / "data" / name
    relevant: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant.setdefault(query, {})[document] = int(grade)
    spans: dict[str, list[dict[str, Any]]] = {}
    if (folder / "spans.jsonl").exists():
        for span in _lines(folder / "spans.jsonl"):
            spans.setdefault(span["query_id"], []).append(span)
    queries = list(_lines(folder / "queries.jsonl"))
    if language:
        queries = [q for q in queries if q.get("lang") == language]
    return OpenSet(name, list(_lines(folder / "corpus.jsonl")), queries, relevant, spans)


def library(data: OpenSet, **overrides: Any) -> tuple[Library, dict[str, str]]:
    """A library with each document of the set as one text file, and document ids by path."""
    files = WORK / "files" / data.name
    files.mkdir(parents=True, exist_ok=True)
    paths = {}
    for number, document in enumerate(data.documents):
        path = files / f"{number:05d}" / f"{_file_name(document)}.txt"
        paths[str(path.resolve())] = document["id"]
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(document["text"].encode())
    stored = {group: overrides[group] for group in ("chunking", "embedding") if group in overrides}
    kind = "".join(f"-{value}" for group in stored.values() for value in group.values())
    opened = Library.open(WORK / "libraries" / f"{data.name}{kind}", overrides=overrides or None)
    report = opened.ingest([files])
    if report.failed:
        raise SystemExit(f"{data.name}: {len(report.failed)} files failed: {report.failed[:3]}")
    return opened, paths


def _file_name(document: dict[str, Any]) -> str:
    """The title where there is one, as a person would name the file."""
    name = document.get("title") or document["id"]
    return re.sub(r"[^\w .,()'-]", "_", name).strip("_. ")[:80] or "document"


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
