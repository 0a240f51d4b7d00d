"""Keeps both indexes in step with the catalog: load, apply what changed, or rebuild and say so."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pincite.document import Span
from pincite.index.dense_faiss import FaissIndex
from pincite.index.engines import TANTIVY, LexicalEngine, LexicalStore
from pincite.index.lexical_tantivy import LexicalRow
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
from pincite.index.vocabulary_file import read_vocabulary, write_vocabulary
from pincite.records import Passage
from pincite.text.languages import UNKNOWN, language_of
from pincite.text.search_text import repaired
from pincite.text.terms import ANALYSER, analysed, tokens
from pincite.text.vocabulary import Vocabulary, WordCounts

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
    lexical: LexicalStore
    vocabulary: Vocabulary
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
        engine: LexicalEngine = TANTIVY,
    ) -> None:
        self._folder = folder
        self._engine = engine
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
        if manifest.analyser != ANALYSER:
            return None, "the index holds words as another version of Pincite read them"
        if manifest.lexical_engine != self._engine.name:
            return None, f"the index was made with the lexical engine '{manifest.lexical_engine}'"
        if manifest.generation > holdings.generation():
            return None, "the index is newer than the catalog"
        if damaged := damaged_files(self._folder, manifest):
            return None, f"index files are missing or damaged ({', '.join(damaged)})"
        try:
            dense = FaissIndex.load(self._folder / DENSE_FILE)
            lexical = self._engine.open(self._folder / manifest.lexical_folder)
            vocabulary = read_vocabulary(self._folder / manifest.lexical_folder)
        except (OSError, RuntimeError, ValueError) as error:
            return None, f"an index file cannot be loaded ({error})"
        found = Indexes(dense=dense, lexical=lexical, vocabulary=vocabulary, manifest=manifest)
        return found, ""

    def rebuild(self, holdings: Holdings) -> Indexes:
        """Make both indexes anew from the catalog."""
        generation = holdings.generation()
        model = self._model or NO_MODEL
        keys = holdings.passage_keys()
        dense = FaissIndex(self._dimensions)
        dense.add(*holdings.vectors(keys, model=model, dimensions=self._dimensions))
        words = self._new_words(holdings, generation)
        manifest = Manifest(
            library_id=holdings.meta("library_id"),
            generation=generation,
            model=model,
            dimensions=self._dimensions,
            max_key=max(keys, default=0),
            lexical_folder=words.folder,
            lexical_engine=self._engine.name,
            analyser=ANALYSER,
            languages=dict(words.languages),
        )
        return self._publish(dense, words, manifest)

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
        if removed or len(new) < len(changed):
            # BM25 counts deleted passages until tantivy happens to merge them away; an index that
            # is made anew gives the same scores as one of a library that never held them.
            words = self._new_words(holdings, generation)
        else:
            words = _Words(
                folder=was.lexical_folder,
                lexical=old.lexical,
                counts=WordCounts(old.vocabulary),
                languages=Counter(was.languages),
            )
            if new:
                words.lexical.add(_lexical_rows(holdings, new, words))
        manifest = replace(
            was,
            generation=generation,
            max_key=max(keys, default=was.max_key),
            lexical_folder=words.folder,
            languages=dict(words.languages),
        )
        return self._publish(old.dense, words, manifest)

    def _new_words(self, holdings: Holdings, generation: int) -> _Words:
        name = f"lexical-{generation}"
        # A folder of this name is what a killed run left.
        shutil.rmtree(self._folder / name, ignore_errors=True)
        words = _Words(folder=name, lexical=self._engine.open(self._folder / name))
        words.lexical.add(
            row
            for document in holdings.changed_since(-1)
            for row in _lexical_rows(holdings, holdings.passages_of(document), words)
        )
        return words

    def _publish(self, dense: FaissIndex, words: _Words, manifest: Manifest) -> Indexes:
        """Write vocabulary, dense index and then the manifest; sweep away what no manifest names."""
        folder = manifest.lexical_folder
        vocabulary = words.counts.vocabulary()
        write_vocabulary(self._folder / folder, vocabulary)
        remove_drafts(self._folder)
        write_atomically(self._folder / DENSE_FILE, dense.serialised())
        names = [DENSE_FILE, *_files_below(self._folder, folder)]
        manifest = replace(manifest, checksums=checksums(self._folder, names))
        write_manifest(self._folder, manifest)
        for stale in self._folder.glob("lexical-*"):
            if stale.name != folder:
                shutil.rmtree(stale, ignore_errors=True)
        return Indexes(dense=dense, lexical=words.lexical, vocabulary=vocabulary, manifest=manifest)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The lexical index in its folder, and what is counted while passages go into it."""

    folder: str
    lexical: LexicalStore
    counts: WordCounts = field(default_factory=WordCounts)
    languages: Counter[str] = field(default_factory=Counter)


def _lexical_rows(
    holdings: Holdings, passages: Iterable[Passage], words: _Words
) -> Iterator[LexicalRow]:
    """Rows of passages that stand document by document; their words and languages are counted."""
    for document, members in groupby(passages, key=lambda passage: passage.span.document_id):
        collections = holdings.collections_of(document)
        texts = {
            passage.key: passage.with_context(repaired(holdings.text_of(passage.span)))
            for passage in members
        }
        for (key, text), language in zip(texts.items(), _languages(texts.values()), strict=True):
            found = tokens(text)
            words.languages[language] += 1
            words.counts.add(text, found)
            yield LexicalRow(key=key, terms=analysed(found, language), collections=collections)


def _languages(texts: Collection[str]) -> list[str]:
    """The language of each text of a document; that of the document where a text says nothing."""
    told = [language_of(text, otherwise="") for text in texts]
    of_document = Counter(filter(None, told)).most_common(1)
    return [language or (of_document[0][0] if of_document else UNKNOWN) for language in told]


def _files_below(folder: Path, name: str) -> list[str]:
    # tantivy's lock files come and go and hold nothing.
    return [
        path.relative_to(folder).as_posix()
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    ]
