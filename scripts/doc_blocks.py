"""Code blocks of the documentation: found, run, and compared with what the page shows.

    .venv/bin/python scripts/doc_blocks.py docs/tutorial.md    # writes the present output into the page

A block's language says what it is:

    console   commands after `$ ` with their output; run in order, the output is compared
    python    run, in one namespace for the page
    toml, json   read, and checked as settings or as a report template where they are such
    sh, yaml  commands and files for elsewhere; need a reason why they are not run
    text      output or a drawing, no code

`<!-- not run: REASON -->` before a block keeps it from being run. `<!-- starts with: samples -->` gives
the page's folder a copy of the sample documents, `my-library` a library of them, `library` one in `.pincite`. A command that does not
end with 0 says so: `# exit code 3`. A line `...` stands for any number of lines; times, scores and
digests are not compared; what is shown of a command may be nothing.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pincite
from pincite.interfaces.samples.asked import sample_documents

LANGUAGES = ("console", "python", "toml", "json", "sh", "yaml", "text")
NEVER_RUN = ("sh", "yaml")
_LIBRARIES = {"library": ".pincite", "my-library": "my-library"}
_BLOCK = re.compile(
    r"(?P<before>(?:^<!-- not run: (?P<reason>[^\n]+?) -->\n+)?)"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<content>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_SETUP = re.compile(r"^<!-- starts with: (?P<names>[\w, -]+?) -->$", re.MULTILINE)
_CODE = re.compile(r"#\s+exit code (\d+)\s*$")
_VARYING = (
    (re.compile(r"\b\d+(?:\.\d+)? (ms|s|MB|kB)\b"), r"N \1"),
    (re.compile(r"\b(confidence|score) [01]\.\d+"), r"\1 N"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "DIGEST"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b"), "TIME"),
    (re.compile(r"pk_[\w.-]+"), "KEY"),
    # Models count slightly differently on other processors, which moves what is close to a limit.
    (re.compile(r"\b\d+ of (\d+ questions answered)"), r"N of \1"),
    (re.compile(r"^  - next come (?:.*\n)(?:    .*\n)*", re.MULTILINE), "  - next come NEAREST\n"),
)

Run = Callable[[str, Path], tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block. `line` counts from 1; `reason` says why it is not run."""

    language: str
    content: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A command and the lines that stand below it."""

    command: str
    output: str

    @property
    def code(self) -> int:
        """The exit code that is expected."""
        found = _CODE.search(self.command.splitlines()[-1])
        return int(found[1]) if found else 0


def blocks(text: str) -> list[Block]:
    """Every fenced block of a page."""
    return [
        Block(
            language=found["language"],
            content=re.sub(rf"^{found['indent']}", "", found["content"], flags=re.MULTILINE),
            line=text.count("\n", 0, found.start("indent")) + 1,
            reason=found["reason"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def starts_with(text: str) -> list[str]:
    """What the folder of a page holds before its first block runs."""
    found = _SETUP.search(text)
    return [name.strip() for name in found["names"].split(",")] if found else []


def commands(content: str) -> list[Shown]:
    """The commands of a console block; one may go on below its first line, after a backslash."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)
    return [_shown(part) for part in parts[1:]]


def _shown(part: str) -> Shown:
    lines = part.splitlines()
    end = next(number for number, line in enumerate(lines) if not line.endswith("\\")) + 1
    return Shown(command="\n".join(lines[:end]), output="\n".join(lines[end:]).strip("\n"))


def alike(shown: str, printed: str) -> bool:
    """Whether what a page shows is what was printed, but for what differs from run to run."""
    if not shown:
        return True
    wanted = (_plain(part) for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE))
    pattern = ".*".join(re.escape(part) for part in wanted)
    return re.fullmatch(pattern, _plain(printed), re.DOTALL) is not None


def _plain(text: str) -> str:
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    # A shorter number may leave room for another word on its line.
    return " ".join(text.split())


def apart(folder: Path) -> dict[str, str]:
    """What keeps settings and keys of a page's commands out of those of the user."""
    return {"XDG_CONFIG_HOME": f"{folder}/.config", "XDG_STATE_HOME": f"{folder}/.state"}


def shell(command: str, folder: Path) -> tuple[str, int]:
    """Run a command as a shell would; gives what it printed and its exit code."""
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'pincite() {{ {shlex.quote(sys.executable)} -m pincite "$@"; }}\n{command}',
        ],
        cwd=folder,
        env={**os.environ, **apart(folder), "PYTHONPATH": str(Path(pincite.__file__).parents[1])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done.stdout, done.returncode


def problems(block: Block, folder: Path, run: Run = shell) -> Iterator[str]:
    """What a console block shows otherwise than it is. All its commands are run."""
    for shown in commands(block.content):
        printed, code = run(shown.command, folder)
        if code != shown.code:
            yield f"$ {shown.command}\nended with {code}, expected {shown.code}:\n{printed}"
        elif not alike(shown.output, printed):
            yield f"$ {shown.command}\nprinted:\n{printed}\nthe page shows:\n{shown.output}"


def refreshed(text: str, folder: Path, run: Run = shell) -> str:
    """The page with the present output of its console blocks, where that is not as shown."""

    def anew(found: re.Match[str]) -> str:
        if found["language"] != "console" or found["reason"]:
            return found[0]
        content = "".join(_anew(shown, folder, run) for shown in commands(found["content"]))
        return f"{found['before']}```console\n{content}```"

    return _BLOCK.sub(anew, text)


def _anew(shown: Shown, folder: Path, run: Run) -> str:
    printed, code = run(shown.command, folder)
    if code != shown.code:
        raise SystemExit(f"$ {shown.command}\nended with {code}, expected {shown.code}:\n{printed}")
    output = shown.output if alike(shown.output, printed) else printed.strip("\n")
    return f"$ {shown.command}\n" + (f"{output}\n" if output else "")


def prepare(folder: Path, names: list[str]) -> None:
    """Put into a folder what a page starts with. Raises ValueError for a name that is not known."""
    for name in names:
        if name == "samples":
            shutil.copytree(sample_documents(), folder / name)
        elif name in _LIBRARIES:
            shutil.copytree(_sample_library(), folder / _LIBRARIES[name])
        else:
            raise ValueError(
                f"a page cannot start with {name!r}; expected samples or {' or '.join(_LIBRARIES)}"
            )


@cache
def _sample_library() -> Path:
    """Made once; it is copied, since commands change theirs."""
    home = Path(tempfile.mkdtemp(prefix="pincite-docs-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    with pincite.Library.open(home / "library") as library:
        library.ingest([sample_documents()])
    return home / "library"


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        written = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as home:
            prepare(Path(home), starts_with(written))
            page.write_text(refreshed(written, Path(home)), encoding="utf-8")
