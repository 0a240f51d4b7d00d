from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import lexical_cli, refused

from pincite import Library, PinciteError
from pincite.library.connections.copies import copied

fsspec = pytest.importorskip("fsspec")

URL = "memory://bucket/manuals"
NOON = 1_700_000_000


@pytest.fixture
def store() -> Iterator[Any]:
    """A store in this process's memory."""
    opened = fsspec.filesystem("memory")
    opened.store.clear()
    opened.pipe("/bucket/manuals/pumps/a.txt", b"Pump A holds 7 litres.\n")
    opened.pipe("/bucket/manuals/b.md", b"# Valves\n\nValve B opens at 3 bar.\n")
    opened.pipe("/bucket/manuals/film.mp4", b"not read")
    opened.pipe("/bucket/others/c.txt", b"Another folder.\n")
    yield opened
    opened.store.clear()


def contents(folder: Path) -> dict[str, bytes]:
    """All files that an ingest of the folder could find."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        str(path): (folder / path).read_bytes()
        for path in found
        if not any(part.startswith(".") for part in path.parts)
    }


def test_readable_objects_below_a_name_are_copied_with_their_dates(
    store: Any, tmp_path: Path
) -> None:
    made = copied(URL, tmp_path)
    assert (made.folder, made.problems) == (tmp_path / "memory/bucket/manuals", ())
    assert contents(tmp_path) == {
        "memory/bucket/manuals/pumps/a.txt": b"Pump A holds 7 litres.\n",
        "memory/bucket/manuals/b.md": b"# Valves\n\nValve B opens at 3 bar.\n",
    }
    modified = store.modified("/bucket/manuals/b.md").timestamp()
    assert (made.folder / "b.md").stat().st_mtime == pytest.approx(modified, abs=1)


def test_only_what_has_changed_is_fetched_and_what_vanished_is_removed(
    store: Any, tmp_path: Path
) -> None:
    folder = copied(URL, tmp_path).folder
    for name in ("pumps/a.txt", "b.md"):
        (folder / name).write_text("not fetched again")
    (folder / "notes.txt").write_text("a file of the user's own")
    store.pipe("/bucket/manuals/b.md", b"# Valves\n\nValve B opens at 4 bar.\n")
    copied(URL, tmp_path)
    assert (folder / "pumps/a.txt").read_text() == "not fetched again"
    assert "4 bar" in (folder / "b.md").read_text()
    store.rm("/bucket/manuals/pumps/a.txt")
    copied(URL, tmp_path)
    assert sorted(contents(folder)) == ["b.md", "notes.txt"]
    (folder / "b.md").unlink()
    copied(URL, tmp_path)
    assert "4 bar" in (folder / "b.md").read_text()


def test_one_object_is_copied_alone(store: Any, tmp_path: Path) -> None:
    made = copied(f"{URL}/b.md", tmp_path)
    assert list(contents(made.folder)) == ["b.md"]


@pytest.mark.parametrize("name", ["../../../outside.txt", "a\\..\\b.txt", "pumps/a.txt/below.txt"])
def test_a_name_that_cannot_be_that_of_a_file_is_a_problem_of_its_own(
    store: Any, tmp_path: Path, name: str
) -> None:
    full = f"/bucket/manuals/{name}"
    store.store[full] = type(store.store["/bucket/manuals/b.md"])(store, full, b"x")
    made = copied(URL, tmp_path / "copies")
    assert len(made.problems) == 1
    assert "cannot be" in made.problems[0].reason
    assert set(contents(tmp_path)) <= {
        "copies/memory/bucket/manuals/b.md",
        "copies/memory/bucket/manuals/pumps/a.txt",
        "copies/memory/bucket/manuals/pumps/a.txt/below.txt",
    }


def test_an_empty_listing_removes_nothing(store: Any, tmp_path: Path) -> None:
    folder = copied(URL, tmp_path).folder
    store.store.clear()
    with pytest.raises(PinciteError, match="no files that Pincite reads"):
        copied(URL, tmp_path)
    assert len(contents(folder)) == 2


def test_an_ingest_follows_the_store_and_quotes_the_copies(store: Any, tmp_path: Path) -> None:
    place = ("--library", tmp_path / "library", "--copies", tmp_path / "copies")
    first = lexical_cli("ingest", URL, *place)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("2 added")
    store.rm("/bucket/manuals/pumps/a.txt")
    again = lexical_cli("ingest", URL, *place)
    assert again.stdout.startswith("0 added, 0 updated, 1 unchanged, 1 removed")
    overrides = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        citation = library.ask("At how many bar does valve B open?").citations[0]
    assert citation.source == str(tmp_path / "copies/memory/bucket/manuals/b.md")
    content = Path(citation.source).read_bytes()
    assert content[citation.start_byte : citation.end_byte].decode() == citation.quote


def test_what_is_missing_is_named(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--library", tmp_path / "library")
    refused(lexical_cli("ingest", URL, *place), 2, "--copies")
    place = (*place, "--copies", tmp_path / "copies")
    refused(lexical_cli("ingest", "strange://b/x", *place), 1, "strange://b/x cannot be listed")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    refused(lexical_cli("ingest", URL, *place), 2, "pip install 'pincite[objects]'")


@pytest.mark.skipif(
    find_spec("s3fs") is None or find_spec("moto") is None, reason="s3fs or moto is not installed"
)
def test_objects_of_a_server_that_speaks_s3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moto.server import ThreadedMotoServer

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port)
    server.start()
    options = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in options.items():
        monkeypatch.setenv(name, value)
    try:
        bucket = fsspec.filesystem("s3")
        bucket.mkdir("manuals")
        bucket.pipe("manuals/pumps/a.txt", b"Pump A holds 7 litres.\n")
        folder = copied("s3://manuals", tmp_path).folder
        assert contents(folder) == {"pumps/a.txt": b"Pump A holds 7 litres.\n"}
        os.utime(folder / "pumps/a.txt", (NOON, NOON))
        copied("s3://manuals", tmp_path)
        assert (folder / "pumps/a.txt").stat().st_mtime == NOON
        bucket.pipe("manuals/pumps/a.txt", b"Pump A holds 8 litres.\n")
        copied("s3://manuals", tmp_path)
        assert contents(folder) == {"pumps/a.txt": b"Pump A holds 8 litres.\n"}
    finally:
        server.stop()
