"""`pincite keys`: a key pair to sign receipts with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import print_json, say


def keys(
    file: Annotated[Path, typer.Argument(help="The private key goes here, the other to FILE.pub.")],
    as_json: JsonOption = False,
) -> None:
    """Make a key pair to sign saved answers with.

    Keep the private key to yourself; give the public one to those who verify.
    """
    from pincite.verify.sealing import make_keys

    public, name = make_keys(file)
    if as_json:
        print_json({"private_key": str(file), "public_key": str(public), "fingerprint": name})
        return
    say(f"private key: {file} (not encrypted: whoever has it can sign in your name)")
    say(f"public key: {public}, fingerprint {name}")
