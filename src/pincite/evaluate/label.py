"""Makes a labelled set from a library: questions, and which of the passages shown answer them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pincite.errors import DatasetError
from pincite.library import Library

_QRELS_HEAD = "query_id\tdoc_id\tgrade\n"


class LabelledSet:
    """A folder that grows by a question at a time; every question is on the disk at once."""

    def __init__(self, folder: Path, library: Library) -> None:
        if folder.exists() and not folder.is_dir():
            raise DatasetError(
                f"{folder} is a file; a labelled set is a folder: choose another name"
            )
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._write_corpus(library)
        qrels = folder / "qrels.tsv"
        if not qrels.exists():
            qrels.write_text(_QRELS_HEAD, encoding="utf-8")

    def _write_corpus(self, library: Library) -> None:
        """Every document as it is now; labels of documents that are gone stay, and are told later."""
        documents = {entry.document_id: entry.title for entry in library.files()}
        with (self._folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
            for identifier, title in documents.items():
                text = library.catalog.document(identifier).text
                row = {"id": identifier, "title": title, "text": text}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    @property
    def questions(self) -> int:
        """How many questions there are so far."""
        return len(self._rows("queries.jsonl"))

    def add(self, question: str, grades: Mapping[str, int]) -> str:
        """Keep a question with a grade for each document that was judged; gives its id.

        A question for which no document has a grade above 0 is kept as one that cannot be answered.
        A question that is there already is judged anew.
        """
        identifier = hashlib.sha256(question.encode()).hexdigest()[:12]
        answerable = any(grade > 0 for grade in grades.values())
        row = {"id": identifier, "text": question, "answerable": answerable}
        asked = [old for old in self._rows("queries.jsonl") if json.loads(old)["id"] != identifier]
        judged = [old for old in self._rows("qrels.tsv") if not old.startswith(f"{identifier}\t")]
        asked.append(json.dumps(row, ensure_ascii=False) + "\n")
        judged += [f"{identifier}\t{document}\t{grade}\n" for document, grade in grades.items()]
        self._write("qrels.tsv", judged)
        self._write("queries.jsonl", asked)
        return identifier

    def _rows(self, name: str) -> list[str]:
        path = self._folder / name
        if not path.exists():
            return []
        with path.open(encoding="utf-8") as file:
            return [line for line in file if line.strip()]

    def _write(self, name: str, rows: Sequence[str]) -> None:
        """In one step: what was judged before is never lost."""
        draft = self._folder / f".{name}.draft"
        draft.write_text("".join(rows), encoding="utf-8")
        draft.replace(self._folder / name)
