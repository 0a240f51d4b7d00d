"""Over random libraries and scopes, every index finds the best of the scope, and nothing outside it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.assemble.retrieving import dense_search, lexical_search
from pincite.errors import UsageError
from pincite.records.filters import EVERYWHERE, Filters, Scope
from pincite.settings.groups import DenseSettings
from pincite.stages import DenseIndex, LexicalIndex
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.engines import TANTIVY, bm25s_engine
from pincite.store.index.indexes import IndexFolder
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested
from tests.store.catalog.places import databases, files

ENCODER = FakeEncoder()
WORDS = [f"word{number}" for number in range(40)]
COLLECTIONS, TAGS, HEADINGS = ("a", "b", "c"), ("old", "new", "odd"), ("Pump", "Valve", "Care")
DAYS = [date(2020 + number, 1 + number, 3) for number in range(5)]
SEEDS = range(2)


@dataclass(frozen=True, kw_only=True)
class File:
    """Of a document; `name` is the end of its path."""

    collection: str
    name: str
    day: date
    tags: frozenset[str]


@dataclass(kw_only=True)
class Known:
    """What a library holds, as the test made it: nothing of it was looked up by a scope."""

    catalog: Catalog
    dense: DenseIndex
    lexical: LexicalIndex
    files: dict[str, list[File]] = field(default_factory=dict)

    def expected(self, scope: Scope) -> set[int]:
        """Keys of the passages in the scope."""
        keys = [*self.passages] if scope.keys is None else scope.keys
        return {
            key
            for key in keys
            if key in self.passages
            and any(is_in(file, scope) for file in self.files[self.passages[key].span.document_id])
            and (
                not scope.filters.sections
                or set(scope.filters.sections) & set(self.passages[key].section)
            )
        }

    def lacks(self, scope: Scope) -> bool:
        """Whether the scope names a file or a tag that is not there, which is an error."""
        here = Scope(collections=scope.collections)
        files = [file for held in self.files.values() for file in held if is_in(file, here)]
        wanted = scope.filters.documents
        named = [file for file in files if not wanted or file.name in wanted]
        tags = {tag for file in named for tag in file.tags}
        return not (set(wanted) <= {f.name for f in named} and set(scope.filters.tags) <= tags)

    def __post_init__(self) -> None:
        self.passages = self.catalog.passages(self.catalog.passage_keys())
        keys, rows = self.catalog.vectors([*self.passages], model=ENCODER.name, dimensions=64)
        self.vectors = dict(zip(keys, rows, strict=True))


def is_in(file: File, scope: Scope) -> bool:
    filters = scope.filters
    return (
        (scope.collections is None or file.collection in scope.collections)
        and (not filters.documents or file.name in filters.documents)
        and (not filters.tags or bool(file.tags & set(filters.tags)))
        and (filters.since is None or filters.since <= file.day)
        and (filters.until is None or file.day <= filters.until)
    )


def fill(catalog: Catalog, seed: int) -> dict[str, list[File]]:
    """Documents in one to three places each; files by document id."""
    chance, files = random.Random(seed), dict[str, list[File]]()
    for number in range(14):
        lines = [f"Number {number}."]
        for heading in chance.sample(HEADINGS, 3):
            lines += [f"# {heading}", " ".join(chance.choices(WORDS, k=9)).capitalize() + "."]
        for collection in chance.sample(COLLECTIONS, chance.randint(1, 3)):
            file = File(
                collection=collection,
                name=f"{chance.randint(0, 2)}-{number}.txt",
                day=chance.choice(DAYS),
                tags=frozenset(chance.sample(TAGS, chance.randint(0, 2))),
            )
            item = ingested(file.name, "\n".join(lines), encoder=ENCODER)
            catalog.put(collection, item, recipe="r")
            catalog.describe(collection, {file.name: f"{file.day}T00:00:00Z"}, sorted(file.tags))
            files.setdefault(item.document.id, []).append(file)
    return files


ENGINES = {
    "flat, tantivy": (DenseSettings(engine="flat"), TANTIVY),
    "pgvector, tantivy": (DenseSettings(engine="pgvector"), TANTIVY),
    "qdrant, tantivy": (DenseSettings(engine="qdrant"), TANTIVY),
    "qdrant and a database": (DenseSettings(engine="qdrant"), TANTIVY),
    "hnsw, bm25s": (DenseSettings(engine="hnsw"), bm25s_engine(k1=1.2, b=0.75)),
}


@pytest.fixture(
    scope="module", params=[(seed, name) for seed in SEEDS for name in ENGINES], ids=str
)
def known(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Known]:
    seed, name = request.param
    dense, lexical = ENGINES[name]
    new, folder = files(), tmp_path_factory.mktemp("index")
    if "database" in name or dense.engine == "pgvector":
        new = databases(request.getfixturevalue("postgres_server"))
    with ExitStack() as ending:
        new_place = ending.enter_context(new)
        if dense.engine == "qdrant":
            from tests.qdrant_server import running_qdrant  # Skips where its packages are not.

            server = ending.enter_context(running_qdrant(folder / "qdrant"))
            dense = dense.model_copy(update={"url": server.url})
        catalog = Catalog(new_place("catalog"))
        held = fill(catalog, seed)
        made = IndexFolder(folder, model=ENCODER.name, dimensions=64, dense=dense, lexical=lexical)
        indexes = made.rebuild(catalog)
        yield Known(
            catalog=catalog,
            dense=dense_search(catalog, indexes),
            lexical=lexical_search(catalog, indexes),
            files=held,
        )
        catalog.close()


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.just(()) | st.lists(st.sampled_from(values), min_size=1, max_size=2).map(tuple)


NAMES = tuple(f"{place}-{number}.txt" for place in range(3) for number in range(14))
SCOPES = st.builds(
    Scope,
    collections=st.none() | st.lists(st.sampled_from((*COLLECTIONS, "none"))).map(tuple),
    filters=st.builds(
        Filters,
        documents=some(NAMES),
        tags=some(TAGS),
        sections=some(HEADINGS),
        since=st.none() | st.sampled_from(DAYS),
        until=st.none() | st.sampled_from(DAYS),
    ),
    keys=st.none() | st.sets(st.integers(1, 70), max_size=40).map(lambda keys: tuple(sorted(keys))),
)
ASKED = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
LIMITS = st.integers(1, 60)
many = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@many
@given(scope=SCOPES, asked=ASKED, limit=LIMITS)
def test_the_best_vectors_of_the_scope_are_found(
    known: Known, scope: Scope, asked: list[str], limit: int
) -> None:
    question = ENCODER.encode_question(" ".join(asked)).vector
    expected = known.expected(scope)
    with suppress(UsageError):
        found = known.dense.search(question, limit=limit, scope=scope)
        assert {item.key for item in found} <= expected
        similar = {key: float(known.vectors[key] @ question) for key in expected}
        best = sorted(similar.values(), reverse=True)[:limit]
        assert np.allclose([item.score for item in found], best, atol=0.01)
        assert np.allclose([similar[item.key] for item in found], best, atol=0.01)
        return
    assert not expected or known.lacks(scope)


@many
@given(scope=SCOPES, asked=ASKED, limit=LIMITS)
def test_the_best_words_of_the_scope_are_found(
    known: Known, scope: Scope, asked: list[str], limit: int
) -> None:
    everywhere = {item.key: item.score for item in known.lexical.search(asked, limit=1000)}
    expected = known.expected(scope)
    with suppress(UsageError):
        found = known.lexical.search(asked, limit=limit, scope=scope)
        assert {item.key for item in found} <= expected
        assert all(everywhere[item.key] == item.score for item in found)
        best = sorted((everywhere[key] for key in expected & everywhere.keys()), reverse=True)
        assert [item.score for item in found] == best[:limit]
        return
    assert not expected or known.lacks(scope)


def test_a_part_of_a_scope_is_in_both() -> None:
    assert EVERYWHERE.only([3, 1, 3]).keys == (1, 3)
    assert EVERYWHERE.only([1, 2]).only([2, 3]).keys == (2,)
    assert Scope.of("a", Filters()).only([]).collections == ("a",)
