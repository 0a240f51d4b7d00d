"""Each small program of examples/ does what its first lines say."""

from __future__ import annotations

import json
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import SampleLibrary
from interfaces.http.live import listening
from interfaces.http.opened import open_settings

from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.report.template import load_template

EXAMPLES = Path(__file__).parents[2] / "examples"
SOIL = "Which soil pH is best for tomatoes?"


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / name))


@pytest.fixture(scope="module")
def address(sample: SampleLibrary) -> Iterator[str]:
    served = Served(Library.open(sample.path, create=False))
    with listening(create_app(served, open_settings())) as one:
        yield one
    served.close()


def test_quotes_can_be_checked_without_pincite(
    sample: SampleLibrary, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = Path(shutil.copytree(sample.documents, tmp_path / "documents"))
    with Library.open(tmp_path / "library") as library:
        library.ingest([documents])
        library.save_receipt(library.ask(SOIL), tmp_path / "answer.json")
    main = example("quote_check.py")["main"]
    assert main(tmp_path / "answer.json") == 0
    assert capsys.readouterr().out == "[1] tomato-crop-guide.md: holds\n"
    answer = json.loads((tmp_path / "answer.json").read_text())
    answer["citations"][0]["cited_text"] = "Tomato grows best at a soil pH of 4."
    (tmp_path / "forged.json").write_text(json.dumps(answer))
    assert main(tmp_path / "forged.json") == 1
    assert "holds 'Tomato grows best at a soil pH of 6.0" in capsys.readouterr().out
    (documents / "tomato-crop-guide.md").write_text("Something else.")
    assert main(tmp_path / "answer.json") == 1
    assert "has changed since" in capsys.readouterr().out


def test_a_nightly_sync_says_only_what_needs_a_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main = example("nightly_sync.py")["main"]
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "pump.txt").write_text("The pump is checked on day 7.\n")
    assert main(tmp_path / "files", tmp_path / "library") == 0
    assert capsys.readouterr().out == ""
    keep = {"history": {"keep": True}, "verification": {"stance": "eager"}}
    with Library.open(tmp_path / "library", overrides=keep) as library:
        assert library.ask("When is the pump checked?").citations
    (tmp_path / "files" / "pump.txt").write_text("The pump is checked on day 9.\n")
    (tmp_path / "files" / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    assert main(tmp_path / "files", tmp_path / "library") == 1
    told = capsys.readouterr().out
    assert "not read: " in told
    assert "broken.pdf" in told
    assert "kept answers out of date: 1" in told


def test_statements_are_shown_as_the_server_sends_them(address: str) -> None:
    ask = example("ask_over_http.py")["ask"]
    shown = list(ask(SOIL, address, ""))
    assert shown[0].startswith("  Tomato grows best at a soil pH of 6.0 to 6.8.")
    assert shown[-2].startswith("  [1] tomato-crop-guide.md, ")
    refused = list(ask("When does the night ferry to Stavanger leave?", address, ""))
    assert refused[0] == "No answer in these documents."


def test_the_assistant_s_entry_starts_a_command_that_exists() -> None:
    entry = json.loads((EXAMPLES / "mcp_client.json").read_text())["mcpServers"]["my-documents"]
    assert (entry["command"], entry["args"][:2]) == ("pincite", ["mcp", "--library"])


def test_the_report_template_can_be_read() -> None:
    template = load_template(str(EXAMPLES / "supplier_review.toml"))
    assert [section.title for section in template.sections] == ["Delivery", "Quality", "End"]


def test_the_gallery_names_every_example_and_none_else() -> None:
    gallery = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in EXAMPLES.iterdir() if path.name[0] not in "._"} - {"README.md"}
    assert {name for name in names if f"]({name})" not in gallery} == set()
