from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ModelError
from pincite.models.encoders.server import API_KEY, RemoteEncoder, Server, pieces
from pincite.testing.contracts import VectorEncoderContract
from tests.local_server import Fault
from tests.models.encoders.embedding_server import EmbeddingServer, serving

KEY = "sk-secret-0123456789"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    """How long the client would have slept."""
    return []


def client(server: EmbeddingServer, protocol: Any = "openai", **changes: Any) -> RemoteEncoder:
    use = {name: changes.pop(name) for name in list(changes) if name not in _OF_SERVER}
    configured = {"url": server.url, "model": "m", "timeout_seconds": 5, **changes}
    return RemoteEncoder(Server(protocol=protocol, **configured), **use)


_OF_SERVER = {"url", "model", "timeout_seconds", "retries", "batch_size"}


class TestOpenAi(VectorEncoderContract):
    @pytest.fixture
    def encoder(self, server: EmbeddingServer) -> RemoteEncoder:
        return client(server, batch_size=3)


class TestOllama(VectorEncoderContract):
    @pytest.fixture
    def encoder(self, server: EmbeddingServer) -> RemoteEncoder:
        return client(server, "ollama", query_prefix="query: ", max_chars=200)


@pytest.mark.parametrize(
    ("protocol", "base", "path"),
    [
        ("openai", "", "/v1/embeddings"),
        ("openai", "/v1", "/v1/embeddings"),
        ("openai", "/v1/", "/v1/embeddings"),
        ("openai", "/team/v1", "/team/v1/embeddings"),
        ("ollama", "", "/api/embed"),
        ("ollama", "/api/", "/api/embed"),
    ],
)
def test_the_address_may_be_written_as_servers_document_it(
    server: EmbeddingServer, protocol: str, base: str, path: str
) -> None:
    client(server, protocol, url=server.url + base)
    assert server.requests[0]["path"] == path


def test_texts_go_in_batches_and_come_back_in_order(server: EmbeddingServer) -> None:
    encoder = client(server, batch_size=4)
    texts = [f"pump number {number}" for number in range(11)]
    found = [each.vector for each in encoder.encode(texts)]
    expected = [each.vector for each in server.encoder.encode(texts)]
    assert np.allclose(found, expected, atol=1e-6)
    assert server.most_texts == 4
    assert len(server.requests) == 1 + 3


def test_prefixes_go_before_questions_and_passages(server: EmbeddingServer) -> None:
    encoder = client(server, query_prefix="query: ", passage_prefix="passage: ")
    list(encoder.encode(["one"]))
    encoder.encode_question("two")
    encoder.encode_question("two")
    assert server.texts()[1:] == ["passage: one", "query: two"]


def test_a_long_text_is_sent_in_pieces_that_count_by_their_length(server: EmbeddingServer) -> None:
    server.longest = 40
    encoder = client(server, max_chars=30, batch_size=2)
    text = "pump valve " * 9 + "lemon"
    (found,) = encoder.encode([text])
    assert max(map(len, server.texts())) <= 40
    assert len(server.texts()) > 4
    parts = [(len(piece), next(encoder.encode([piece])).vector) for piece in pieces(text, 30)]
    mean = np.sum([length * vector for length, vector in parts], axis=0)
    assert np.allclose(found.vector, mean / np.linalg.norm(mean), atol=1e-5)


@given(st.text(), st.integers(50, 90))
def test_pieces_hold_the_whole_text_in_order(text: str, size: int) -> None:
    found = pieces(text * 5, size)
    assert all(0 < len(piece) <= size for piece in found)
    if text.strip():
        assert "".join("".join(found).split()) == "".join((text * 5).split())


def test_the_name_tells_model_use_and_size_and_not_the_address(server: EmbeddingServer) -> None:
    name = client(server).name
    assert name.startswith("openai:m#")
    assert client(server, url=server.url + "/v1").name == name
    others = [{"query_prefix": "q"}, {"max_chars": 99}, {"model": "n"}, {"protocol": "ollama"}]
    assert name not in {client(server, **change).name for change in others}


# --- When things go wrong -----------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_with_growing_waits(
    server: EmbeddingServer, waits: list[float], status: int
) -> None:
    server.faults = [{"status": status}] * 3
    assert client(server, sleep=waits.append).dimensions == 24
    assert len(waits) == 3
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1.0 <= waits[2] <= 2.0


def test_a_server_that_asks_for_patience_gets_it(
    server: EmbeddingServer, waits: list[float]
) -> None:
    server.faults = [
        {"status": 429, "headers": {"Retry-After": wait}} for wait in ("7", "999", "x")
    ]
    client(server, sleep=waits.append)
    assert waits[:2] == [7.0, 30.0]
    assert waits[2] <= 2.0


def test_tries_come_to_an_end(server: EmbeddingServer, waits: list[float]) -> None:
    server.faults = [{"status": 503, "body": {"error": "model is loading"}}] * 9
    with pytest.raises(ModelError, match=r"answered 503: model is loading \(3 tries\)"):
        client(server, retries=2, sleep=waits.append)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            {"status": 401, "body": {"error": {"message": "no key"}}},
            rf"401: no key; set .*{API_KEY}",
        ),
        (
            {"status": 404, "body": {"error": "model 'm' not found"}},
            r"404: model 'm' not found; is",
        ),
        ({"status": 400, "body": b"<html>no</html>"}, r"400: <html>no</html>$"),
        ({"status": 500, "body": {"error": "input is too large"}}, r"lower embedding\.max_chars"),
        ({"status": 200, "body": b"<html>a page</html>"}, r"not JSON: is this the right address\?"),
        (
            {"status": 200, "body": {"hello": 1}},
            r"no embeddings in the format of the openai protocol",
        ),
        (
            {"status": 200, "body": {"data": [{"index": 1, "embedding": [1]}]}},
            "wrong indexes",
        ),
        (
            {"status": 307, "headers": {"Location": "http://192.0.2.1/"}},
            "redirects are not followed",
        ),
        ({"change": lambda rows: []}, "gave 0 vectors for 1 texts"),
        (
            {"change": lambda rows: [{**rows[0], "embedding": [float("nan")] * 24}]},
            "not made of num",
        ),
        ({"change": lambda rows: [{**rows[0], "embedding": [0.0] * 24}]}, "all zeros"),
        (
            {"change": lambda rows: [{**rows[0], "embedding": ["a"]}]},
            "different lengths|not made of",
        ),
    ],
)
def test_a_bad_answer_is_one_clear_error_at_once(
    server: EmbeddingServer, waits: list[float], fault: Fault, message: str
) -> None:
    server.faults = [fault]
    with pytest.raises(ModelError, match=message):
        client(server, sleep=waits.append)
    assert waits == []
    assert len(server.requests) == 1


def test_vectors_of_another_length_than_before_are_refused(server: EmbeddingServer) -> None:
    encoder = client(server)
    server.faults = [{"change": lambda rows: [{**row, "embedding": [1.0, 2.0]} for row in rows]}]
    with pytest.raises(ModelError, match="vectors have 2 numbers now, and had 24 before"):
        list(encoder.encode(["pump", "valve"]))


def test_vectors_of_different_lengths_are_refused(server: EmbeddingServer) -> None:
    encoder = client(server)
    server.faults = [{"change": lambda rows: [{**rows[0], "embedding": [1.0]}, rows[1]]}]
    with pytest.raises(ModelError, match="vectors of different lengths"):
        list(encoder.encode(["pump", "valve"]))


def test_a_server_that_does_not_answer_in_time_is_named(
    server: EmbeddingServer, waits: list[float]
) -> None:
    server.faults = [{"seconds": 0.6}] * 2
    with pytest.raises(ModelError, match=r"no answer in 0\.1 s: raise embedding\.timeout_seconds"):
        client(server, timeout_seconds=0.1, retries=1, sleep=waits.append)
    assert len(waits) == 1


def test_a_server_that_is_not_there_is_named(waits: list[float]) -> None:
    with serving() as gone:
        url = gone.url
    with pytest.raises(
        ModelError, match=r"m at http://127.*cannot be reached .* is the server runn"
    ):
        RemoteEncoder(Server(protocol="ollama", url=url, model="m"), sleep=waits.append)
    assert len(waits) == 3


# --- Keys and addresses -----------------------------------------------------------------------


def test_the_key_comes_from_the_environment_and_is_never_told(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_KEY, KEY)
    encoder = client(server)
    assert server.requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in encoder.name + encoder.runtime
    server.faults = [{"status": 401, "body": {"error": f"bad key {KEY}"}}]
    with pytest.raises(ModelError, match=r"bad key \[key\]") as caught:
        client(server)
    assert KEY not in str(caught.value)


def test_no_key_is_sent_where_none_was_given(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    client(server)
    assert "Authorization" not in server.requests[0]["headers"]


def test_a_key_does_not_travel_in_clear_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY, KEY)
    with pytest.raises(ModelError, match="would travel in clear text"):
        RemoteEncoder(Server(protocol="openai", url="http://models.example", model="m"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", r"needs the address of a server: set embedding\.url"),
        ("models.example", "expected http://HOST:PORT"),
        ("ftp://models.example", "expected http://HOST:PORT"),
        ("https://me:word@models.example", f"set the key in the environment as {API_KEY}"),
        ("https://models.example/v1?key=1", f"set the key in the environment as {API_KEY}"),
    ],
)
def test_a_bad_address_is_refused(url: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        RemoteEncoder(Server(protocol="openai", url=url, model="m"))


def test_proxies_of_the_environment_are_not_used(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://192.0.2.1:3128")
    assert client(server).dimensions == 24
