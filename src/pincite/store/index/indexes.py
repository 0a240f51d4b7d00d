"""Keeps both indexes up to date with the catalog: loads, updates or rebuilds them."""

from __future__ import annotations

import json
import shutil
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pincite.errors import LibraryError, LibraryUnreachable
from pincite.records.filters import EVERYWHERE, Scope
from pincite.records.flow import NamedFile, Passage
from pincite.settings.groups import DenseSettings
from pincite.stages import KeysIn, Scored
from pincite.store.index.dense_engine import Engine
from pincite.store.index.dense_shared import ScopedHoldings, SharedIndex
from pincite.store.index.dense_store import DenseStore, StoredVectors, Vectors, VectorSource
from pincite.store.index.engines import TANTIVY, LexicalEngine, LexicalStore
from pincite.store.index.lexical_tantivy import LexicalRow
from pincite.store.index.snapshot import (
    FORMAT,
    Manifest,
    checksums,
    copy_with_links,
    damaged_files,
    read_manifest,
    read_name_table,
    read_vocabulary,
    remove_drafts,
    write_manifest,
    write_name_table,
    write_vocabulary,
)
from pincite.text.as_read import repaired
from pincite.text.document_names import NameTable
from pincite.text.keys import key_terms
from pincite.text.languages import STEMMERS, UNKNOWN, doubted, language_of, sure_language
from pincite.text.terms import ANALYSER, analysed, tokens
from pincite.text.vocabulary import Counted, Vocabulary, WordCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

INDEX_FORMAT = f"{FORMAT}-{ANALYSER}"
"""Of index files: programs with different formats cannot use each other's."""
NO_MODEL = "none"
_LEXICAL = "lexical-"


class Holdings(ScopedHoldings, Protocol):
    """What the indexes need from the catalog."""

    def generation(self) -> int: ...  # noqa: D102
    def passage_count(self) -> int: ...  # noqa: D102
    def contents(  # noqa: D102
        self, document_ids: Sequence[str], *, after: int = -1
    ) -> Iterator[tuple[str, list[Passage]]]: ...
    def names(self) -> list[NamedFile]: ...  # noqa: D102
    def changed_since(self, generation: int) -> list[str]: ...  # noqa: D102
    def removed_since(self, generation: int) -> list[tuple[int, int]]: ...  # noqa: D102
    def filled_since(self, generation: int) -> list[int]: ...  # noqa: D102
    def vectors(  # noqa: D102
        self, keys: Sequence[int], *, model: str, dimensions: int
    ) -> tuple[list[int], NDArray[Any]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """Both indexes for one generation of the catalog, with its vocabulary and names."""

    dense: Vectors
    lexical: LexicalStore
    vocabulary: Vocabulary
    names: NameTable
    manifest: Manifest


class IndexFolder:
    """The folder with the index files of one library.

    `model` is the name of the encoder in use. If it is None, there is no encoder, and the vectors in
    the folder are left unchanged.
    """

    def __init__(
        self,
        folder: Path,
        *,
        model: str | None,
        dimensions: int,
        lexical: LexicalEngine = TANTIVY,
        dense: DenseSettings | None = None,
    ) -> None:
        self._folder = folder
        self._model = model
        self._dimensions = dimensions
        self._lexical = lexical
        self._dense = DenseStore(folder, dense or DenseSettings())

    def load(self, holdings: Holdings) -> tuple[Indexes | None, str]:
        """The indexes on disk, or None and why they are unusable."""
        while True:
            manifest = read_manifest(self._folder)
            found, why_not = self._loaded(holdings, manifest)
            # A newer index published meanwhile has deleted these files: try again.
            if found is not None or read_manifest(self._folder) == manifest:
                return found, why_not

    def _loaded(self, holdings: Holdings, manifest: Manifest | None) -> tuple[Indexes | None, str]:
        if manifest is None or manifest.format != FORMAT:
            return None, "the index is missing"
        if manifest.library_id != holdings.meta("library_id"):
            return None, "the index belongs to another library"
        if self._model not in (None, manifest.model):
            return None, f"the index was made with the encoder '{manifest.model}'"
        if manifest.analyser != ANALYSER:
            return None, "the index was analysed by another version of Pincite"
        if manifest.lexical_engine != self._lexical.name:
            return None, f"the index was made with the lexical engine '{manifest.lexical_engine}'"
        if manifest.generation > holdings.generation():
            return None, "the index is newer than the catalog"
        if damaged := damaged_files(self._folder, manifest):
            return None, f"index files are missing or damaged ({', '.join(damaged)})"
        try:
            dense = self._dense.open(manifest, holdings)
            lexical = self._lexical.open(self._folder / manifest.lexical_folder)
            vocabulary = read_vocabulary(self._folder / manifest.lexical_folder)
            names = read_name_table(self._folder / manifest.lexical_folder)
        except LibraryUnreachable:
            raise  # A server that is away is no reason to build everything again.
        except (OSError, RuntimeError, TypeError, ValueError, LibraryError) as error:
            return None, f"an index file cannot be loaded ({error})"
        found = Indexes(
            dense=dense, lexical=lexical, vocabulary=vocabulary, names=names, manifest=manifest
        )
        return found, ""

    def is_current(self, holdings: Holdings, indexes: Indexes) -> bool:
        """Whether the indexes match the catalog's generation and use the wanted engine."""
        manifest = indexes.manifest
        return manifest.generation == holdings.generation() and not self._must_rebuild(
            holdings, indexes.dense
        )

    def rebuild(self, holdings: Holdings) -> Indexes:
        """Rebuild both indexes from the catalog."""
        generation = holdings.generation()
        words = self._new_words(holdings, generation)
        manifest = Manifest(
            library_id=holdings.meta("library_id"),
            generation=generation,
            model=self._model or NO_MODEL,
            dimensions=self._dimensions,
            max_key=0,
            lexical_folder=words.folder,
            lexical_engine=self._lexical.name,
            analyser=ANALYSER,
            languages=dict(words.languages),
        )
        names = NameTable.from_files(holdings.names())
        return self._with_new_dense(holdings, words, names, manifest)

    def update(self, holdings: Holdings, old: Indexes) -> Indexes:
        """Apply the catalog's changes since `old`."""
        was = old.manifest
        generation = holdings.generation()
        removed = holdings.removed_since(was.generation)
        words = self._words_after(holdings, old, generation, removed)
        names = NameTable.from_files(holdings.names(), old.names)
        manifest = replace(
            was,
            generation=generation,
            lexical_folder=words.folder,
            languages=dict(words.languages),
        )
        if self._must_rebuild(holdings, old.dense):
            return self._with_new_dense(holdings, words, names, manifest)
        name = self._dense.name_of(old.dense.engine, generation)
        dense = self._dense.to_change(old.dense, name)
        dense.remove(removed)
        if isinstance(dense, SharedIndex):
            dense.refile(holdings.changed_since(was.generation), known=was.max_key)
        keys = [key for key in words.keys if key > was.max_key]
        filled = (key for key in holdings.filled_since(was.generation) if key <= was.max_key)
        self._dense.add(dense, [*filled, *keys], _vectors(holdings, was))
        manifest = replace(manifest, max_key=max(keys, default=was.max_key), dense_name=name)
        return self._publish(dense, words, names, manifest)

    def _words_after(
        self,
        holdings: Holdings,
        old: Indexes,
        generation: int,
        removed: Sequence[tuple[int, int]],
    ) -> _Words:
        changed = holdings.changed_since(old.manifest.generation)
        words: _Words | None = _Words(
            folder=old.manifest.lexical_folder,
            lexical=old.lexical,
            counts=WordCounts(old.vocabulary),
            languages=Counter(old.manifest.languages),
        )
        if removed:
            words = self._words_without(old, generation, removed)
        elif changed:
            words = self._words_of(old, generation)
        if words is None:
            return self._new_words(holdings, generation)
        if changed:
            contents = holdings.contents(changed, after=old.manifest.max_key)
            words.lexical.add(_lexical_rows(contents, words))
        return words

    def _words_of(self, old: Indexes, generation: int) -> _Words:
        """A copy to add to, since other processes may be opening the published index."""
        name = self._fresh_folder(generation)
        copy_with_links(self._folder / old.manifest.lexical_folder, self._folder / name)
        return _Words(
            folder=name,
            lexical=self._lexical.open(self._folder / name),
            counts=WordCounts(old.vocabulary),
            languages=Counter(old.manifest.languages),
        )

    def _words_without(
        self, old: Indexes, generation: int, removed: Sequence[tuple[int, int]]
    ) -> _Words | None:
        """A copy without the passages in these ranges of keys; None if the engine cannot copy.

        With tantivy, deleted passages would count in BM25 until their segment is merged. The copy is
        made from the index alone: nothing is read from the catalog or analysed again.
        """
        name = self._fresh_folder(generation)
        copy = old.lexical.without(_in_ranges(removed), self._folder / name)
        if copy is None:
            return None
        lexical, gone = copy
        counts, languages = WordCounts(old.vocabulary), Counter(old.manifest.languages)
        for stored in gone:
            language, counted = _counted_from(stored)
            languages[language] -= 1
            counts.take_off(counted)
        return _Words(folder=name, lexical=lexical, counts=counts, languages=+languages)

    def _must_rebuild(self, holdings: Holdings, dense: Vectors) -> bool:
        """Whether the library has outgrown the engine, or the settings want another one."""
        has_vectors = len(dense) > 0
        wanted = self._dense.wanted(holdings.passage_count())
        return has_vectors and (dense.is_worn or dense.engine != wanted)

    def _with_new_dense(
        self, holdings: Holdings, words: _Words, names: NameTable, manifest: Manifest
    ) -> Indexes:
        keys = holdings.passage_keys()
        engine = self._dense.wanted(len(keys))
        if engine.is_shared and manifest.model == NO_MODEL:
            engine = Engine(kind="flat")  # Of no vectors.
        manifest = replace(
            manifest,
            max_key=max(keys, default=0),
            dense_name=self._dense.name_of(engine, manifest.generation),
            engine=asdict(engine),
        )
        dense = self._dense.build(manifest, holdings, keys, _vectors(holdings, manifest))
        return self._publish(dense, words, names, manifest)

    def _new_words(self, holdings: Holdings, generation: int) -> _Words:
        name = self._fresh_folder(generation)
        words = _Words(folder=name, lexical=self._lexical.open(self._folder / name))
        words.lexical.add(_lexical_rows(holdings.contents(holdings.changed_since(-1)), words))
        return words

    def _fresh_folder(self, generation: int) -> str:
        name = f"{_LEXICAL}{generation}"
        # A folder of this name was left by a killed run.
        shutil.rmtree(self._folder / name, ignore_errors=True)
        return name

    def _publish(
        self, dense: Vectors, words: _Words, names: NameTable, manifest: Manifest
    ) -> Indexes:
        """Write all files, then the manifest; delete files that the manifest does not name."""
        vocabulary = words.counts.vocabulary()
        write_vocabulary(self._folder / manifest.lexical_folder, vocabulary)
        write_name_table(self._folder / manifest.lexical_folder, names)
        remove_drafts(self._folder)
        written = self._dense.write(dense, manifest.dense_name)
        written += _files_below(self._folder, manifest.lexical_folder)
        manifest = replace(manifest, checksums=checksums(self._folder, written))
        write_manifest(self._folder, manifest)
        self._dense.sweep(dense, manifest.dense_name)
        for stale in self._folder.glob(f"{_LEXICAL}*"):
            if stale.name != manifest.lexical_folder:
                shutil.rmtree(stale, ignore_errors=True)
        return Indexes(
            dense=dense,
            lexical=words.lexical,
            vocabulary=vocabulary,
            names=names,
            manifest=manifest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The lexical index in its folder, and the counts made while passages are added.

    `keys` are those of the added passages, in order.
    """

    folder: str
    lexical: LexicalStore
    counts: WordCounts = field(default_factory=WordCounts)
    languages: Counter[str] = field(default_factory=Counter)
    keys: list[int] = field(default_factory=list)


def _vectors(holdings: Holdings, manifest: Manifest) -> VectorSource:
    """Vectors of the encoder that made the index, even if another one is in use."""
    return partial(holdings.vectors, model=manifest.model, dimensions=manifest.dimensions)


def _lexical_rows(
    contents: Iterable[tuple[str, Sequence[Passage]]], words: _Words
) -> Iterator[LexicalRow]:
    """Rows for passages, document by document; counts their words and languages."""
    for whole, passages in contents:
        texts = {
            passage.key: passage.with_context(
                repaired(whole[passage.span.start : passage.span.end])
            )
            for passage in passages
        }
        sure = sure_language(whole)
        for (key, text), language in zip(
            texts.items(), _languages(texts.values(), sure), strict=True
        ):
            found = tokens(text)
            words.keys.append(key)
            counted_as = language if sure else doubted(language)
            words.languages[counted_as] += 1
            counted = words.counts.add(text, found)
            yield LexicalRow(
                key=key,
                terms=[*analysed(found, language), *key_terms(text)],
                counted=_counted_form(counted_as, counted),
            )


def _counted_form(language: str, counted: Counted) -> bytes:
    return json.dumps([language, counted.words, counted.explained]).encode()


def _counted_from(stored: bytes) -> tuple[str, Counted]:
    language, words, explained = json.loads(stored)
    return language, Counted(words=words, explained=[(short, long) for short, long in explained])


def _in_ranges(ranges: Sequence[tuple[int, int]]) -> Callable[[int], bool]:
    """A test for keys in any of these ranges (first, last)."""
    ordered = sorted(ranges)
    firsts = [first for first, _ in ordered]

    def is_inside(key: int) -> bool:
        place = bisect_right(firsts, key) - 1
        return place >= 0 and key <= ordered[place][1]

    return is_inside


def _languages(texts: Collection[str], sure: str) -> list[str]:
    """The language of each text; the document's, if that is sure, for texts that do not show theirs."""
    languages = [language_of(text, otherwise="") for text in texts]
    of_document = Counter(filter(None, languages)).most_common(1)
    otherwise = sure if sure in STEMMERS else of_document[0][0] if of_document else UNKNOWN
    return [language or otherwise for language in languages]


def _files_below(folder: Path, name: str) -> list[str]:
    # tantivy's lock files are temporary and empty.
    return [
        path.relative_to(folder).as_posix()
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    ]


# Searches the embedded indexes within a scope: the catalog gives its keys.


class ScopedDense:
    """A `DenseIndex` over vectors that only know keys."""

    def __init__(self, index: StoredVectors, keys_in: KeysIn) -> None:
        self._index = index
        self._keys_in = keys_in

    def search(
        self, vector: NDArray[Any], *, limit: int, scope: Scope = EVERYWHERE
    ) -> list[Scored]:
        """The best `limit` keys in the scope, best first."""
        return self._index.search(vector, limit=limit, allowed=self._keys_in(scope))


class ScopedLexical:
    """A `LexicalIndex` over words that only know keys."""

    def __init__(self, index: LexicalStore, keys_in: KeysIn) -> None:
        self._index = index
        self._keys_in = keys_in
        self.document_frequency = index.document_frequency

    def __len__(self) -> int:
        return len(self._index)

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        scope: Scope = EVERYWHERE,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys in the scope by BM25, best first."""
        return self._index.search(
            terms, limit=limit, allowed=self._keys_in(scope), boosts=boosts, required=required
        )
