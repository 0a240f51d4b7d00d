"""Rules about the code as a whole, which no single module can keep."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from pincite import errors

PROJECT = Path(__file__).resolve().parents[1]
SOURCES = PROJECT / "src"
PACKAGE = SOURCES / "pincite"

HEAVY = {
    "docx",
    "faiss",
    "fastembed",
    "httpx",
    "huggingface_hub",
    "lxml",
    "numpy",
    "onnxruntime",
    "openvino",
    "pydantic",
    "sqlalchemy",
    "tantivy",
    "torch",
    "transformers",
    "xllamacpp",
}

PUBLIC = {
    "Answer",
    "Box",
    "BundleError",
    "Citation",
    "Conversation",
    "DatasetError",
    "DocumentGone",
    "Fate",
    "FileProblem",
    "Filters",
    "Hit",
    "IngestReport",
    "Library",
    "LibraryBusy",
    "LibraryDamaged",
    "LibraryError",
    "LibraryReadOnly",
    "LibraryTooNew",
    "LibraryUnreachable",
    "ModelError",
    "ModelUnreachable",
    "NotStorable",
    "Passage",
    "PinciteError",
    "PluginError",
    "ReadError",
    "ReceiptError",
    "SearchResult",
    "SettingsError",
    "Span",
    "Status",
    "UsageError",
    "verify_receipt",
}


def modules() -> Iterator[Path]:
    return (path for path in sorted(PACKAGE.rglob("*.py")))


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1"}


def test_only_the_verifier_builds_an_answer() -> None:
    builders = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _called(node.func) == "Answer"
    }
    assert builders
    assert all(name.startswith("verify/") for name in builders), builders


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_imports_point_one_way() -> None:
    command = (
        "from importlinter.cli import lint_imports as lint; raise SystemExit(lint(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command],
        cwd=PROJECT,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


@pytest.mark.parametrize("module", ["pincite", "pincite.interfaces.cli.app"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    command = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", command], env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & HEAVY


def test_the_public_names_are_those_chosen_by_hand() -> None:
    assert set(pincite.__all__) == PUBLIC
    assert len(pincite.__all__) == len(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_is_documented_under_its_own_name(name: str) -> None:
    found = getattr(pincite, name)
    assert found.__name__ == name
    assert found.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Libary'"):
        _ = pincite.Libary


def test_modules_are_named_after_what_they_do() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
    assert not [path for path in modules() if path.stem in vague or path.parent.name in vague]


def test_every_error_of_ours_is_public_and_in_one_tree() -> None:
    found = {
        name: one
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, Exception)
    }
    assert found
    assert found.keys() <= PUBLIC
    assert all(issubclass(error, errors.PinciteError) for error in found.values())


def test_every_file_is_opened_in_one_way() -> None:
    """What stands under a file's name may be a pipe or a device: `regular_files.py` looks first."""
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}: {_called(node.func)}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _reads_a_file(node)
    }
    assert found == {
        # Files of the package itself, and of the system.
        "settings/toml_files.py: read_text",
        "models/encoders/spec.py: read_text",
        "models/encoders/built_in.py: read_bytes",
        "text/tables/learned/choosing.py: open",
        "verify/abstention/decision.py: read_text",
        "verify/receipts/page.py: read_text",
        "evaluate/run.py: read_text",
        "interfaces/offline/trial.py: read_text",
        "interfaces/samples/asked.py: read_text",
        "interfaces/http/page_routes.py: read_bytes",
        # Written by the same run just before.
        "models/inference/prepared.py: read_bytes",
        "evaluate/datasets.py: read_bytes",
        # The account of this process, and of the processor, that the kernel gives.
        "evaluate/machine.py: read_text",
        "interfaces/cli/start.py: read_text",
        # The user may pipe questions into it.
        "interfaces/cli/batch.py: read_text",
        "report/sheets/sheet.py: read_text",
        "report/sheets/kept.py: read_text",
    }


def _reads_a_file(node: ast.Call) -> bool:
    name = _called(node.func)
    modes = [word.value for word in node.args if isinstance(word, ast.Constant)]
    return name in ("read_bytes", "read_text") or (name == "open" and "rb" in modes)


_PASS_OPEN_FILES = {"ingest/sandbox/children.py", "ingest/sandbox/worker.py"}
"""They hand descriptors to each other over a pair of sockets, which is the only way there is."""


def test_only_clients_of_what_the_user_named_and_the_download_use_the_network() -> None:
    networked = {
        "httpx",
        "requests",
        "urllib3",
        "aiohttp",
        "ftplib",
        "smtplib",
        "socket",
        "psycopg",
    }
    found = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if "interfaces" not in path.parts and {n.partition(".")[0] for n in names} & networked:
                found.add(path.relative_to(PACKAGE).as_posix())
    of_database = {"store/catalog/postgres.py"}
    own = {"servers.py", "timed_connections.py", "downloads.py"}
    assert found == {f"models/{name}" for name in own} | of_database | _PASS_OPEN_FILES
    for name in _PASS_OPEN_FILES:
        written = (PACKAGE / name).read_text("utf-8")
        used = set(re.findall(r"\bsocket\.(\w+)", written))
        assert used <= {"socket", "socketpair", "send_fds", "recv_fds", "MSG_WAITALL"}
        assert not re.search(r"\.(connect|bind|listen)\b", written)
