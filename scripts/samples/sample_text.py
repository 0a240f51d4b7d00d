"""Text of the generated samples, read from the files in ``content/``."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONTENT_FOLDER = Path(__file__).parent / "content"

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Block:
    """One block of a document: a heading, a paragraph, a numbered step or a table."""

    kind: str
    text: str
    number: str = ""
    widths: Sequence[float] = ()
    rows: Rows = ()


@dataclass(frozen=True)
class SampleText:
    """The properties of a document, its blocks and the rows of its title block."""

    meta: dict[str, str]
    blocks: Sequence[Block]
    control: Rows = ()


def load_sample(name: str) -> SampleText:
    """Read ``content/<name>.toml``."""
    data = tomllib.loads((CONTENT_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    control: Rows = [row for table in data.get("control", []) for row in table["rows"]]
    return SampleText(data["meta"], [_block(raw) for raw in data["body"]["blocks"]], control)


def load_plain_text(name: str) -> str:
    """Read ``content/<name>``, a UTF-8 text file, with newlines as ``\\n``."""
    return (CONTENT_FOLDER / name).read_text(encoding="utf-8")


def _block(raw: Sequence[Any]) -> Block:
    """Turn one array of the content file into a block."""
    match raw:
        case ["table", caption, widths, rows]:
            return Block("table", caption, widths=widths, rows=rows)
        case ["step", number, text]:
            return Block("step", text, number=number)
        case [kind, text]:
            return Block(kind, text)
    raise ValueError(f"not a content block: {raw!r}")
