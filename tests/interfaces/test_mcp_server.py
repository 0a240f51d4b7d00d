"""The tools, called by the protocol's own client: in memory, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import openai
import pytest
from end_to_end import running
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import pincite
from interfaces.http.live import listening
from interfaces.http.opened import key_for, open_settings, with_key
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.guards.logs import QUERY_FILE
from pincite.interfaces.http.served import Served
from pincite.interfaces.mcp import mcp_server

TORQUE = "What torque do I need for a size -8 hose end?"
FERRY = "When does the night ferry to Stavanger leave?"

Use: TypeAlias = Callable[[Client], Awaitable[Any]]
Connect: TypeAlias = Callable[[Use], Any]


@pytest.fixture(scope="module")
def served(sample: running.SampleLibrary) -> Iterator[Served]:
    one = Served(pincite.Library.open(sample.path, create=False))
    yield one
    one.close()


@pytest.fixture(scope="module")
def address(served: Served) -> Iterator[str]:
    with listening(create_app(served, open_settings())) as one:
        yield one


def connected(target: Any, **options: Any) -> Connect:
    def run(use: Use) -> Any:
        async def session() -> Any:
            async with Client(target(), **options) as client:
                return await use(client)

        return asyncio.run(session())

    return run


@pytest.fixture(params=["memory", "memory before 2026", "http", "http before 2026", "stdio"])
def connect(
    request: pytest.FixtureRequest, served: Served, sample: running.SampleLibrary
) -> Connect:
    way, _, before = str(request.param).partition(" before ")
    options = {"mode": "legacy"} if before else {}
    if way == "memory":
        return connected(lambda: mcp_server(served), **options)
    if way == "http":
        address = request.getfixturevalue("address")
        return connected(lambda: f"{address}/mcp", **options)
    command = [sys.executable, "-m", "pincite", "mcp", "--library", str(sample.path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(pincite.__file__).parents[1])}
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    return connected(lambda: stdio_client(parameters), **options)


def called(connect: Connect, name: str, arguments: dict[str, Any]) -> Any:
    return connect(lambda client: client.call_tool(name, arguments))


def test_each_way_gives_the_citations_of_the_command_line(
    connect: Connect, sample: running.SampleLibrary
) -> None:
    result = called(connect, "ask", {"question": TORQUE})
    assert not result.is_error
    printed = json.loads(running.run_cli("ask", TORQUE, "-l", sample.path, "--json").stdout)
    given = result.structured_content
    for cited in printed["citations"]:
        cited["source"] = Path(cited["source"]).name
    assert given["citations"] == printed["citations"]
    assert [link["citation"] for link in given["links"]] == [*range(1, len(given["citations"]) + 1)]
    assert all(link["href"] in result.content[0].text for link in given["links"][:1])


def test_each_way_refuses_unknown_arguments(connect: Connect) -> None:
    result = called(connect, "ask", {"question": TORQUE, "colection": "default", "limit": 3})
    assert result.is_error
    told = result.content[0].text
    assert "has no argument 'colection', 'limit'; expected: question, collection" in told


@pytest.fixture
def memory(served: Served) -> Connect:
    return connected(lambda: mcp_server(served))


def test_all_tools_say_that_they_only_read_and_what_they_take(memory: Connect) -> None:
    tools = memory(lambda client: client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        "ask", "search", "get", "verify_quote", "check_claims", "compare", "brief", "timeline", "count",
        "status", "table",
    }  # fmt: skip
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema
        assert tool.description


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("ask", {}, "question: Field required"),
        ("ask", {"question": 5}, "question: Input should be a valid string"),
        ("ask", {"question": " "}, "the question is empty"),
        ("ask", {"question": "x", "collection": "none"}, "there is no collection 'none'"),
        ("ask", {"question": "x", "since": "soon"}, "'soon' is not a date"),
        ("search", {"question": "x", "limit": 0}, "limit: Input should be greater"),
        ("get", {"id": "nothing"}, "there is no document nothing"),
        ("ask", {"question": "why " * 1000}, "4,000 characters; at most 2,000 are accepted"),
        ("search", {"question": "why " * 1000}, "4,000 characters"),
        ("count", {"words": "why " * 1000}, "4,000 characters"),
        ("verify_quote", {"quote": ""}, "the quote is empty"),
        ("status", {"all": True}, "status has no argument 'all'; expected: none"),
        ("remove", {}, "remove"),
    ],
)
def test_what_cannot_be_done_is_told_in_plain_words(
    address: str, memory: Connect, name: str, arguments: dict[str, Any], told: str
) -> None:
    result = called(memory, name, arguments)
    assert result.is_error
    assert told in result.content[0].text
    assert "Traceback" not in result.content[0].text


def test_a_result_can_be_kept_and_verified(
    connect: Connect, sample: running.SampleLibrary, tmp_path: Path
) -> None:
    result = called(connect, "ask", {"question": TORQUE})
    kept = tmp_path / "answer.json"
    kept.write_text(json.dumps(result.structured_content))
    checked = running.run_cli("verify", kept, "--root", sample.documents)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_refusal_is_a_result_with_reasons(memory: Connect) -> None:
    result = called(memory, "ask", {"question": FERRY})
    assert not result.is_error
    assert result.structured_content["status"] == "abstained"
    assert result.structured_content["links"] == []
    assert result.content[0].text.startswith("**No answer in these documents.**")


def test_a_link_can_be_opened_and_its_document_read(memory: Connect) -> None:
    link = called(memory, "ask", {"question": TORQUE}).structured_content["links"][0]
    opened = called(memory, "get", {"id": link["id"]}).structured_content
    assert opened["state"] == "verified"
    document = opened["document"]["id"]
    text = called(memory, "get", {"id": document, "start": opened["start"], "end": opened["end"]})
    assert text.structured_content["text"] == opened["quote"]


def test_citations_are_resources_that_can_be_read(memory: Connect) -> None:
    async def use(client: Client) -> None:
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == [
            "pincite://citation/{id}",
            "pincite://document/{id}",
        ]
        for tool, arguments in (("ask", {"question": TORQUE}), ("search", {"question": TORQUE})):
            result = await client.call_tool(tool, arguments)
            links = [part for part in result.content if part.type == "resource_link"]
            form = result.structured_content
            assert form is not None
            assert [link.uri.rpartition("/")[2] for link in links] == [
                link["id"] for link in form["links"]
            ]
            read = await client.read_resource(links[0].uri)
            cited = form["citations"][0]["cited_text"] if tool == "ask" else form["hits"][0]["text"]
            assert cited in read.contents[0].text  # type: ignore[union-attr]
            assert links[0].title
        document = form["hits"][0]["document"]
        whole = await client.read_resource(f"pincite://document/{document}")
        assert form["hits"][0]["text"] in whole.contents[0].text  # type: ignore[union-attr]

    memory(use)


@pytest.mark.parametrize("uri", ["pincite://citation/x", "pincite://document/0123456789abcdef"])
def test_a_resource_that_is_not_there_is_an_error(memory: Connect, uri: str) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(Exception, match=r"not in the library|no document"):
            await client.read_resource(uri)

    memory(use)


def test_results_are_described_for_clients(memory: Connect) -> None:
    async def use(client: Client) -> None:
        tools = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        answered = tools["ask"]
        assert answered is not None
        assert {"status", "citations", "links", "reasons"} <= set(answered["required"])
        assert answered["properties"]["status"]["enum"] == ["answered", "abstained"]
        assert all(schema and schema["properties"] for schema in tools.values())

    memory(use)


def test_a_quote_is_verified_word_for_word(memory: Connect, served: Served) -> None:
    quote = served.ask(TORQUE)["citations"][0]["cited_text"]
    found = called(memory, "verify_quote", {"quote": quote}).structured_content
    assert found["verified"]
    assert found["places"][0]["href"].startswith("/c/")
    changed = called(memory, "verify_quote", {"quote": quote.replace("5", "6")}).structured_content
    assert not changed["verified"]


def test_words_are_counted_and_passages_searched(memory: Connect, served: Served) -> None:
    counted = called(memory, "count", {"words": "pump"}).structured_content
    assert counted["survey"] == served.count("pump")["survey"]
    found = called(memory, "search", {"question": TORQUE, "limit": 3}).structured_content
    assert [hit["passage_id"] for hit in found["hits"]] == [
        hit["passage_id"] for hit in served.search(TORQUE, limit=3)["hits"]
    ]
    assert called(memory, "status", {}).structured_content["documents"] == 6


def test_the_same_is_asked_of_each_document(memory: Connect, served: Served) -> None:
    asked = {
        "questions": ["Water: How much water do tomatoes need?"],
        "documents": ["tomato*"],
    }
    result = called(memory, "table", asked)
    (row,) = result.structured_content["rows"]
    (cell,) = row["cells"]
    assert cell["value"]
    assert served.citation(cell["link"])["state"] == "verified"
    assert f"Water: {cell['value']}" in result.content[0].text
    assert cell["link"] in result.content[0].text


def test_two_documents_are_compared_by_their_names(memory: Connect, served: Served) -> None:
    names = sorted(Path(entry.path).name for entry in served.files())[:2]
    result = called(memory, "compare", {"before": names[0], "after": names[1]})
    form = result.structured_content
    assert [form["before"], form["after"]] == names
    assert form["changes"]
    for change in form["changes"]:
        for side in filter(None, (change["before"], change["after"])):
            text = next(
                served.held(entry.document_id).document.text
                for entry in served.files()
                if Path(entry.path).name == side["file"]
            )
            assert text[side["start"] : side["end"]] == side["quote"]
    assert f"{len(form['changes'])} differences" in result.content[0].text


def test_links_begin_with_the_address_that_was_called(address: str) -> None:
    result = called(connected(lambda: f"{address}/mcp"), "ask", {"question": TORQUE})
    assert result.structured_content["links"][0]["href"].startswith(f"{address}/c/")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_other_hosts_and_pages_elsewhere_are_refused(
    address: str, headers: dict[str, str], status: int
) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    reply = httpx.post(f"{address}/mcp", content=json.dumps(body), headers=sent)
    assert reply.status_code in (status, 403, 415, 421)
    assert "tools" not in reply.text


def test_only_collections_that_may_be_seen_answer(served: Served, tmp_path: Path) -> None:
    key = key_for(tmp_path, "elsewhere")
    app = create_app(served, open_settings(folder=str(tmp_path)))
    with listening(with_key(app, key)) as address:
        http = connected(lambda: f"{address}/mcp")
        for name in ("ask", "search"):
            result = called(http, name, {"question": TORQUE, "collection": "default"})
            assert result.is_error
            assert "there is no collection 'default'" in result.content[0].text
        assert called(http, "status", {}).structured_content["documents"] == 0
        name = Path(served.files()[0].path).name
        hidden = called(http, "compare", {"before": name, "after": name})
        assert hidden.is_error
        assert f"there is no document '{name}'" in hidden.content[0].text


def test_resources_of_others_cannot_be_read(served: Served, tmp_path: Path) -> None:
    form = served.ask(TORQUE)
    app = create_app(served, open_settings(folder=str(tmp_path)))
    with listening(with_key(app, key_for(tmp_path, "elsewhere"))) as address:

        async def use(client: Client) -> None:
            for uri in (
                f"pincite://citation/{form['links'][0]['id']}",
                f"pincite://document/{form['citations'][0]['document']}",
            ):
                with pytest.raises(Exception, match=r"not in the library|no document") as raised:
                    await client.read_resource(uri)
                assert form["citations"][0]["cited_text"] not in str(raised.value)

        connected(lambda: f"{address}/mcp")(use)


def test_without_a_library_the_command_says_so(tmp_path: Path) -> None:
    result = running.run_cli("mcp", "--library", tmp_path / "none")
    assert result.returncode != 0
    assert result.stdout == ""
    assert "none" in result.stderr


def test_all_clients_get_the_same_citations_for_the_same_question(
    address: str, sample: running.SampleLibrary
) -> None:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none") as official:
        for asked in [one["question"] for one in sample.questions()[:6]]:
            query = httpx.post(f"{address}/v1/query", json={"question": asked}).json()
            ids = [link["id"] for link in query["links"]]
            tool = called(connected(lambda: f"{address}/mcp"), "ask", {"question": asked})
            assert tool.structured_content["citations"] == query["citations"]
            assert [link["id"] for link in tool.structured_content["links"]] == ids
            completion = official.chat.completions.create(
                model="pincite", messages=[{"role": "user", "content": asked}]
            )
            response = official.responses.create(model="pincite", input=asked)
            for reply in (completion, response):
                evidence = (reply.model_extra or {})["evidence"]
                assert evidence["citations"] == query["citations"]
                assert [link["id"] for link in evidence["links"]] == ids


def test_what_is_asked_is_counted_and_logged_whichever_client_asks(
    served: Served, tmp_path: Path
) -> None:
    app = create_app(served, open_settings(folder=str(tmp_path), query_log=True))
    with listening(app) as address:
        called(connected(lambda: f"{address}/mcp"), "ask", {"question": f"By MCP: {TORQUE}"})
        message = {"role": "user", "content": f"By chat: {TORQUE}"}
        for path, body in (
            ("/v1/query", {"question": f"By query: {TORQUE}"}),
            ("/v1/chat/completions", {"model": "pincite", "messages": [message]}),
            ("/v1/responses", {"model": "pincite", "input": f"By response: {TORQUE}"}),
            ("/api/search", {"query": f"By search: {TORQUE}", "generate_answer": True}),
            ("/api/search", {"query": "Only passages?"}),
            ("/answer", {"question": f"By answer: {TORQUE}"}),
        ):
            assert httpx.post(f"{address}{path}", json=body, timeout=300).status_code == 200
        metrics = httpx.get(f"{address}/metrics").text
    logged = [json.loads(line) for line in (tmp_path / QUERY_FILE).read_text().splitlines()]
    ways = [entry["question"].partition(":")[0].lower() for entry in logged]
    assert ways == [
        "by [name]", "by query", "by chat", "by response", "by search", "by answer"
    ]  # fmt: skip
    assert all(entry["request_id"] and entry["status"] for entry in logged)
    counted = [line for line in metrics.splitlines() if line.startswith("pincite_answers_total{")]
    assert sum(float(line.rsplit(" ", 1)[1]) for line in counted) == len(logged)
