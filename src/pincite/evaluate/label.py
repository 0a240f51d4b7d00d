"""Makes a labelled set from a library: questions, and which of the shown passages answer them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from pincite.errors import DatasetError
from pincite.evaluate.datasets import identifier_of, json_lines
from pincite.library.library import Library
from pincite.records.files import MEBIBYTE, read_regular_text

_MOST_BYTES = 1024 * MEBIBYTE
_QRELS_HEAD = "query_id\tdoc_id\tgrade\n"
_OF_A_SET = ("queries.jsonl", "qrels.tsv", "qrels", "spans.jsonl")


class LabelledSet:
    """A folder to which questions are added one by one, each saved immediately.

    Raises DatasetError for a folder with a set of other documents.
    """

    def __init__(self, folder: Path, library: Library) -> None:
        if folder.exists() and not folder.is_dir():
            raise DatasetError(
                f"{folder} is a file; a labelled set is a folder: choose another name"
            )
        self._folder = folder
        corpus = self._corpus(library)
        folder.mkdir(parents=True, exist_ok=True)
        self._write("corpus.jsonl", corpus)
        if not (folder / "qrels.tsv").exists():
            self._write("qrels.tsv", [_QRELS_HEAD])

    def _corpus(self, library: Library) -> list[str]:
        """Rows of every current document, after the existing rows.

        Earlier versions of files are kept only if labelled, since their labels refer to that text.
        """
        files = library.files()
        old = {version.document_id for entry in files for version in entry.old_versions}
        titles = {entry.document_id: entry.title for entry in files}
        before = self._corpus_before(titles.keys() | old)
        labelled = {row.split("\t")[-2] for row in self._rows("qrels.tsv") if row.count("\t") > 1}
        replaced = old - titles.keys() - labelled
        kept = [_line(row) for identifier, row in before.items() if identifier not in replaced]
        for identifier in (new for new in titles if new not in before):
            text = library.catalog.document(identifier).text
            kept.append(_line({"id": identifier, "title": titles[identifier], "text": text}))
        return kept

    def _corpus_before(self, known: Set[str]) -> dict[str, Mapping[str, Any]]:
        """The existing rows. Raises DatasetError if the library never had any of their documents."""
        path = self._folder / "corpus.jsonl"
        if not path.exists():
            if found := [name for name in _OF_A_SET if (self._folder / name).exists()]:
                raise DatasetError(
                    f"{self._folder}: contains {found[0]} but no corpus.jsonl, so it was not made by "
                    "'pincite eval label'; choose another folder"
                )
            return {}
        before: dict[str, Mapping[str, Any]] = {
            identifier_of(row): row for _, row in json_lines(path)
        }
        if before and not before.keys() & known:
            raise DatasetError(
                f"{self._folder}: none of the {len(before):,} documents of its corpus.jsonl is in "
                "this library; expected a set that 'pincite eval label' made from it. Choose another "
                "folder, or the library with --library"
            )
        return before

    @property
    def questions(self) -> int:
        """The number of questions so far."""
        return len(self._rows("queries.jsonl"))

    def add(self, question: str, grades: Mapping[str, int]) -> str:
        """Save a question with a grade for each judged document; returns its id.

        A question without any grade above 0 is saved as unanswerable. An existing question gets the new
        grades.
        """
        identifier = hashlib.sha256(question.encode()).hexdigest()[:12]
        answerable = any(grade > 0 for grade in grades.values())
        row = {"id": identifier, "text": question, "answerable": answerable}
        queries = self._folder / "queries.jsonl"
        before = [old for _, old in json_lines(queries)] if queries.exists() else []
        asked = [_line(old) for old in before if identifier_of(old) != identifier]
        judged = [old for old in self._rows("qrels.tsv") if not old.startswith(f"{identifier}\t")]
        asked.append(_line(row))
        judged += [f"{identifier}\t{document}\t{grade}\n" for document, grade in grades.items()]
        self._write("qrels.tsv", judged)
        self._write("queries.jsonl", asked)
        return identifier

    def _rows(self, name: str) -> list[str]:
        path = self._folder / name
        if not path.exists():
            return []
        written = read_regular_text(path, most_bytes=_MOST_BYTES)
        return [line for line in written.splitlines(keepends=True) if line.strip()]

    def _write(self, name: str, rows: Sequence[str]) -> None:
        """Replace a file atomically, so that earlier labels are never lost."""
        draft = self._folder / f".{name}.draft"
        draft.write_text("".join(rows), encoding="utf-8")
        draft.replace(self._folder / name)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
