"""A library in PostgreSQL answers as one in a folder does, and several hosts share it."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from end_to_end.running import (
    Result,
    SampleLibrary,
    lexical_cli,
    started,
    wait_until,
    without_timings,
)
from pincite import Library, LibraryUnreachable, verify_receipt
from pincite.assemble.retrieving import dense_search
from pincite.library.homes import WRITE_LOCK
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog.catalog import Catalog
from pincite.verify.receipts.receipt import answer_form
from tests.postgres_server import running_server

WORDS = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}
SMALL = {**WORDS, "chunking": {"max_chars": 100, "overlap_chars": 0}}
FILES = 60
LINES = 40


def make_files(folder: Path, count: int = FILES) -> Path:
    """Enough that an ingest takes several groups."""
    folder.mkdir()
    for number in range(count):
        lines = (f"Filter {line} of line {number} was changed by hand." for line in range(LINES))
        first = f"Pump {number} holds {number * 3 + 1} litres of oil."
        (folder / f"{number:02}.txt").write_text("\n\n".join((first, *lines)))
    return folder


def ask(database: DatabaseAddress, question: str, **env: str) -> Result:
    return lexical_cli("ask", question, "--json", PINCITE_LIBRARY=database.url, **env)


def text_of(answered: Result) -> str:
    return str(json.loads(answered.stdout)["text"])


def test_the_same_questions_get_the_same_answers_and_receipts_verify(
    sample: SampleLibrary, database: DatabaseAddress, tmp_path: Path
) -> None:
    with Library.open(sample.path) as folder, Library.open(database) as shared:
        shared.ingest([sample.documents])
        assert shared.catalog.meta("corpus_version") == folder.catalog.meta("corpus_version")
        for number, asked in enumerate(sample.questions()[:6]):
            forms: list[dict[str, Any]] = []
            for library in (folder, shared):
                answer = library.ask(asked["question"])
                receipt = tmp_path / f"{number}-{len(forms)}.json"
                library.save_receipt(answer, receipt)
                assert verify_receipt(receipt).holds
                forms.append(without_timings(json.loads(json.dumps(answer_form(answer)))))
            assert forms[0] == forms[1]


def test_with_the_vectors_in_the_database_the_same_is_quoted(
    sample: SampleLibrary, database: DatabaseAddress
) -> None:
    shared = {"dense": {"engine": "pgvector"}}
    with (
        Library.open(sample.path) as folder,
        Library.open(database, overrides=shared) as library,
    ):
        library.ingest([sample.documents])
        for asked in sample.questions()[:4]:
            quoted = [
                [(cited.document, cited.quote) for cited in one.ask(asked["question"]).citations]
                for one in (folder, library)
            ]
            assert quoted[0] == quoted[1]
        indexes, _ = library.index_state()
        assert indexes is not None
        assert str(indexes.dense.engine).startswith("pgvector")
        assert not list(library.path.rglob("*.faiss"))
        assert recall_of(library, [asked["question"] for asked in sample.questions()]) > 0.95


def recall_of(library: Library, questions: list[str]) -> float:
    """Of the ten nearest passages by comparing all, the share that the index finds."""
    indexes, _ = library.index_state()
    encoder = library.encoder()
    assert indexes is not None
    assert encoder is not None
    keys, rows = library.catalog.vectors(
        library.catalog.passage_keys(), model=encoder.name, dimensions=encoder.dimensions
    )
    index, found = dense_search(library.catalog, indexes), 0
    for question in questions:
        vector = encoder.encode_question(question).vector
        best = {keys[place] for place in (-(rows @ vector)).argsort()[:10]}
        found += len(best & {item.key for item in index.search(vector, limit=10)})
    return found / (10 * len(questions))


def test_what_one_process_ingests_another_answers_with(
    database: DatabaseAddress, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("The first pump holds 12 litres of oil.\n")
    other_host = str(tmp_path / "cache-of-another-host")
    with Library.open(database, overrides=WORDS) as here:
        here.ingest([folder])
        assert "12 litres" in here.ask("How many litres of oil does the first pump hold?").text
        (folder / "b.txt").write_text("The second pump holds 14 litres of oil.\n")
        done = lexical_cli(
            "ingest", folder, PINCITE_LIBRARY=database.url, XDG_CACHE_HOME=other_host
        )
        assert done.returncode == 0, done.stderr
        began = time.monotonic()
        assert "14 litres" in here.ask("How many litres of oil does the second pump hold?").text
        assert time.monotonic() - began < 10
        (folder / "a.txt").write_text("The first pump holds 99 litres of oil.\n")
        here.ingest([folder])
    said = ask(
        database,
        "How many litres of oil does the first pump hold?",
        XDG_CACHE_HOME=other_host,
        PINCITE_VERIFICATION__ABSTAIN_BELOW="0.0",
    )
    assert "99 litres" in text_of(said)
    assert "12 litres" not in text_of(said)


def test_an_answer_names_the_state_that_was_searched_though_another_host_stores_meanwhile(
    database: DatabaseAddress, tmp_path: Path
) -> None:
    (first := tmp_path / "a.txt").write_text("The first pump holds 12 litres of oil.\n")
    (second := tmp_path / "b.txt").write_text("The second pump holds 14 litres of oil.\n")
    opened = (Library.open(database, overrides=WORDS) for _ in range(2))
    with next(opened) as here, next(opened) as there:
        there.ingest([first])
        searched = there.catalog.meta("corpus_version")
        indexing = here.home.indexing

        @contextmanager
        def interrupted(catalog: Catalog) -> Iterator[None]:
            with indexing(catalog):
                yield
            there.ingest([second])

        here.home.indexing = interrupted  # type: ignore[method-assign]
        assert here.ask("How many litres of oil?").corpus_version == searched
        here.home.indexing = indexing  # type: ignore[method-assign]
        assert here.ask("How many litres of oil?").corpus_version != searched


def test_calibration_and_settings_reach_every_host(
    database: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(database, profile="sop") as here:
        (here.path / "calibration.json").write_text('{"anything": 1}')
        here.home.share(here.catalog, "calibration.json")
        approved = here.settings
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another-host"))
    with Library.open(database) as there:
        assert there.path != here.path
        assert there.settings.chunking == approved.chunking
        assert there.settings.packing == approved.packing
        # What names a model or a server, the user of each machine approves.
        assert there.settings.generation.model == "none" != approved.generation.model
        assert any("is not approved on this machine" in told for told in there.notices)
        assert (there.path / "calibration.json").read_text() == '{"anything": 1}'


def has_come_further(held: Callable[[], int], before: int) -> bool:
    return held() > before


def test_an_ingest_that_is_killed_loses_nothing_and_leaves_the_lock_free(
    database: DatabaseAddress, tmp_path: Path
) -> None:
    folder = make_files(tmp_path / "documents")
    (settings := tmp_path / "settings.toml").write_text(
        "[chunking]\nmax_chars = 100\noverlap_chars = 0\n[embedding]\nmodel = 'none'\n"
    )
    with Library.open(database) as watching:
        watching.keep_settings(settings.read_bytes())
        catalog = watching.catalog

        def held() -> int:
            return len(catalog.paths("default"))

        for kill in range(2):
            before = held()
            with started("ingest", folder, PINCITE_LIBRARY=database.url) as process:
                assert wait_until(partial(has_come_further, held, before), seconds=300)
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            acknowledged = held()
            assert acknowledged > before or acknowledged == FILES, f"kill {kill}"
            assert wait_until(lambda: not catalog.store.is_held(WRITE_LOCK), seconds=10)
    with Library.open(database) as again:
        report = again.ingest([folder])
        assert (report.documents, report.failed) == (FILES, ())
        assert report.unchanged >= acknowledged
        (tmp_path / "fresh").mkdir()
        again_state = again.catalog.meta("corpus_version"), again.catalog.counts()
        overrides = again.settings.model_dump()
    with Library.open(tmp_path / "fresh", overrides=overrides) as fresh:
        fresh.ingest([folder])
        assert (fresh.catalog.meta("corpus_version"), fresh.catalog.counts()) == again_state


def test_a_database_that_restarts_is_told_and_then_answers_again(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_text("The first pump holds 12 litres of oil.\n")
    question = "How many litres of oil does the first pump hold?"
    with (
        running_server() as server,
        server.database() as address,
        Library.open(address, overrides=WORDS) as library,
    ):
        library.ingest([folder])
        assert "12 litres" in library.ask(question).text
        server.stop()
        with pytest.raises(LibraryUnreachable):
            library.ask(question)
        refused = ask(address, question)
        assert refused.returncode == 1
        assert "cannot connect to the database" in refused.stderr
        server.start()
        assert "12 litres" in library.ask(question).text


def test_an_ingest_whose_database_restarts_ends_with_an_error_and_goes_on(tmp_path: Path) -> None:
    folder = make_files(tmp_path / "documents")
    with (
        running_server() as server,
        server.database() as address,
        Library.open(address, overrides=SMALL) as library,
    ):
        stopped = threading.Event()

        def stop(_: object) -> None:
            if not stopped.is_set():
                stopped.set()
                server.stop()
                server.start()

        with pytest.raises(LibraryUnreachable, match="was lost, and with it the lock"):
            library.ingest([folder], progress=stop)
        kept = len(library.catalog.paths("default"))
        report = library.ingest([folder])
        assert (report.unchanged >= kept, report.documents) == (True, FILES)


def test_a_password_is_in_no_message() -> None:
    url = "postgresql://anna:s3cret@127.0.0.1:1/docs"
    for command in (["stats"], ["ask", "why?"], ["ingest", "/tmp"], ["config", "show"], ["ls"]):
        refused = lexical_cli(*command, "--library", url)
        assert refused.returncode == 1
        assert "s3cret" not in refused.stderr + refused.stdout
        assert "anna@127.0.0.1:1/docs" in refused.stderr


def test_settings_are_loaded_for_all_hosts_and_trusted_by_each(
    database: DatabaseAddress, tmp_path: Path
) -> None:
    Library.open(database).close()
    place = {"PINCITE_LIBRARY": database.url}
    file = tmp_path / "settings.toml"
    file.write_text("[retrieval]\nlimit = nothing\n")
    assert lexical_cli("config", "load", file, **place).returncode == 2
    url = "http://models.example:11434"
    file.write_text(f"[retrieval]\nlimit = 7\n[generation]\nurl = '{url}'\n")
    assert lexical_cli("config", "load", file, **place).returncode == 0
    place["XDG_CACHE_HOME"] = str(tmp_path / "another-host")
    shown = lexical_cli("config", "show", **place)
    assert "limit = 7" in shown.stdout
    assert url not in shown.stdout
    assert lexical_cli("config", "trust", database.url, **place).returncode == 0
    assert url in lexical_cli("config", "show", **place).stdout


def test_passages_are_encoded_later_and_found_by_other_processes(
    database: DatabaseAddress, tmp_path: Path
) -> None:
    folder = make_files(tmp_path / "documents", 3)
    with Library.open(database, overrides=WORDS) as library:
        library.ingest([folder])
    with Library.open(database) as library:
        assert library.is_behind()
        assert library.reencode().is_complete
        assert not library.is_behind()
        keys = library.catalog.passage_keys()
        assert library.search("How much oil does pump 2 hold?").hits
        indexes, why_not = library.index_state()
        assert indexes is not None, why_not
        assert len(indexes.dense) == len(keys)


def test_a_question_takes_few_statements(database: DatabaseAddress, tmp_path: Path) -> None:
    with Library.open(database, overrides=WORDS) as library:
        library.ingest([make_files(tmp_path / "documents", 6)])
        library.ask("How many litres of oil does pump 1 hold?")
        sent: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            sent.append(statement)

        event.listen(Engine, "before_cursor_execute", note)
        try:
            answer = library.ask("How many litres of oil does pump 4 hold?")
        finally:
            event.remove(Engine, "before_cursor_execute", note)
    assert "13 litres" in answer.text
    assert len(sent) <= 9, sent
