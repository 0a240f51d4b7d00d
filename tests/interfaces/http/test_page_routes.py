"""The files of the page, and the addresses that it alone uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from pincite.interfaces.http import page_routes
from pincite.interfaces.http.page_routes import POLICY

PAGE = Path(page_routes.__file__).parent / "page"
_NAMED = re.compile(r"(?:/page/|\./)([\w-]+\.(?:js|css|svg))")
_SOURCES = sorted(path.name for path in PAGE.iterdir() if path.suffix in (".js", ".html"))


@pytest.mark.parametrize(
    "address",
    ["/", "/library", "/reports", "/dates/x", "/brief/x", "/compare/x", "/c/x", "/conversations/1"],
)
def test_every_address_of_the_page_is_its_shell_under_the_policy(
    client: TestClient, address: str
) -> None:
    reply = client.get(address)
    assert reply.status_code == 200
    assert reply.headers["content-security-policy"] == POLICY
    assert "<script" in reply.text
    assert not re.search(r"<style|style=|<script(?![^>]* src=)| on\w+=", reply.text)


def test_a_browser_at_an_unknown_address_gets_the_page_and_others_a_problem(
    client: TestClient,
) -> None:
    page = client.get("/nope", headers={"accept": "text/html,application/xhtml+xml"})
    assert page.status_code == 404
    assert page.headers["content-security-policy"] == POLICY
    assert "<script" in page.text
    for told in (client.get("/nope"), client.post("/nope", headers={"accept": "text/html"})):
        assert told.status_code in (404, 405)
        assert told.headers["content-type"] == "application/problem+json"
    api = client.get("/v1/documents/0000000000000000", headers={"accept": "text/html"})
    assert api.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("address", ["/", "/library", "/c/x", "/page/app.js"])
def test_the_head_of_a_page_is_that_of_the_page(client: TestClient, address: str) -> None:
    head, whole = client.head(address), client.get(address)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(whole.content))
    assert head.headers["etag"] == whole.headers["etag"]


@pytest.mark.parametrize("name", _SOURCES)
def test_every_file_that_the_page_names_is_served(client: TestClient, name: str) -> None:
    for wanted in _NAMED.findall((PAGE / name).read_text(encoding="utf-8")):
        assert client.get(f"/page/{wanted}").status_code == 200, f"{name} names {wanted}"


@pytest.mark.parametrize("name", _SOURCES)
def test_no_file_of_the_page_names_another_server_or_reads_text_as_html(name: str) -> None:
    text = (PAGE / name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(
        r"https?://|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text
    )


@pytest.mark.parametrize("name", ["index.html", "../served.py", "..%2Fserved.py", "none.js"])
def test_a_name_from_outside_never_reaches_the_disk(client: TestClient, name: str) -> None:
    reply = client.get(f"/page/{name}")
    assert reply.status_code == 404
    assert "import" not in reply.text


def test_a_file_that_is_there_already_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/page/app.js")
    again = client.get("/page/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert not again.content


def test_blocks_are_whole_and_lead_to_the_text(client: TestClient) -> None:
    listed = client.get("/v1/documents").json()["documents"]
    one = next(d for d in listed if d["name"] == "tomato-crop-guide.md")
    found = client.get(f"/v1/documents/{one['id']}/blocks?start=500&end=900").json()
    assert found["start"] <= 500
    assert found["end"] >= 900
    text = client.get(
        f"/v1/documents/{one['id']}/text?start={found['start']}&end={found['end']}"
    ).json()["text"]
    assert found["text"] == text
    for block in found["blocks"]:
        assert found["start"] <= block["start"] < block["end"] <= found["end"]
        for cell in block.get("cells", ()):
            assert block["start"] <= cell["start"] <= cell["end"] <= block["end"]


def test_an_export_is_refused_where_the_documents_answer_otherwise(client: TestClient) -> None:
    body = {"question": "Which soil pH is best for tomatoes?", "format": "md"}
    assert "6.0 to 6.8" in client.post("/v1/exports", json=body).text
    other = client.post("/v1/exports", json={**body, "citations": ["another"]})
    assert other.status_code == 409
    assert "ask again" in other.json()["detail"]


@pytest.mark.parametrize("ending", ["md", "html", "json", "docx", "pdf"])
def test_no_export_tells_where_files_lie_on_the_disk(
    client: TestClient, ending: str, served_library: Path
) -> None:
    body = {"question": "Which soil pH is best for tomatoes?", "format": ending}
    reply = client.post("/v1/exports", json=body)
    assert reply.status_code == 200
    assert reply.headers["content-disposition"] == f'attachment; filename="answer.{ending}"'
    assert str(served_library.parent).encode() not in reply.content
