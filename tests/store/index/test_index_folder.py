from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.settings.groups import DenseSettings
from pincite.store.catalog.catalog import Catalog
from pincite.store.index import indexes as indexes_module
from pincite.store.index.engines import TANTIVY, LexicalEngine, bm25s_engine
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.store.index.snapshot import MANIFEST, read_manifest, write_manifest
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested
from pincite.text.document_names import NameTable
from pincite.text.terms import terms

needs_chroma = pytest.mark.skipif(
    importlib.util.find_spec("chromadb") is None,
    reason="the extra pincite[chroma] is not installed",
)
ENCODER = FakeEncoder(dimensions=8)
TEXTS = (
    "# Pump\nThe pump starts.\n# Valve\nThe valve opens.",
    "The pump stops. It is cold.",
    "The lemon is yellow.",
    "The valve of the pump is a lemon.",
    "Wear Personal Protective Equipment (PPE). Die Pumpe ist mit dem Ventil verbunden, und sie ist "
    "kalt.",
    "Personal protective equipment (PPE) or a Pressure Pump Engine (PPE)? Straße, STRASSE, strasse.",
)
QUESTIONS = ("pump", "valve lemon", "the cold")

Found = list[dict[int, float]]


def put(catalog: Catalog, path: str, text: str, collection: str = "a", recipe: str = "r") -> None:
    size = 300 if recipe == "r" else 20
    item = ingested("same.txt", text, encoder=ENCODER, max_chars=size, overlap_chars=0)
    catalog.put(collection, replace(item, path=path), recipe=recipe)


def index_folder(
    folder: Path,
    *,
    model: str | None = ENCODER.name,
    lexical: LexicalEngine = TANTIVY,
    dense: DenseSettings | None = None,
) -> IndexFolder:
    folder.mkdir(exist_ok=True)
    # Who has no encoder does not know how long the vectors are that the folder holds.
    dimensions = ENCODER.dimensions if model else 1
    return IndexFolder(folder, model=model, dimensions=dimensions, lexical=lexical, dense=dense)


def everything_found(indexes: Indexes) -> Found:
    """All scores of some questions, by passage key; ties have no order of their own."""
    searches = []
    for text in QUESTIONS:
        vector = ENCODER.encode_question(text).vector
        searches += [
            indexes.dense.search(vector, limit=99),
            indexes.lexical.search(terms(text), limit=99),
        ]
    return [{item.key: round(item.score, 5) for item in found} for found in searches]


def test_an_index_that_was_made_can_be_loaded(catalog: Catalog, tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        put(catalog, f"{number}.txt", text)
    folder = index_folder(tmp_path / "index")
    assert folder.load(catalog) == (None, "the index is missing")
    made = folder.rebuild(catalog)
    loaded, problem = folder.load(catalog)
    assert loaded is not None
    assert problem == ""
    assert loaded.manifest == made.manifest
    assert everything_found(loaded) == everything_found(made)
    assert len(loaded.dense) == len(loaded.lexical) == len(catalog.passage_keys())


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "recut", "remove", "index"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(TEXTS),
    ),
    min_size=1,
    max_size=9,
)


@pytest.mark.parametrize(
    "engine", [TANTIVY, bm25s_engine(k1=1.2, b=0.65)], ids=["tantivy", "bm25s"]
)
@given(steps=STEPS)
@settings(max_examples=20)
def test_an_updated_index_finds_what_a_rebuilt_one_finds(
    engine: LexicalEngine, steps: list[tuple[str, str, str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        catalog = Catalog(Path(temporary) / "catalog")
        folder = index_folder(Path(temporary) / "index", lexical=engine)
        kept = folder.rebuild(catalog)
        for action, collection, path, text in steps:
            if action == "index":
                kept = folder.update(catalog, kept)
            elif action == "remove":
                catalog.remove(collection, path)
            else:
                put(catalog, path, text, collection, "r" if action == "put" else "cut small")
        updated = folder.update(catalog, kept)
        loaded, problem = folder.load(catalog)
        assert problem == ""
        assert loaded is not None
        rebuilt = index_folder(Path(temporary) / "other", lexical=engine).rebuild(catalog)
        expected = everything_found(rebuilt)
        assert everything_found(updated) == everything_found(loaded) == expected
        assert updated.vocabulary.words == loaded.vocabulary.words == rebuilt.vocabulary.words
        assert updated.vocabulary.explained == rebuilt.vocabulary.explained
        assert loaded.vocabulary.explained == rebuilt.vocabulary.explained
        assert updated.names == rebuilt.names
        assert loaded.names == rebuilt.names
        assert updated.manifest.languages == rebuilt.manifest.languages
        assert len(loaded.dense) == len(loaded.lexical) == len(catalog.passage_keys())
        catalog.close()


@given(
    held=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6, unique=True),
    gone=st.sets(st.integers(0, 5), min_size=1),
    replaced=st.dictionaries(st.integers(0, 5), st.sampled_from(TEXTS), max_size=2),
)
@settings(max_examples=15)
def test_what_was_removed_leaves_no_trace_in_words_languages_and_scores(
    held: list[str], gone: set[int], replaced: dict[int, str]
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        catalog = Catalog(Path(temporary) / "catalog")
        folder = index_folder(Path(temporary) / "index")
        for number, text in enumerate(held):
            put(catalog, f"{number}.txt", text)
        kept = folder.rebuild(catalog)
        for number in sorted(gone):
            if number < len(held):
                catalog.remove("a", f"{number}.txt")
        for number, text in replaced.items():
            put(catalog, f"{number}.txt", text)
        updated = folder.update(catalog, kept)
        anew = index_folder(Path(temporary) / "other").rebuild(catalog)
        assert updated.vocabulary.words == anew.vocabulary.words
        assert updated.vocabulary.explained == anew.vocabulary.explained
        assert updated.manifest.languages == anew.manifest.languages
        assert everything_found(updated) == everything_found(anew)
        catalog.close()


def test_removing_reads_no_passage_again(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, text in enumerate(TEXTS):
        put(catalog, f"{number}.txt", text)
    folder = index_folder(tmp_path / "index")
    made = folder.rebuild(catalog)
    catalog.remove("a", "1.txt")

    def refuse(text: str) -> list[str]:
        raise AssertionError(f"read again: {text}")

    monkeypatch.setattr(indexes_module, "tokens", refuse)
    assert len(folder.update(catalog, made).lexical) == len(catalog.passage_keys())


CHANGES = [
    DenseSettings(engine="sq8"),
    DenseSettings(engine="ivf", nlist=2, nprobe=2),
    DenseSettings(engine="hnsw"),
    DenseSettings(engine="hnsw", m=8),
    DenseSettings(flat_up_to=3, sq8_up_to=1000),
    pytest.param(DenseSettings(engine="chroma"), marks=needs_chroma),
]


@pytest.mark.parametrize("wanted", CHANGES)
def test_another_engine_is_built_when_the_settings_want_it_and_finds_the_same(
    catalog: Catalog, tmp_path: Path, wanted: DenseSettings
) -> None:
    for number, text in enumerate(TEXTS):
        put(catalog, f"{number}.txt", text)
    first = index_folder(tmp_path / "index").rebuild(catalog)
    folder = index_folder(tmp_path / "index", dense=wanted)
    loaded, _ = folder.load(catalog)
    assert loaded is not None
    assert not folder.is_current(catalog, loaded)
    changed = folder.update(catalog, loaded)
    assert changed.manifest.engine["kind"] != "flat"
    assert folder.is_current(catalog, changed)
    assert keys_found(changed) == keys_found(first)
    put(catalog, "new.txt", "A new pump.")
    catalog.remove("a", "0.txt")
    grown = folder.update(catalog, changed)
    assert len(grown.dense) == len(catalog.passage_keys())
    again, problem = folder.load(catalog)
    assert problem == ""
    assert again is not None
    assert keys_found(again) == keys_found(grown)
    back = index_folder(tmp_path / "index")
    flat = back.update(catalog, again)
    names = {path.name for path in (tmp_path / "index").iterdir()}
    assert names == {MANIFEST, flat.manifest.dense_name, flat.manifest.lexical_folder}
    assert everything_found(flat) == everything_found(
        index_folder(tmp_path / "other").rebuild(catalog)
    )


def keys_found(indexes: Indexes) -> list[set[int]]:
    return [set(scores) for scores in everything_found(indexes)]


def spoil(name: str) -> Callable[[Path], object]:
    def flip(folder: Path) -> None:
        (path,) = sorted(folder.glob(name))[:1]
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    return flip


def drop(name: str) -> Callable[[Path], object]:
    return lambda folder: sorted(folder.glob(name))[0].unlink()


def edit_manifest(**values: object) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        content = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps(content | values))

    return edit


def rewritten(name: str, content: str) -> Callable[[Path], object]:
    """Other content in a file of the lexical index, with a checksum that fits."""

    def rewrite(folder: Path) -> None:
        (path,) = folder.glob(f"lexical-*/{name}")
        path.unlink()  # It may have a second name in an older index.
        path.write_text(content)
        manifest = json.loads((folder / MANIFEST).read_text())
        inner = path.relative_to(folder).as_posix()
        manifest["checksums"][inner] = hashlib.sha256(content.encode()).hexdigest()
        (folder / MANIFEST).write_text(json.dumps(manifest))

    return rewrite


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (spoil("dense-*.faiss"), r"missing or damaged \(dense-\d+.faiss\)"),
        (drop("dense-*.faiss"), r"missing or damaged \(dense-\d+.faiss\)"),
        (spoil("lexical-*/*.store"), r"missing or damaged \(lexical-"),
        (drop("lexical-*/*.term"), r"missing or damaged \(lexical-"),
        (lambda folder: shutil.rmtree(next(folder.glob("lexical-*"))), "missing or damaged"),
        (drop(MANIFEST), "the index is missing"),
        (lambda folder: (folder / MANIFEST).write_text("{"), "the index is missing"),
        (edit_manifest(unknown=1), "the index is missing"),
        (edit_manifest(format=99), "the index is missing"),
        (lambda folder: (folder / MANIFEST).write_text("[" * 100_000), "the index is missing"),
        (lambda folder: (folder / MANIFEST).write_text('{"a":' * 100_000), "the index is missing"),
        (edit_manifest(generation=float("nan")), "the index is missing"),
        (edit_manifest(generation="1"), "the index is missing"),
        (edit_manifest(generation=10**400), "the index is missing"),
        (edit_manifest(languages=[]), "the index is missing"),
        (edit_manifest(languages={"en": "many"}), "the index is missing"),
        (edit_manifest(checksums=5), "the index is missing"),
        (edit_manifest(checksums={"../../etc/passwd": "0"}), "the index is missing"),
        (edit_manifest(checksums={"/etc/passwd": "0"}), "the index is missing"),
        (edit_manifest(lexical_folder="../elsewhere"), "the index is missing"),
        (edit_manifest(lexical_folder="/tmp"), "the index is missing"),
        (edit_manifest(dense_name="../x"), "the index is missing"),
        (edit_manifest(dense_name=None), "the index is missing"),
        (edit_manifest(engine={"kind": []}), "the index is missing"),
        (rewritten("vocabulary.json", "[" * 100_000), "cannot be loaded .*nested too deep"),
        (rewritten("vocabulary.json", '{"words": {"a": NaN}}'), "cannot be loaded .*NaN"),
        (rewritten("vocabulary.json", '{"words": [], "explained": {}}'), "is damaged"),
        (rewritten("vocabulary.json", '{"words": {}, "explained": []}'), "is damaged"),
        (rewritten("vocabulary.json", "5"), "is damaged"),
        (rewritten("names.npz", "no archive"), "cannot be loaded"),
        (edit_manifest(library_id="another"), "belongs to another library"),
        (edit_manifest(analyser=1), "the index was analysed by another version of Pincite"),
        (edit_manifest(lexical_engine="other"), "made with the lexical engine 'other'"),
        (spoil("lexical-*/vocabulary.json"), r"missing or damaged \(lexical-"),
        (spoil("lexical-*/names.npz"), r"missing or damaged \(lexical-"),
        (edit_manifest(generation=99), "newer than the catalog"),
        (edit_manifest(model="another"), "made with the encoder 'another'"),
    ],
)
def test_an_index_that_cannot_be_trusted_is_refused_with_a_reason(
    catalog: Catalog, tmp_path: Path, harm: Callable[[Path], object], reason: str
) -> None:
    put(catalog, "x", TEXTS[0])
    folder = index_folder(tmp_path / "index")
    folder.rebuild(catalog)
    harm(tmp_path / "index")
    loaded, problem = folder.load(catalog)
    assert loaded is None
    assert re.search(reason, problem)
    folder.rebuild(catalog)
    assert folder.load(catalog)[0] is not None


@pytest.mark.parametrize("engine", ["flat", "hnsw"])
def test_without_an_encoder_the_vectors_of_before_are_kept(
    catalog: Catalog, tmp_path: Path, engine: str
) -> None:
    put(catalog, "x", TEXTS[0])
    index_folder(tmp_path / "index").rebuild(catalog)
    wanted = DenseSettings.model_validate({"engine": engine})
    lexical_only = index_folder(tmp_path / "index", model=None, dense=wanted)
    loaded, problem = lexical_only.load(catalog)
    assert loaded is not None, problem
    put(catalog, "y", TEXTS[1])
    lexical_only.update(catalog, loaded)
    again, problem = index_folder(tmp_path / "index").load(catalog)
    assert again is not None, problem
    assert len(again.dense) == len(again.lexical) == 3


@pytest.mark.parametrize(
    "engine", [TANTIVY, bm25s_engine(k1=1.2, b=0.65)], ids=["tantivy", "bm25s"]
)
@pytest.mark.parametrize("history", ["added", "removed"])
def test_an_update_that_was_killed_before_its_manifest_does_not_count(
    catalog: Catalog,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    history: str,
    engine: LexicalEngine,
) -> None:
    put(catalog, "x", TEXTS[0])
    put(catalog, "y", TEXTS[1])
    folder = index_folder(tmp_path / "index", lexical=engine)
    before = folder.rebuild(catalog)
    if history == "added":
        put(catalog, "z", TEXTS[2])
    else:
        catalog.remove("a", "x")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(indexes_module, "write_manifest", killed)
        with pytest.raises(KeyboardInterrupt):
            folder.update(catalog, before)
    assert read_manifest(tmp_path / "index") == before.manifest
    # Those who open the library now, too, are answered from what was published.
    loaded, problem = folder.load(catalog)
    assert loaded is not None, problem
    assert (len(loaded.dense), len(loaded.lexical)) == (3, 3)
    updated = folder.update(catalog, loaded)
    assert folder.load(catalog)[0] is not None
    assert everything_found(updated) == everything_found(
        index_folder(tmp_path / "other", lexical=engine).rebuild(catalog)
    )


def test_an_index_that_is_replaced_while_it_is_read_is_read_anew(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(catalog, "x", TEXTS[0])
    folder = index_folder(tmp_path / "index")
    before = folder.rebuild(catalog)
    real = indexes_module.damaged_files

    def replaced(*arguments: Any) -> list[str]:
        monkeypatch.setattr(indexes_module, "damaged_files", real)
        put(catalog, "y", TEXTS[1])
        folder.update(catalog, before)
        return real(*arguments)

    monkeypatch.setattr(indexes_module, "damaged_files", replaced)
    loaded, problem = folder.load(catalog)
    assert loaded is not None, problem
    assert len(loaded.lexical) == len(catalog.passage_keys())


def test_only_the_lexical_folder_of_the_manifest_is_left(catalog: Catalog, tmp_path: Path) -> None:
    folder = index_folder(tmp_path / "index")
    for text in TEXTS:
        put(catalog, "x", text)
        made = folder.rebuild(catalog)
        (left,) = (tmp_path / "index").glob("lexical-*")
        assert left.name == made.manifest.lexical_folder


def test_a_manifest_is_read_back_as_it_was_written(catalog: Catalog, tmp_path: Path) -> None:
    made = index_folder(tmp_path / "index").rebuild(catalog)
    changed = replace(made.manifest, generation=7, model="ünï")
    write_manifest(tmp_path / "index", changed)
    assert read_manifest(tmp_path / "index") == changed
    assert {path.name for path in (tmp_path / "index").iterdir()} == {
        MANIFEST,
        made.manifest.dense_name,
        made.manifest.lexical_folder,
    }


def test_another_engine_or_setting_makes_the_index_anew(catalog: Catalog, tmp_path: Path) -> None:
    for text in TEXTS:
        put(catalog, text[:5], text)
    index_folder(tmp_path / "index").rebuild(catalog)
    for k1 in (1.2, 2.0):
        folder = index_folder(tmp_path / "index", lexical=bm25s_engine(k1=k1, b=0.65))
        loaded, problem = folder.load(catalog)
        assert loaded is None
        assert "lexical engine" in problem
        made = folder.rebuild(catalog)
        again, _ = folder.load(catalog)
        assert again is not None
        assert everything_found(again) == everything_found(made)


def test_a_file_that_was_moved_has_its_new_name(catalog: Catalog, tmp_path: Path) -> None:
    folder = index_folder(tmp_path / "index")
    put(catalog, "/docs/pump.md", TEXTS[0])
    put(catalog, "/docs/lemon.md", TEXTS[2])
    made = folder.rebuild(catalog)
    catalog.move("a", "/docs/pump.md", "/docs/valve.md")
    moved = folder.update(catalog, made)
    assert moved.names == NameTable.from_files(catalog.names())
    assert moved.names != made.names


def test_passages_are_read_in_their_own_language(catalog: Catalog, tmp_path: Path) -> None:
    german = "Das Ventil ist auf, wenn die Ventile der Pumpe nicht zu sind. GSE-204"
    put(catalog, "x", "The valves of the pump are open when it is on.")
    put(catalog, "y", german)
    made = index_folder(tmp_path / "index").rebuild(catalog)
    assert made.manifest.languages == {"en": 1, "de": 1}
    assert len(made.lexical.search(terms("Ventil", "de"), limit=9)) == 1
    assert made.lexical.search(["das"], limit=9) == []
