"""Notebooks, JSON, XML and subtitles: places, tables, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.records.document import BlockKind, Document
from pincite.records.document_codec import document_from_bytes, document_to_bytes

NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# Pumps\n", "\n", "Pump **seven** holds oil."]},
            {
                "cell_type": "code",
                "source": "print(12)",
                "outputs": [
                    {"output_type": "stream", "text": ["\x1b[31m12\x1b[0m\n"]},
                    {"output_type": "display_data", "data": {"image/png": "", "text/plain": "<F>"}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "no oil"},
                    {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}},
                ],
            },
            {"cell_type": "markdown", "source": "## Tanks\n\nTank one."},
        ]
    }
)
SUBTITLES = (
    "1\n00:01:02,500 --> 00:01:04,000\nGood morning.\nAll well?\n\n"
    "2\n00:01:05,000 --> 00:01:06,000\nYes.\n"
)
XML = (
    '<?xml version="1.0"?><catalog><title>Parts</title><book id="7"><name>Pump</name>'
    "<text>It holds <b>twelve</b> litres.</text></book><book><name>Tank</name></book></catalog>"
)
YAML = """# Pumps of the hall.
pumps:
- name: P-7
  flow: 1.10 l/s  # measured
  use: yes
- &b {name: P-8, flow: [2, 3]}
- *b
note: |
  Stop the pump.
  Then wait.
---
"a b": 0010
"""
TOML = """title = "Pumps"  # of the hall
[pump.p7]
flow = 1_000
parts = [ # all
  "seal",
  "b = 3",
]
note = '''
[no table]
x = 1
'''
[[tank]]
empty = false
"""
SAMPLES = {
    "a.ipynb": NOTEBOOK,
    "a.json": '{"a": [{"b": 1, "c": [true, null]}, "x"]}',
    "a.jsonl": '{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n',
    "a.xml": XML,
    "a.srt": SUBTITLES,
    "a.vtt": "WEBVTT\n\n01:02.000 --> 01:03.000\nHello.\n",
    "a.mdx": "# Title\n\nText.\n",
    "a.yaml": YAML,
    "a.toml": TOML,
}


def read(name: str, content: str | bytes) -> Document:
    raw = content.encode() if isinstance(content, str) else content
    document = FileReader().read_content(Path(name), raw)
    ends = [0, *(block.end for block in document.blocks)]
    for block, before in zip(document.blocks, ends, strict=False):
        assert before <= block.start < block.end <= len(document.text)
        assert all(block.start <= cell.start < cell.end <= block.end for cell in block.cells)
    assert document_from_bytes(document_to_bytes(document)) == document
    return document


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.place, document.text[block.start : block.end]) for block in document.blocks]


def test_each_block_of_a_notebook_names_its_cell() -> None:
    document = read("a.ipynb", NOTEBOOK)
    assert document.title == "Pumps"
    assert shown(document) == [
        ("cell 1", "Pumps"),
        ("cell 1", "Pump **seven** holds oil."),
        ("cell 2", "print(12)"),
        ("cell 2", "12"),
        ("cell 2", "<F>"),
        ("cell 2", "ValueError: no oil"),
        ("cell 3", "Tanks"),
        ("cell 3", "Tank one."),
    ]
    assert [block.kind for block in document.blocks[2:6]] == [BlockKind.CODE] * 4
    assert document.blocks[2].section == ("Pumps",)
    assert document.blocks[-1].section == ("Pumps", "Tanks")
    assert any("text/html" in gap for gap in document.gaps)
    assert any("1 picture" in warning for warning in document.warnings)


def test_each_value_of_json_is_a_line_with_its_path() -> None:
    document = read(
        "a.json", '{"servers": [{"host": "a", "ports": [80, 1.10]}], "servers": "", "e": {}}'
    )
    assert shown(document) == [
        ("servers[0].host", "servers[0].host: a"),
        ("servers[0].ports[0]", "servers[0].ports[0]: 80"),
        ("servers[0].ports[1]", "servers[0].ports[1]: 1.10"),
        ("servers", "servers: "),
        ("e", "e: {}"),
    ]
    assert document.blocks[0].section == ("servers[0]",)
    value = document.blocks[0].cells[1]
    assert document.text[value.start : value.end] == "a"
    assert document.text[slice(*value.row_headers[0])] == "servers[0].host"


def test_equal_flat_objects_are_a_table_with_a_head() -> None:
    rows = '[{"city": "Ulm", "rain": 7}, {"city": "Bonn", "rain": 9}]'
    for name, text, place in (
        ("a.json", f'{{"t": {rows}}}', "t[1]"),
        ("a.jsonl", rows[1:-1].replace("}, {", "}\n{"), "line 2"),
        ("a.json", rows[1:-1].replace("}, {", "}\n{"), "line 2"),
    ):
        document = read(name, text)
        assert [block.kind for block in document.blocks] == [BlockKind.TABLE_ROW] * 3
        last = document.blocks[-1]
        cell = last.cells[1]
        assert (last.place, document.text[cell.start : cell.end]) == (place, "9")
        assert [document.text[slice(*one)] for one in cell.column_headers] == ["rain"]


def test_a_damaged_line_is_a_gap() -> None:
    document = read("a.jsonl", '{"a": 1}\n{"a":\n[2]\n')
    assert shown(document) == [("line 1, a", "line 1, a: 1"), ("line 3[0]", "line 3[0]: 2")]
    assert document.gaps[0].startswith("line 2 is not JSON")


def test_xml_is_read_in_order_with_paths() -> None:
    document = read("a.xml", XML)
    assert document.title == "Parts"
    assert shown(document) == [
        ("catalog/title[1]", "Parts"),
        ("catalog/book[1]", "id: 7"),
        ("catalog/book[1]/name[1]", "Pump"),
        ("catalog/book[1]/text[1]", "It holds twelve litres."),
        ("catalog/book[2]/name[1]", "Tank"),
    ]
    assert document.blocks[2].section == ("catalog", "book", "name")


def test_a_comment_within_xml_text_hides_nothing_behind_it() -> None:
    assert shown(read("a.xml", "<a>one<!-- no -->two</a>")) == [("a", "onetwo")]


def test_each_cue_has_its_time_and_leads_back_to_the_bytes() -> None:
    document = read("a.srt", SUBTITLES.replace("\n", "\r\n"))
    assert document.text == SUBTITLES.replace("\n", "\r\n")
    assert shown(document) == [
        ("00:01:02", "Good morning.\r\nAll well?"),
        ("00:01:05", "Yes."),
    ]
    assert document.byte_range(0, 3) == (0, 3)
    assert shown(read("a.vtt", SAMPLES["a.vtt"])) == [("00:01:02", "Hello.")]


def test_yaml_keeps_its_text_and_each_value_its_path() -> None:
    document = read("a.yaml", YAML)
    assert document.text == YAML
    assert shown(document) == [
        ("pumps[0].name", "name: P-7"),
        ("pumps[0].flow", "flow: 1.10 l/s"),
        ("pumps[0].use", "use: yes"),
        ("pumps[1].name", "name: P-8"),
        ("pumps[1].flow[0]", "2"),
        ("pumps[1].flow[1]", "3"),
        ("note", "note: |\n  Stop the pump.\n  Then wait."),
        ("a b", '"a b": 0010'),
    ]
    flow = document.blocks[1]
    assert [document.text[cell.start : cell.end] for cell in flow.cells] == ["flow", "1.10 l/s"]
    assert flow.cells[1].row_headers == ((flow.cells[0].start, flow.cells[0].end),)


def test_aliases_of_yaml_are_not_expanded() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}y]" for n in range(1, 60)]
    document = read("a.yaml", "\n".join(lines))
    assert len(document.blocks) == 2 + 59


def test_toml_keeps_its_text_and_each_value_its_path() -> None:
    document = read("a.toml", TOML)
    assert document.text == TOML
    assert shown(document) == [
        ("title", 'title = "Pumps"  # of the hall'),
        ("pump.p7.flow", "flow = 1_000"),
        ("pump.p7.parts", 'parts = [ # all\n  "seal",\n  "b = 3",\n]'),
        ("pump.p7.note", "note = '''\n[no table]\nx = 1\n'''"),
        ("tank.empty", "empty = false"),
    ]


DEEP = 10_000
LAUGHS = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>'


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", "[" * DEEP + "]" * DEEP, "nested too deep"),
        ("a.json", '{"a":' * 300 + "1" + "}" * 300, "nested more than 200 deep"),
        ("a.json", '{"a": [1, 2', "is damaged"),
        ("a.jsonl", "no\njson", "line 1"),
        ("a.ipynb", NOTEBOOK[:-9], "is damaged"),
        ("a.ipynb", "[" * DEEP, "nested too deep"),
        ("a.ipynb", '{"worksheets": []}', "no list of cells"),
        ("a.xml", XML[:-20], "XML is damaged"),
        ("a.xml", "<a>" * DEEP + "</a>" * DEEP, "nested too deep"),
        ("a.xml", LAUGHS, "defines XML entities"),
        ("a.srt", "no times", "no subtitle file"),
        ("a.yaml", "a: [1, 2", "is not YAML"),
        ("a.yaml", "[" * DEEP, "is not YAML"),
        ("a.toml", "a = ", "is not TOML"),
        ("a.toml", "a = " + "[" * DEEP, "is not TOML"),
        ("a.json", b"\x00\x01\x02\x00", "binary"),
    ],
)
def test_what_cannot_be_read_is_refused(name: str, content: str | bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        read(name, content)


def test_huge_numbers_and_halves_of_characters_are_kept_or_replaced() -> None:
    digits = "9" * 6_000
    assert digits in read("a.json", f'{{"a": {digits}, "b": 1e999999, "c": NaN}}').text
    read("a.json", '{"a": "\\ud800"}')
    read("a.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": "x \ud800"}, 3]}))


def test_long_keys_above_many_values_take_no_quadratic_text() -> None:
    document = read("a.json", json.dumps({"k" * 50_000: {str(n): [n] for n in range(2_000)}}))
    assert len(document.text) < 2_000_000
    assert "shortened" in document.gaps[-1]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_other_encodings_are_read(encoding: str) -> None:
    text = '{"Gebühr": "Die Prüfung der Anlage für übermäßige Wärme gehört zur Übergabe."}'
    assert "Gebühr: Die Prüfung" in read("a.json", text.encode(encoding)).text


@pytest.mark.parametrize("name", SAMPLES)
def test_flipped_and_missing_bytes_raise_nothing_but_read_errors(name: str) -> None:
    draw, content = random.Random(name), SAMPLES[name].encode()
    for _ in range(150):
        damaged = bytearray(content[: draw.choice((None, draw.randrange(1, len(content))))])
        for _ in range(draw.choice((0, 1, 5))):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(name, bytes(damaged))
        except ReadError:
            continue
