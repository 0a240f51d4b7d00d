"""What servers of language models can do wrong, and what becomes of it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from pincite.errors import ModelError, ModelUnreachable
from pincite.models.llm.openai_server import events
from pincite.models.llm.opening import API_KEY, FALLBACK_API_KEY, open_model
from pincite.settings.groups import GenerationSettings
from pincite.stages import Assenting, LanguageModel
from pincite.testing.language_models import ScriptedModel, asked, text_of
from tests.local_server import Fault
from tests.models.llm.chat_server import BREAK, ChatServer, serving

KEY = "sk-secret-0123456789"
QUESTION = asked("Which pump?", max_tokens=50)
KINDS = ("ollama", "ollama-generate", "openai")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(ScriptedModel(["The pump P-101 runs."])) as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    """How long the client would have slept."""
    return []


def client(
    server: ChatServer, kind: str = "ollama", waits: list[float] | None = None, **changes: Any
) -> LanguageModel:
    chosen = {"model": f"{kind}:small", "url": server.url, "timeout_seconds": 5, **changes}
    found = open_model(GenerationSettings(**chosen), sleep=([] if waits is None else waits).append)
    assert found is not None
    return found


def sse(*chunks: Any) -> list[str]:
    return [line for chunk in chunks for line in (f"data: {json.dumps(chunk)}", "")]


def delta(text: str | None, reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}


def test_ollama_is_asked_as_its_protocol_says(server: ChatServer) -> None:
    text_of(client(server, seed=7, context_tokens=512), QUESTION)
    request = server.requests[0]
    assert request["path"] == "/api/chat"
    body = request["body"]
    assert body["model"] == "small"
    assert body["messages"] == [{"role": "user", "content": "Which pump?"}]
    assert body["options"] == {"temperature": 0, "num_predict": 50, "num_ctx": 512, "seed": 7}
    assert body["truncate"] is False


def test_ollama_generate_sends_one_text(server: ChatServer) -> None:
    assert text_of(client(server, "ollama-generate"), QUESTION) == "The pump P-101 runs."
    assert server.requests[0]["path"] == "/api/generate"
    assert server.requests[0]["body"]["prompt"] == "Which pump?"


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_an_openai_address_may_be_written_as_servers_document_it(
    server: ChatServer, base: str
) -> None:
    server.faults = [
        {"lines": [*sse(delta("P-"), delta("101"), delta(None, "stop")), "data: [DONE]"]}
    ]
    assert text_of(client(server, "openai", url=server.url + base), QUESTION) == "P-101"
    assert server.requests[0]["path"] == "/v1/chat/completions"


def test_events_are_read_as_the_standard_says() -> None:
    lines = [
        ": ping",
        "data: a",
        "",
        "event: x",
        "data:b",
        "data: c",
        "",
        "error: oh",
        "",
        "data: d",
    ]
    assert list(events(lines)) == ["a", "b\nc", '{"error": "oh"}', "d"]


def test_an_error_that_is_none_is_no_error(server: ChatServer) -> None:
    server.faults = [{"lines": sse({**delta("P", "stop"), "error": None})}]
    assert text_of(client(server, "openai"), QUESTION) == "P"


def test_thoughts_of_a_model_are_not_its_answer(server: ChatServer) -> None:
    server.faults = [
        {"lines": sse({"choices": [{"delta": {"reasoning_content": "hm"}}]}, delta("P", "stop"))}
    ]
    assert text_of(client(server, "openai"), QUESTION) == "P"


def test_tokens_are_estimated_and_not_too_few_where_no_tokenizer_answers(
    server: ChatServer, small_model: LanguageModel
) -> None:
    texts = [
        "The valve opens at 6.5 bar.",
        "Tel. 0711/123-4567-89",
        "水は百度で沸騰する",
        "naïve café",
    ]
    for kind in KINDS:
        model = client(server, kind)
        for text in texts:
            assert small_model.count_tokens(text) <= model.count_tokens(text) <= 4 * len(text)


# --- When things go wrong -----------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again(server: ChatServer, waits: list[float], status: int) -> None:
    server.faults = [{"status": status}] * 2
    assert text_of(client(server, waits=waits, retries=2), QUESTION) == "The pump P-101 runs."
    assert len(waits) == 2
    assert waits[0] < waits[1]


def test_tries_end_before_the_time_for_an_answer_does(
    server: ChatServer, waits: list[float]
) -> None:
    server.faults = [{"status": 503, "headers": {"Retry-After": "20"}}] * 9
    with pytest.raises(ModelUnreachable, match="answered 503"):
        text_of(client(server, waits=waits, retries=9), QUESTION)
    assert waits == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"status": 401, "body": {"error": "no key"}}, f"401: no key; set the key .* {API_KEY}"),
        ({"status": 404, "body": {"error": "no model"}}, r"404: no model; .*generation\.url right"),
        (
            {"status": 400, "body": {"error": {"message": "exceeds the context size"}}},
            "raise generation.context_tokens",
        ),
        (
            {"status": 307, "headers": {"Location": "http://192.0.2.1/"}},
            r"redirects are not followed: set generation\.url",
        ),
        (
            {"lines": ["<html>", "a page", "</html>"]},
            "not JSON|no stream of events|ended too early",
        ),
        ({"lines": []}, "ended too early|no stream of events"),
        ({"lines": ['{"done": fal', ""]}, "not JSON|no stream"),
        ({"lines": ["data: 7", "", "7"]}, "not JSON|broke off with an error: 7"),
        ({"lines": ["x" * 1_100_000]}, "sent more than an answer can be"),
        ({"lines": [" " * 900_000 + "\n"] * 20}, "sent more than|not JSON"),
    ],
)
def test_a_bad_answer_is_one_clear_error_at_once(
    server: ChatServer, waits: list[float], kind: str, fault: Fault, message: str
) -> None:
    server.faults = [fault]
    with pytest.raises(ModelError, match=message) as caught:
        text_of(client(server, kind, waits), QUESTION)
    assert not isinstance(caught.value, ModelUnreachable)
    assert waits == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "lines", "message"),
    [
        ("ollama", ['{"message": "hello"}'], "not in the ollama protocol"),
        ("ollama", ['{"message": {"content": 7}}'], "not in the ollama protocol"),
        ("ollama", ['{"response": "a"}'], "not in the ollama protocol"),
        ("ollama-generate", ['{"response": 7}'], "not in the ollama protocol"),
        ("ollama", ['{"message":{"content":"a"}}', '{"error":"out of memory"}'], "out of memory"),
        ("openai", sse(delta("a"), {"error": {"message": "out of memory"}}), "out of memory"),
        ("openai", sse({"choices": "a"}), "not in the openai protocol"),
        ("openai", sse({"choices": [7]}), "not in the openai protocol"),
        ("openai", sse({"choices": [{"delta": 7}]}), "not in the openai protocol"),
        ("openai", sse(delta(7)), "not in the openai protocol"),  # type: ignore[arg-type]
        ("openai", sse(delta("half")), "ended too early"),
        ("ollama", ['{"message": {"content": "half"}, "done": false}'], "ended too early"),
    ],
)
def test_a_stream_that_is_not_of_the_protocol_is_an_error(
    server: ChatServer, kind: str, lines: list[str], message: str
) -> None:
    server.faults = [{"lines": lines}]
    with pytest.raises(ModelError, match=message):
        text_of(client(server, kind), QUESTION)


def test_a_connection_that_breaks_in_the_middle_is_an_error(server: ChatServer) -> None:
    server.faults = [{"lines": ['{"message": {"content": "half"}}', BREAK]}]
    writing = client(server).write(QUESTION)
    assert next(iter(writing)) == "half"
    with pytest.raises(ModelUnreachable, match="broke off in the middle"):
        next(iter(writing))


def test_an_answer_must_be_whole_within_its_time(server: ChatServer) -> None:
    server.faults = [{"lines": ['{"message": {"content": "a"}}'] * 50, "drip": 0.1}]
    with pytest.raises(ModelUnreachable, match=r"no answer in 0\.3 s: raise generation\.timeout"):
        text_of(client(server, timeout_seconds=0.3), QUESTION)


def test_a_server_that_is_not_there_is_named_and_tried_once(
    server: ChatServer, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as silent:  # Bound, so that no other takes the port, but not listening.
        silent.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        model = client(server, waits=waits, retries=2, url=url)
        with pytest.raises(
            ModelUnreachable, match=r"small at http.*is the server running\?$"
        ) as first:
            text_of(model, QUESTION)
        monkeypatch.setattr("httpx.Client.send", None)  # It would be an error to ask again.
        with pytest.raises(ModelUnreachable) as second:
            text_of(model, QUESTION)
    assert str(first.value) == str(second.value)
    assert waits == []


# --- The second model ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"seconds": 1},
        {"lines": ['{"message": {"content": "half of"}}', BREAK]},
    ],
)
def test_the_fallback_starts_anew_and_says_why(server: ChatServer, fault: Fault) -> None:
    server.faults = [fault]
    with serving(ScriptedModel(["The other one."])) as second:
        model = client(
            server,
            timeout_seconds=0.5,
            retries=0,
            fallback_model="ollama:other",
            fallback_url=second.url,
        )
        writing = model.write(QUESTION)
        assert "".join(writing) == "The other one."
        assert writing.model == "ollama:other"
        assert "small at http" in writing.notices[0]
        assert "ollama:other wrote instead" in writing.notices[0]


def test_the_fallback_stays_silent_while_the_first_answers(server: ChatServer) -> None:
    with serving(ScriptedModel(["The other one."])) as second:
        model = client(server, fallback_model="ollama:other", fallback_url=second.url)
        writing = model.write(QUESTION)
        assert "".join(writing) == "The pump P-101 runs."
        assert writing.model == "ollama:small"
        assert not writing.notices
        assert not second.requests


def test_a_wrong_key_is_an_error_and_not_a_reason_for_the_fallback(server: ChatServer) -> None:
    server.faults = [{"status": 401}]
    with serving(ScriptedModel(["The other one."])) as second:
        model = client(server, fallback_model="ollama:other", fallback_url=second.url)
        with pytest.raises(ModelError, match="401"):
            text_of(model, QUESTION)


# --- Keys and addresses --------------------------------------------------------------------------


def test_each_key_goes_to_its_own_server_and_is_never_told(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_KEY, KEY)
    monkeypatch.setenv(FALLBACK_API_KEY, "other-key")
    server.faults = [{"status": 500, "body": {"error": f"bad key {KEY}"}}]
    with serving(ScriptedModel(["x"])) as second:
        model = client(server, retries=0, fallback_model="ollama:other", fallback_url=second.url)
        writing = model.write(QUESTION)
        assert "".join(writing) == "x"
        assert server.requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"
        assert second.requests[0]["headers"]["Authorization"] == "Bearer other-key"
    assert "bad key [key]" in writing.notices[0]
    assert KEY not in writing.notices[0] + model.name


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"model": "openai:m"}, r"needs the address of a server: set generation\.url"),
        ({"model": "openai:m", "url": "http://[::1"}, r"generation\.url is .*expected http://HOST"),
        ({"model": "ollama:m", "url": "http://a:99999"}, "expected http://HOST:PORT"),
        ({"model": "openai:m", "url": "https://me:word@x"}, API_KEY),
        (
            {"model": "ollama:m", "fallback_model": "openai:n", "fallback_url": "x"},
            r"generation\.fallback_url",
        ),
    ],
)
def test_a_bad_address_is_refused(chosen: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        open_model(GenerationSettings(**chosen))


LIKELY = [
    {"token": " Yes", "logprob": -0.5108},
    {"token": "No", "logprob": -1.6094},
    {"token": "yes", "logprob": -2.3026},
]
"""Yes in six and one, no in two of ten."""


@pytest.mark.parametrize("kind", KINDS)
def test_how_likely_yes_is_comes_from_the_likeliest_first_tokens(
    server: ChatServer, kind: str
) -> None:
    of_first = [{"token": "Yes", "logprob": -0.5, "top_logprobs": LIKELY}]
    told = {
        "openai": {"choices": [{"logprobs": {"content": of_first}}]},
        "ollama": {"logprobs": of_first, "message": {"content": "Yes"}},
    }
    server.faults.append({"status": 200, "body": told[kind.partition("-")[0]]})
    model = client(server, kind)
    assert isinstance(model, Assenting)
    assert model.likelihood_of_yes(QUESTION) == pytest.approx(7 / 9, abs=0.001)
    body = server.requests[0]["body"]
    assert (body["logprobs"], body["top_logprobs"]) == (True, 10)
    assert body.get("max_tokens", body.get("options", {}).get("num_predict")) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "Yes"}}], "response": "Yes"},
        {"choices": [{"logprobs": None}], "logprobs": None},
        {"choices": [{"logprobs": {"content": []}}], "logprobs": []},
        {"choices": [], "logprobs": [{"token": "Yes"}]},
        {
            "choices": [{"logprobs": {"content": [{"top_logprobs": LIKELY[2:]}]}}],
            "logprobs": [{"top_logprobs": LIKELY[2:]}],
        },
        ["Yes"],
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_does_not_tell_likely_tokens_leaves_it_open(
    server: ChatServer, kind: str, body: Any
) -> None:
    server.faults.append({"status": 200, "body": body})
    model = client(server, kind)
    assert isinstance(model, Assenting)
    assert model.likelihood_of_yes(QUESTION) is None
