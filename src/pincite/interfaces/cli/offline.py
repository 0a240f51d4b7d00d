"""`pincite doctor --offline`: detects attempts to connect outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from pincite.interfaces.cli.options import DEFAULT_LIBRARY, named_folder
from pincite.interfaces.cli.output import ERROR, indented, print_json, say
from pincite.interfaces.offline.proof import prove
from pincite.records.library_records import CATALOG_FILE
from pincite.verify.receipts.saved import write_whole


def prove_offline(library: str, profile: str, output: Path | None, *, as_json: bool) -> None:
    """Run the trial, print its result, and exit with an error if anything tried to connect outside."""
    # Without a library, the trial covers the installation alone.
    folder = named_folder(library, "doctor --offline")
    is_there = library != DEFAULT_LIBRARY or (folder / CATALOG_FILE).exists()
    found = prove(folder if is_there else None, profile)
    if output is not None:
        write_whole(output, (json.dumps(found, indent=2) + "\n").encode())
    if as_json:
        print_json(found)
    else:
        _print(found)
    if not found["holds"]:
        raise typer.Exit(ERROR)


def _print(found: dict[str, Any]) -> None:
    fence = found["not_fenced"]
    rows = {
        "trial": "{documents} documents read, {questions} questions asked".format_map(found),
        "library": f"asked, with settings {found['settings_digest']}"
        if "corpus_version" in found
        else "none, or it could not be asked",
        "network": f"{fence}: only calls of Python code were observed, and refused"
        if fence
        else "its own namespace without a route; the kernel counted "
        f"{found['unroutable_packets']} packets to somewhere else",
        "elsewhere": "; ".join(found["elsewhere"]) or "no address was connected to or looked up",
        "this machine": "; ".join(found["on_this_machine"]) or "no address of it either",
    }
    for name, text in rows.items():
        say(indented(text, first=f"{name:<13}"))
    for problem in found["problems"]:
        say(indented(problem, first=f"{'problem':<13}"))
    say("nothing tried to leave" if found["holds"] else "something needs attention")
