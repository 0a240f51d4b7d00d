"""No address costs more than its limit, and the server answers probes meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http import shelf
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.problems import Refused
from pincite.interfaces.http.served import Served

OPEN = {"embedding": {"model": "none"}, "verification": {"stance": "eager"}}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "many.md").write_text("# Bees\n\n" + "The bees see the green trees. " * 20_000)
    (folder / "few.md").write_text("# Pump\n\nThe valve opens at 12 bar.\n")
    library = Library.open(tmp_path / "library", overrides=OPEN)
    library.ingest([folder])
    one = Served(library)
    yield one
    one.close()


@pytest.fixture
def client(served: Served) -> Iterator[TestClient]:
    with TestClient(create_app(served, open_settings()), raise_server_exceptions=False) as one:
        yield one


def test_of_many_occurrences_only_the_first_are_made(client: TestClient) -> None:
    found = client.post("/v1/verify", json={"quote": "e"}).json()
    assert found["verified"] is True
    assert found["more"] is True
    assert len(found["places"]) == 100
    once = client.post("/v1/verify", json={"quote": "12 bar"}).json()
    assert (len(once["places"]), once["more"]) == (1, False)


def test_looking_for_a_quote_ends(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "_LOOKING_SECONDS", -1.0)
    reply = client.post("/v1/verify", json={"quote": "nowhere to be found"})
    assert reply.status_code == 504
    assert "0 of 2 files" in reply.json()["detail"]


def test_whole_sections_are_told_up_to_a_limit(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.interfaces.http.served._MOST_SECTION_CHARS", 1_000)
    asked = {"question": "What do the bees see?", "sections": True}
    hits = client.post("/v1/search", json=asked).json()["hits"]
    assert sum(len(hit["section_text"]) for hit in hits) == 1_000
    assert hits[0]["section_cut"] is True
    assert hits[0]["section_end"] - hits[0]["section_start"] > 100_000


PAGE = b"%PDF-1.4 page"


@pytest.fixture
def slow_pages(served: Served, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Pages are drawn when the event is set; every document has one."""
    go = threading.Event()

    def drawn(*_: object) -> bytes:
        go.wait(20)
        return PAGE

    monkeypatch.setattr(served, "_draw", drawn)
    return go


def test_pictures_wait_for_each_other_and_no_more_than_a_few(
    served: Served, slow_pages: threading.Event
) -> None:
    document = served.files()[0].document_id
    held = served.held(document)

    def ask(number: int) -> bytes | Refused:
        try:
            return served._drawn(held, number, 1.0)
        except Refused as refused:
            return refused

    with ThreadPoolExecutor(25) as pool:
        asked = [pool.submit(ask, number) for number in range(25)]
        refused = []
        while len(refused) < 19:
            refused = [one for one in asked if one.done()]
            time.sleep(0.01)
        slow_pages.set()
        replies = [one.result() for one in asked]
    assert replies.count(PAGE) == 6
    assert all(one.status == 503 for one in replies if isinstance(one, Refused))


def test_probes_are_answered_while_every_thread_is_busy(
    client: TestClient, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(served, "status", lambda **_: {"waited": go.wait(60)})
    with ThreadPoolExecutor(80) as pool:
        busy = [pool.submit(client.get, "/v1/stats") for _ in range(60)]
        time.sleep(0.5)
        assert client.get("/health").json()["status"] == "ok"
        assert not any(one.done() for one in busy)
        go.set()
        assert all(one.result().json()["waited"] for one in busy)


def test_a_page_that_cannot_be_drawn_is_not_tried_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = served.held(served.files()[0].document_id)
    with pytest.raises(Refused, match="cannot be drawn"):
        served._drawn(held, 1, 1.0)  # It is no PDF.

    def never(*_: object) -> bytes:
        raise AssertionError("drawn again")

    monkeypatch.setattr(served, "_draw", never)
    with pytest.raises(Refused, match="cannot be drawn"):
        served._drawn(held, 1, 1.0)
