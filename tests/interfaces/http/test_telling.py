"""What a client is told of files: names, never paths, and nothing of what its key may not see."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.guards.keys import Keys
from pincite.interfaces.http.observing import log_as_json
from pincite.interfaces.http.served import Served
from pincite.interfaces.http.telling import Names
from pincite.library.folder import Work

OPEN = {"embedding": {"model": "none"}, "verification": {"stance": "eager"}}
QUESTION = "At how many bar does the valve open?"


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A server with two collections that have a file of one name each."""

    client: TestClient
    served: Served
    folder: Path
    mine: dict[str, str]
    every: dict[str, str]


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    library = Library.open(tmp_path / "library", overrides=OPEN)
    for collection, bar in (("mine", 12), ("zorro", 77)):
        folder = tmp_path / f"disk-{collection}"
        folder.mkdir()
        (folder / "valve.md").write_text(f"# Valve\n\nThe valve opens at {bar} bar.\n")
        library.ingest([folder], collection=collection)
    keys_in = tmp_path / "server"
    keys_in.mkdir()
    keys = Keys(keys_in)
    mine = keys.add("guest", scopes=["ask", "delete"], collections=["mine"]).written
    every = keys.add("all", scopes=["admin"]).written
    served = Served(library)
    app = create_app(served, open_settings(folder=str(keys_in)), closes=True)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Shared(
            client=client,
            served=served,
            folder=tmp_path,
            mine={"Authorization": f"Bearer {mine}"},
            every={"Authorization": f"Bearer {every}"},
        )


def test_a_file_of_the_same_name_elsewhere_changes_no_name(shared: Shared) -> None:
    asked = {"question": QUESTION, "collection": "mine"}
    mine = shared.client.post("/v1/query", json=asked, headers=shared.mine).json()
    assert [one["source"] for one in mine["citations"]] == ["valve.md"]
    listed = shared.client.get("/v1/documents", headers=shared.mine).json()
    assert [one["name"] for one in listed["documents"]] == ["valve.md"]
    every = shared.client.get("/v1/documents", headers=shared.every).json()
    assert {one["name"] for one in every["documents"]} == {
        "disk-mine/valve.md",
        "disk-zorro/valve.md",
    }


def test_an_interrupted_ingest_is_told_to_those_who_may_know_of_it(shared: Shared) -> None:
    home = shared.served.library.home
    begun = Work(collection="zorro", paths=(str(shared.folder / "zor-plans"),), is_closed=True)
    home.notes.write([{"collection": begun.collection, "paths": begun.paths, "is_closed": True}])
    asked = {"question": QUESTION, "collection": "mine"}
    mine = shared.client.post("/v1/query", json=asked, headers=shared.mine).text
    assert "zor" not in mine
    assert "interrupted" not in mine
    whole = {"question": QUESTION}
    every = shared.client.post("/v1/query", json=whole, headers=shared.every).text
    assert "interrupted" in every
    assert str(shared.folder) not in every


def test_a_moved_file_is_told_by_its_name(shared: Shared) -> None:
    (shared.folder / "disk-mine" / "valve.md").rename(shared.folder / "elsewhere.md")
    asked = {"question": QUESTION, "collection": "mine"}
    reply = shared.client.post("/v1/query", json=asked, headers=shared.mine)
    assert any("valve.md" in reason for reason in reply.json()["reasons"])
    assert str(shared.folder) not in reply.text


def test_half_of_a_surrogate_pair_is_refused_wherever_it_stands(shared: Shared) -> None:
    bodies: dict[str, Any] = {
        "/v1/query": {"question": "What\ud800?", "collection": "mine"},
        "/v1/chat/completions": {
            "model": "\ud800",
            "messages": [{"role": "user", "content": QUESTION}],
        },
        "/v1/responses": {"model": "pincite", "input": [{"role": "user", "content": "\udfff"}]},
        "/v1/verify": {"quote": "\udc00 valve"},
        "/v1/search": {"question": QUESTION, "filters": {"tags": ["\ud83d"]}},
    }
    for path, body in bodies.items():
        reply = shared.client.post(path, content=json.dumps(body), headers=shared.every)
        assert reply.status_code == 400, path
        assert "surrogate" in reply.text
    whole = json.dumps({"question": f"{QUESTION} \U0001f600", "collection": "mine"})
    assert "\\ud83d" in whole
    headers = {**shared.mine, "Content-Type": "application/json"}
    assert shared.client.post("/v1/query", content=whole, headers=headers).status_code == 200


def test_no_log_line_has_the_variables_of_a_frame(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    kept = logging.getLogger().handlers[:]
    log_as_json()

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(shared.served, "ask", fails)
    try:
        reply = shared.client.post(
            "/v1/query", json={"question": "my secret is zorro"}, headers=shared.every
        )
        logging.getLogger("uvicorn.error").error("failed", exc_info=RuntimeError("broken"))
        try:
            fails(shared.every, "zorro")
        except RuntimeError:
            logging.getLogger("uvicorn.error").exception("failed again")
    finally:
        logging.getLogger().handlers[:] = kept
    assert reply.status_code == 500
    assert "failed again" in written.getvalue()
    assert "zorro" not in written.getvalue()
    assert "pk_" not in written.getvalue()
    assert "locals" not in written.getvalue()


FOLDERS = ("/srv/own", "/srv/zor", "/var/zor/deep")
NAMES = Names(
    shown={"/srv/own/plan.md": "plan.md", "/srv/own/two words.md": "two words.md"},
    places=frozenset({"/srv", "/srv/own", "/srv/zor", "/var", "/var/zor", "/var/zor/deep"}),
    library=("/home/library",),
)
SENTENCES = st.lists(
    st.one_of(
        st.text(alphabet="abc .,'\"(:;", max_size=12),
        st.builds(
            lambda folder, name: f" {folder}/{name}",
            st.sampled_from(FOLDERS),
            st.sampled_from(("plan.md", "zor plan.pdf", "zor.md", "two words.md", "")),
        ),
        st.just("/home/library/catalog.sqlite"),
    ),
    max_size=5,
).map("".join)


@given(SENTENCES)
def test_no_message_has_the_path_of_a_folder(text: str) -> None:
    told = NAMES.message(text)
    for place in (*FOLDERS, "/home/library"):
        assert place not in told


def test_words_that_are_no_path_stay() -> None:
    for text in (
        "'/etc/modules' is in none of the documents",
        "km/h and 3 / 4 of a mile",
        "see https://example.org/srv/own",
    ):
        assert NAMES.message(text) == text
    assert NAMES.message("/srv/own/two words.md: gone") == "two words.md: gone"
