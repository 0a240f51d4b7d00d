"""Keeps both indexes in step with the catalog: load, apply what changed, or rebuild and say so."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pincite.document import Span
from pincite.index.dense_faiss import FaissIndex
from pincite.index.lexical_tantivy import LexicalRow, TantivyIndex
from pincite.index.snapshot import (
    FORMAT,
    Manifest,
    checksums,
    damaged_files,
    read_manifest,
    remove_drafts,
    write_atomically,
    write_manifest,
)
from pincite.records import Passage
from pincite.text.search_text import repaired
from pincite.text.terms import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE_FILE = "dense.faiss"
NO_MODEL = "none"


class Holdings(Protocol):
    """What the indexes need from the catalog."""

    def meta(self, name: str) -> str: ...  # noqa: D102
    def generation(self) -> int: ...  # noqa: D102
    def text_of(self, span: Span) -> str: ...  # noqa: D102
    def passages_of(self, document_id: str) -> list[Passage]: ...  # noqa: D102
    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def collections_of(self, document_id: str) -> list[str]: ...  # noqa: D102
    def changed_since(self, generation: int) -> list[str]: ...  # noqa: D102
    def removed_since(self, generation: int) -> list[tuple[int, int]]: ...  # noqa: D102
    def vectors(  # noqa: D102
        self, keys: Sequence[int], *, model: str, dimensions: int
    ) -> tuple[list[int], NDArray[Any]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """Both indexes at one state of the catalog."""

    dense: FaissIndex
    lexical: TantivyIndex
    manifest: Manifest


class IndexFolder:
    """The folder that holds the index files of one library.

    `model` names the encoder in use; None when there is none, and then whatever vectors the folder
    holds are left as they are.
    """

    def __init__(self, folder: Path, *, model: str | None, dimensions: int) -> None:
        self._folder = folder
        self._model = model
        self._dimensions = dimensions

    def load(self, holdings: Holdings) -> tuple[Indexes | None, str]:
        """What is on disk and usable, or None and why it is not."""
        manifest = read_manifest(self._folder)
        if manifest is None or manifest.format != FORMAT:
            return None, "the index is missing"
        if manifest.library_id != holdings.meta("library_id"):
            return None, "the index belongs to another library"
        if self._model not in (None, manifest.model):
            return None, f"the index was made with the encoder '{manifest.model}'"
        if manifest.generation > holdings.generation():
            return None, "the index is newer than the catalog"
        if damaged := damaged_files(self._folder, manifest):
            return None, f"index files are missing or damaged ({', '.join(damaged)})"
        try:
            dense = FaissIndex.load(self._folder / DENSE_FILE)
            lexical = TantivyIndex(self._folder / manifest.lexical_folder)
        except (OSError, RuntimeError, ValueError) as error:
            return None, f"an index file cannot be loaded ({error})"
        return Indexes(dense=dense, lexical=lexical, manifest=manifest), ""

    def rebuild(self, holdings: Holdings) -> Indexes:
        """Make both indexes anew from the catalog."""
        generation = holdings.generation()
        model = self._model or NO_MODEL
        keys = holdings.passage_keys()
        dense = FaissIndex(self._dimensions)
        dense.add(*holdings.vectors(keys, model=model, dimensions=self._dimensions))
        lexical, folder = self._new_lexical(holdings, generation)
        manifest = Manifest(
            library_id=holdings.meta("library_id"),
            generation=generation,
            model=model,
            dimensions=self._dimensions,
            max_key=max(keys, default=0),
            lexical_folder=folder,
        )
        return self._publish(Indexes(dense=dense, lexical=lexical, manifest=manifest))

    def update(self, holdings: Holdings, old: Indexes) -> Indexes:
        """Apply what changed in the catalog since `old`."""
        was = old.manifest
        generation = holdings.generation()
        removed = holdings.removed_since(was.generation)
        changed = [
            passage
            for document in holdings.changed_since(was.generation)
            for passage in holdings.passages_of(document)
        ]
        new = [passage for passage in changed if passage.key > was.max_key]
        keys = [passage.key for passage in new]
        old.dense.remove(removed)
        old.dense.add(*holdings.vectors(keys, model=was.model, dimensions=was.dimensions))
        lexical, folder = old.lexical, was.lexical_folder
        if removed or len(new) < len(changed):
            # BM25 counts deleted passages until tantivy happens to merge them away; an index that
            # is made anew gives the same scores as one of a library that never held them.
            lexical, folder = self._new_lexical(holdings, generation)
        elif new:
            lexical.add(_lexical_rows(holdings, new))
        manifest = replace(
            was,
            generation=generation,
            max_key=max(keys, default=was.max_key),
            lexical_folder=folder,
        )
        return self._publish(Indexes(dense=old.dense, lexical=lexical, manifest=manifest))

    def _new_lexical(self, holdings: Holdings, generation: int) -> tuple[TantivyIndex, str]:
        name = f"lexical-{generation}"
        # A folder of this name is what a killed run left.
        shutil.rmtree(self._folder / name, ignore_errors=True)
        lexical = TantivyIndex(self._folder / name)
        documents = holdings.changed_since(-1)
        lexical.add(
            row
            for document in documents
            for row in _lexical_rows(holdings, holdings.passages_of(document))
        )
        return lexical, name

    def _publish(self, indexes: Indexes) -> Indexes:
        """Write the dense index and then the manifest; sweep away what no manifest names."""
        folder = indexes.manifest.lexical_folder
        remove_drafts(self._folder)
        write_atomically(self._folder / DENSE_FILE, indexes.dense.serialised())
        names = [DENSE_FILE, *_files_below(self._folder, folder)]
        manifest = replace(indexes.manifest, checksums=checksums(self._folder, names))
        write_manifest(self._folder, manifest)
        for stale in self._folder.glob("lexical-*"):
            if stale.name != folder:
                shutil.rmtree(stale, ignore_errors=True)
        return replace(indexes, manifest=manifest)


def _lexical_rows(holdings: Holdings, passages: Iterable[Passage]) -> Iterator[LexicalRow]:
    collections: dict[str, list[str]] = {}
    for passage in passages:
        document = passage.span.document_id
        if document not in collections:
            collections[document] = holdings.collections_of(document)
        text = passage.with_context(repaired(holdings.text_of(passage.span)))
        yield LexicalRow(key=passage.key, terms=terms(text), collections=collections[document])


def _files_below(folder: Path, name: str) -> list[str]:
    # tantivy's lock files come and go and hold nothing.
    return [
        path.relative_to(folder).as_posix()
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    ]
