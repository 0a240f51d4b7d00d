from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import lexical_cli, refused, run_cli, started, wait_until
from tiers import IS_FULL

from pincite import Library
from pincite.library.homes import writing
from pincite.records.addresses import DatabaseAddress

WORDS = {"embedding": {"model": "none"}}
SECRET = "hunter2-of-the-database"
FILES = 60

with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
takes_minutes = pytest.mark.skipif(not IS_FULL, reason="takes minutes: make test-exhaustive")


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:02}.txt").write_text(f"Pump {number} holds {number * 3} litres.\n" * 9)
    (folder / "copy.txt").write_bytes((folder / "03.txt").read_bytes())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    return folder


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cluster whose first node runs no work; nodes take their environment from this process."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    made = Cluster()
    try:
        made.add_node(num_cpus=0, include_dashboard=False)
    except Exception as error:  # noqa: BLE001  (Ray raises Exception itself)
        made.shutdown()
        pytest.skip(f"no Ray cluster could be started here: {error}")
    yield made
    made.shutdown()


def report_of(output: str, stderr: str) -> Any:
    if "cannot use the Ray cluster 'local'" in stderr:
        pytest.skip(f"Ray could not be started here: {stderr}")
    return json.loads(output)


def check_stored_once(database: DatabaseAddress, documents: Path, tmp_path: Path) -> None:
    """The library is what an ingest without workers makes of the same files."""
    with (
        Library.open(database, overrides=WORDS) as library,
        Library.open(tmp_path / "plain", overrides=WORDS) as plain,
    ):
        plain.ingest([documents])
        assert library.catalog.meta("corpus_version") == plain.catalog.meta("corpus_version")
        assert library.catalog.counts() == plain.catalog.counts()
        assert library.catalog.paths("default") == plain.catalog.paths("default")
        assert [one.path for one in library.catalog.failures()] == [str(documents / "broken.pdf")]


# --- What is refused ------------------------------------------------------------------------------


def test_a_library_in_a_folder_is_told_that_it_needs_a_database(tmp_path: Path) -> None:
    ingest = lexical_cli("ingest", "--ray", "local", tmp_path, "--library", tmp_path / "library")
    refused(ingest, 2, "only a library in a database has a queue", "pincite migrate")


def test_files_are_either_queued_or_read(tmp_path: Path) -> None:
    refused(lexical_cli("ingest", "--ray", "local", "--queue", tmp_path), 2, "give one")


def test_a_password_in_the_address_would_be_shown_by_ray(
    database: DatabaseAddress, documents: Path
) -> None:
    address = database.url.replace("postgres:@", f"postgres:{SECRET}@")
    ingest = lexical_cli("ingest", "--ray", "local", documents, PINCITE_LIBRARY=address)
    assert SECRET not in refused(ingest, 2, "PGPASSWORD", "on every node")


def test_without_ray_the_extra_is_named_and_nothing_is_queued(
    database: DatabaseAddress, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    ingest = lexical_cli("ingest", "--ray", "local", documents, PINCITE_LIBRARY=database.url)
    refused(ingest, 2, "pip install 'pincite[ray]'")
    with Library.open(database, overrides=WORDS) as library:
        assert library.queue_status().waiting == 0


@with_ray
@takes_minutes
def test_a_cluster_that_is_not_there_is_given_up(
    database: DatabaseAddress, documents: Path
) -> None:
    ingest = run_cli("ingest", "--ray", "127.0.0.1:1", documents, PINCITE_LIBRARY=database.url)
    refused(ingest, 1, "cannot use the Ray cluster '127.0.0.1:1'", "HOST:PORT of its head node")
    with Library.open(database, overrides=WORDS) as library:
        assert library.queue_status().waiting == 0


# --- What is done ---------------------------------------------------------------------------------


@with_ray
@pytest.mark.slow
def test_files_are_stored_once_and_no_password_is_noted_by_ray(
    database: DatabaseAddress, documents: Path, tmp_path: Path
) -> None:
    # Short: a socket's path has 107 characters at most.
    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        ingest = run_cli(
            *("ingest", "--json", "--strict", "--ray", "local", documents, tmp_path / "none"),
            PINCITE_LIBRARY=database.url,
            PINCITE_EMBEDDING__MODEL="none",
            PGPASSWORD=SECRET,
            RAY_TMPDIR=folder,
        )
        noted = [file.read_bytes() for file in Path(folder).rglob("*") if file.is_file()]
    report = report_of(ingest.stdout, ingest.stderr)
    assert len(noted) > 10
    assert not [content for content in noted if SECRET.encode() in content]
    assert ingest.returncode == 1
    assert (report["done"], report["nodes"], report["notices"]) == (FILES + 1, 1, [])
    assert {Path(one["path"]).name for one in report["failed"]} == {"none", "broken.pdf"}
    check_stored_once(database, documents, tmp_path)


@with_ray
@takes_minutes
@pytest.mark.slow
def test_nodes_that_are_killed_lose_nothing_and_another_node_goes_on(
    cluster: Any,
    database: DatabaseAddress,
    documents: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PINCITE_EMBEDDING__MODEL", "none")
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    options = {"PINCITE_LIBRARY": database.url, "PINCITE_EMBEDDING__MODEL": "none"}
    with (
        Library.open(database, overrides=WORDS) as library,
        started("ingest", "--json", "--ray", cluster.address, documents, **options) as process,
    ):
        # Workers hold files, and cannot store them yet.
        with writing(library.catalog):
            assert wait_until(lambda: len(library.queue_status().workers) == 2, seconds=300)
            for node in nodes:
                cluster.remove_node(node, allow_graceful=False)
            cluster.add_node(num_cpus=2)
        output, stderr = process.communicate(timeout=600)
        assert process.returncode == 0, stderr
    report = report_of(output, stderr)
    assert (report["done"], report["workers"], report["nodes"]) == (FILES + 1, 2, 2)
    assert [Path(one["path"]).name for one in report["failed"]] == ["broken.pdf"]
    check_stored_once(database, documents, tmp_path)


@with_ray
@takes_minutes
@pytest.mark.slow
def test_workers_that_cannot_work_are_an_error(
    cluster: Any, database: DatabaseAddress, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_EMBEDDING__RUNTIME", "nonsense")
    cluster.add_node(num_cpus=2)
    with started(
        "ingest", "--ray", cluster.address, documents, PINCITE_LIBRARY=database.url
    ) as process:
        output, stderr = process.communicate(timeout=600)
    assert (process.returncode, output) == (1, "")
    assert "every worker ended before the queue was empty: " in stderr
    assert "embedding.runtime" in stderr.lower().replace("__", ".")


@with_ray
@takes_minutes
@pytest.mark.slow
def test_control_c_returns_the_files_of_the_workers(
    database: DatabaseAddress, documents: Path
) -> None:
    options = {"PINCITE_LIBRARY": database.url, "PINCITE_EMBEDDING__MODEL": "none"}
    with (
        Library.open(database, overrides=WORDS) as library,
        started("ingest", "--ray", "local", documents, **options) as process,
        writing(library.catalog),
    ):
        if not wait_until(lambda: library.queue_status().running > 0, seconds=300):
            report_of("", process.communicate()[1])
        os.kill(process.pid, signal.SIGINT)
        output, stderr = process.communicate(timeout=300)
        assert (process.returncode, output) == (130, "")
        assert "Finished files are kept" in stderr
        assert (library.queue_status().running, library.queue_status().waiting) == (0, FILES + 2)
