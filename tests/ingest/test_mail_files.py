"""Mailboxes and Outlook's messages: what was sent, read as e-mail is."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from compressed_rtf import compress
from hypothesis import given
from hypothesis import strategies as st

from pincite import Library
from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.text.remarks import HEADERS

MBOX = b"""From a@b.example Mon Jan  1 00:00:00 2024
From: Ada <a@b.example>
Subject: Keys

The spare keys are in locker 12.

>From the porter you get the rest.
From nobody this line is text.

From c@d.example Tue Jan  2 00:00:00 2024
From: Cleo <c@d.example>
Subject: Alarm
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/plain

The alarm code is 4711.
--x
Content-Type: text/csv
Content-Disposition: attachment; filename=rooms.csv

Room,Code
Attic,19
--x--
"""


def read(name: str, content: bytes) -> Document:
    return FileReader().read_content(Path(name), content)


def test_a_mailbox_has_its_messages_as_sections_with_their_numbers() -> None:
    document = read("a.mbox", MBOX)
    found = {document.text[one.start : one.end]: one for one in document.blocks}
    keys = found["The spare keys are in locker 12."]
    assert (keys.section, keys.place) == (("Keys",), "message 1")
    assert found["The alarm code is 4711."].section == ("Alarm",)
    assert "From the porter you get the rest.\nFrom nobody this line is text." in document.text
    assert found["Attic,19"].place.startswith("message 2, attachment rooms.csv")


def test_what_stands_above_the_first_message_is_told_and_no_line_begins_one_alone() -> None:
    body = MBOX.replace(b"is text.", b"is text.\nFrom now on\nNote: no message.")
    document = read("a.mbox", b"A line above.\n\n" + body)
    assert document.gaps[0] == "the text above its first message is not read"
    assert "From now on\nNote: no message." in document.text


def test_headers_of_every_message_are_told_as_headers() -> None:
    document = read("a.mbox", MBOX)
    heads = [one for one in document.blocks if one.place.endswith(HEADERS)]
    assert [document.text[one.start :].split("\n")[0] for one in heads] == [
        "From: Ada <a@b.example>",
        "From: Cleo <c@d.example>",
    ]


def test_a_file_without_a_message_is_no_mailbox() -> None:
    with pytest.raises(ReadError, match="no message begins in it"):
        read("a.mbox", b"Dear Ada,\nthe keys are in locker 12.\n")


# --- Outlook: a writer of compound files ([MS-CFB]) and of messages in them ([MS-OXMSG]) ---

SECTOR, SMALL = 512, 64
FREE, END = 0xFFFFFFFF, 0xFFFFFFFE


def compound(tree: dict[str, Any]) -> bytes:
    """A compound file of storages (dictionaries) and streams (bytes below 4,096)."""
    entries: list[dict[str, Any]] = [{"name": "Root Entry", "kind": 5, "child": FREE}]
    sectors: list[bytes] = []
    table: list[int] = []
    small = bytearray()
    small_table: list[int] = []

    def put(content: bytes) -> int:
        first = len(sectors)
        pieces = [content[at : at + SECTOR] for at in range(0, len(content), SECTOR)]
        for number, piece in enumerate(pieces):
            sectors.append(piece.ljust(SECTOR, b"\0"))
            table.append(END if number == len(pieces) - 1 else first + number + 1)
        return first

    def put_small(content: bytes) -> int:
        first = len(small) // SMALL
        count = -(-len(content) // SMALL)
        small.extend(content.ljust(count * SMALL, b"\0"))
        small_table.extend([*range(first + 1, first + count), END])
        return first

    def add(parent: int, folder: dict[str, Any]) -> None:
        # Siblings in a chain to the right: a valid, if unbalanced, tree.
        before = None
        for name in sorted(folder, key=lambda one: (len(one), one.upper())):
            value = folder[name]
            entry: dict[str, Any] = {"name": name, "child": FREE, "right": FREE}
            entries.append(entry)
            place = len(entries) - 1
            if before is None:
                entries[parent]["child"] = place
            else:
                before["right"] = place
            before = entry
            if isinstance(value, dict):
                entry["kind"] = 1
                add(place, value)
            else:
                entry |= {"kind": 2, "start": put_small(value), "size": len(value)}

    add(0, tree)
    entries[0] |= {"start": put(bytes(small)), "size": len(small)}
    packed = struct.pack(f"<{len(small_table)}I", *small_table)
    small_count = -(-len(packed) // SECTOR)
    small_start = put(packed.ljust(small_count * SECTOR, b"\xff"))
    directory = b"".join(
        one["name"].encode("utf-16-le").ljust(64, b"\0")
        + struct.pack("<HBB", 2 * len(one["name"]) + 2, one["kind"], 1)
        + struct.pack("<III", FREE, one.get("right", FREE), one["child"])
        + bytes(36)
        + struct.pack("<IQ", one.get("start", END), one.get("size", 0))
        for one in entries
    )
    start = put(directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0"))
    count = -(-(len(table) + 8) // (SECTOR // 4))
    first_table = len(sectors)
    table += [0xFFFFFFFD] * count
    packed = struct.pack(f"<{len(table)}I", *table).ljust(count * SECTOR, b"\xff")
    header = (
        bytes.fromhex("D0CF11E0A1B11AE1")
        + bytes(16)
        + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
        + struct.pack("<IIIIIIIII", 0, count, start, 0, 4096, small_start, small_count, END, 0)
        + struct.pack("<109I", *range(first_table, first_table + count), *[FREE] * (109 - count))
    )
    return header + b"".join(sectors) + packed


def properties(values: dict[int, Any], *, header: int) -> dict[str, bytes]:
    """The streams of properties: text as UTF-16, bytes as they are, whole numbers in the table."""
    streams: dict[str, bytes] = {}
    rows = b""
    for tag, value in values.items():
        if isinstance(value, int):
            rows += struct.pack("<HHIq", 3, tag, 6, value)
            continue
        kind = 0x1F if isinstance(value, str) else 0x102
        content = value.encode("utf-16-le") if isinstance(value, str) else value
        streams[f"__substg1.0_{tag:04X}{kind:04X}"] = content
        rows += struct.pack("<HHIII", kind, tag, 6, len(content) + (2 if kind == 0x1F else 0), 0)
    return {"__properties_version1.0": bytes(header) + rows, **streams}


SUBJECT, BODY, HTML, RICH, SENDER, ADDRESS = 0x37, 0x1000, 0x1013, 0x1009, 0xC1A, 0xC1F
METHOD, DATA, FILE_NAME, DISPLAY = 0x3705, 0x3701, 0x3707, 0x3001


def message(values: dict[int, Any], **parts: dict[str, Any]) -> dict[str, Any]:
    return {**properties(values, header=32), **parts}


def attachment(name: str, content: bytes) -> dict[str, Any]:
    return properties({METHOD: 1, FILE_NAME: name, DATA: content}, header=8)


HEAD = {SUBJECT: "Boiler", SENDER: "Ada", ADDRESS: "a@b.example"}


def test_a_message_has_headers_text_and_attachments() -> None:
    tree = message(
        {**HEAD, BODY: "The boiler is serviced on 9 May.\r\n"},
        **{"__attach_version1.0_#00000000": attachment("rooms.csv", b"Room,Code\nAttic,19\n")},
    )
    content = compound(tree)
    document = read("a.msg", content)
    assert document.media_type == "application/vnd.ms-outlook"
    assert document.title == "Boiler"
    assert "From: Ada <a@b.example>\nSubject: Boiler" in document.text
    assert "The boiler is serviced on 9 May." in document.text
    place = next(
        one.place for one in document.blocks if "Attic" in document.text[one.start : one.end]
    )
    assert place.startswith("attachment rooms.csv")


def test_its_page_and_its_rich_text_are_read_where_there_is_no_plain_text() -> None:
    page = b"<p>The fee is <s>40</s> 55 pounds for 10<sup>6</sup> cells.</p>"
    shown = read("a.msg", compound(message({**HEAD, HTML: page}))).text
    assert "~~40~~ 55 pounds for 10⁶ cells" in shown
    rich = compress(rb"{\rtf1 The boiler is serviced on 9 May.\par}")
    assert "serviced on 9 May." in read("a.msg", compound(message({**HEAD, RICH: rich}))).text


def test_an_attachment_that_is_only_a_link_is_told() -> None:
    link = properties({METHOD: 2, FILE_NAME: "plan.docx"}, header=8)
    tree = message({**HEAD, BODY: "See it."}, **{"__attach_version1.0_#00000000": link})
    (gap,) = read("a.msg", compound(tree)).gaps
    assert gap.startswith("attachment plan.docx is not read: it is a link")


def test_a_message_within_a_message_is_read() -> None:
    inner = {**properties({**HEAD, BODY: "The inner code is 77.\r\n"}, header=24)}
    outer = {
        **properties({METHOD: 5, DISPLAY: "Boiler"}, header=8),
        "__substg1.0_3701000D": inner,
    }
    tree = message({**HEAD, BODY: "See below."}, **{"__attach_version1.0_#00000000": outer})
    assert "The inner code is 77." in read("a.msg", compound(tree)).text


@given(st.integers(0, 6_000), st.binary(min_size=1, max_size=40))
def test_a_damaged_message_is_read_or_refused(at: int, put: bytes) -> None:
    content = compound(message({**HEAD, BODY: "The boiler is serviced on 9 May."}))
    try:
        read("a.msg", content[:at] + put + content[at + len(put) :]).text.encode()
    except ReadError:
        return


@pytest.mark.parametrize("size", [8, 512, 600, 2_000])
def test_a_message_that_was_cut_off_is_refused(size: int) -> None:
    content = compound(message({**HEAD, BODY: "The boiler is serviced on 9 May."}))
    with pytest.raises(ReadError):
        read("a.msg", content[:size])


def test_an_answer_out_of_a_mailbox_is_quoted_without_the_header(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.mbox").write_bytes(MBOX)
    overrides = {"embedding": {"model": "none"}}
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        library.ingest([tmp_path / "docs"])
        answer = library.ask("Where are the spare keys?")
    assert "The spare keys are in locker 12." in answer.citations[0].quote
    assert "Subject" not in answer.citations[0].quote
