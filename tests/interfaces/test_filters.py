"""Filters and tags from the command line."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from end_to_end.running import lexical_cli


@pytest.fixture
def filed(folder: Path, library: Path) -> Path:
    (folder / "valve.md").write_text("# Valve care\n\nThe valve is checked on day 7.\n")
    for name, year in (("pump.txt", 2021), ("valve.md", 2023), ("old/hose.txt", 2024)):
        when = datetime(year, 6, 1, tzinfo=UTC).timestamp()
        os.utime(folder / name, (when, when))
    lexical_cli("ingest", folder, "--library", library)
    lexical_cli("ingest", folder / "valve.md", "--library", library, "--tag", "manual")
    return library


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"pump.txt", "valve.md", "hose.txt"}),
        (["--document", "old/*"], {"hose.txt"}),
        (["--document", "pump.txt", "--document", "*.md"], {"pump.txt", "valve.md"}),
        (["--tag", "manual"], {"valve.md"}),
        (["--section", "valve CARE"], {"valve.md"}),
        (["--since", "2023"], {"valve.md", "hose.txt"}),
        (["--until", "2023-06"], {"pump.txt", "valve.md"}),
        (["--since", "2022", "--until", "2023", "--tag", "manual"], {"valve.md"}),
    ],
)
def test_search_looks_only_where_the_filters_let_it(
    filed: Path, options: list[str], expected: set[str]
) -> None:
    result = lexical_cli("search", "checked on day 7", "--library", filed, "--json", *options)
    assert result.returncode == 0, result.stderr
    hits = json.loads(result.stdout)["hits"]
    assert {Path(hit["source"]).name for hit in hits} == expected


def test_ask_and_batch_take_filters_too(filed: Path, tmp_path: Path) -> None:
    asked = "When is the hose checked?"
    found = lexical_cli("ask", asked, "--library", filed, "--json", "--document", "hose.txt")
    assert {Path(c["source"]).name for c in json.loads(found.stdout)["citations"]} == {"hose.txt"}
    refused = lexical_cli("ask", asked, "--library", filed, "--json", "--document", "pump.txt")
    cited = json.loads(refused.stdout)["citations"]
    assert all(Path(citation["source"]).name == "pump.txt" for citation in cited)
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"id": 1, "question": asked}) + "\n")
    output = tmp_path / "answers.jsonl"
    lexical_cli("batch", questions, "-o", output, "--library", filed, "--since", "2024")
    (answer,) = [json.loads(line) for line in output.read_text().splitlines()]
    assert {Path(c["source"]).name for c in answer["citations"]} == {"hose.txt"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--tag", "old"], "no document here has the tag 'old'; there are: manual"),
        (["--document", "motor.txt"], "no document matches 'motor.txt'; there are: hose.txt"),
        (
            ["--section", "paint"],
            "matches 'paint'; there are, for instance: Valve care",
        ),
        (["--section", "paint", "--document", "pump.txt"], "these documents have no headings"),
        (["--since", "2030"], "there are: 2021-06-01 to 2024-06-01"),
        (["--since", "2024", "--until", "2023"], "the earlier day comes first"),
        (["--until", "soon"], "'soon' is not a date"),
        (["--tag", ""], "a tag to look for is empty"),
    ],
)
def test_a_wrong_filter_is_an_error_that_tells_what_there_is(
    filed: Path, options: list[str], told: str
) -> None:
    result = lexical_cli("search", "checked", "--library", filed, *options)
    assert result.returncode != 0
    assert told in " ".join(result.stderr.split())


def test_an_empty_tag_is_refused_when_filing(folder: Path, library: Path) -> None:
    result = lexical_cli("ingest", folder, "--library", library, "--tag", " ")
    assert result.returncode != 0
    assert "a tag has no name" in result.stderr


def test_sync_tags_what_it_finds_and_a_touched_file_has_its_new_date(
    folder: Path, library: Path
) -> None:
    for year in (2020, 2022):
        when = datetime(year, 1, 5, tzinfo=UTC).timestamp()
        os.utime(folder / "pump.txt", (when, when))
        lexical_cli("sync", folder, "--library", library, "--tag", "all")
    options = ("--library", library, "--json", "--tag", "all", "--until")
    found = json.loads(lexical_cli("search", "checked", *options, "2022-01-05").stdout)
    assert [Path(hit["source"]).name for hit in found["hits"]] == ["pump.txt"]
    result = lexical_cli("search", "checked", *options, "2021")
    assert "there are: 2022-01-05" in result.stderr


@pytest.mark.parametrize("name", ["north", "south"])
def test_a_file_that_two_collections_hold_is_named_as_in_the_one_that_is_searched(
    tmp_path: Path, name: str
) -> None:
    library = tmp_path / "library"
    for place in ("north", "south"):
        (tmp_path / place).mkdir()
        (tmp_path / place / f"{place}.txt").write_text("The pond is 4 metres deep.\n")
        lexical_cli("ingest", tmp_path / place, "--library", library, "--collection", place)
    options = ("--library", library, "--collection", name)
    found = lexical_cli("search", "pond deep", *options, "--json")
    assert [Path(hit["source"]).name for hit in json.loads(found.stdout)["hits"]] == [f"{name}.txt"]
    for command in (("search", "pond deep"), ("ask", "How deep is the pond?")):
        told = lexical_cli(*command, *options, "--explain").stdout
        assert f"{name}.txt" in told
        assert {"north": "south", "south": "north"}[name] not in told.replace(str(tmp_path), "")
