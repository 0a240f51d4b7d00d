from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pincite.interfaces.http.guards.logs import AuditLog, check_audit_log


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    made = AuditLog(tmp_path)
    for number in range(5):
        made.add("delete", document=f"d{number}", key="ab")
    return made


def test_lines_follow_from_each_other(log: AuditLog) -> None:
    found = check_audit_log(log.file)
    assert (found.lines, found.problem) == (5, "")
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: [*lines[:2], lines[2].replace('"d2"', '"dX"'), *lines[3:]], 3),
        (lambda lines: [*lines[:-1], lines[-1].replace('"d4"', '"dX"')], 5),
        (lambda lines: [*lines[:-1], lines[-1].rpartition(", ")[0] + "}"], 5),
        (lambda lines: [*lines[:2], *lines[3:]], 3),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
        (lambda lines: [*lines, '{"event": "made up", "before": "0"}'], 6),
        (lambda lines: [*lines, "[" * 2000], 6),
    ],
)
def test_what_was_changed_left_out_moved_or_added_is_found(
    log: AuditLog, change: object, line: int
) -> None:
    changed = change(log.file.read_text().splitlines())  # type: ignore[operator]
    log.file.write_text("\n".join(changed) + "\n")
    assert check_audit_log(log.file).problem.startswith(f"line {line} ")


def test_a_log_that_was_cut_off_has_another_last_digest(log: AuditLog) -> None:
    before = check_audit_log(log.file)
    lines = log.file.read_text().splitlines()
    log.file.write_text("\n".join(lines[:-1]) + "\n")
    after = check_audit_log(log.file)
    assert after.problem == ""
    assert after.last != before.last


def test_several_writers_make_one_chain(tmp_path: Path) -> None:
    logs = [AuditLog(tmp_path) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: logs[n % 4].add("ingest", number=n), range(40)))
    found = check_audit_log(logs[0].file)
    assert (found.lines, found.problem) == (40, "")


def test_a_name_with_line_breaks_makes_no_line(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    log.add("ingest", name='a"\n{"event": "forged"}\r\n', long="x" * 100_000)
    (line,) = log.file.read_text().splitlines()
    assert json.loads(line)["name"].startswith('a"\n{')
    assert len(line) < 2_000


def test_a_line_that_a_crash_cut_off_does_not_spoil_the_next(log: AuditLog) -> None:
    with log.file.open("a") as file:
        file.write('{"time": "20')
    log.add("delete")
    assert check_audit_log(log.file).problem.startswith("line 6 ")
    assert json.loads(log.file.read_text().splitlines()[-1])["event"] == "delete"
