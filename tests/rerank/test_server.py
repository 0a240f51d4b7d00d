from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pincite.errors import ModelError
from pincite.rerank.server import API_KEY, RerankServer, ServedScorer
from pincite.testing.contracts import PairScorerContract
from tests.local_server import Fault
from tests.rerank.rerank_server import RerankingServer, serving, shared_words

KEY = "sk-secret-0123456789"
QUESTION = "At which pressure does the relief valve open?"
TEXTS = ["The relief valve opens at 6.5 bar pressure.", "Mondays", "relief", "The valve"]


@pytest.fixture
def server() -> Iterator[RerankingServer]:
    with serving() as running:
        yield running


def client(server: RerankingServer, **changes: Any) -> ServedScorer:
    configured = {"url": server.url, "model": "m", "timeout_seconds": 5, "retries": 1, **changes}
    return ServedScorer(RerankServer(**configured), sleep=lambda seconds: None)


class TestProbabilities(PairScorerContract):
    @pytest.fixture
    def scorer(self, server: RerankingServer) -> ServedScorer:
        return client(server)


class TestLogits(PairScorerContract):
    @pytest.fixture
    def scorer(self, server: RerankingServer) -> ServedScorer:
        server.gives_logits = True
        return client(server, batch_size=3)


@pytest.mark.parametrize("base", ["", "/v1", "/v1/"])
def test_the_address_may_end_in_v1_or_not(server: RerankingServer, base: str) -> None:
    client(server, url=server.url + base).score(QUESTION, TEXTS)
    assert {request["path"] for request in server.requests} == {"/v1/rerank"}


def test_scores_come_back_in_the_order_of_the_texts(server: RerankingServer) -> None:
    expected = [shared_words(QUESTION, text) for text in TEXTS]
    assert len(set(expected)) > 2
    assert client(server).score(QUESTION, TEXTS) == expected


def test_texts_go_in_groups(server: RerankingServer) -> None:
    expected = client(server).score(QUESTION, TEXTS)
    server.requests.clear()
    assert client(server, batch_size=3).score(QUESTION, TEXTS) == expected
    assert [len(request["body"]["documents"]) for request in server.requests] == [2, 3, 1]


def test_whether_it_gives_logits_is_asked_once(server: RerankingServer) -> None:
    server.gives_logits = True
    scorer = client(server)
    runs = [scorer.score(QUESTION, TEXTS) for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]
    assert [len(request["body"]["documents"]) for request in server.requests] == [2, 4, 4, 4]
    # A text with half of the words has a logit of about 0, which alone would not tell.
    assert sorted(runs[0]) == [
        s for _, s in sorted(zip(client(server).score(QUESTION, TEXTS), runs[0], strict=True))
    ]


def test_another_scale_than_before_is_refused(server: RerankingServer) -> None:
    scorer = client(server)
    scorer.score(QUESTION, TEXTS)
    server.gives_logits = True
    with pytest.raises(ModelError, match=r"outside 0\.\.1 now, and inside before"):
        scorer.score(QUESTION, TEXTS)


def test_a_server_that_comes_back_is_asked_again(server: RerankingServer) -> None:
    scorer = client(server, retries=0)
    server.faults = [{"status": 503, "body": {"error": "loading"}}]
    with pytest.raises(ModelError, match="answered 503: loading"):
        scorer.score(QUESTION, TEXTS)
    assert len(scorer.score(QUESTION, TEXTS)) == len(TEXTS)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"status": 401, "body": {"error": "no key"}}, rf"401: no key; set .*{API_KEY}"),
        ({"status": 500, "body": {"error": "input is too large"}}, "longer window .*--ubatch-size"),
        ({"status": 200, "body": {"hello": 1}}, "no results with index and relevance_score"),
        ({"status": 200, "body": [1]}, "no results with index and relevance_score"),
        ({"change": lambda rows: rows[1:]}, "gave 1 scores for 2 texts"),
        ({"change": lambda rows: [{**row, "index": 7} for row in rows]}, "wrong indexes"),
        (
            {"change": lambda rows: [{**row, "relevance_score": float("nan")} for row in rows]},
            "is not a finite number",
        ),
        (
            {"change": lambda rows: [{**row, "relevance_score": None} for row in rows]},
            "no results with index",
        ),
    ],
)
def test_a_bad_answer_is_one_clear_error(
    server: RerankingServer, fault: Fault, message: str
) -> None:
    server.faults = [fault]
    with pytest.raises(ModelError, match=message):
        client(server).score(QUESTION, TEXTS)


def test_the_key_goes_into_the_header_and_into_no_message(
    server: RerankingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_KEY, KEY)
    scorer = client(server)
    scorer.score(QUESTION, TEXTS)
    assert server.requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"
    server.faults = [{"status": 400, "body": {"error": f"bad key {KEY}"}}]
    with pytest.raises(ModelError, match=r"bad key \[key\]"):
        scorer.score(QUESTION, TEXTS)


def test_without_an_address_the_setting_is_named() -> None:
    with pytest.raises(ModelError, match=r"set rerank\.url"):
        ServedScorer(RerankServer(url="", model="m"))
    with pytest.raises(ModelError, match=r"rerank\.url is 'ftp://x'; expected http"):
        ServedScorer(RerankServer(url="ftp://x", model="m"))
