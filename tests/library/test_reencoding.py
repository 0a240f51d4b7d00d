"""A library changes its encoder: two real ones, and a server's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Answer, Library, LibraryBusy, UsageError
from pincite.errors import ModelError
from pincite.library.reencoding import ReencodeProgress
from pincite.models.encoders.built_in import find_encoder_files
from tests.models.encoders.embedding_server import EmbeddingServer, serving
from tests.tiers import IS_FULL

PUMP = "At which pressure does the relief valve open?"
DEFAULT = "all-MiniLM-L6-v2"

Open = Callable[..., Library]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = tmp_path_factory.mktemp("documents")
    (documents / "pump.txt").write_text("The relief valve opens at 6.5 bar. It closes at 6 bar.\n")
    (documents / "ferry.txt").write_text("The ferry leaves at nine. Dogs travel free of charge.\n")
    for number in range(150):
        text = f"Lamp {number} burns {number * 3} hours. It hangs in hall {number % 7}.\n"
        (documents / f"lamp{number}.txt").write_text(text)
    return documents


@pytest.fixture
def folder(documents: Path) -> Iterator[Path]:
    """152 files; what a test adds is taken away after it."""
    before = set(documents.iterdir())
    yield documents
    for added in set(documents.iterdir()) - before:
        added.unlink()


@pytest.fixture(scope="module")
def encoded(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of these files, encoded with the default encoder."""
    path = tmp_path_factory.mktemp("encoded") / "library"
    with Library.open(path) as library:
        library.ingest([documents])
    return path


@pytest.fixture
def ingested(encoded: Path, folder: Path, tmp_path: Path) -> Path:
    """The files of the library that a test opens, which has been encoded by default."""
    shutil.copytree(encoded, tmp_path / "library")
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Another encoder: the default one's weights, with another pooling and a prefix."""
    model = tmp_path_factory.mktemp("models") / "cls-encoder"
    (model / "1_Pooling").mkdir(parents=True)
    (model / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "cls"}))
    shutil.copy(find_encoder_files().model, model / "model.onnx")
    shutil.copy(find_encoder_files().tokenizer, model / "tokenizer.json")
    return str(model)


@pytest.fixture
def open_library(tmp_path: Path) -> Iterator[Open]:
    """Opens one library with different encoders."""
    opened: list[Library] = []
    path = tmp_path / "library"
    path.mkdir(exist_ok=True)

    def open_one(model: str = DEFAULT, **changes: Any) -> Library:
        opened.append(Library.open(path, overrides={"embedding": {"model": model, **changes}}))
        return opened[-1]

    yield open_one
    for library in opened:
        library.close()


def models(library: Library) -> set[str]:
    """Whose vectors the catalog holds."""
    with library.catalog._transaction() as connection:
        rows = connection.exec_driver_sql("SELECT DISTINCT model FROM embeddings")
        return {row[0].partition("#")[0] for row in rows}


def told(answer: Answer) -> str:
    return " ".join(answer.reasons)


def test_the_old_encoder_answers_until_the_new_one_is_ready(
    ingested: Path, open_library: Open, other: str
) -> None:
    library = open_library(other)
    answer = library.ask(PUMP)
    assert "6.5 bar" in answer.text
    assert f"answered with {DEFAULT}: the library is not encoded with {other} yet" in told(answer)
    assert library.encoder().name.startswith(DEFAULT)  # type: ignore[union-attr]
    assert models(library) == {f"{DEFAULT}/2"}

    steps: list[ReencodeProgress] = []
    report = library.reencode(progress=steps.append)
    assert report.is_complete
    assert report.passages == steps[-1].done == steps[-1].total == 152
    assert library.encoder().name.startswith("cls-encoder#")  # type: ignore[union-attr]
    answer = library.ask(PUMP)
    assert "6.5 bar" in answer.text
    assert answer.reasons == ()
    assert models(library) == {"cls-encoder"}
    assert not library.is_behind()


def test_passages_are_compared_by_the_new_encoder_and_not_from_memory_of_the_old_one(
    ingested: Path, open_library: Open, other: str
) -> None:
    library = open_library(other)
    before = library.search(PUMP).hits[0]
    library.reencode()
    after = library.search(PUMP).hits[0]
    afresh = open_library(other).search(PUMP).hits[0]
    assert after.passage == afresh.passage == before.passage
    assert after.scores == afresh.scores
    assert after.sentence_scores == afresh.sentence_scores
    assert after.scores["late_interaction"] != before.scores["late_interaction"]


def test_a_reader_that_was_open_before_goes_over_to_the_new_encoder(
    ingested: Path, open_library: Open, other: str
) -> None:
    writer = open_library()
    reader = open_library(other)
    assert "not encoded with" in told(reader.ask(PUMP))
    open_library(other).reencode()
    answer = reader.ask(PUMP)
    assert "6.5 bar" in answer.text
    assert answer.reasons == ()
    # One that still wants the old encoder is answered by the one that is there.
    assert f"answered with cls-encoder: the library is not encoded with {DEFAULT}" in told(
        writer.ask(PUMP)
    )


def test_an_ingest_encodes_the_library_for_the_encoder_that_is_wanted(
    ingested: Path, open_library: Open, other: str
) -> None:
    (ingested / "new.txt").write_text("The crane lifts twelve tonnes.\n")
    library = open_library(other)
    report = library.ingest([ingested])
    assert (report.added, report.unchanged) == (1, 152)
    assert models(library) == {"cls-encoder"}
    answer = library.ask("How much does the crane lift?")
    assert "twelve tonnes" in answer.text
    assert answer.reasons == ()


def test_questions_and_an_ingest_go_on_while_the_library_is_encoded(
    ingested: Path, open_library: Open, other: str
) -> None:
    library, beside = open_library(other), open_library()
    seen: list[str] = []

    def between(step: ReencodeProgress) -> None:
        seen.append(told(library.ask(PUMP)))
        if len(seen) == 2:
            (ingested / "late.txt").write_text("The gate closes at dusk.\n")
            assert beside.ingest([ingested]).added == 1

    assert library.reencode(progress=between).passages == 153
    assert "% done" in seen[1]
    assert all(f"answered with {DEFAULT}" in notice for notice in seen)
    assert "dusk" in library.ask("When does the gate close?").text
    assert models(library) == {"cls-encoder"}


def test_what_was_encoded_before_a_stop_is_not_encoded_again(
    ingested: Path, open_library: Open, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = open_library(other)
    stop = threading.Event()

    def after_two(step: ReencodeProgress) -> None:
        if step.done >= 128:
            stop.set()

    report = library.reencode(progress=after_two, stop=stop)
    assert (report.is_complete, report.passages) == (False, 128)
    assert "6.5 bar" in library.ask(PUMP).text
    again = open_library(other)
    assert "84% done" in told(again.ask(PUMP))
    encoded: list[str] = []
    wanted = again._upkeep.encoders.wanted()
    encode = wanted.encode
    monkeypatch.setattr(
        wanted,
        "encode",
        lambda texts: encoded.extend(texts) or encode(texts),  # type: ignore[func-returns-value]
    )
    assert again.reencode().is_complete
    assert len(encoded) == 152 - 128


def test_going_back_before_the_end_leaves_nothing_behind(
    ingested: Path, open_library: Open, other: str
) -> None:
    stop = threading.Event()
    open_library(other).reencode(progress=lambda step: stop.set(), stop=stop)
    library = open_library()
    assert models(library) == {f"{DEFAULT}/2", "cls-encoder"}
    assert not library.is_behind()
    assert library.reencode().passages == 0
    assert models(library) == {f"{DEFAULT}/2"}
    assert library.ask(PUMP).reasons == ()


def test_one_re_encoding_at_a_time(ingested: Path, open_library: Open, other: str) -> None:

    def meanwhile(step: ReencodeProgress) -> None:
        with pytest.raises(LibraryBusy, match="re-encoding this library"):
            open_library(other).reencode()

    open_library(other).reencode(progress=meanwhile)


def test_a_moved_model_is_the_same_encoder(
    open_library: Open, folder: Path, other: str, tmp_path: Path
) -> None:
    open_library(other).ingest([folder / "pump.txt"])
    moved = shutil.copytree(other, tmp_path / "elsewhere" / "cls-encoder")
    library = open_library(str(moved))
    assert "6.5 bar" in library.ask(PUMP).text
    assert library.reencode().passages == 0
    assert library.ask(PUMP).reasons == ()


def test_changed_files_of_a_model_are_another_encoder(
    open_library: Open, folder: Path, other: str, tmp_path: Path
) -> None:
    mine = shutil.copytree(other, tmp_path / "mine")
    open_library(str(mine)).ingest([folder / "pump.txt"])
    tokenizer = mine / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace('"##ing"', '"##ung"', 1))
    library = open_library(str(mine))
    answer = library.ask(PUMP)
    assert "lexical search only" in told(answer)
    assert "run 'pincite reindex' to re-encode it" in told(answer)
    assert library.is_behind()
    assert library.reencode().passages == 1
    assert library.ask(PUMP).reasons == ()


def test_an_old_encoder_that_is_gone_leaves_the_words_until_the_end(
    open_library: Open, folder: Path, other: str, tmp_path: Path
) -> None:
    gone = shutil.copytree(other, tmp_path / "gone")
    open_library(str(gone)).ingest([folder / "pump.txt"])
    shutil.rmtree(gone)
    library = open_library()
    found = library.search(PUMP)
    assert len(found.hits) == 1
    assert f"lexical search only: {gone} does not exist" in found.notices[0]
    library.ingest([folder / "pump.txt"])
    assert library.ask(PUMP).reasons == ()


def test_a_wanted_encoder_that_cannot_be_had_changes_nothing(
    open_library: Open, folder: Path, tmp_path: Path
) -> None:
    open_library().ingest([folder / "pump.txt"])
    library = open_library(str(tmp_path / "nowhere"))
    assert library.ingest([folder / "pump.txt"]).unchanged == 1
    assert "6.5 bar" in library.ask(PUMP).text
    with pytest.raises(ModelError, match="nowhere does not exist"):
        library.reencode()
    with pytest.raises(UsageError, match="name an encoder"):
        open_library("none").reencode()


def test_a_library_of_an_earlier_version_keeps_its_vectors(
    open_library: Open, folder: Path, other: str
) -> None:
    library = open_library()
    library.ingest([folder / "pump.txt"])
    with library.catalog._transaction() as connection:
        connection.exec_driver_sql("DELETE FROM meta WHERE name = 'encoder'")
    assert open_library().ask(PUMP).reasons == ()
    assert f"answered with {DEFAULT}" in told(open_library(other).ask(PUMP))
    assert open_library(other).reencode().passages == 1


def test_a_thread_beside_a_long_lived_program_encodes_the_library(
    ingested: Path, open_library: Open, other: str
) -> None:
    library = open_library(other)
    with library.reencoding_in_background():
        finished = time.monotonic() + 60
        while library.is_behind() and time.monotonic() < finished:
            assert "6.5 bar" in library.ask(PUMP).text
    assert not library.is_behind()
    assert library.ask(PUMP).reasons == ()


# --- Killed -----------------------------------------------------------------------------------


@pytest.mark.skipif(not IS_FULL, reason="kills two commands: make test-exhaustive")
def test_killed_at_any_moment_nothing_is_lost(
    ingested: Path, open_library: Open, other: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pincite", "reindex", "--library", str(tmp_path / "library")]
    settings = {"PINCITE_EMBEDDING__MODEL": other}
    for seconds in (2.0, 3.0):
        with subprocess.Popen(command, env=_environment(settings)) as process:
            time.sleep(seconds)
            process.kill()
        answer = open_library(other).ask(PUMP)
        assert "6.5 bar" in answer.text
        assert "lexical" not in told(answer)
    subprocess.run(command, env=_environment(settings), check=True)
    library = open_library(other)
    assert library.ask(PUMP).reasons == ()
    assert models(library) == {"cls-encoder"}


def test_killed_between_the_switch_and_the_index_it_is_made_anew(
    open_library: Open, folder: Path, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_library().ingest([folder / "pump.txt"])
    library = open_library(other)
    monkeypatch.setattr(library._upkeep, "bring_indexes_up", _die)
    with pytest.raises(KeyboardInterrupt):
        library.reencode()
    assert models(library) == {f"{DEFAULT}/2", "cls-encoder"}
    again = open_library(other)
    assert "6.5 bar" in again.ask(PUMP).text
    assert again.ask(PUMP).reasons == ()
    assert models(again) == {"cls-encoder"}


def _die() -> None:
    raise KeyboardInterrupt


def _environment(settings: dict[str, str]) -> dict[str, str]:
    return {**os.environ, **settings}


# --- Vectors only -------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


def test_a_server_s_vectors_answer_and_the_reranker_says_what_it_did(
    open_library: Open, folder: Path, server: EmbeddingServer
) -> None:
    library = open_library("ollama:some-model", url=server.url)
    library.ingest([folder / "pump.txt", folder / "ferry.txt"])
    answer = library.ask(PUMP)
    assert "6.5 bar" in answer.text
    assert "reranked by sentence vectors: ollama:some-model" in told(answer)
    found = library.search(PUMP)
    assert found.hits[0].scores.keys() >= {"dense", "lexical", "sentence_cosine"}


def test_a_server_that_is_not_there_leaves_the_words(open_library: Open, folder: Path) -> None:
    with serving() as gone:
        url = gone.url
        open_library("openai:some-model", url=url).ingest([folder / "pump.txt"])
    library = open_library("openai:some-model", url=url, retries=0)
    found = library.search(PUMP)
    assert len(found.hits) == 1
    assert "lexical search only: some-model at http://127" in found.notices[0]


def wait(library: Library) -> None:
    """As if the time were over for which a server is left alone."""
    library._upkeep.encoders._try_again = 0.0
    library._upkeep._next_notice_check = 0.0


def test_a_server_that_fails_leaves_the_words_until_it_is_well_again(
    open_library: Open, folder: Path, server: EmbeddingServer
) -> None:
    library = open_library("ollama:some-model", url=server.url, retries=0)
    library.ingest([folder / "pump.txt", folder / "ferry.txt"])
    server.faults.append({"status": 503})
    answer = library.ask(PUMP)
    assert "6.5 bar" in answer.text
    assert "lexical search only: some-model at http://127" in told(answer)
    assert len(server.faults) == 0
    assert "lexical search only" in told(library.ask(PUMP)), "it is left alone for a while"

    wait(library)
    found = library.search(PUMP)
    assert not any("lexical search only" in notice for notice in found.notices)
    assert "dense" in found.hits[0].scores


def test_a_server_that_was_not_there_at_first_is_asked_later(
    open_library: Open, folder: Path, server: EmbeddingServer
) -> None:
    library = open_library("ollama:some-model", url=server.url, retries=0)
    server.faults = [{"status": 503}] * 50
    library.ingest([folder / "pump.txt"])
    assert "lexical search only" in library.search(PUMP).notices[0]
    server.faults.clear()
    wait(library)
    library.ingest([folder / "ferry.txt"])
    assert library.encoder_problem == ""
    found = library.search("Do dogs travel free?")
    assert not any("lexical search only" in notice for notice in found.notices)
    assert "dense" in found.hits[0].scores


@pytest.mark.skipif(not IS_FULL, reason="takes long: make test-exhaustive")
def test_a_library_goes_from_one_dimension_to_another(
    ingested: Path, open_library: Open, server: EmbeddingServer
) -> None:
    library = open_library("openai:some-model", url=server.url)
    assert library.reencode().passages == 152
    assert "6.5 bar" in library.ask(PUMP).text
    assert library.encoder().dimensions == 24  # type: ignore[union-attr]
