"""Measures whether sentences written anew are found again by `pincite compare`.

    python benchmarks/compare_meaning.py FILE [DOCUMENTS] [--model GGUF] [--sentences 160] [--seed 5]

With --model, a language model writes sentences of real documents anew, and FILE (JSON lines) keeps
them; without it, they are read from FILE. DOCUMENTS is a folder of Markdown files (default:
documents/bulk-18f-handbook in the folder PINCITE_SHARED names), of which the longest 40 are used.
Printed: the share of sentences that are paired with what was written anew in their place; and, where
another file's sentence stands in their place, the share that is paired with it, which is wrong. Both by
words alone and by words and meaning.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pincite.ingest.readers import FileReader
from pincite.models.llm.llama_cpp import LlamaCppModel, LlamaOptions
from pincite.records.document import BlockKind
from pincite.records.flow import Message, Prompt
from pincite.report.comparing.meaning import LocalMeaning
from pincite.settings.loading import load_settings
from pincite.verify.comparing.aligning import Meaning
from pincite.verify.comparing.changes import compare
from pincite.verify.comparing.units import Unit, units_of

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
_FILES = 40
_FEWEST_WORDS, _MOST_WORDS = 8, 28
_ASKED = (
    "Rewrite this sentence so that it means exactly the same, with as different words and word order "
    "as possible. Write only the new sentence.\n\n{}"
)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A sentence at `start:end` of a file below DOCUMENTS, and what a model made of it."""

    file: str
    start: int
    end: int
    text: str
    new: str


def _sentences(path: Path) -> list[Unit]:
    return [
        unit
        for unit in units_of(FileReader().read(path))
        if unit.kind is BlockKind.PARAGRAPH
        and _FEWEST_WORDS <= len(unit.text.split()) <= _MOST_WORDS
        and "](" not in unit.text
    ]


def _write(file: Path, documents: Path, paths: Sequence[Path], chosen: argparse.Namespace) -> None:
    model = LlamaCppModel(chosen.model, options=LlamaOptions(timeout_seconds=300))
    rng = random.Random(chosen.seed)
    with file.open("w", encoding="utf-8") as out:
        for number in range(chosen.sentences):
            path = paths[number % len(paths)]
            unit = rng.choice(_sentences(path))
            asked = (Message(role="user", content=_ASKED.format(unit.text)),)
            said = "".join(model.write(Prompt(messages=asked, max_tokens=80, temperature=0.7)))
            name = path.relative_to(documents).as_posix()
            row = Rewritten(name, unit.start, unit.end, unit.text, " ".join(said.split()))
            print(json.dumps(asdict(row), ensure_ascii=False), file=out, flush=True)


def _paired(documents: Path, rows: Iterable[Rewritten], meaning: Meaning | None) -> tuple[int, int]:
    """How many sentences are paired with what stands in their place, and how many there are."""
    by_file: dict[str, dict[int, Rewritten]] = defaultdict(dict)
    for row in rows:
        if row.new and row.new != " ".join(row.text.split()):
            by_file[row.file][row.start] = row
    found = total = 0
    for name, edits in by_file.items():
        pairs = _pairs(documents / name, edits, meaning)
        found += sum(
            pairs.get(start, "") in row.new for start, row in edits.items() if start in pairs
        )
        total += len(edits)
    return found, total


def _pairs(path: Path, edits: Mapping[int, Rewritten], meaning: Meaning | None) -> dict[int, str]:
    before = FileReader().read(path)
    text = before.text
    for start in sorted(edits, reverse=True):
        text = text[:start] + edits[start].new + text[edits[start].end :]
    with tempfile.TemporaryDirectory() as folder:
        edited = Path(folder, path.name)
        edited.write_text(text, encoding="utf-8")
        after = FileReader().read(edited)
    changes = compare(before, after, meaning=meaning).changes
    return {
        one.before.start: " ".join(one.after.text.split())
        for one in changes
        if one.before is not None and one.after is not None
    }


def main() -> None:
    """Parse the arguments, write sentences anew if asked, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "documents", type=Path, nargs="?", default=SHARED / "documents" / "bulk-18f-handbook"
    )
    parser.add_argument("--model", type=Path)
    parser.add_argument("--sentences", type=int, default=160)
    parser.add_argument("--seed", type=int, default=5)
    chosen = parser.parse_args()
    every = sorted(chosen.documents.rglob("*.md"), key=lambda path: (-path.stat().st_size, path))
    if chosen.model:
        paths = [path for path in every[:_FILES] if _sentences(path)]
        _write(chosen.file, chosen.documents, paths, chosen)
    rows = [Rewritten(**json.loads(line)) for line in chosen.file.open(encoding="utf-8")]
    others = [row.text for row in rows]
    strange = [
        Rewritten(row.file, row.start, row.end, row.text, " ".join(others[number - 7].split()))
        for number, row in enumerate(rows)
        if rows[number - 7].file != row.file
    ]
    with LocalMeaning(load_settings()[0].embedding) as encoder:
        for name, meaning in (("words", None), ("words and meaning", encoder)):
            for kind, said in (("written anew", rows), ("another sentence", strange)):
                found, total = _paired(chosen.documents, said, meaning)
                print(f"{name:18} {kind:17} {found} of {total} paired")


if __name__ == "__main__":
    main()
