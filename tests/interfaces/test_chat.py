from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from pincite import UsageError
from pincite.interfaces.cli.app import app
from pincite.interfaces.cli.output import say

TOMATOES = "How much water do tomatoes need?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pincite import Library

    folder = tmp_path_factory.mktemp("chat")
    guide = folder / "guide.md"
    guide.write_text(
        "Cucumbers need 4 litres of water a day. Tomatoes need 2 litres of water a day.\n"
    )
    place = folder / "library"
    place.mkdir()
    (place / "settings.toml").write_text(
        '[embedding]\nmodel = "none"\n[verification]\nabstain_below = 0.1\n'
    )
    with Library.open(place) as library:
        library.ingest([guide])
    return place


def chat(place: Path, *options: str, said: str | bytes = "") -> Result:
    return CliRunner().invoke(app, ["chat", "-l", str(place), *options], input=said)


def test_a_pipe_of_questions_is_a_conversation_that_can_be_continued(place: Path) -> None:
    said = "How much water do cucumbers need?\n\nand tomatoes?\n/sources\n/history\n/quit\nnever read\n"
    done = chat(place, said=said)
    assert done.exit_code == 0, done.stderr
    assert f"read as: {TOMATOES}" in done.stdout
    assert "Tomatoes need 2 litres of water a day." in done.stdout
    assert done.stdout.count("> ") >= 2
    assert "never read" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())

    listed = json.loads(chat(place, "--list", "--json").stdout)["conversations"]
    assert listed[0]["turns"] == 2
    number = str(listed[0]["id"])
    again = chat(place, "--continue", number, "--json", said="what about cucumbers?\n")
    form = json.loads(again.stdout)
    assert (form["turn"], form["conversation"]) == (3, int(number))
    assert form["read_as"] == "How much water do cucumbers need?"
    assert form["answer"]["citations"][0]["cited_text"].startswith("Cucumbers need 4 litres")

    assert f"conversation {number} was deleted" in chat(place, "--delete", number).stdout
    gone = chat(place, "--continue", number).exception
    assert isinstance(gone, UsageError)
    assert f"there is no conversation {number}" in str(gone)


def test_each_turn_is_one_line_of_json_also_where_it_cannot_be_asked(place: Path) -> None:
    done = chat(
        place, "--json", said=f"{'x ' * 6000}\n{TOMATOES}\nwho sings in the opera of Oslo?\n"
    )
    failed, answered, refused = map(json.loads, done.stdout.splitlines())
    assert failed["status"] == "error"
    assert "10,000" in failed["error"]
    assert (answered["status"], answered["turn"]) == ("answered", 1)
    assert refused["status"] == "abstained"
    assert done.exit_code == 1


def test_exit_codes_tell_that_nothing_was_answered_or_asked(place: Path) -> None:
    assert chat(place, said="Who sings in the opera of Oslo?\n").exit_code == 3
    assert chat(place, said="").exit_code == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--list", "--delete", "1"], "use one of them"),
        (["--delete", "999"], "there is no conversation 999"),
        (["-c", "nope"], "no collection 'nope'; there are: default"),
    ],
)
def test_wrong_options_are_told_at_once(place: Path, options: list[str], told: str) -> None:
    ended = chat(place, *options).exception
    assert isinstance(ended, UsageError)
    assert told in str(ended)


def test_bytes_that_are_no_text_do_no_harm(place: Path) -> None:
    said = b"\xef\xbb\xbfHow much water do tomatoes \xff\xfe need?\r\n"
    command = [sys.executable, "-m", "pincite", "chat", "-l", str(place), "--json"]
    done = subprocess.run(command, input=said, capture_output=True, timeout=120)
    assert done.returncode in (0, 3), done.stderr
    assert json.loads(done.stdout)["question"] == "How much water do tomatoes \ufffd\ufffd need?"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
def test_at_a_terminal_ctrl_c_gives_up_a_line_and_ctrl_d_ends(place: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pincite", "chat", "-l", str(place), "--json"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
        start_new_session=True, preexec_fn=_own_terminal,
    ) as process:  # fmt: skip
        os.close(theirs)
        assert process.stdout is not None
        assert process.stderr is not None
        prompts = process.stderr.fileno()
        try:
            assert _read_until(b"> ", prompts, seconds=60) == b"> "
            for _ in range(20):
                os.write(ours, b"half a line\x03")
                # An interrupt between Python's last look and its read of the terminal is seen only
                # with the next one; who types it presses again.
                if _read_until(b"\n> ", prompts, seconds=3).endswith(b"\n> "):
                    break
            else:
                pytest.fail(f"no new prompt; the process ended with {process.poll()}")
            os.write(ours, TOMATOES.encode() + b"\n")
            answered = _read_until(b"\n", process.stdout.fileno(), seconds=60)
            assert json.loads(answered)["status"] == "answered"
            assert _read_until(b"> ", prompts, seconds=60).endswith(b"> ")
            os.write(ours, b"\x04")
            assert process.wait(timeout=300) == 0
        finally:
            process.kill()
            os.close(ours)


def _read_until(wanted: bytes, stream: int, *, seconds: float) -> bytes:
    """What comes up to `wanted`, to the stream's end, or until nothing has come for so long."""
    seen = b""
    while not seen.endswith(wanted) and select.select([stream], [], [], seconds)[0]:
        more = os.read(stream, 65536)
        if not more:
            break
        seen += more
    return seen


def _own_terminal() -> None:
    import fcntl
    import signal
    import termios

    # A run in the background ignores it, and so would the child.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_courtesy_is_no_question(place: Path) -> None:
    done = chat(place, said=f"{TOMATOES}\nthanks!\nok\n/history\n")
    assert done.stdout.count("is not a question") == 2
    assert "2. " not in done.stdout.rpartition("is not a question")[2]
    forms = [
        json.loads(line) for line in chat(place, "--json", said="thanks\n").stdout.splitlines()
    ]
    assert forms == [{"question": "thanks", "status": "no question"}]


def test_more_shows_the_last_answer_again(place: Path) -> None:
    done = chat(place, said=f"{TOMATOES}\nmore\n/more\n")
    assert done.stdout.count("Tomatoes need 2 litres") >= 3
    assert "nothing has been asked yet" in chat(place, said="/more\n").stderr


@pytest.mark.parametrize(
    ("ends", "shown"), [([3, 6, 30], 6), ([20, 30], 20), ([], 40), ([2, 14, 15], 14)]
)
def test_a_long_answer_is_folded_behind_a_whole_quote(
    ends: list[int], shown: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pincite.interfaces.cli import chat as chat_module

    def print_lines(_: object) -> None:
        for number in range(1, 41):
            say(f"line {number}{' [1]' if number in ends else ''}")

    monkeypatch.setattr(chat_module, "print_answer", print_lines)
    chat_module._print_folded(None)  # type: ignore[arg-type]
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("line") for line in lines) == shown
    assert (lines[-1] == f"  ... {40 - shown} more lines: more") == (shown < 40)
