from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from end_to_end.running import lexical_cli, started, wait_until

from pincite import Library, UsageError
from pincite.library.homes import writing
from pincite.library.queued_ingest import WorkStep, postgres_store
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog.job_queue import JobQueue, QueuedFile
from pincite.store.catalog.postgres import PostgresStore
from tests.postgres_server import running_server

WORDS = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}
FILES = 40


@pytest.fixture
def store(database: DatabaseAddress) -> Iterator[PostgresStore]:
    opened = PostgresStore(database)
    yield opened
    opened.close()


@pytest.fixture
def queue(store: PostgresStore) -> JobQueue:
    return JobQueue(store)


@pytest.fixture
def library(database: DatabaseAddress) -> Iterator[Library]:
    with Library.open(database, overrides=WORDS) as opened:
        yield opened


def expire(store: PostgresStore) -> None:
    """As if the lease of every worker had ended."""
    with store.quick() as connection:
        connection.exec_driver_sql("UPDATE jobs SET lease_until = 0")


def make_files(folder: Path, count: int = FILES) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:02}.txt").write_text(f"Pump {number} holds {number * 3} litres.\n" * 9)
    return folder


# --- The queue --------------------------------------------------------------------------------------


def test_each_file_is_claimed_by_one_worker(queue: JobQueue) -> None:
    assert queue.add("c", [f"/{number}" for number in range(100)]) == 100
    with ThreadPoolExecutor(8) as threads:

        def all_of(worker: str) -> list[QueuedFile]:
            mine: list[QueuedFile] = []
            while found := queue.claim(worker, most=3):
                mine += found
            return mine

        claimed = [file.path for mine in threads.map(all_of, "abcdefgh") for file in mine]
    assert sorted(claimed) == sorted(f"/{number}" for number in range(100))


def test_a_file_waits_once_however_often_it_is_queued(queue: JobQueue) -> None:
    assert queue.add("c", ["/a", "/b"], ["x"]) == 2
    assert queue.add("c", ["/a"]) == 0
    assert queue.add("d", ["/a"]) == 1
    (first,) = queue.claim("w", most=1)
    assert (first.path, first.collection, first.tags) == ("/a", "c", ("x",))
    assert queue.add("c", ["/a"]) == 0
    queue.finish("w", first)
    assert queue.add("c", ["/a"]) == 1


def test_what_a_dead_worker_held_is_claimed_by_another_and_its_word_does_not_count(
    queue: JobQueue, store: PostgresStore
) -> None:
    queue.add("c", ["/a"])
    (held,) = queue.claim("dead", most=9)
    assert queue.claim("other", most=9) == []
    expire(store)
    queue.renew("dead")
    assert queue.claim("other", most=9) == []
    expire(store)
    assert queue.claim("other", most=9) == [held]
    queue.finish("dead", held)
    assert queue.status().workers == {"other": 1}
    queue.finish("other", held)
    assert (queue.status().done, queue.status().running) == (1, 0)


def test_a_file_that_ends_its_workers_is_parked_with_its_reason(
    queue: JobQueue, store: PostgresStore
) -> None:
    queue.add("c", ["/deadly"])
    for _ in range(3):
        assert queue.claim("w", most=1)
        expire(store)
    assert queue.claim("w", most=1) == []
    (problem,) = queue.status().problems
    assert problem.path == "/deadly"
    assert "each of 3 workers" in problem.reason
    assert queue.add("c", ["/deadly"]) == 1


def test_what_is_given_back_counts_as_no_try(queue: JobQueue) -> None:
    queue.add("c", ["/a"])
    for _ in range(9):
        assert queue.claim("w", most=1)
        queue.give_back("w")
    assert queue.status().waiting == 1


# --- Workers ----------------------------------------------------------------------------------------


def test_workers_bring_in_what_an_ingest_would(
    library: Library, database: DatabaseAddress, tmp_path: Path
) -> None:
    folder = make_files(tmp_path / "documents", 12)
    (folder / "copy.txt").write_bytes((folder / "03.txt").read_bytes())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    queued, problems = library.enqueue([folder, tmp_path / "none"], tags=["manual"])
    assert (queued, [problem.path for problem in problems]) == (14, [str(tmp_path / "none")])
    with Library.open(database, overrides=WORDS) as other, ThreadPoolExecutor(2) as threads:
        done = [threads.submit(one.work, once=True) for one in (library, other)]
        for one in done:
            one.result()
    status = library.queue_status()
    assert (status.done, status.parked, status.waiting, status.running) == (13, 1, 0, 0)
    assert [Path(problem.path).name for problem in status.problems] == ["broken.pdf"]
    with Library.open(tmp_path / "library", overrides=WORDS) as plain:
        plain.ingest([folder], tags=["manual"])
        assert plain.catalog.meta("corpus_version") == library.catalog.meta("corpus_version")
        assert plain.catalog.counts() == library.catalog.counts()
        assert {f.path for f in plain.catalog.failures()} == {
            f.path for f in library.catalog.failures()
        }
        assert plain.catalog.paths("default") == library.catalog.paths("default")
    assert "33 litres" in library.ask("How many litres does pump 11 hold?").text


def test_a_file_that_is_known_is_not_read_again(library: Library, tmp_path: Path) -> None:
    folder = make_files(tmp_path / "documents", 3)
    library.enqueue([folder])
    library.work(once=True)
    keys, generation = library.catalog.passage_keys(), library.catalog.generation()
    assert library.enqueue([folder])[0] == 3
    steps: list[WorkStep] = []
    library.work(once=True, progress=steps.append)
    assert len(steps) == 3
    assert (library.catalog.passage_keys(), library.catalog.generation()) == (keys, generation)


def test_workers_wait_for_an_ingest_of_folders(library: Library, tmp_path: Path) -> None:
    library.enqueue([make_files(tmp_path / "documents", 2)])
    stop = threading.Event()
    with ThreadPoolExecutor(1) as threads, writing(library.catalog):
        working = threads.submit(library.work, stop=stop)
        assert wait_until(lambda: library.queue_status().running == 2)
        stop.set()
        working.result()
    status = library.queue_status()
    assert (status.waiting, status.done) == (2, 0)


def test_workers_that_are_killed_lose_nothing(
    library: Library, database: DatabaseAddress, store: PostgresStore, tmp_path: Path
) -> None:
    library.enqueue([make_files(tmp_path / "documents")])

    def is_further(done: int) -> bool:
        return library.queue_status().done > done

    for _ in range(2):
        done = library.queue_status().done
        options = {"PINCITE_LIBRARY": database.url, "PINCITE_EMBEDDING__MODEL": "none"}
        with started("worker", **options) as process:
            assert wait_until(partial(is_further, done), seconds=300)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        expire(store)
    acknowledged = library.queue_status().done
    assert len(library.catalog.paths("default")) >= acknowledged
    finished = lexical_cli("worker", "--once", PINCITE_LIBRARY=database.url)
    assert finished.returncode == 0, finished.stderr
    assert library.queue_status().done == FILES == library.catalog.counts()["documents"]
    assert lexical_cli("worker", "--status", PINCITE_LIBRARY=database.url).stdout.splitlines() == [
        "waiting  0",
        "running  0",
        f"done     {FILES}",
        "parked   0",
    ]


def test_a_library_in_a_folder_has_no_queue(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", overrides=WORDS) as plain:
        for ask in (lambda: plain.enqueue([tmp_path]), plain.work, plain.queue_status):
            with pytest.raises(UsageError, match="pincite migrate"):
                ask()


def test_files_are_queued_and_told_on_the_command_line(
    database: DatabaseAddress, tmp_path: Path
) -> None:
    folder = make_files(tmp_path / "documents", 3)
    queued = lexical_cli("ingest", "--queue", folder, PINCITE_LIBRARY=database.url)
    assert queued.stdout == "3 files queued; 3 wait for 'pincite worker'\n"
    worked = lexical_cli("worker", "--once", PINCITE_LIBRARY=database.url)
    assert worked.stdout.count("done  ") == 3


def test_what_a_worker_held_when_the_database_restarted_is_claimed_again(tmp_path: Path) -> None:
    held: list[set[str]] = []
    with (
        running_server() as server,
        server.database() as address,
        Library.open(address, overrides=WORDS) as library,
    ):
        library.enqueue([make_files(tmp_path / "documents", 12)])

        def restart(_: WorkStep) -> None:
            if not held:
                server.stop()
                server.start()
            held.append(set(library.queue_status().workers))

        library.work(once=True, progress=restart)
        assert library.queue_status().running == 7
        # It would renew the lease of what it lost as long as it had the same name.
        assert len(held[-2]) == 2
        expire(postgres_store(library.catalog))
        library.work(once=True)
        assert library.queue_status().done == 12 == library.catalog.counts()["documents"]
