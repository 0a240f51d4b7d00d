"""An exporter of reports, and a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from pincite import Library
from pincite.report.layout import Block, Table


def plain_text(blocks: Sequence[Block]) -> bytes:
    """`pincite report --output report.txt`: the blocks of a report as plain text."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Table):
            lines += ["\t".join(row) for row in (block.names, *block.rows)]
        else:
            words = getattr(block, "words", None)
            lines.append("".join(one.text for one in words) if words else block.text)
    return ("\n".join(lines) + "\n").encode()


def titles(library: Path) -> None:
    """`pincite titles LIBRARY`: the titles of all files."""
    with Library.open(library, create=False) as opened:
        for file in opened.files():
            typer.echo(file.title)
