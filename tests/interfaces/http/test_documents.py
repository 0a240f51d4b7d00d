from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from end_to_end import running
from fastapi.testclient import TestClient
from PIL import Image

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.interfaces.http.telling import shown_names
from pincite.verify.receipts.permalinks import Permalink


def _of_kind(client: TestClient, kind: str) -> str:
    found = client.get("/v1/documents").json()["documents"]
    return str(next(one["id"] for one in found if one["kind"] == kind))


def test_the_text_of_a_document_is_given_by_ranges_of_characters(client: TestClient) -> None:
    document = _of_kind(client, "docx")
    whole = client.get(f"/v1/documents/{document}/text").json()
    part = client.get(f"/v1/documents/{document}/text?start=10&end=30").json()
    assert part["text"] == whole["text"][10:30]
    assert part["length"] == whole["length"] == len(whole["text"])
    past = client.get(f"/v1/documents/{document}/text?start={whole['length'] + 1}")
    assert past.status_code == 400


def test_a_page_is_drawn_in_the_proportions_of_its_points(client: TestClient) -> None:
    document = _of_kind(client, "pdf")
    page = client.get(f"/v1/documents/{document}/pages/2").json()
    drawn = client.get(f"/v1/documents/{document}/pages/2.png?scale=2")
    assert drawn.headers["content-type"] == "image/png"
    width, height = Image.open(io.BytesIO(drawn.content)).size
    assert width == pytest.approx(2 * page["width"], abs=2)
    assert height == pytest.approx(2 * page["height"], abs=2)


def test_where_a_word_is_said_to_stand_there_is_ink_on_the_picture(client: TestClient) -> None:
    document = _of_kind(client, "pdf")
    page = client.get(f"/v1/documents/{document}/pages/1?words=true").json()
    drawn = client.get(f"/v1/documents/{document}/pages/1.png?scale=2").content
    picture = Image.open(io.BytesIO(drawn)).convert("L")
    assert len(page["words"]) > 50
    for word in page["words"]:
        corners = tuple(int(2 * word[name]) for name in ("x0", "y0", "x1", "y1"))
        darkest, _ = picture.crop(corners).getextrema()
        assert darkest < 160, word  # type: ignore[operator]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("pages/99.png", 404),
        ("pages/99", 404),
        ("pages/0.png", 422),
        ("pages/1.png?scale=50", 422),
        ("boxes?start=5&end=5", 400),
    ],
)
def test_a_page_that_is_not_there_is_a_problem(client: TestClient, path: str, status: int) -> None:
    reply = client.get(f"/v1/documents/{_of_kind(client, 'pdf')}/{path}")
    assert (reply.status_code, reply.json()["status"]) == (status, status)


def test_documents_without_pages_are_not_drawn(client: TestClient) -> None:
    reply = client.get(f"/v1/documents/{_of_kind(client, 'docx')}/pages/1.png")
    assert reply.status_code == 404
    assert "show its text" in reply.json()["detail"]


@pytest.mark.parametrize("name", ["nothing", "0" * 16 + ".1-2." + "0" * 12, "../../etc/passwd"])
def test_a_citation_of_nothing_is_unknown(client: TestClient, name: str) -> None:
    reply = client.get(f"/v1/citations/{name}")
    assert reply.status_code == 404 or reply.json()["state"] == "unknown"


def test_a_permalink_says_what_became_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "pump.txt"
    file.write_text("The pump is checked on day 7.\n")
    served = Served(Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}))
    served.library.ingest([file])
    document = served.documents()[0]["id"]
    link = Permalink.to(document, 0, 29, "The pump is checked on day 7.").id
    before = file.stat()
    assert served.citation(link)["state"] == "verified"
    file.write_text("The pump is checked on day 8.\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert served.citation(link)["state"] == "changed"
    served.library.ingest([file])
    found = served.citation(link)
    assert (found["state"], found["quote"]) == ("changed", "The pump is checked on day 7.")
    file.unlink()
    assert (
        served.citation(Permalink.to(served.documents()[0]["id"], 0, 8, "The pump").id)["state"]
        == "gone"
    )
    other = Permalink.to(document, 0, 29, "The pump is checked on day 9.").id
    assert served.citation(other)["state"] == "unknown"
    served.close()


def test_a_document_that_was_deleted_answers_no_more(
    sample: running.SampleLibrary, tmp_path: Path
) -> None:
    served = Served(Library.open(sample.copy(tmp_path / "library")))
    question = sample.questions()[0]["question"]
    with TestClient(create_app(served, open_settings(), closes=True)) as client:
        cited = client.post("/v1/query", json={"question": question}).json()["citations"][0]
        gone = client.delete(f"/v1/documents/{cited['document']}").json()["removed"]
        assert gone == [{"name": cited["source"], "collection": "default", "deleted": False}]
        after = client.post("/v1/query", json={"question": question}).json()
        assert cited["document"] not in {one["document"] for one in after["citations"]}
        assert client.get(f"/v1/documents/{cited['document']}").status_code == 404
    assert (sample.documents / cited["source"]).exists()


def test_files_are_named_by_what_tells_them_apart() -> None:
    assert shown_names(["/a/x.txt", "/a/b/y.txt", "/a/c/y.txt"]) == {
        "/a/x.txt": "x.txt",
        "/a/b/y.txt": "b/y.txt",
        "/a/c/y.txt": "c/y.txt",
    }
