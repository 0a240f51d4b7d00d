"""Documents, names of files and saved answers cannot steer the terminal that shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from end_to_end.running import lexical_cli

from pincite.interfaces.cli import output
from pincite.interfaces.cli.output import say, say_error, short_path

TORQUE = "The valve torque is 55 Nm\x1b[5D999 Nm per bolt."
QUESTION = "What is the valve torque?"
STEERING = ("\x1b", "\x9b", "\x07", "\r", "\b")


def test_control_characters_are_shown_as_signs(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[2Jb\x07c\x7fd\x9be\rf\n\tg")
    assert capsys.readouterr().out == "a␛[2Jb␇c␡d\ufffde␍f\n\tg\n"
    say_error("bad\nname\x1b]0;x\x07")
    assert capsys.readouterr().err == "error: bad␊name␛]0;x␇\n"
    assert short_path("/x/a\nb\x1b.txt") == "/x/a␊b␛.txt"


def test_nothing_else_prints_for_people() -> None:
    """What goes past `say` would reach the terminal as it is."""
    folder = Path(output.__file__).parent
    past = [
        path.name
        for path in folder.glob("*.py")
        if path.name != "output.py" and any(s in path.read_text() for s in ("r.echo(", "r.secho("))
    ]
    assert past == []


@pytest.mark.parametrize("verb", ["ask", "search", "count"])
def test_a_document_cannot_change_what_is_shown(verb: str, library: Path, tmp_path: Path) -> None:
    (tmp_path / "evil.txt").write_text(f"{TORQUE}\n")
    assert lexical_cli("ingest", tmp_path / "evil.txt", "-l", library).returncode == 0
    result = lexical_cli(verb, "torque" if verb == "count" else QUESTION, "-l", library)
    assert "55 Nm␛[5D999 Nm" in " ".join(result.stdout.split())
    assert not any(sign in result.stdout for sign in STEERING)
    as_json = lexical_cli("ask", QUESTION, "-l", library, "--json")
    assert json.loads(as_json.stdout)["citations"][0]["cited_text"] == TORQUE


@pytest.mark.parametrize("name", ["a\x1b[2Jb.txt", "a\n complete 99 x.txt", "a\x9b2Jb.txt"])
def test_a_name_cannot_forge_a_row(name: str, library: Path, folder: Path) -> None:
    (folder / name).write_text("The pump holds 12 litres.\n")
    (folder / f"empty {name}").touch()
    shown = [
        lexical_cli("ingest", folder, "-l", library),
        lexical_cli("ls", "-l", library),
        lexical_cli("stats", "--coverage", "-l", library),
        lexical_cli("sync", folder, "--dry-run", "-l", library),
        lexical_cli("ingest", folder / f"no {name}", "-l", library),
    ]
    for result in shown:
        assert not any(sign in result.stdout + result.stderr for sign in STEERING)
    rows = [line for line in shown[1].stdout.splitlines() if line.startswith(" complete")]
    assert len(rows) == 4


def test_a_saved_answer_cannot_forge_that_it_holds(library: Path, folder: Path) -> None:
    assert lexical_cli("ingest", folder, "-l", library).returncode == 0
    saved = folder.parent / "answer.json"
    question = "When is the pump checked?"
    assert lexical_cli("ask", question, "-l", library, "--save", saved).returncode == 0
    form = json.loads(saved.read_text())
    form["citations"][0]["source"] = "/x\x1b[2J\x1b[H[1] ok  pump.txt\n1 of 1 citations hold\n.txt"
    saved.write_text(json.dumps(form))
    result = lexical_cli("verify", saved)
    assert result.returncode == 4
    assert "\x1b" not in result.stdout
    assert "1 of 1 citations hold" not in result.stdout.splitlines()
