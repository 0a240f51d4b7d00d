from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, MetaData, Text

from pincite.errors import DocumentGone, LibraryError, LibraryTooNew, UsageError
from pincite.models.encoders.windowed import TokenPoolingEmbedder
from pincite.records.document import Coverage, Span
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Ingested
from pincite.records.library_records import Failure, FileProblem
from pincite.store.catalog import migrations, schema
from pincite.store.catalog.catalog import Catalog
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested
from tests.postgres_server import TestServer
from tests.store.catalog.places import NewPlace, Place, databases, files
from tests.tiers import often

ENCODER = FakeEncoder(dimensions=8)
RECIPE = "r1"


@pytest.fixture
def catalog(place: Place) -> Iterator[Catalog]:
    opened = Catalog(place)
    yield opened
    opened.close()


def item(path: str, text: str) -> Ingested:
    return ingested(path, text, encoder=ENCODER)


def embedding_keys(catalog: Catalog, *items: Ingested) -> list[bool]:
    """Whether each embedding of these items is in the cache."""
    keys = [one.key for item in items for one in item.embeddings]
    held = catalog.embeddings(keys)
    return [key in held for key in keys]


def test_what_is_put_can_be_looked_up(catalog: Catalog) -> None:
    pump = item("/d/pump.txt", "# Pump\nIt starts. It stops.\n# Valve\nIt opens.")
    catalog.put("default", pump, recipe=RECIPE)
    name = pump.document.id
    assert catalog.document(name) == pump.document
    assert catalog.paths("default") == {"/d/pump.txt": name}
    assert catalog.recipes() == {name: RECIPE}
    assert catalog.counts() == {"documents": 1, "passages": 2, "pages": 0}
    assert catalog.collections() == {"default": 1}
    stored = catalog.passages_of(name)
    assert [p.id for p in stored] == [p.id for p in pump.passages]
    assert [p.sentences for p in stored] == [p.sentences for p in pump.passages]
    assert [p.section for p in stored] == [p.section for p in pump.passages]
    assert [p.key for p in stored] == catalog.passage_keys() == sorted(catalog.passages([1, 2, 99]))
    source = catalog.source(name)
    assert (source.path, source.sha256) == ("/d/pump.txt", pump.document.sha256)


def test_embeddings_come_back_as_they_went_in(catalog: Catalog) -> None:
    pump = item("pump.txt", "# Pump\nIt starts. It stops.\n# Valve\nIt opens.")
    catalog.put("default", pump, recipe=RECIPE)
    keys, matrix = catalog.vectors(catalog.passage_keys(), model=ENCODER.name, dimensions=8)
    assert np.array_equal(matrix, np.stack([one.vector for one in pump.embeddings]))
    stored = catalog.sentence_vectors(keys)
    for key, one in zip(keys, pump.embeddings, strict=True):
        assert np.array_equal(stored[key], one.sentence_vectors)
    held = catalog.embeddings([one.key for one in pump.embeddings] + ["unknown"])
    assert set(held) == {one.key for one in pump.embeddings}
    assert catalog.vectors(keys, model="another", dimensions=8)[0] == []


@pytest.mark.parametrize(
    "text", ["𝒳🎉 pump e\u0301 水", "a\x00b\x00", "line\r\nline\rline\u2028x", "", "\ud800 lone"]
)
def test_any_stretch_of_a_stored_text_is_exact(catalog: Catalog, text: str) -> None:
    stored = item("a.txt", text)
    catalog.put("default", stored, recipe=RECIPE)
    name = stored.document.id
    assert catalog.document(name).text == text
    for start in range(len(text) + 1):
        for end in range(start, len(text) + 1):
            span = Span(document_id=name, start=start, end=end)
            assert catalog.text_of(span) == text[start:end]


def test_the_same_bytes_under_two_paths_are_one_document(catalog: Catalog) -> None:
    one = item("/a/pump.txt", "It starts.")
    catalog.put("default", one, recipe=RECIPE)
    catalog.touch("default", "/b/copy.txt", one.document.id)
    assert catalog.counts()["passages"] == 1
    assert set(catalog.paths("default")) == {"/a/pump.txt", "/b/copy.txt"}
    assert catalog.source(one.document.id).path == "/a/pump.txt"
    catalog.remove("default", "/a/pump.txt")
    assert catalog.counts()["passages"] == 1
    assert catalog.source(one.document.id).path == "/b/copy.txt"
    catalog.remove("default", "/b/copy.txt")
    assert catalog.counts() == {"documents": 0, "passages": 0, "pages": 0}
    assert embedding_keys(catalog, one) == [False]


def test_replacing_a_file_removes_its_old_passages_and_keeps_shared_embeddings(
    catalog: Catalog,
) -> None:
    old = item("a.txt", "# Same\nIt stays.\n# Old\nIt goes.")
    new = item("a.txt", "# Same\nIt stays.\n# New\nIt comes.")
    catalog.put("default", old, recipe=RECIPE)
    catalog.put("default", new, recipe=RECIPE)
    assert catalog.recipes().keys() == {new.document.id}
    assert catalog.passages_of(old.document.id) == []
    assert embedding_keys(catalog, new) == [True, True]
    assert embedding_keys(catalog, old) == [True, False]


def test_another_recipe_cuts_a_document_anew_under_new_keys(catalog: Catalog) -> None:
    text = "It starts. It stops. " * 20
    catalog.put("default", ingested("a.txt", text, max_chars=200), recipe="r1")
    before = catalog.passage_keys()
    catalog.put("default", ingested("a.txt", text, max_chars=400), recipe="r2")
    after = catalog.passage_keys()
    assert 0 < len(after) < len(before)
    assert min(after) > max(before)
    assert list(catalog.recipes().values()) == ["r2"]


def test_the_same_recipe_leaves_a_document_as_it_is(catalog: Catalog) -> None:
    one = item("a.txt", "It starts.")
    catalog.put("default", one, recipe=RECIPE)
    keys = catalog.passage_keys()
    catalog.put("other", one, recipe=RECIPE)
    assert catalog.passage_keys() == keys


def test_a_question_reads_the_files_of_its_documents_once(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    pump, valve = item("/d/pump.txt", "It starts."), item("/d/valve.txt", "It opens.")
    catalog.put("a", pump, recipe=RECIPE)
    catalog.put("a", valve, recipe=RECIPE)
    catalog.put("b", replace(pump, path="/b/pump.txt"), recipe=RECIPE)
    fetch, statements = catalog.store.fetch, []
    monkeypatch.setattr(catalog.store, "fetch", lambda one: (statements.append(one), fetch(one))[1])
    with catalog.one_question():
        catalog.passages(catalog.passage_keys())
        statements.clear()
        found = [catalog.source(one.document.id, "a").path for one in (pump, valve, pump)]
        assert catalog.source(pump.document.id, "b").path == "/b/pump.txt"
        assert (found, len(statements)) == (["/d/pump.txt", "/d/valve.txt", "/d/pump.txt"], 1)
        with pytest.raises(DocumentGone):
            catalog.source(valve.document.id, "b")
        catalog.remove("a", "/d/valve.txt")
        with catalog.one_question():
            assert catalog.source(valve.document.id).path == "/d/valve.txt"
    with pytest.raises(DocumentGone):
        catalog.source(valve.document.id)


def test_keys_are_never_used_again(catalog: Catalog) -> None:
    catalog.put("default", item("a.txt", "It starts."), recipe=RECIPE)
    (first,) = catalog.passage_keys()
    catalog.remove("default", "a.txt")
    catalog.put("default", item("a.txt", "It starts."), recipe=RECIPE)
    (second,) = catalog.passage_keys()
    assert second > first


def test_collections_hold_their_own_files(catalog: Catalog) -> None:
    pump, valve = item("pump.txt", "It starts."), item("valve.txt", "It opens.")
    catalog.put("a", pump, recipe=RECIPE)
    catalog.put("b", valve, recipe=RECIPE)
    catalog.touch("b", "copy.txt", pump.document.id)
    assert catalog.collections() == {"a": 1, "b": 2}
    a, b = (catalog.keys_in(Scope.of(name, Filters())) for name in "ab")
    assert (len(a), len(b), len(set(a) & set(b))) == (1, 2, 1)
    pump_key, valve_key = catalog.passage_keys()
    assert catalog.keys_in(Scope.of("a", Filters())).tolist() == [pump_key]
    assert catalog.keys_in(Scope.of("b", Filters())).tolist() == [pump_key, valve_key]
    assert catalog.keys_in(Scope.of("c", Filters())).tolist() == []
    assert catalog.source(pump.document.id, "b").path == "copy.txt"
    catalog.remove("b", "pump.txt")
    assert catalog.collections() == {"a": 1, "b": 2}


def test_what_changed_and_what_went_is_told_since_any_generation(catalog: Catalog) -> None:
    pump, valve = item("pump.txt", "# A\nIt starts.\n# B\nIt stops."), item("v.txt", "It opens.")
    marks = [catalog.generation()]
    catalog.put("default", pump, recipe=RECIPE)
    marks.append(catalog.generation())
    catalog.put("default", valve, recipe=RECIPE)
    marks.append(catalog.generation())
    keys = [p.key for p in catalog.passages_of(pump.document.id)]
    catalog.remove("default", "pump.txt")
    marks.append(catalog.generation())
    catalog.touch("second", "v2.txt", valve.document.id)
    marks.append(catalog.generation())
    assert marks == sorted(set(marks))
    gone = [(min(keys), max(keys))]
    assert [catalog.removed_since(mark) for mark in marks] == [gone, gone, gone, [], []]
    changed = [valve.document.id]
    assert [catalog.changed_since(m) for m in marks] == [changed, changed, changed, changed, []]


def test_failures_and_warnings_are_remembered_until_a_file_can_be_read(catalog: Catalog) -> None:
    catalog.record_failures(
        "default", {"b.pdf": Failure(reason="password"), "a.pdf": Failure(reason="damaged")}
    )
    assert catalog.failures() == (
        FileProblem(path="a.pdf", reason="damaged"),
        FileProblem(path="b.pdf", reason="password"),
    )
    catalog.record_failures("default", {"b.pdf": None, "a.pdf": Failure(reason="empty")})
    assert catalog.failures() == (FileProblem(path="a.pdf", reason="empty"),)


def test_a_failure_of_an_earlier_format_is_told_and_may_be_tried_once_more(tmp_path: Path) -> None:
    path = unpacked(2, tmp_path / "catalog")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("insert into failures values ('a', '/notes/x.pdf', 'damaged')")
        connection.commit()
    catalog = Catalog(path)
    assert catalog.failed_before() == {("a", "/notes/x.pdf"): Failure(reason="damaged")}
    catalog.close()


TEXTS = ("It starts.", "It stops.", "# Same\nIt opens.", "# Same\nIt opens.\n# More\nIt closes.")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "remove", "touch"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["x.txt", "y.txt", "z.txt"]),
        st.sampled_from(TEXTS),
    ),
    max_size=10,
)


@given(STEPS)
@settings(max_examples=40)
def test_a_catalog_depends_on_what_it_holds_and_not_on_its_history(
    steps: list[tuple[str, str, str, str]],
) -> None:
    with files() as new_place:
        check_that_history_does_not_count(steps, new_place)


@given(steps=STEPS)
@settings(max_examples=often(40, 6))
def test_so_does_one_in_postgresql(
    postgres_server: TestServer, steps: list[tuple[str, str, str, str]]
) -> None:
    with databases(postgres_server) as new_place:
        check_that_history_does_not_count(steps, new_place)


def check_that_history_does_not_count(
    steps: list[tuple[str, str, str, str]], new_place: NewPlace
) -> None:
    catalog, fresh = (Catalog(new_place(name)) for name in ("one", "two"))
    held: dict[tuple[str, str], str] = {}
    for action, collection, path, text in steps:
        before, was_held = catalog.generation(), (collection, path) in held
        one = item("same.txt", text)
        one = Ingested(
            path=path,
            document=one.document,
            passages=one.passages,
            embeddings=one.embeddings,
        )
        if action == "put":
            catalog.put(collection, one, recipe=RECIPE)
            held[collection, path] = text
        elif action == "remove":
            catalog.remove(collection, path)
            held.pop((collection, path), None)
        elif text in held.values():
            catalog.touch(collection, path, one.document.id)
            held[collection, path] = text
        else:
            continue
        idle = action == "remove" and not was_held
        assert (catalog.generation() > before) != idle
    for (collection, path), text in sorted(held.items()):
        one = item("same.txt", text)
        again = Ingested(
            path=path,
            document=one.document,
            passages=one.passages,
            embeddings=one.embeddings,
        )
        fresh.put(collection, again, recipe=RECIPE)
    assert catalog.meta("corpus_version") == fresh.meta("corpus_version")
    assert catalog.counts() == fresh.counts()
    assert catalog.collections() == fresh.collections()
    assert catalog.recipes() == fresh.recipes()
    everything = [item("same.txt", text) for text in TEXTS]
    assert embedding_keys(catalog, *everything) == embedding_keys(fresh, *everything)
    catalog.close()
    fresh.close()


SEVERAL = st.lists(
    st.tuples(st.sampled_from(["x", "y", "z"]), st.sampled_from(TEXTS), st.sampled_from("rs")),
    min_size=1,
    max_size=8,
)


@given(SEVERAL, st.integers(0, 8))
@settings(max_examples=40)
def test_files_stored_together_are_stored_as_one_after_another(
    several: list[tuple[str, str, str]], cut: int
) -> None:
    with files() as new_place:
        check_storing_together(several, cut, new_place)


@given(several=SEVERAL, cut=st.integers(0, 8))
@settings(max_examples=often(40, 6))
def test_so_are_they_in_postgresql(
    postgres_server: TestServer, several: list[tuple[str, str, str]], cut: int
) -> None:
    with databases(postgres_server) as new_place:
        check_storing_together(several, cut, new_place)


def check_storing_together(
    several: list[tuple[str, str, str]], cut: int, new_place: NewPlace
) -> None:
    def everything(catalog: Catalog) -> list[list[tuple[object, ...]]]:
        """All but the keys of passages, which follow the order in which they were stored."""
        queries = (
            "SELECT * FROM documents",
            "SELECT * FROM sources",
            "SELECT * FROM embeddings",
            "SELECT id, document_id, context, sentences, embedding_key FROM passages",
            "SELECT collection, path, document_id, replaced_by FROM versions",
            "SELECT * FROM meta WHERE name <> 'library_id'",
        )
        return [sorted(catalog.store.rows(query), key=repr) for query in queries]

    together, apart = (Catalog(new_place(name)) for name in ("one", "two"))
    items = [(replace(item("same.txt", text), path=path), recipe) for path, text, recipe in several]
    for group in (items[:cut], items[cut:]):
        if group:
            together.put_all("a", group)
    for one, recipe in items:
        apart.put("a", one, recipe=recipe)
    assert everything(together) == everything(apart)
    together.close()
    apart.close()


@pytest.mark.parametrize(
    ("collection", "path", "text"),
    [("b", "x.txt", TEXTS[0]), ("a", "y.txt", TEXTS[0]), ("a", "x.txt", TEXTS[1])],
)
def test_collection_path_and_content_all_count_in_the_corpus_version(
    new_place: NewPlace, collection: str, path: str, text: str
) -> None:
    one, other = Catalog(new_place("one")), Catalog(new_place("other"))
    one.put("a", item("x.txt", TEXTS[0]), recipe=RECIPE)
    other.put(collection, item(path, text), recipe=RECIPE)
    assert one.meta("corpus_version") != other.meta("corpus_version")
    one.close()
    other.close()


# --- The file --------------------------------------------------------------------------------


def test_an_empty_file_becomes_a_library_that_opens_again(tmp_path: Path) -> None:
    (tmp_path / "catalog").touch()
    first = Catalog(tmp_path / "catalog")
    name = first.meta("library_id")
    assert (first.meta("applied_version"), first.generation()) == (str(migrations.NEWEST), 0)
    first.put("default", item("a.txt", "It starts."), recipe=RECIPE)
    first.close()
    second = Catalog(tmp_path / "catalog")
    assert second.meta("library_id") == name
    assert second.counts()["documents"] == 1
    second.close()


def test_two_libraries_have_two_ids(new_place: NewPlace) -> None:
    one, other = Catalog(new_place("one")), Catalog(new_place("other"))
    assert one.meta("library_id") != other.meta("library_id")
    one.close()
    other.close()


def test_a_library_of_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    Catalog(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("update meta set value = '99' where name = 'schema_version'")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LibraryTooNew, match=r"format 99.*install a newer Pincite"):
        Catalog(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_named_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    path.write_bytes(b"this is not a database, however long it is read" * 99)
    with pytest.raises(LibraryError, match="catalog is damaged"):
        Catalog(path)


def test_a_folder_that_is_not_there_is_a_library_error(tmp_path: Path) -> None:
    with pytest.raises(LibraryError):
        Catalog(tmp_path / "nowhere" / "catalog")


def test_an_odd_folder_name_keeps_its_catalog_inside(tmp_path: Path) -> None:
    folder = tmp_path / "100 % Ünïcode 水 'quoted' & more"
    folder.mkdir()
    Catalog(folder / "catalog").close()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["catalog"]


@pytest.mark.parametrize("name", ["lib#1", "what?", "100%41", "a b", "ü"])
def test_a_catalog_lies_inside_its_folder_whatever_the_folder_is_called(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name / "catalog.sqlite3"
    path.parent.mkdir()
    Catalog(path).close()
    assert path.is_file()
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_a_database_that_is_not_a_catalog_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(LibraryError, match="not a Pincite catalog"):
        Catalog(path)
    assert path.read_bytes() == before


def with_token_codes(one: Ingested) -> Ingested:
    texts = [one.document.text[p.span.start : p.span.end] for p in one.passages]
    embedder = TokenPoolingEmbedder(ENCODER, lambda _: {}, room_bytes=1_000_000)
    return replace(one, embeddings=embedder.embed(one.passages, texts))


def test_token_states_are_kept_with_their_passages(catalog: Catalog) -> None:
    pump = with_token_codes(item("/d/pump.txt", "# Pump\nIt starts. It stops.\n# Valve\nIt opens."))
    catalog.put("default", pump, recipe=RECIPE)
    stored = catalog.passages_of(pump.document.id)
    found = catalog.token_codes(stored, model=ENCODER.name)
    assert [found[passage.key][0].to_bytes() for passage in stored] == [
        embedding.token_codes for embedding in pump.embeddings
    ]
    assert catalog.bytes_of_token_codes() == sum(len(one.token_codes) for one in pump.embeddings)
    assert catalog.token_codes(stored, model="another") == {}


def test_passages_stored_without_token_states_get_them_when_they_come_again(
    catalog: Catalog,
) -> None:
    first = item("/d/pump.txt", "It starts. It stops.")
    catalog.put("default", first, recipe=RECIPE)
    stored = catalog.passages_of(first.document.id)
    assert catalog.token_codes(stored, model=ENCODER.name) == {}
    # Another file with the same passage, as the encoder reads it.
    again = item("/e/pump.txt", "It starts. It stops.\n\n# Valve\nIt opens.")
    catalog.put("default", with_token_codes(again), recipe=RECIPE)
    assert set(catalog.token_codes(stored, model=ENCODER.name)) == {stored[0].key}


def test_damaged_token_states_are_told(catalog: Catalog) -> None:
    pump = with_token_codes(item("/d/pump.txt", "It starts. It stops."))
    catalog.put("default", pump, recipe=RECIPE)
    with catalog.store.transaction(writes=True) as connection:
        connection.exec_driver_sql("update embeddings set token_codes = substr(token_codes, 1, 30)")
    with pytest.raises(LibraryError, match="token states of passage 1 are damaged"):
        catalog.token_codes(catalog.passages_of(pump.document.id), model=ENCODER.name)


def unpacked(version: int, path: Path) -> Path:
    packed = Path(__file__).parents[2] / "data" / f"catalog-format-{version}.sqlite3.gz"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def test_a_catalog_of_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    catalog = Catalog(unpacked(1, tmp_path / "catalog"))
    assert catalog.meta("applied_version") == str(migrations.NEWEST)
    documents = [catalog.document(name) for name in catalog.recipes()]
    assert len(documents) == 2
    for document in documents:
        assert document.coverage is Coverage.COMPLETE
        assert all(document.text[block.start : block.end].strip() for block in document.blocks)
        assert (not document.pages) or len(document.boxes) > 100


def test_in_a_catalog_of_the_sixth_format_one_row_heads_another(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    older = Catalog(path)
    pump = item("/d/pump.txt", "Year. 2012. 2011.\n\n# Valve\nIt opens.")
    older.put("default", pump, recipe=RECIPE)
    older.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update passages set headers = '[-1, 0, 0]' where key = 1")
        for column in ("document_id", "recipe"):
            connection.execute(f"alter table failures drop column {column}")
        connection.execute("drop table feedback")
        connection.execute("alter table embeddings drop column token_codes")
        connection.execute("alter table conversations drop column owner")
        connection.execute("update meta set value = '6' where name = 'schema_version'")
        connection.execute("delete from meta where name = 'applied_version'")
        connection.commit()
    catalog = Catalog(path)
    assert catalog.meta("applied_version") == str(migrations.NEWEST)
    stored = catalog.passages_of(pump.document.id)
    assert [passage.headers for passage in stored] == [((), (0,), (0,)), ()]
    catalog.close()


def layout(path: Path) -> dict[str, set[tuple[object, ...]]]:
    """Columns (name, type, whether it must have a value, place in the key) and indexes by table."""
    with closing(sqlite3.connect(path)) as connection:
        objects = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        tables = [name for kind, name in objects if kind == "table"]
        found: dict[str, set[tuple[object, ...]]] = {
            name: {
                (row[1], row[2], row[3], row[5])
                for row in connection.execute(f"PRAGMA table_info({name})")
            }
            for name in tables
        }
        return {**found, "indexes": {(name,) for kind, name in objects if kind == "index"}}


@pytest.mark.parametrize("version", [1, 2])
def test_a_catalog_of_an_earlier_format_gets_the_tables_of_a_new_one(
    tmp_path: Path, version: int
) -> None:
    old, new = unpacked(version, tmp_path / "old"), tmp_path / "new"
    for path in (old, new):
        Catalog(path).close()
    assert layout(old) == layout(new)


@pytest.mark.parametrize("version", [1, 2])
def test_a_column_that_a_later_step_adds_is_added_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    tables = ("documents", "versions", "tags", "conversations", "turns", "answers")

    def add_columns(connection: Connection) -> None:
        for name in tables:
            connection.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN later TEXT")

    tomorrow = MetaData()
    for table in schema.metadata.sorted_tables:
        table.to_metadata(tomorrow)
    for name in tables:
        tomorrow.tables[name].append_column(Column("later", Text))
        monkeypatch.setattr(schema, name, tomorrow.tables[name])
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, migrations.Step(add_columns)))
    monkeypatch.setattr(migrations, "NEWEST", migrations.NEWEST + 1)
    path = unpacked(version, tmp_path / "old")
    Catalog(path).close()
    assert ("later", "TEXT", 0, 0) in layout(path)["answers"]


def test_a_catalog_of_the_second_format_gets_dates_and_tags(tmp_path: Path) -> None:
    catalog = Catalog(unpacked(2, tmp_path / "catalog"))
    assert catalog.meta("applied_version") == str(migrations.NEWEST)
    assert catalog.collections() == {"a": 2, "b": 1}
    assert len(catalog.passage_keys()) == 4
    with pytest.raises(UsageError, match="no dates; ingest the files again"):
        catalog.keys_in(Scope.of(None, Filters.parse(since="2024")))
    dates = {"/notes/pump.txt": "2024-03-01T00:00:00+00:00"}
    catalog.describe("a", dates, tags=["old"])
    (dated,) = {tuple(catalog.keys_in(Scope.of(None, Filters.parse(since="2024"))))}
    assert dated == tuple(catalog.keys_in(Scope.of(None, Filters.parse(tags=["old"]))))
    assert {p.span.document_id for p in catalog.passages(list(map(int, dated))).values()} == {
        catalog.paths("a")["/notes/pump.txt"]
    }
    (old,) = next(e for e in catalog.files("b")).old_versions
    assert catalog.document(old.document_id).text == "The motor is warm."
    catalog.close()
