"""Keeps both indexes in step with the catalog: load, apply what changed, or rebuild and say so."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pincite.document import Span
from pincite.errors import LibraryError
from pincite.index.dense_engine import Engine
from pincite.index.dense_store import DenseStore, StoredVectors, VectorSource
from pincite.index.lexical_tantivy import LexicalRow, TantivyIndex
from pincite.index.snapshot import (
    FORMAT,
    Manifest,
    checksums,
    damaged_files,
    read_manifest,
    remove_drafts,
    write_manifest,
)
from pincite.records import Passage
from pincite.settings import DenseSettings
from pincite.text.search_text import repaired
from pincite.text.terms import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_MODEL = "none"
_LEXICAL = "lexical-"


class Holdings(Protocol):
    """What the indexes need from the catalog."""

    def meta(self, name: str) -> str: ...  # noqa: D102
    def generation(self) -> int: ...  # noqa: D102
    def passage_count(self) -> int: ...  # noqa: D102
    def text_of(self, span: Span) -> str: ...  # noqa: D102
    def passages_of(self, document_id: str) -> list[Passage]: ...  # noqa: D102
    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def changed_since(self, generation: int) -> list[str]: ...  # noqa: D102
    def removed_since(self, generation: int) -> list[tuple[int, int]]: ...  # noqa: D102
    def vectors(  # noqa: D102
        self, keys: Sequence[int], *, model: str, dimensions: int
    ) -> tuple[list[int], NDArray[Any]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """Both indexes at one state of the catalog."""

    dense: StoredVectors
    lexical: TantivyIndex
    manifest: Manifest


class IndexFolder:
    """The folder that holds the index files of one library.

    `model` names the encoder in use; None when there is none, and then whatever vectors the folder
    holds are left as they are.
    """

    def __init__(
        self,
        folder: Path,
        *,
        model: str | None,
        dimensions: int,
        dense: DenseSettings | None = None,
    ) -> None:
        self._folder = folder
        self._model = model
        self._dimensions = dimensions
        self._dense = DenseStore(folder, dimensions, dense or DenseSettings())

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
            dense = self._dense.open(manifest.dense_name, Engine(**manifest.engine))  # type: ignore[arg-type]
            lexical = TantivyIndex(self._folder / manifest.lexical_folder)
        except (OSError, RuntimeError, TypeError, ValueError, LibraryError) as error:
            return None, f"an index file cannot be loaded ({error})"
        return Indexes(dense=dense, lexical=lexical, manifest=manifest), ""

    def is_current(self, holdings: Holdings, indexes: Indexes) -> bool:
        """Whether the indexes hold what the catalog holds, in the engine that is wanted."""
        manifest = indexes.manifest
        return manifest.generation == holdings.generation() and not self._must_rebuild(
            holdings, indexes.dense
        )

    def rebuild(self, holdings: Holdings) -> Indexes:
        """Make both indexes anew from the catalog."""
        generation = holdings.generation()
        lexical, lexical_folder = self._new_lexical(holdings, generation)
        manifest = Manifest(
            library_id=holdings.meta("library_id"),
            generation=generation,
            model=self._model or NO_MODEL,
            dimensions=self._dimensions,
            max_key=0,
            lexical_folder=lexical_folder,
        )
        return self._publish(self._with_new_dense(holdings, lexical, manifest))

    def update(self, holdings: Holdings, old: Indexes) -> Indexes:
        """Apply what changed in the catalog since `old`."""
        was = old.manifest
        generation = holdings.generation()
        removed = holdings.removed_since(was.generation)
        new = [
            passage
            for document in holdings.changed_since(was.generation)
            for passage in holdings.passages_of(document)
            if passage.key > was.max_key
        ]
        lexical, lexical_folder = old.lexical, was.lexical_folder
        if removed:
            lexical_folder = f"{_LEXICAL}{generation}"
            lexical = lexical.copy_without(self._fresh(lexical_folder), removed)
        if new:
            lexical.add(_lexical_rows(holdings, new))
        manifest = replace(was, generation=generation, lexical_folder=lexical_folder)
        if self._must_rebuild(holdings, old.dense):
            return self._publish(self._with_new_dense(holdings, lexical, manifest))
        name = self._dense.name_of(old.dense.engine, generation)
        dense = self._dense.to_change(old.dense, name)
        dense.remove(removed)
        keys = [passage.key for passage in new]
        self._dense.add(dense, keys, self._vectors(holdings, was.model))
        manifest = replace(manifest, max_key=max(keys, default=was.max_key), dense_name=name)
        return self._publish(Indexes(dense=dense, lexical=lexical, manifest=manifest))

    def _must_rebuild(self, holdings: Holdings, dense: StoredVectors) -> bool:
        """Whether the library has outgrown the engine, or the settings want another one."""
        has_vectors = len(dense) > 0
        wanted = self._dense.wanted(holdings.passage_count())
        return has_vectors and (dense.is_worn or dense.engine != wanted)

    def _with_new_dense(
        self, holdings: Holdings, lexical: TantivyIndex, manifest: Manifest
    ) -> Indexes:
        keys = holdings.passage_keys()
        engine = self._dense.wanted(len(keys))
        name = self._dense.name_of(engine, manifest.generation)
        dense = self._dense.build(name, engine, keys, self._vectors(holdings, manifest.model))
        manifest = replace(
            manifest, max_key=max(keys, default=0), dense_name=name, engine=asdict(engine)
        )
        return Indexes(dense=dense, lexical=lexical, manifest=manifest)

    def _vectors(self, holdings: Holdings, model: str) -> VectorSource:
        return partial(holdings.vectors, model=model, dimensions=self._dimensions)

    def _new_lexical(self, holdings: Holdings, generation: int) -> tuple[TantivyIndex, str]:
        name = f"{_LEXICAL}{generation}"
        lexical = TantivyIndex(self._fresh(name))
        lexical.add(
            row
            for document in holdings.changed_since(-1)
            for row in _lexical_rows(holdings, holdings.passages_of(document))
        )
        return lexical, name

    def _fresh(self, name: str) -> Path:
        """A folder of this name; what is there is what a killed run left."""
        shutil.rmtree(self._folder / name, ignore_errors=True)
        return self._folder / name

    def _publish(self, indexes: Indexes) -> Indexes:
        """Write the dense index and then the manifest; sweep away what no manifest names."""
        manifest = indexes.manifest
        remove_drafts(self._folder)
        names = self._dense.write(indexes.dense, manifest.dense_name)
        names += _files_below(self._folder, manifest.lexical_folder)
        manifest = replace(manifest, checksums=checksums(self._folder, names))
        write_manifest(self._folder, manifest)
        self._dense.sweep(manifest.dense_name)
        for stale in self._folder.glob(f"{_LEXICAL}*"):
            if stale.name != manifest.lexical_folder:
                shutil.rmtree(stale, ignore_errors=True)
        return replace(indexes, manifest=manifest)


def _lexical_rows(holdings: Holdings, passages: Iterable[Passage]) -> Iterator[LexicalRow]:
    for passage in passages:
        text = passage.with_context(repaired(holdings.text_of(passage.span)))
        yield LexicalRow(key=passage.key, terms=terms(text))


def _files_below(folder: Path, name: str) -> list[str]:
    # tantivy's lock files come and go and hold nothing.
    return [
        path.relative_to(folder).as_posix()
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    ]
