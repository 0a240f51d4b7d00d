"""The documentation says what the program does: its reference, its commands and its links are right."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from documentation import DOCS, EVERY_PAGE, PAGES, ROOT, doc_blocks, script, shown_path, text_of

from pincite.interfaces.cli.app import app
from pincite.report.template import load_template
from pincite.settings.loading import Settings

# --- Made from the program --------------------------------------------------------------------


def test_the_page_of_settings_says_what_the_program_has() -> None:
    assert text_of(DOCS / "settings.md") == script("write_docs").settings_page()


def test_the_reference_says_what_the_program_has() -> None:
    pytest.importorskip("fastapi")
    pytest.importorskip("mcp")
    for name, written in script("reference_pages.py").pages().items():
        assert text_of(DOCS / "reference" / name) == written, f"{name}: run scripts/write_docs"


def test_the_map_names_every_folder_and_root_module() -> None:
    drawn = text_of(ROOT / "ARCHITECTURE.md")
    package = ROOT / "src" / "pincite"
    folders = {f"`{p.name}/`" for p in package.iterdir() if p.is_dir() and p.name[0] != "_"}
    modules = {f"`{p.name}`" for p in package.glob("*.py") if p.name[0] != "_"}
    missing = {name for name in folders | modules if f"| {name} |" not in drawn}
    assert not missing


def test_the_runbook_quotes_messages_as_the_program_has_them() -> None:
    sources = " ".join(
        re.sub(r'"\s*\n\s*f?"', "", text_of(path)) for path in (ROOT / "src").rglob("*.py")
    )
    runbook = text_of(DOCS / "operations.md").partition("## Runbook")[2]
    symptoms = re.findall(r"^\| (.+?) \|", runbook, re.MULTILINE)
    messages = [quoted for symptom in symptoms for quoted in re.findall(r"`([^`/]+)`", symptom)]
    parts = [part.strip() for message in messages for part in re.split(r"\.\.\.|\bN\b", message)]
    assert len(messages) > 7
    assert not [part for part in parts if part not in sources]


# --- Blocks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=shown_path)
def test_every_block_can_run_or_says_why_not(page: Path, tmp_path: Path) -> None:
    for block in doc_blocks.blocks(text_of(page)):
        place = f"{shown_path(page)}:{block.line}"
        assert block.language in doc_blocks.LANGUAGES, f"{place}: which language is it?"
        if block.language in doc_blocks.NEVER_RUN:
            assert block.reason, f"{place}: why is it not run?"
        if block.language == "console" and not block.reason:
            assert doc_blocks.commands(block.content), f"{place}: no line begins with '$ '"
        if block.language == "toml":
            _check_toml(block.content, tmp_path / "block.toml")
        if block.language == "json":
            json.loads(block.content)


def _check_toml(written: str, file: Path) -> None:
    content = tomllib.loads(written)
    if "sections" in content:
        file.write_text(written, encoding="utf-8")
        assert load_template(str(file)).sections
    elif set(content) <= set(Settings.model_fields):
        Settings.model_validate(content)


# --- Commands that are named ------------------------------------------------------------------


def _named_commands(text: str) -> Iterator[str]:
    """Commands in blocks, and in the running text those with an option or of one verb."""
    fenced = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
    for block in fenced.findall(text):
        joined = block.replace("\\\n", " ")
        yield from re.findall(r"^(?:\$ |[A-Z_]+=\S+ )*(pincite .+)$", joined, re.MULTILINE)
    yield from re.findall(r"`(pincite [^`\n]+)`", fenced.sub("", text))


def _wrong_with(command: str) -> str:
    """The word of a command that the program does not know; empty when it knows all."""
    given = re.split(r"\s(?:#|\||>|<|&&)\s?", command)[0]
    try:
        words = shlex.split(given)[1:]
    except ValueError:
        words = given.split()[1:]
    node = _root()
    known = {"-h", "--help", *_options(node)}
    for word in words:
        if word.startswith("-") and not word[1:2].isdigit():
            if word.partition("=")[0] not in known and word.strip("-"):
                return word
        elif hasattr(node, "commands"):
            if not re.fullmatch(r"[a-z]+", word):
                return ""  # A placeholder, such as NAME or ...
            if word not in node.commands:
                return word
            node = node.commands[word]
            known |= _options(node)
    return ""


@cache
def _root() -> Any:
    return typer.main.get_command(app)


def _options(node: Any) -> set[str]:
    return {name for one in node.params for name in (*one.opts, *one.secondary_opts)}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=shown_path)
def test_commands_and_options_that_are_named_exist(page: Path) -> None:
    if page.name == "CHANGELOG.md":
        pytest.skip("it tells of commands as they were")
    for command in _named_commands(text_of(page)):
        assert not _wrong_with(command), f"{shown_path(page)}: `{command}`"


def test_a_command_or_an_option_that_is_not_there_is_noticed() -> None:
    assert _wrong_with("pincite askk x") == "askk"
    assert _wrong_with("pincite ask --nothing") == "--nothing"
    assert _wrong_with("pincite eval compare a b --fail-if-worse") == ""
    assert list(_named_commands("```sh\nX=1 pincite ls\n```\nor `pincite ask x`")) == [
        "pincite ls",
        "pincite ask x",
    ]


# --- Links ------------------------------------------------------------------------------------


def _links(text: str) -> list[str]:
    plain = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(([^()\s]+)\)", plain)


def _anchors(page: Path) -> set[str]:
    """As they are made of headings where Markdown is shown."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", EVERY_PAGE, ids=shown_path)
def test_no_link_is_dead(page: Path) -> None:
    for link in _links(text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), f"{shown_path(page)}: {link}"
        assert not anchor or anchor in _anchors(target), f"{shown_path(page)}: {link}"


def test_every_page_can_be_reached_from_the_index() -> None:
    seen: set[Path] = set()
    waiting = [DOCS / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        for link in _links(text_of(page)):
            target = page.parent / link.partition("#")[0]
            waiting += (
                sorted(target.glob("*.md")) if target.is_dir() else [target] * target.is_file()
            )
    assert not [shown_path(page) for page in PAGES if page not in seen and DOCS in page.parents]
