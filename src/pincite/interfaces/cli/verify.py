"""`pincite verify` and `keys`: check saved answers, and the keys that sign them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import VERIFICATION_FAILED, indented, print_json, say, short_path

if TYPE_CHECKING:
    from pincite.verify.receipts.receipt import ReceiptCheck

_UNSIGNED = (
    "unsigned: anyone may have written it, or changed it and its digest; only its agreement with "
    "the files was checked"
)


def verify(
    answer: Annotated[
        Path,
        typer.Argument(help="A file written by '--save', 'pincite report' or 'pincite compare'."),
    ],
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            help="Search the cited files below this folder, and open none outside it.",
        ),
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key", help="Require a signature by this key, a file from 'pincite keys'."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="Time limit for all cited files together.")
    ] = 600,
    as_json: JsonOption = False,
) -> None:
    """Check a saved answer, count, report or comparison against the files it cites.

    Needs no library, no index and no model.

    Exit code 0 when everything holds, 4 when something does not.
    """
    if root is not None and not root.is_dir():
        raise UsageError(
            f"{root}: no such folder; --root expects the folder that contains the files"
        )
    check = pincite.verify_receipt(answer, root=root, public_key=public_key, seconds=seconds)
    if as_json:
        from pincite.verify.receipts.receipt import check_form

        print_json(check_form(check))
    else:
        _print(check, is_known=public_key is not None)
    if not check.holds:
        raise typer.Exit(VERIFICATION_FAILED)


def _print(check: ReceiptCheck, *, is_known: bool) -> None:
    for citation in check.citations:
        mark = "FAILED" if citation.problems else "ok"
        say(f"[{citation.number}] {mark}  {short_path(citation.source)}")
        for line in (*citation.problems, *citation.notes):
            say(indented(line, first=" " * 6))
    for problem in check.problems:
        say(indented(f"the {check.of}: {problem}", first="FAILED  "))
    for note in check.notes:
        say(indented(f"the {check.of}: {note}", first="note    "))
    if not check.signed_by:
        say(indented(_UNSIGNED))
    elif not check.problems:
        say(indented(_signed(check.signed_by, is_known=is_known)))
    failed = sum(bool(c.problems) for c in check.citations)
    held = f"{len(check.citations) - failed} of {len(check.citations)}"
    say(f"{held} {'files' if check.of == 'comparison' else 'citations'} hold")


def _signed(by: str, *, is_known: bool) -> str:
    if is_known:
        return f"signed by this key ({by})"
    return f"signed by the key {by}; use --public-key to check whose key it is"


# `pincite keys`: a key pair to sign receipts with.


def keys(
    file: Annotated[
        Path,
        typer.Argument(help="File for the private key; the public one is written to FILE.pub."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Make a key pair to sign saved answers with.

    Keep the private key to yourself; give the public one to those who verify.
    """
    from pincite.verify.receipts.signing import make_keys

    public, name = make_keys(file)
    if as_json:
        print_json({"private_key": str(file), "public_key": str(public), "fingerprint": name})
        return
    say(f"private key: {file} (not encrypted: anyone who has it can sign in your name)")
    say(f"public key: {public}, fingerprint {name}")
