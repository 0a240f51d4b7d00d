from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pincite.errors import SettingsError, UsageError
from pincite.interfaces.http.guards.keys import KEYS_FILE, Keys


def test_a_key_is_known_by_what_was_written_once(tmp_path: Path) -> None:
    made = Keys(tmp_path).add("ana", scopes=["ask"], collections=["manuals"])
    found = Keys(tmp_path).of(made.written)
    assert found == made.key
    assert found.collections == {"manuals"}
    assert found.may("ask")
    assert not found.may("delete")


def test_the_file_of_keys_holds_no_key_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    made = Keys(tmp_path).add("ana", scopes=["ask"])
    file = tmp_path / KEYS_FILE
    assert made.written.partition("_")[2].partition("_")[2] not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_secret_has_256_bits(tmp_path: Path) -> None:
    secret = Keys(tmp_path).add("ana", scopes=["ask"]).written.split("_", 2)[2]
    assert len(secret) == 43  # of base64, which has 6 bits each


@pytest.mark.parametrize(
    "change", [lambda k: k[:-1], lambda k: k + "x", lambda k: k.upper(), lambda k: ""]
)
def test_another_key_is_none(tmp_path: Path, change: object) -> None:
    keys = Keys(tmp_path)
    written = keys.add("ana", scopes=["ask"]).written
    assert keys.of(change(written)) is None  # type: ignore[operator]


def test_the_secret_of_one_key_does_not_open_another(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    one, other = keys.add("a", scopes=["ask"]), keys.add("b", scopes=["admin"])
    assert keys.of(f"pk_{other.key.id}_{one.written.split('_', 2)[2]}") is None


def test_a_server_that_runs_knows_at_once_that_a_key_was_revoked(tmp_path: Path) -> None:
    running, command_line = Keys(tmp_path), Keys(tmp_path)
    made = command_line.add("ana", scopes=["ask"])
    assert running.of(made.written) is not None
    assert command_line.revoke(made.key.id)
    assert running.of(made.written) is None
    assert not command_line.revoke(made.key.id)


def test_an_unknown_scope_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no scope 'reed'; there are: ask, ingest, delete"):
        Keys(tmp_path).add("ana", scopes=["reed"])


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": 2}', '{"format": 1, "keys": [{"id": 3}]}']
)
def test_a_damaged_file_is_told_and_opens_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / KEYS_FILE).write_text(content)
    with pytest.raises(SettingsError, match="is not a valid list of keys"):
        Keys(tmp_path).of("pk_a_b")
