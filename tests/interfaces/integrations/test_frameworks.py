"""Each framework's own way of calling a retriever, with the real framework."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from pincite.library.library import Library

QUESTION = "At what pressure does the relief valve open?"
FOREIGN = "Who won the chess championship of 1972?"
TEXT = "# Valves\n\nThe relief valve opens at a pressure of 300 kPa.\n\nIt is checked every year.\n"
CHECKED = "The relief valve opens at a pressure of 300 kPa."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("frameworks")
    (home / "valves.md").write_text(TEXT)
    with Library.open(home / "library") as made:
        made.ingest([home / "valves.md"])
    return home / "library"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with Library.open(folder, create=False) as opened:
        yield opened


def stands_there(text: str, metadata: dict[str, object]) -> bool:
    """Whether the text is what the file holds at its place, read without Pincite."""
    start, end = metadata["start_char_index"], metadata["end_char_index"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    return Path(str(metadata["source"])).read_text()[start:end] == text


def test_langchain_retrieves(library: Library) -> None:
    pytest.importorskip("langchain_core")
    from pincite.interfaces.integrations.langchain import PinciteRetriever

    (best, *_) = PinciteRetriever(library=library).invoke(QUESTION)
    assert "300 kPa" in best.page_content
    assert not best.metadata["is_checked_quote"]
    checked = PinciteRetriever(library=library, checked=True)
    (quote,) = checked.invoke(QUESTION)
    assert CHECKED in quote.page_content
    assert stands_there(quote.page_content, quote.metadata)
    assert checked.invoke(FOREIGN) == []
    assert asyncio.run(checked.ainvoke(QUESTION)) == [quote]


def test_langchain_composes(library: Library) -> None:
    core = pytest.importorskip("langchain_core.runnables")
    from pincite.interfaces.integrations.langchain import PinciteRetriever

    chain = PinciteRetriever(library=library, checked=True) | core.RunnableLambda(len)
    assert chain.invoke(QUESTION) == 1


def test_llama_index_retrieves_and_answers(library: Library) -> None:
    pytest.importorskip("llama_index.core")
    from pincite.interfaces.integrations.llama_index import PinciteQueryEngine, PinciteRetriever

    (best, *_) = PinciteRetriever(library).retrieve(QUESTION)
    assert "300 kPa" in best.text
    response = PinciteQueryEngine(library).query(QUESTION)
    assert CHECKED in str(response)
    (node,) = response.source_nodes
    assert stands_there(node.text, node.metadata)
    refused = PinciteQueryEngine(library).query(FOREIGN)
    assert refused.metadata["status"] == "abstained"
    assert refused.source_nodes == []
    assert str(refused)


def test_haystack_runs_in_a_pipeline_that_can_be_written_down(folder: Path) -> None:
    haystack = pytest.importorskip("haystack")
    from pincite.interfaces.integrations.haystack import PinciteRetriever

    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", PinciteRetriever(folder, checked=True))
    trusted = ["pincite.interfaces.integrations.haystack"]
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=trusted)
    found = again.run({"retriever": {"query": QUESTION}})["retriever"]
    (document,) = found["documents"]
    assert CHECKED in document.content
    assert stands_there(document.content, document.meta)
    refused = again.run({"retriever": {"query": FOREIGN}})["retriever"]
    assert (refused["documents"], refused["status"]) == ([], "abstained")
    assert refused["reasons"]
    again.get_component("retriever").close()
    passages = PinciteRetriever(folder)
    assert passages.run(query=QUESTION, top_k=1)["documents"][0].content
    passages.close()


LLM = """
import importlib.metadata, json, llm, sys
from llm.plugins import load_plugins, pm
load_plugins()
if not pm.get_plugin("pincite"):  # installed from elsewhere than this checkout
    from pincite.interfaces.integrations import llm_plugin
    pm.register(llm_plugin, "pincite")
load = llm.get_fragment_loaders()["pincite"]
try:
    refused = str(load(sys.argv[2]))
except ValueError as error:
    refused = str(error)
ask = llm.get_tools()["pincite_ask"].implementation
found = load(sys.argv[1])
print(json.dumps({
    "fragments": [[str(one), one.source] for one in found],
    "refused": refused,
    "asked": [json.loads(ask(question)) for question in sys.argv[1:]],
}))
"""


def test_llm_takes_quotes_as_fragments_and_has_a_tool(folder: Path, tmp_path: Path) -> None:
    if find_spec("sqlite_utils") is None:
        pytest.skip("llm is not installed")
    # A process of its own: a folder of these tests is called `llm` too.
    done = subprocess.run(
        [sys.executable, "-c", LLM, QUESTION, FOREIGN],
        cwd=tmp_path,
        env={
            **os.environ,
            "PINCITE_LIBRARY": str(folder),
            "LLM_USER_PATH": str(tmp_path),
            "LLM_LOAD_PLUGINS": "pincite",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    ((text, source),) = found["fragments"]
    assert CHECKED in text
    assert "valves.md" in source
    assert "in the documents" in found["refused"]
    assert [one["status"] for one in found["asked"]] == ["answered", "abstained"]
