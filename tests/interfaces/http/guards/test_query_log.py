from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from pincite.interfaces.http.guards.logs import QueryLog, redacted


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Why did a.meier+x@mail.example.org write?", "Why did [e-mail] write?"),
        ("Who has the number +41 (0)79 555 12 12?", "Who has the number [phone]?"),
        (
            "Is invoice 4711 paid with CH9300762011623852957?",
            "Is invoice [number] paid with [number]?",
        ),
        ("What did Anna Meier say to Bob?", "What did [name] say to [name]?"),
        ("Maria's contract: which salary?", "[name]'s contract: which salary?"),
        ("see https://intranet.example/anna?x=1 please", "see [link] please"),
        ("Which torque for the bolts?", "Which torque for the bolts?"),
    ],
)
def test_what_tells_of_persons_is_left_out(question: str, kept: str) -> None:
    assert redacted(question) == kept


def test_lines_are_json_for_their_owner_alone(tmp_path: Path) -> None:
    log = QueryLog(tmp_path)
    log.add("What did\nAnna say?", status="answered", ms=12.5, key="ab", request_id="r1")
    log.add("Why?", status="abstained")
    first, second = map(json.loads, log.file.read_text().splitlines())
    assert (first["question"], first["status"]) == ("What did\n[name] say?", "answered")
    assert second["question"] == "Why?"
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600
