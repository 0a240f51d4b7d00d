"""Reads YAML and TOML: the text is the unchanged file, each value is a line with its path as place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from pincite.errors import ReadError
from pincite.ingest.encoding.decode import decode
from pincite.ingest.plain.lines import Line, lines_of, unchanged_document
from pincite.records.document import Block, BlockKind, Cell, Document

_LONGEST_CELL_CHARS = 200
_LONGEST_PATH_CHARS = 500
_MOST_VALUES = 300_000
_TABLE = re.compile(r"\[\[?([^\[\]#]{1,500})\]\]?(?=[\s#]|$)")
_KEY = re.compile(
    r"""((?:"[^"]*"|'[^']*'|[\w-]+)(?:[ \t]*\.[ \t]*(?:"[^"]*"|'[^']*'|[\w-]+))*)[ \t]*="""
)


class YamlReader:
    """Reads `.yaml` and `.yml` files; an alias is not expanded."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not YAML."""
        decoded = decode(content)
        try:
            blocks = list(_Yaml(decoded.text).blocks())
        except (yaml.YAMLError, ValueError) as error:
            said = " ".join(str(error).split())[:200]
            raise ReadError(f"it is not YAML ({said}); correct it, or name it .txt") from error
        return unchanged_document(
            path, content, decoded, media_type="application/yaml", blocks=blocks
        )


class TomlReader:
    """Reads `.toml` files."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not TOML."""
        decoded = decode(content)
        try:
            tomllib.loads(decoded.text)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
            said = str(error)[:200] or "nested too deep"
            raise ReadError(f"it is not TOML ({said}); correct it, or name it .txt") from error
        blocks = list(_toml(decoded.text))
        return unchanged_document(
            path, content, decoded, media_type="application/toml", blocks=blocks
        )


@dataclass(slots=True)
class _Group:
    """An open mapping or list: its path, the key that waits for a value, and the values so far."""

    path: str
    is_mapping: bool
    key: yaml.ScalarEvent | None = None
    is_key_next: bool = True
    count: int = 0

    def inner(self) -> str:
        """The path of the next value."""
        if not self.is_mapping:
            return f"{self.path}[{self.count}]"
        name = self.key.value if self.key else "?"
        joined = f"{self.path}.{name}" if self.path else name
        return (
            joined
            if len(joined) <= _LONGEST_PATH_CHARS
            else "…" + joined[1 - _LONGEST_PATH_CHARS :]
        )

    def after_value(self) -> None:
        """A value has ended."""
        self.count += 1
        self.key, self.is_key_next = None, self.is_mapping


class _Yaml:
    """Follows the parser's events, which neither recurse nor expand aliases."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Group] = []

    def blocks(self) -> Iterator[Block]:
        """One block per value. Raises YAMLError, or ValueError above the limit."""
        values = 0
        for event in yaml.parse(self._text, Loader=yaml.CSafeLoader):
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                path = self._open[-1].inner() if self._open else ""
                self._open.append(_Group(path, isinstance(event, yaml.MappingStartEvent)))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._open.pop()
                self._ended()
            elif isinstance(event, yaml.ScalarEvent):
                yield from self._scalar(event)
                values += 1
                if values > _MOST_VALUES:
                    raise ValueError(f"it has more than {_MOST_VALUES:,} values")
            elif isinstance(event, yaml.AliasEvent):
                self._ended()

    def _scalar(self, event: yaml.ScalarEvent) -> Iterator[Block]:
        group = self._open[-1] if self._open else None
        if group is not None and group.is_mapping and group.is_key_next:
            group.key, group.is_key_next = event, False
            return
        key = group.key if group else None
        place = group.inner() if group else ""
        first = (key or event).start_mark.index
        block = _block(
            self._text, (first, event.end_mark.index), place, group.path if group else ""
        )
        if block is not None and key is not None:
            named = key.start_mark.index, key.end_mark.index
            block = _with_cells(block, named, (event.start_mark.index, block.end))
        if block is not None:
            yield block
        self._ended()

    def _ended(self) -> None:
        if self._open:
            group = self._open[-1]
            if group.is_mapping and group.is_key_next:
                group.is_key_next = False  # A group or an alias as key.
            else:
                group.after_value()


def _toml(text: str) -> Iterator[Block]:
    """Blocks of a text that is known to be TOML: from each key to before the next."""
    table, waiting = "", list[Line]()
    for line in lines_of(text):
        head = None if waiting and not _is_whole(text, waiting) else _TABLE.match(line.text)
        is_new = _KEY.match(line.text) and (not waiting or _is_whole(text, waiting))
        if head or is_new:
            yield from _assignment(text, waiting, table)
            waiting = [] if head else [line]
            table = head[1].strip() if head else table
        elif waiting and line.text and not (line.text[0] == "#" and _is_whole(text, waiting)):
            waiting.append(line)
    yield from _assignment(text, waiting, table)


def _is_whole(text: str, lines: list[Line]) -> bool:
    # Of a value over many lines only those are tried that can be its last.
    if len(lines) > 1 and not any(sign in lines[-1].text for sign in "]}\"'"):
        return False
    try:
        tomllib.loads(text[lines[0].start : lines[-1].end])
    except tomllib.TOMLDecodeError:
        return False
    return True


def _assignment(text: str, lines: list[Line], table: str) -> Iterator[Block]:
    match = _KEY.match(lines[0].text) if lines else None
    if match:
        start, place = lines[0].start, f"{table}.{match[1]}" if table else match[1]
        block = _block(text, (start, lines[-1].end), place, table)
        if block is not None:
            value = start + match.end()
            value += len(text[value : block.end]) - len(text[value : block.end].lstrip())
            yield _with_cells(block, (start, start + len(match[1])), (value, block.end))


def _block(text: str, span: tuple[int, int], place: str, section: str) -> Block | None:
    start, end = span
    end = start + len(text[start:end].rstrip())
    if end <= start:
        return None
    is_prose = end - start > _LONGEST_CELL_CHARS or "\n" in text[start:end]
    kind = BlockKind.PARAGRAPH if is_prose else BlockKind.TABLE_ROW
    return Block(
        start=start, end=end, kind=kind, place=place, section=(section,) if section else ()
    )


def _with_cells(block: Block, named: tuple[int, int], value: tuple[int, int]) -> Block:
    if block.kind is not BlockKind.TABLE_ROW or value[1] <= value[0]:
        return block
    cells = (
        Cell(start=named[0], end=named[1]),
        Cell(start=value[0], end=value[1], row_headers=(named,)),
    )
    return replace(block, cells=cells)
