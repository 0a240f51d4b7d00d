"""Reads Jupyter notebooks: the text, code and textual output of each cell."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.errors import ReadError
from pincite.ingest.assembly import Outline, Place, TextAssembly, choose_title
from pincite.ingest.data.json_reader import JsonObject, NotJson, parse_json, refuse
from pincite.ingest.encoding.decode import decode
from pincite.ingest.markdown.reader import MarkdownReader
from pincite.ingest.reading import content_remarks, counted
from pincite.records.document import Block, BlockKind, Document, document_id

_MOST_CELLS = 20_000
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_HASHES = re.compile(r"(#{1,6})[ \t]*$")


class NotebookReader:
    """Reads `.ipynb` files; each block's place is its cell."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not a notebook."""
        decoded = decode(content)
        try:
            cells = _member(parse_json(decoded.text), "cells")
        except NotJson as error:
            refuse("notebook", error)
        if not isinstance(cells, list):
            raise ReadError(
                "it has no list of cells, so it is no notebook or one of an old version; open it in "
                "Jupyter and save it again"
            )
        notebook = _Notebook()
        for number, cell in enumerate(cells[:_MOST_CELLS], start=1):
            notebook.add(number, cell)
        if len(cells) > _MOST_CELLS:
            notebook.gaps.append(
                f"{counted(len(cells) - _MOST_CELLS, 'cell')} beyond the limit not read"
            )
        return notebook.document(path, content, decoded.doubt)


class _Notebook:
    """The cells added so far, below the headings that Markdown cells contain."""

    def __init__(self) -> None:
        self.gaps: list[str] = []
        self._assembly = TextAssembly()
        self._outline = Outline()
        self._title: str | None = None
        self._pictures = 0
        self._reader = MarkdownReader()

    def document(self, path: Path, content: bytes, doubt: str | None) -> Document:
        """The document of all cells."""
        identifier, sha256 = document_id(content)
        assembly = self._assembly
        remarks = content_remarks(
            "notebook", has_text=bool(assembly.blocks), pictures=self._pictures
        )
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, self._title),
            media_type="application/x-ipynb+json",
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            flags=tuple(assembly.flags),
            gaps=(*self.gaps, *remarks.gaps),
            warnings=(*([doubt] if doubt else []), *remarks.warnings),
        )

    def add(self, number: int, cell: Any) -> None:
        """Add one cell; what cannot be read of it is a gap."""
        self._assembly.place = Place(words=f"cell {number}")
        kind, source = _member(cell, "cell_type"), _text(_member(cell, "source"))
        if kind not in ("markdown", "code", "raw") or source is None:
            self.gaps.append(f"cell {number} is damaged and not read")
            return
        if kind == "markdown":
            self._markdown(source)
            self._pictures += len(getattr(_member(cell, "attachments"), "members", ()))
        else:
            self._add(source, BlockKind.CODE if kind == "code" else BlockKind.PARAGRAPH)
        outputs = _member(cell, "outputs")
        for output in outputs if isinstance(outputs, list) else []:
            self._output(number, output)

    def _markdown(self, source: str) -> None:
        if not source.strip():
            return
        # Half of a surrogate pair can be escaped in JSON, but no codec writes it.
        part = self._reader.read(Path("cell.md"), source.encode("utf-8", "replace"))
        blocks = [self._below_headings(part.text, block) for block in part.blocks]
        self._assembly.add_document(replace(part, blocks=tuple(blocks)))

    def _below_headings(self, text: str, block: Block) -> Block:
        if block.kind is BlockKind.HEADING:
            line = text.rfind("\n", 0, block.start) + 1
            hashes = _HASHES.search(text, line, block.start)
            level = len(hashes[1]) if hashes else len(block.section)
            name = block.section[-1]
            self._title = self._title or name
            self._outline.enter(level, name)
        return replace(block, section=self._outline.path)

    def _output(self, number: int, output: Any) -> None:
        kind = _member(output, "output_type")
        if kind == "stream":
            shown = _text(_member(output, "text"))
        elif kind == "error":
            shown = f"{_member(output, 'ename')}: {_member(output, 'evalue')}"
        else:
            data = _member(output, "data")
            names = [name for name, _ in data.members] if isinstance(data, JsonObject) else []
            self._pictures += any(name.startswith("image/") for name in names)
            shown = _text(_member(data, "text/plain"))
            if shown is None and not any(name.startswith("image/") for name in names):
                found = ", ".join(names)[:100] or "no data"
                self.gaps.append(f"an output of cell {number} is not text ({found}) and not read")
        self._add(_ESCAPES.sub("", shown or ""), BlockKind.CODE)

    def _add(self, text: str, kind: BlockKind) -> None:
        text = text.strip("\r\n").rstrip()
        if text.strip():
            block = Block(start=0, end=len(text), kind=kind, section=self._outline.path)
            self._assembly.add_blocks(text, [block])


def _member(value: Any, name: str) -> Any:
    """The last member of this name, as every JSON parser takes it; None if there is none."""
    members = value.members if isinstance(value, JsonObject) else ()
    return next((one for key, one in reversed(members) if key == name), None)


def _text(value: Any) -> str | None:
    """A text, which notebooks also write as a list of lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else None
