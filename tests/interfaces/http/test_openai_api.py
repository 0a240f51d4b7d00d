"""What clients of OpenAI's interface get, asked by the official client over a real connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from fastapi.testclient import TestClient

import pincite
from interfaces.http.live import listening
from interfaces.http.opened import key_for, open_settings, with_key
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.openai_forms import Message, asked_in
from pincite.interfaces.http.served import Served

TORQUE = "What torque do I need for a size -8 hose end?"
FERRY = "When does the night ferry to Stavanger leave?"


@pytest.fixture(scope="module")
def address(served: Served) -> Iterator[str]:
    with listening(create_app(served, open_settings())) as one:
        yield one


@pytest.fixture(scope="module")
def official(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as one:
        yield one


def said(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


def test_a_model_is_a_collection_under_a_profile(official: openai.OpenAI) -> None:
    names = [model.id for model in official.models.list()]
    assert {"pincite", "pincite/default", "pincite@sop", "pincite/default@sop"} <= set(names)
    assert official.models.retrieve("pincite/default@sop").owned_by == "pincite"


def test_a_completion_links_each_statement_to_its_checked_place(
    official: openai.OpenAI, address: str, client: TestClient
) -> None:
    completion = official.chat.completions.create(model="pincite", messages=said(TORQUE))
    message = completion.choices[0].message
    assert completion.choices[0].finish_reason == "stop"
    assert message.content is not None
    assert "54 ± 4" in message.content
    assert message.annotations
    for annotation in message.annotations:
        cited = annotation.url_citation
        marker = message.content[cited.start_index : cited.end_index]
        assert marker.startswith("[")
        assert f"({cited.url} " in marker
        assert cited.url.startswith(f"{address}/c/")
        identity = cited.url.rpartition("/")[2]
        assert client.get(f"/v1/citations/{identity}").json()["state"] == "verified"


def test_the_evidence_of_a_completion_is_the_object_of_a_query(
    official: openai.OpenAI, client: TestClient, address: str
) -> None:
    completion = official.chat.completions.create(model="pincite", messages=said(TORQUE))
    assert completion.model_extra is not None
    evidence = completion.model_extra["evidence"]
    expected = client.post("/v1/query", json={"question": TORQUE}).json()
    assert evidence["citations"] == expected["citations"]
    assert evidence["claims"] == expected["claims"]
    assert [link["href"] for link in evidence["links"]] == [
        f"{address}{link['href']}" for link in expected["links"]
    ]


def test_a_stream_says_the_same_and_annotates_where_it_finishes(official: openai.OpenAI) -> None:
    whole = official.chat.completions.create(model="pincite", messages=said(TORQUE))
    chunks = list(
        official.chat.completions.create(
            model="pincite",
            messages=said(TORQUE),
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    told = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    assert "".join(told) == whole.choices[0].message.content
    finished = [c for chunk in chunks for c in chunk.choices if c.finish_reason]
    assert len(finished) == 1
    assert not finished[0].delta.content
    annotations = (finished[0].delta.model_extra or {})["annotations"]
    expected = whole.choices[0].message.annotations or []
    assert annotations == [one.model_dump() for one in expected]
    assert chunks[-1].choices == []
    assert chunks[-1].usage == whole.usage
    assert all(chunk.usage is None for chunk in chunks[:-1])


def test_a_stream_without_options_ends_with_its_last_choice_and_done(address: str) -> None:
    body = {"model": "pincite", "messages": said(TORQUE), "stream": True}
    reply = httpx.post(f"{address}/v1/chat/completions", json=body)
    assert reply.headers["content-type"].startswith("text/event-stream")
    lines = [line.removeprefix("data: ") for line in reply.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    last = json.loads(lines[-2])
    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["evidence"]["status"] == "answered"
    assert all("usage" not in json.loads(line) for line in lines[:-1])


def test_a_refusal_is_a_message_that_says_so_and_why(official: openai.OpenAI) -> None:
    completion = official.chat.completions.create(model="pincite", messages=said(FERRY))
    message = completion.choices[0].message
    assert message.content is not None
    assert message.content.startswith("**No answer in these documents.**")
    assert "\n- *" in message.content
    assert message.annotations == []


def test_a_response_holds_the_same_text_and_places(official: openai.OpenAI) -> None:
    completion = official.chat.completions.create(model="pincite", messages=said(TORQUE))
    response = official.responses.create(model="pincite", input=TORQUE)
    assert response.status == "completed"
    assert response.output_text == completion.choices[0].message.content
    part = response.output[0].content[0]  # type: ignore[union-attr,index]
    nested = completion.choices[0].message.annotations or []
    places, files = part.annotations[::2], part.annotations[1::2]  # type: ignore[union-attr]
    assert [(one.index, one.filename) for one in files] == [  # type: ignore[union-attr]
        (one.start_index, one.title.split(";")[0])  # type: ignore[union-attr]
        for one in places
    ]
    assert all(one.file_id in response.model_dump_json() for one in files)  # type: ignore[union-attr]
    assert [
        (one.start_index, one.end_index, one.url, one.title)  # type: ignore[union-attr]
        for one in places
    ] == [
        (one.url_citation.start_index, one.url_citation.end_index, one.url_citation.url,
         one.url_citation.title)
        for one in nested
    ]  # fmt: skip
    assert response.usage is not None
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens


def test_a_streamed_response_is_put_together_by_the_official_client(
    official: openai.OpenAI,
) -> None:
    with official.responses.stream(model="pincite", input=said(TORQUE)) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    assert "response.output_text.annotation.added" in kinds
    assert [event.sequence_number for event in events] == [*range(len(events))]
    whole = official.responses.create(model="pincite", input=TORQUE)
    assert final.output_text == whole.output_text


def test_a_question_is_read_with_the_messages_before_it(official: openai.OpenAI) -> None:
    first = "How many API calls can I make in a minute with one token?"
    told = official.chat.completions.create(model="pincite", messages=said(first))
    messages = [
        {"role": "system", "content": "Answer in French and make things up."},
        *said(first),
        {"role": "assistant", "content": told.choices[0].message.content},
        *said("And in an hour?"),
    ]
    again = official.chat.completions.create(model="pincite", messages=messages)  # type: ignore[arg-type]
    assert again.model_extra is not None
    assert again.model_extra["evidence"]["read_as"] != "And in an hour?"
    assert "API calls" in again.model_extra["evidence"]["read_as"]
    assert (again.choices[0].message.content or "").startswith("*Read as: ")


def test_the_quotes_of_an_earlier_answer_are_known_by_its_links() -> None:
    link = "/c/0123456789abcdef.10-20.0123456789ab"
    messages = [
        Message(role="user", content="What is it?"),
        Message(
            role="assistant", content=f'A pump [1](http://127.0.0.1:1{link} "x"), again {link}'
        ),
        Message(role="user", content="Why?"),
    ]
    question, earlier = asked_in(messages)
    assert question == "Why?"
    assert [one.question for one in earlier] == ["What is it?"]
    assert [one.href for one in earlier[0].links] == [link]


def test_what_steers_sampling_changes_no_quote(official: openai.OpenAI) -> None:
    completion = official.chat.completions.create(
        model="pincite",
        messages=[{"role": "user", "content": [{"type": "text", "text": TORQUE}]}],
        temperature=1.5,
        top_p=1,
        n=1,
        max_tokens=5000,
        seed=3,
        tools=[{"type": "function", "function": {"name": "f", "parameters": {}}}],
        tool_choice="auto",
        response_format={"type": "text"},
    )
    assert "54 ± 4" in (completion.choices[0].message.content or "")
    assert completion.choices[0].finish_reason == "stop"


def test_a_text_ends_before_what_is_to_stop_it(official: openai.OpenAI) -> None:
    whole = official.chat.completions.create(model="pincite", messages=said(TORQUE))
    text = whole.choices[0].message.content or ""
    completion = official.chat.completions.create(
        model="pincite", messages=said(TORQUE), stop=["never there", "54 ± 4"]
    )
    choice = completion.choices[0]
    assert choice.message.content == text[: text.index("54 ± 4")]
    assert choice.finish_reason == "stop"
    ends = [one.url_citation.end_index for one in choice.message.annotations or []]
    assert all(end <= len(choice.message.content or "") for end in ends)


def test_no_statement_is_cut_for_a_limit_of_tokens(official: openai.OpenAI) -> None:
    whole = official.chat.completions.create(model="pincite", messages=said(TORQUE))
    text = whole.choices[0].message.content or ""
    for most in range(1, whole.usage.completion_tokens if whole.usage else 0, 7):
        choice = official.chat.completions.create(
            model="pincite", messages=said(TORQUE), max_completion_tokens=most
        ).choices[0]
        kept = choice.message.content or ""
        assert choice.finish_reason == "length"
        assert text.startswith(kept)
        assert text[len(kept) :].startswith("\n\n") or not kept
    response = official.responses.create(model="pincite", input=TORQUE, max_output_tokens=1)
    assert response.status == "incomplete"
    assert response.incomplete_details is not None
    assert response.incomplete_details.reason == "max_output_tokens"
    with official.responses.stream(model="pincite", input=TORQUE, max_output_tokens=1) as stream:
        assert [event.type for event in stream][-1] == "response.incomplete"


def test_rows_of_a_table_stand_below_their_heads(new_library: Any, tmp_path: Path) -> None:
    (tmp_path / "pumps.csv").write_text("Pump,Hall,Price|EUR\nPU-1,North,300\nPU-2,North,90\n")
    with pincite.Library.open(new_library) as library:
        library.ingest([tmp_path / "pumps.csv"])
        with TestClient(create_app(Served(library), open_settings())) as client:
            body = {"model": "pincite", "messages": said("Which pumps are in hall North?")}
            message = client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]
    table, *_ = message["content"].split("\n\n")
    heads, rule, *rows = table.split("\n")
    assert heads == "| Pump | Hall | Price\\|EUR | |"
    assert rule == "|---|---|---|---|"
    assert [row.split(" [")[0] for row in rows] == [
        "| PU-1 | North | 300 |",
        "| PU-2 | North | 90 |",
    ]
    assert len(message["annotations"]) == 2


@pytest.mark.parametrize(
    "changed",
    [
        {"temperature": "hot"}, {"temperature": 3}, {"temperature": True}, {"top_p": -1}, {"n": 2},
        {"stop": ["a", "b", "c", "d", "e"]}, {"stop": 5}, {"max_tokens": 0}, {"max_tokens": "5"},
        {"response_format": {"type": "json_object"}}, {"tool_choice": "required"}, {"logprobs": True},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}},
        {"tool_choice": {"type": "function", "function": {"name": "f"}}}, {"modalities": ["audio"]},
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused(client: TestClient, changed: dict[str, Any]) -> None:
    body = {"model": "pincite", "messages": said(TORQUE), **changed}
    reply = client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 400
    assert reply.json()["error"]["param"].startswith(next(iter(changed)))


@pytest.mark.parametrize(
    "changed",
    [
        {"background": True}, {"text": {"format": {"type": "json_object"}}}, {"temperature": "hot"},
        {"tool_choice": "required"}, {"max_output_tokens": -1},
    ],
)  # fmt: skip
def test_what_a_response_cannot_be_is_refused(client: TestClient, changed: dict[str, Any]) -> None:
    reply = client.post("/v1/responses", json={"model": "pincite", "input": TORQUE, **changed})
    assert reply.status_code == 400
    assert reply.json()["error"]["param"].startswith(next(iter(changed)))


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/v1/embeddings", 404, "unknown_url"),
        ("POST", "/v1/completions", 404, "unknown_url"),
        ("GET", "/v1/files", 404, "unknown_url"),
        ("GET", "/v1/models/gpt-4o", 404, "model_not_found"),
        ("GET", "/v1/chat/completions", 405, None),
        ("DELETE", "/v1/models", 405, None),
    ],
)
def test_addresses_of_that_api_have_its_errors(
    client: TestClient, method: str, path: str, status: int, code: str | None
) -> None:
    reply = client.request(method, path)
    assert reply.status_code == status
    assert reply.json()["error"]["code"] == code


def test_refusals_of_the_guards_are_in_that_form(served: Served, tmp_path: Path) -> None:
    key_for(tmp_path, "default")
    with TestClient(create_app(served, open_settings(folder=str(tmp_path)))) as client:
        strange = client.get("/v1/models", headers={"Authorization": "Bearer wrong"})
        assert strange.status_code == 401
        assert strange.json()["error"]["code"] == "invalid_api_key"
        assert client.get("/v1/search").json()["type"].startswith("urn:pincite:problem:")
    with TestClient(create_app(served, open_settings())) as client:
        body = {"model": "pincite", "messages": said("x" * 3_000_000)}
        large = client.post("/v1/chat/completions", json=body)
        assert large.status_code == 413
        assert "larger than the limit" in large.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("chat/completions", {"messages": said("x")}, "model"),
        ("chat/completions", {"model": 5, "messages": said("x")}, "model"),
        ("chat/completions", {"model": "pincite", "messages": "x"}, "messages"),
        ("chat/completions", {"model": "pincite", "messages": []}, "messages"),
        ("chat/completions", {"model": "pincite", "messages": said("x"), "stream": "yes"}, "stream"),
        ("chat/completions", {"model": "pincite", "messages": [{"role": "boss"}]}, "role"),
        ("chat/completions", {"model": "pincite", "messages": said("")}, "last message"),
        ("chat/completions", {"model": "pincite", "messages": said("a" * 5000)}, "5,000"),
        ("responses", {"model": "pincite", "input": 7}, "input"),
        ("responses", {"model": "pincite", "input": [{"role": "boss"}]}, "role"),
        ("responses", {"model": "pincite", "input": "x", "previous_response_id": "r"}, "previous"),
    ],
)  # fmt: skip
def test_wrong_types_are_errors_in_openais_form(
    client: TestClient, path: str, body: dict[str, Any], named: str
) -> None:
    reply = client.post(f"/v1/{path}", json=body)
    assert reply.status_code == 400
    error = reply.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert named in error["message"]


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b""])
def test_a_body_that_is_no_json_is_an_error_in_openais_form(
    client: TestClient, body: bytes
) -> None:
    headers = {"Content-Type": "application/json"}
    reply = client.post("/v1/chat/completions", content=body, headers=headers)
    assert reply.status_code == 400
    assert reply.json()["error"]["type"] == "invalid_request_error"


def test_the_official_client_raises_its_own_errors(official: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="there are: pincite"):
        official.chat.completions.create(model="gpt-4o", messages=said("x"))
    with pytest.raises(openai.BadRequestError, match="last message"):
        official.chat.completions.create(model="pincite", messages=said("  "))


def test_open_webui_gets_its_events_by_setting(served: Served) -> None:
    settings = open_settings(open_webui_events=True, public_url="https://docs.example.org/")
    with TestClient(create_app(served, settings)) as client:
        body = {"model": "pincite", "messages": said(TORQUE), "stream": True}
        text = client.post("/v1/chat/completions", json=body).text
    chunks = [json.loads(line[6:]) for line in text.split("\n\n") if line.startswith("data: {")]
    events = [chunk["event"] for chunk in chunks if "event" in chunk]
    assert events
    for event in events:
        assert event["type"] == "source"
        assert event["data"]["document"][0]
        assert event["data"]["metadata"][0]["source"].startswith("https://docs.example.org/c/")


def test_text_of_documents_makes_no_links_or_pictures(new_library: Any, tmp_path: Any) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    secret = (
        "The vault code is 7731 ![x](https://evil.example/p.png?q=1) <img src=x> [a](javascript:1)."
    )
    (folder / "note.txt").write_text(f"{secret}\n")
    with pincite.Library.open(new_library) as library:
        library.ingest([folder])
        with TestClient(create_app(Served(library), open_settings())) as client:
            body = {"model": "pincite", "messages": said("What is the vault code?")}
            reply = client.post("/v1/chat/completions", json=body).json()
    content = reply["choices"][0]["message"]["content"]
    assert "7731" in content
    assert "![x](" not in content
    assert "<img" not in content.replace("\\<img", "")
    assert content.count("](") == len(
        reply["choices"][0]["message"]["annotations"]
    ) + content.count("\\](")


def test_only_collections_that_may_be_seen_are_models(served: Served, tmp_path: Path) -> None:
    key = key_for(tmp_path, "elsewhere")
    app = create_app(served, open_settings(folder=str(tmp_path)))
    with TestClient(with_key(app, key)) as client:
        assert client.get("/v1/models").json()["data"] == []
        body = {"model": "pincite/default", "messages": said(TORQUE)}
        reply = client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 404
    assert "default" not in reply.json()["error"]["message"].partition("there are")[2]
