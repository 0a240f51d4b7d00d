"""A labelled set as a library: each document one text file, named as a person would name it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pincite.evaluate.datasets import Dataset, GoldDocument
from pincite.holdings import FileProblem
from pincite.library import Library
from pincite.records import Hit
from pincite.settings import Layer

_FORM = b"2"
"""Raised when documents are written in another way: the library of a set is made anew."""

_LONGEST_NAME_BYTES = 240
_NAMED = 5
"""Documents named in a note about more of them."""


class Collection:
    """A library with each document of a set as one text file."""

    def __init__(self, dataset: Dataset, home: Path, overrides: Layer | None = None) -> None:
        files = home / "files"
        self._names: dict[str, str] = {}
        for number, document in enumerate(dataset.documents):
            name, text = _file(document)
            path = files / f"{number // 1000:03d}" / f"{number:06d}" / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            content = text.encode("utf-8", "replace")
            # A new date is a change that the whole index would be written again for.
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
            self._names[str(path.resolve())] = document.id
        self.folder = files
        self.notes: tuple[str, ...] = ()
        self.library = Library.open(home / "library", overrides=overrides)

    def ingest(self, progress: Callable[..., None] | None = None) -> tuple[str, ...]:
        """Bring the library in step with the set; gives what could not be read, as `notes` does."""
        report = self.library.ingest([self.folder], progress=progress)
        self._by_document: dict[str, list[str]] = {}
        for path, document in self.library.catalog.paths("default").items():
            # Documents with the same text are one document of the library: all are found with it.
            self._by_document.setdefault(document, []).append(self._names[path])
        self.notes = tuple(self._told(report.failed))
        return self.notes

    def _told(self, failed: Sequence[FileProblem]) -> Iterator[str]:
        empty = [problem for problem in failed if "empty" in problem.reason]
        unread = [problem for problem in failed if problem not in empty]
        for problems, what in ((empty, "are empty"), (unread, "could not be read")):
            ids = [self._names.get(str(Path(one.path).resolve()), one.path) for one in problems]
            more = ", ..." if len(ids) > _NAMED else ""
            if ids:
                yield f"{len(ids):,} documents {what}: {', '.join(ids[:_NAMED])}{more}"

    def ranked(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Documents by their best passage."""
        found = dict.fromkeys(
            name for hit in hits for name in self.names(hit.passage.span.document_id)
        )
        return tuple(found)

    def names(self, document: str) -> list[str]:
        """The ids in the set of a document of the library."""
        return self._by_document.get(document, [])


def collection_home(dataset: Dataset, cache: Path) -> Path:
    """Where the library of a set is kept, so that a second run need not encode it again."""
    digest = hashlib.sha256(_FORM)
    for document in dataset.documents:
        digest.update(
            f"{document.id}\0{document.title}\0{document.text}\0".encode("utf-8", "replace")
        )
    return cache / f"{dataset.name}-{digest.hexdigest()[:12]}"


def _file(document: GoldDocument) -> tuple[str, str]:
    """Name and text of a document's file; what no name can hold of a title stands below the text.

    So all of it is searched, and gold spans lead to the same characters.
    """
    name = re.sub(r"[^\w .,()'-]", "_", document.title or document.id).strip("_. ")
    cut = name.encode("utf-8", "replace")[:_LONGEST_NAME_BYTES].decode(errors="ignore").strip()
    if not document.text.strip():
        return cut or "document", document.title
    text = document.text if cut == name else f"{document.text}\n\n{document.title}\n"
    return cut or "document", text
