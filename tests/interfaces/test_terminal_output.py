"""Documents, names of files and saved answers cannot steer the terminal that shows them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from end_to_end.running import lexical_cli

from pincite.interfaces.cli import output
from pincite.interfaces.cli.output import say, say_error, short_path
from pincite.records.library_records import FileProblem

TORQUE = "The valve torque is 55 Nm\x1b[5D999 Nm per bolt."
QUESTION = "What is the valve torque?"
TURNING = tuple(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
STEERING = ("\x1b", "\x9b", "\x07", "\r", "\b", *TURNING)


def test_control_characters_are_shown_as_signs(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[2Jb\x07c\x7fd\x9be\rf\n\tg")
    assert capsys.readouterr().out == "a␛[2Jb␇c␡d\ufffde␍f\n\tg\n"
    say_error("bad\nname\x1b]0;x\x07")
    assert capsys.readouterr().err == "error: bad␊name␛]0;x␇\n"
    assert short_path("/x/a\nb\x1b.txt") == "/x/a␊b␛.txt"


def test_marks_that_turn_the_direction_are_shown_as_signs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for mark in TURNING:
        say(f"torque {mark}55 Nm")
        assert capsys.readouterr().out == "torque \ufffd55 Nm\n"
        assert short_path(f"/x/{mark}fdp.txt") == "/x/\ufffdfdp.txt"
    say("עברית, العربية")
    assert capsys.readouterr().out == "עברית, العربية\n"


def test_a_quote_that_turns_its_letters_shows_that_it_does(library: Path, tmp_path: Path) -> None:
    torque = "The valve torque is \u202e55\u202c Nm and \u206699\u2069 Nm."
    (tmp_path / "evil\u202e.txt").write_text(f"{torque}\n")
    assert lexical_cli("ingest", tmp_path / "evil\u202e.txt", "-l", library).returncode == 0
    result = lexical_cli("ask", QUESTION, "-l", library)
    assert "\ufffd55\ufffd Nm" in " ".join(result.stdout.split())
    assert "evil\ufffd.txt" in result.stdout
    assert not any(sign in result.stdout for sign in STEERING)
    form = json.loads(lexical_cli("ask", QUESTION, "-l", library, "--json").stdout)
    assert form["citations"][0]["cited_text"] == torque
    assert form["citations"][0]["source"].endswith("evil\u202e.txt")


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


@pytest.mark.parametrize(
    "name", ["a\x1b[2Jb.txt", "a\n complete 99 x.txt", "a\x9b2Jb.txt", "a\u202eb\u2066c.txt"]
)
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


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "wide"), [("60", 60), ("100", 100), ("300", 110)])
def test_text_is_as_wide_as_the_terminal_up_to_a_comfortable_width(
    columns: str, wide: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    longest = max(map(len, output.indented("word " * 200).splitlines()))
    assert wide - 5 <= longest <= wide


def test_a_path_stays_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    path = short_path("/somewhere/a folder with a long name/a file with a long name.pdf")
    lines = output.indented(f"{path}; page 3; characters 10-20", first="  [1] ").splitlines()
    assert lines[0] == f"  [1] {path};"
    assert "\0" not in "".join(lines)


def test_paths_lead_to_their_files_where_a_terminal_shows_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-kitty")
    path = short_path("/x/a b\x1b.txt")
    say(f"see {path}; page 3")
    assert terminal.getvalue() == (
        "see \x1b]8;;file:///x/a%20b%1B.txt\x1b\\/x/a b␛.txt\x1b]8;;\x1b\\; page 3\n"
    )


@pytest.mark.parametrize("term", ["dumb", "linux", "vt100"])
def test_other_terminals_and_files_get_no_links(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VTE_VERSION", "WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    assert not output.shows_links(Terminal())
    monkeypatch.setenv("TERM", "xterm-kitty")
    assert not output.shows_links(io.StringIO())


def test_many_files_with_problems_are_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [FileProblem(path=f"/x/{n}.{e}", reason="why") for n in range(4) for e in ("a", "b")]
    output.print_problems("not read:", problems)
    assert capsys.readouterr().err == (
        "not read: 8 files of 2 kinds (4 .a, 4 .b): --verbose lists them\n"
    )
    output.print_problems("not read:", problems, verbose=True)
    assert capsys.readouterr().err.count("why") == 8
    output.print_problems("not read:", problems[:2])
    assert capsys.readouterr().err == "not read:\n  /x/0.a: why\n  /x/0.b: why\n"
