from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import openpyxl
import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served


@pytest.fixture(scope="module")
def own(
    sample: running.SampleLibrary, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    """A library that these tests may write to."""
    folder = sample.copy(tmp_path_factory.mktemp("own") / "library")
    app = create_app(Served(Library.open(folder)), open_settings(), closes=True)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def question(sample: running.SampleLibrary) -> str:
    return str(sample.questions()[0]["question"])


def test_conversations_are_told_page_by_page(own: TestClient) -> None:
    asked = {"question": "How much water do tomatoes need?", "conversation": "new"}
    made = [own.post("/v1/query", json=asked).json()["conversation"] for _ in range(3)]
    pages = []
    older = ""
    while len(pages) < 20:
        page = own.get(f"/v1/conversations?limit=2{older}").json()
        assert len(page["conversations"]) <= 2
        pages += [one["id"] for one in page["conversations"]]
        if not page["more"]:
            break
        older = f"&before={pages[-1]}"
    assert pages == sorted(set(pages), reverse=True)
    assert pages[:3] == made[::-1]
    assert own.get("/v1/conversations?limit=0").status_code == 422


def test_a_conversation_is_kept_gone_on_with_and_forgotten(own: TestClient) -> None:
    first = own.post(
        "/v1/query",
        json={"question": "How much water do tomatoes need?", "conversation": "new"},
    ).json()
    number = first["conversation"]
    second = own.post(
        "/v1/query", json={"question": "And how often?", "conversation": number}
    ).json()
    assert second["conversation"] == number
    assert "tomatoes" in second["read_as"]
    turns = own.get(f"/v1/conversations/{number}").json()["turns"]
    assert [turn["question"] for turn in turns] == [
        "How much water do tomatoes need?",
        "And how often?",
    ]
    assert turns[0]["answer"]["links"] == first["links"]
    assert number in {one["id"] for one in own.get("/v1/conversations").json()["conversations"]}
    assert own.delete(f"/v1/conversations/{number}").status_code == 204
    assert own.get(f"/v1/conversations/{number}").status_code == 404
    gone = own.post("/v1/query", json={"question": "And?", "conversation": number})
    assert gone.status_code == 404


def test_feedback_is_kept_and_becomes_labels(own: TestClient, question: str) -> None:
    answer = own.post("/v1/query", json={"question": question}).json()
    given = own.post("/v1/feedback", json={"question": question, "helpful": True, "answer": answer})
    assert given.status_code == 201
    number = given.json()["feedback"]
    own.post(
        "/v1/feedback", json={"question": "Other?", "helpful": False, "correction": "It is 7."}
    )
    found = own.get("/v1/feedback").json()
    assert found["feedback"][0]["answer"]["confidence"] == answer["confidence"]
    assert {"query_id": str(number), "doc_id": answer["citations"][0]["document"], "score": 1} in (
        found["labels"]
    )
    assert found["feedback"][1]["correction"] == "It is 7."
    assert own.delete(f"/v1/feedback/{number}").status_code == 204
    assert own.delete(f"/v1/feedback/{number}").status_code == 404


@pytest.mark.parametrize(
    "answer",
    [{"links": 7}, {"links": [1, {"id": "x"}, {"id": 5}], "confidence": "high"}, {"a": []}],
)
def test_of_an_answer_that_makes_no_sense_nothing_is_kept(
    own: TestClient, answer: dict[str, Any]
) -> None:
    given = own.post("/v1/feedback", json={"question": "x", "helpful": True, "answer": answer})
    assert given.status_code == 201
    kept = own.get("/v1/feedback").json()["feedback"][-1]["answer"]
    assert kept == {"status": "", "confidence": None, "citations": []}


@pytest.mark.parametrize("ending", ["md", "html", "docx", "pdf", "json"])
def test_a_report_of_own_questions_names_no_folder_of_the_server(
    client: TestClient, sample: running.SampleLibrary, question: str, ending: str
) -> None:
    body = {"title": "Mine", "questions": [question], "format": ending}
    reply = client.post("/v1/reports", json=body)
    assert reply.status_code == 200, reply.text
    assert reply.content
    assert str(sample.documents).encode() not in reply.content
    if ending == "json":
        checked = client.post("/v1/verify", json={"receipt": reply.json()}).json()
        assert checked["verified"], checked


def test_reports_know_the_shipped_templates_and_no_file(client: TestClient) -> None:
    names = [one["name"] for one in client.get("/v1/reports").json()["templates"]]
    assert names
    for template in ("/etc/passwd", "../../x.toml", "nothing"):
        reply = client.post("/v1/reports", json={"template": template})
        assert reply.status_code == 400
        assert names[0] in reply.json()["detail"]


def test_a_table_has_a_row_for_each_document_and_links_to_its_quotes(
    client: TestClient, sample: running.SampleLibrary
) -> None:
    body = {
        "questions": ["Water [number]: How much water do tomatoes need?", "Which soil pH is best?"],
        "documents": ["tomato*", "*.pdf"],
    }
    told = client.post("/v1/tables", json=body).json()
    assert [column["name"] for column in told["columns"]] == ["Water", "Which soil pH is best"]
    (tomato,) = (row for row in told["rows"] if row["path"] == "tomato-crop-guide.md")
    assert str(sample.documents) not in json.dumps(told)
    filled = [cell for cell in tomato["cells"] if cell["value"]]
    assert filled
    for cell in filled:
        quote = client.get(f"/v1/citations/{cell['link']}").json()
        assert quote["state"] == "verified"
        assert cell["quote"] in quote["quote"]
    empty = [cell for row in told["rows"] for cell in row["cells"] if not cell["value"]]
    assert empty
    assert all(cell["reason"] for cell in empty)
    again = client.post("/v1/tables", json=body).json()
    assert (again["asked"], again["rows"]) == (0, told["rows"])
    book = client.post("/v1/tables", json={**body, "format": "xlsx"}).content
    page = openpyxl.load_workbook(io.BytesIO(book)).worksheets[0]
    linked = {cell.hyperlink.target for line in page.iter_rows() for cell in line if cell.hyperlink}
    assert f"http://testserver/c/{filled[0]['link']}" in linked


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "either a 'table' or 'questions'"),
        ({"table": "/etc/passwd"}, "there are: contract"),
        ({"questions": ["Rent [money]: What is the rent?"]}, "questions, line 1"),
        ({"questions": ["# only a remark"]}, "found 0"),
        ({"table": "contract", "documents": ["no-such-file"]}, "no document"),
    ],
)
def test_a_table_that_cannot_be_made_says_why(
    client: TestClient, body: dict[str, Any], told: str
) -> None:
    reply = client.post("/v1/tables", json=body)
    assert reply.status_code == 400
    assert told in reply.json()["detail"]


def test_more_cells_than_one_request_may_ask_are_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.interfaces.http.served._MOST_CELLS", 3)
    reply = client.post("/v1/tables", json={"table": "invoice"})
    assert reply.status_code == 400
    assert "name fewer documents" in reply.json()["detail"]
    assert client.get("/v1/tables").json()["tables"][0]["columns"][0]["question"].endswith("?")


def test_a_count_is_an_answer_with_all_mentions(client: TestClient) -> None:
    found = client.post("/v1/count", json={"words": "water"}).json()
    assert found["mode"] == "counted"
    assert len(found["links"]) == len(found["citations"]) > 1


def test_the_search_of_another_system_has_its_fields(client: TestClient, question: str) -> None:
    found = client.post(
        "/api/search", json={"query": question, "top_k": 3, "generate_answer": True}
    ).json()
    assert (found["query"], found["count"], len(found["results"])) == (question, 3, 3)
    assert set(found["results"][0]) == {
        "rank", "chunk_id", "doc_name", "page", "section", "text", "score", "similarity",
        "rerank_score",
    }  # fmt: skip
    assert isinstance(found["results"][0]["rerank_score"], float)
    assert found["answer"] == client.post("/v1/query", json={"question": question}).json()["text"]
    within = client.post(
        "/api/search", json={"query": question, "document": "tomato-crop-guide"}
    ).json()
    assert {hit["doc_name"] for hit in within["results"]} == {"tomato-crop-guide"}


def test_the_stats_of_another_system_have_its_fields(client: TestClient) -> None:
    found = client.get("/api/stats").json()
    assert found["total_documents"] == len(found["documents"]) == 6
    assert found["embedding_dimension"] == 384
    assert set(found) == {
        "total_chunks", "total_documents", "documents", "embedding_dimension", "index_type",
        "similarity_metric",
    }  # fmt: skip


def test_the_answer_of_another_system_tells_its_sources_in_debug_mode(
    client: TestClient, question: str
) -> None:
    plain = client.post("/answer", json={"question": question}).json()
    assert set(plain) == {"question", "answer"}
    told = client.post(
        "/answer", json={"question": question, "company_name": "default", "debug": True}
    ).json()
    assert told["answer"] == plain["answer"]
    assert told["company_name"] == "default"
    assert told["retrieved_chunks_count"] == len(told["sources"]) > 0
    assert set(told["sources"][0]) == {"chunk_id", "section"}
    assert told["retrieved_context_preview"]


def test_the_config_names_no_server_and_no_file(client: TestClient) -> None:
    found = client.get("/v1/config").json()
    assert "sop" in found["profiles"]
    assert "server" not in found["settings"]
    assert "://" not in json.dumps(found)


def test_health_fails_where_the_encoder_that_is_wanted_is_missing(
    sample: running.SampleLibrary, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(Library.open(sample.copy(tmp_path / "library")))
    monkeypatch.setattr(
        type(served.library), "encoder_problem", property(lambda _: "the model is damaged")
    )
    with TestClient(create_app(served, open_settings(), closes=True)) as client:
        reply = client.get("/health")
    assert reply.status_code == 503
    assert reply.json()["problems"] == ["the model is damaged"]
