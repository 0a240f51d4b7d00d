"""Reads Markdown: the text is the unchanged file; the parser only locates the blocks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pincite.ingest.assembly import Outline, choose_title
from pincite.ingest.encoding.decode import decode
from pincite.ingest.markdown.tables import html_pieces, table_blocks, table_ranges, with_cells
from pincite.records.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Flag,
    FlagKind,
    Range,
    document_id,
)
from pincite.text.inline_marks import markdown_inline

# Reads the YAML front matter of a Markdown file: its title and other entries.

_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)", re.DOTALL | re.MULTILINE
)
_ENTRY = re.compile(
    r"^([A-Za-z_](?:[\w .-]*[\w.-])?)[ \t]*+:[ \t]++(\S(?:[^\r\n]*\S)?)[ \t]*+(?=\r|\n|\Z)",
    re.MULTILINE,
)
_TITLE = re.compile(r"^title:[ \t]*+(\S(?:.*\S)?)[ \t]*+\r?$", re.MULTILINE)
_DATE_OR_NUMBER = re.compile(r"[\"']?\d[\d.:/T+-]*[\"']?$")


class FrontMatter:
    """The front matter of a file; its length is 0 if there is none."""

    def __init__(self, text: str) -> None:
        self._text = text
        match = _FRONT_MATTER.match(text)
        self.end = match.end() if match else 0
        self._body = match.span(1) if match else (0, 0)

    @property
    def title(self) -> str | None:
        """The title given in the front matter."""
        match = _TITLE.search(self._text[slice(*self._body)])
        return match[1].strip("\"'") if match else None

    def blocks(self) -> Iterator[Block]:
        """Entries with content for readers: sentences, dates and numbers, not settings."""
        for match in _ENTRY.finditer(self._text, *self._body):
            tells = " " in match[2] or _DATE_OR_NUMBER.match(match[2])
            if match[1] == "title" or not tells:
                continue
            key, value = match.span(1), match.span(2)
            yield Block(
                start=match.start(),
                end=value[1],
                kind=BlockKind.TABLE_ROW,
                place="front matter",
                cells=(
                    Cell(start=key[0], end=key[1]),
                    Cell(start=value[0], end=value[1], row_headers=(key,)),
                ),
            )


# Excludes HTML comments from quotes: they are invisible on the rendered page.

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# Shorter comments, such as `<!-- prettier-ignore -->`, are for tools.
_FEWEST_WORDS = 4


def comment_ranges(text: str, token: Token, start: int, end: int) -> Iterator[Range]:
    """The ranges of the comments in a paragraph; comments inside code do not count."""
    for child in token.children or ():
        if child.type == "html_inline" and child.content.startswith("<!--"):
            found = text.find(child.content, start, end)
            if found >= 0:
                start = found + len(child.content)
                yield found, start


def comments_in(text: str, start: int, end: int) -> Iterator[Range]:
    """The ranges of the comments in a piece of HTML."""
    yield from (match.span() for match in _COMMENT.finditer(text, start, end))


def without_comments(text: str, blocks: Iterable[Block], comments: Sequence[Range]) -> list[Block]:
    """Splits blocks around comments; each comment with words becomes a hidden block."""
    pieces = [piece for block in blocks for piece in _outside(text, block, comments)]
    hidden = [
        Block(start=start, end=end, kind=BlockKind.HIDDEN)
        for start, end in comments
        if len(text[start:end].strip("<!->").split()) >= _FEWEST_WORDS
    ]
    return sorted((*pieces, *hidden), key=lambda block: (block.start, block.end))


def comment_flags(blocks: Iterable[Block]) -> tuple[Flag, ...]:
    """One flag for each hidden comment."""
    return tuple(
        Flag(
            kind=FlagKind.HIDDEN_TEXT,
            detail="a comment that is not shown",
            start=block.start,
            end=block.end,
        )
        for block in blocks
        if block.kind is BlockKind.HIDDEN
    )


def _outside(text: str, block: Block, comments: Sequence[Range]) -> Iterator[Block]:
    start = block.start
    # Comments come in order and do not overlap, so their ends are in order too.
    first_inside = bisect_right(comments, block.start, key=lambda pair: pair[1])
    after = bisect_left(comments, block.end, key=lambda pair: pair[0])
    inside = comments[first_inside:after]
    if not inside:
        yield block
        return
    for first, last in (*inside, (block.end, block.end)):
        piece = text[start:first]
        left = start + len(piece) - len(piece.lstrip())
        if piece.strip():
            yield replace(block, start=left, end=left + len(piece.strip()), cells=())
        start = max(start, last)


# Notes set apart from the text: paragraphs to CommonMark. In a quotation as GitHub and Obsidian write
# them, elsewhere as MkDocs and Docusaurus do.

_CALLOUT = re.compile(
    r"\[!(?P<kind>[\w-]++)\][+-]?(?:[ ]++(?P<title>[^ \t\r\n][^\r\n]*+))?[ \t]*+(?=[\r\n]|$)"
)
_NOTE = re.compile(
    r"""(?:
        (?:!!!|\?\?\?)\+?[ ]++(?P<kind>[\w-]++(?:[ ][\w-]++)*+)(?:[ ]++"(?P<title>[^"\r\n]++)")?
        | :::++[ ]*+\{?(?P<fence>[A-Za-z][\w-]*+)\}?
          (?:[ ]*\[(?P<named>[^\]\r\n]++)\]|[ ]+(?P<told>[^ \t\r\n\[][^\r\n]*+))?
    )[ \t]*+(?=[\r\n]|$)""",
    re.VERBOSE,
)
_NOTE_END = re.compile(r"(?:^|[\r\n])[ \t>]*:::+[ \t]*$")
_NOTE_NAMES = ("title", "named", "told", "kind", "fence")


def note_pieces(text: str, start: int, end: int, *, is_quoted: bool) -> Iterator[Range]:
    """The name of a note and its text, without the signs; a paragraph that is no note as it is."""
    found = (_CALLOUT if is_quoted else _NOTE).match(text, start, end)
    closing = _NOTE_END.search(text[start:end])
    end = start + closing.start() if closing else end
    if found:
        named = found.groupdict()
        first, last = found.span(next(name for name in _NOTE_NAMES if named.get(name)))
        yield first, first + len(text[first:last].rstrip())
        start = found.end()
        start += len(text[start:end]) - len(text[start:end].lstrip(" \t\r\n>"))
    if start < end:
        yield start, end


# Line ends as markdown-it counts them; `str.splitlines` knows more and would shift every offset.
_EMPTY_LINE = re.compile(r"(?:\r\n|\n|\r)[ \t>]*(?:\r\n|\n|\r)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_HTML_OR_TEMPLATE = re.compile(r"[<{]")
_LONGEST_UNSEEN_CHARS = 1_000
_CONTAINER_SIGNS = " \t>"
# A footnote of a single word looks like a link definition, which would not be text.
_FOOTNOTE = re.compile(r"^([ ]{0,3})\[(?=\^[^\]\n]+\]:)", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_GOES_ON_INDENTED = re.compile(r":[ \t]+\S|(?:!!!|\?\?\?\+?)[ \t]+\w")
"""A definition or an admonition: what is indented below it is its text, and no code."""
_ATTRIBUTES = re.compile(r"\{[:#.][^{}]*\}[ \t]*$")
"""What a heading may end with: its anchor and classes, which no reader sees."""
# Site generators replace this placeholder with the page's own title.
_TITLE_TEMPLATE = re.compile(r"(?:<%=?|\{\{).*\btitle\b.*(?:%>|\}\})$")


@dataclass(frozen=True, slots=True)
class _Line:
    """The start and end of a line, without its line end."""

    start: int
    end: int


class MarkdownReader:
    """Reads `.md` files: CommonMark with tables and front matter."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").enable("table")

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode(content)
        front = FrontMatter(decoded.text)
        # Blanked out instead of removed, so that line numbers stay those of the file.
        body = re.sub(r"[^\r\n]", " ", decoded.text[: front.end]) + decoded.text[front.end :]
        finder = _BlockFinder(decoded.text, front.title)
        found = finder.find(self._parser.parse(_FOOTNOTE.sub(r"\1(", body)))
        blocks = (
            *front.blocks(),
            *without_comments(decoded.text, list(found), finder.comments),
        )
        warnings = [*decoded.warnings]
        if not blocks:
            warnings.append("it contains no words, so it cannot be found")
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, front.title, finder.first_heading),
            media_type="text/markdown",
            text=decoded.text,
            encoding=decoded.encoding,
            first_byte=decoded.first_byte,
            blocks=blocks,
            warnings=tuple(warnings),
            flags=comment_flags(blocks),
        )


class _BlockFinder:
    """Maps the parser's tokens to ranges of the file's text."""

    def __init__(self, text: str, title: str | None) -> None:
        self._text = text
        self._title = title
        self._lines = list(_lines(text))
        self._outline = Outline()
        self._goes_on_indented = False
        # The end of the last HTML table that was read.
        self._table_end = 0
        self.first_heading: str | None = None
        self.comments: list[Range] = []
        """The ranges of the comments found so far."""

    def find(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """The blocks of the document in order; those without text are left out."""
        rows: list[Block] = []
        for block in self._blocks(tokens):
            # Rows of an HTML table already have cells.
            is_row = block.kind is BlockKind.TABLE_ROW and not block.cells
            if is_row and self._is_same_table(rows, block):
                rows.append(block)
                continue
            yield from with_cells(self._text, rows)
            rows = [block] if is_row else []
            if not rows:
                yield block
        yield from with_cells(self._text, rows)

    def _is_same_table(self, rows: Sequence[Block], row: Block) -> bool:
        """Whether no empty line separates a row from those before it."""
        return bool(rows) and not _EMPTY_LINE.search(self._text, rows[-1].end, row.start)

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        containers: list[str] = []
        for position, token in enumerate(tokens):
            if token.type.endswith("_open"):
                containers.append(token.type)
            elif token.type.endswith("_close"):
                containers.pop()
            if token.map is not None and self._lines[token.map[0]].start < self._table_end:
                continue
            if token.type == "html_block" and token.map is not None:
                yield from self._html(*token.map)
                continue
            for kind, start, end in self._pieces(token, tokens[position - 1], containers):
                if self._text[start:end].strip() and (
                    kind is BlockKind.CODE or _is_shown(self._text[start:end])
                ):
                    yield Block(start=start, end=end, kind=kind, section=self._outline.path)

    def _html(self, first: int, last: int) -> Iterator[Block]:
        """The tables in lines of HTML, which may extend further down, and the text around them."""
        start, end = self._stripped(self._lines[first].start, self._end(last))
        for table in table_ranges(self._text, start, end):
            yield from self._html_paragraph(start, table[0])
            self.comments += comments_in(self._text, *table)
            for found in table_blocks(self._text, *table):
                yield Block(
                    start=found.start,
                    end=found.end,
                    kind=found.kind,
                    section=self._outline.path,
                    cells=found.cells,
                )
            start = self._table_end = table[1]
        # Text after a table on its last line has no token of its own.
        line = bisect_right(self._lines, start, key=lambda line: line.start) - 1
        yield from self._html_paragraph(start, max(end, self._lines[line].end))

    def _html_paragraph(self, start: int, end: int) -> Iterator[Block]:
        start, end = self._stripped(start, end)
        self.comments += comments_in(self._text, start, end)
        for piece in html_pieces(self._text, start, end):
            if not _is_shown(self._text[piece.start : piece.end]):
                continue
            if piece.level:
                self._enter_named(piece.level, markdown_inline(self._text[piece.start : piece.end]))
            yield Block(
                start=piece.start, end=piece.end, kind=piece.kind, section=self._outline.path
            )

    def _pieces(
        self, token: Token, opening: Token, containers: Sequence[str]
    ) -> Iterator[tuple[BlockKind, int, int]]:
        """The kind and range of the block that a token represents, if any."""
        if token.map is None:
            return
        first = token.map[0]
        if token.type == "inline" and opening.type == "heading_open":
            self._enter(token, int(opening.tag[1:]))
            self._goes_on_indented = False
            yield BlockKind.HEADING, *self._inline_span(token)
        elif token.type == "inline" and opening.type == "paragraph_open":
            in_item = len(containers) >= 2 and containers[-2] == "list_item_open"
            kind = BlockKind.LIST_ITEM if in_item else BlockKind.PARAGRAPH
            if token.content.startswith("(^"):
                kind = BlockKind.FOOTNOTE
            self._goes_on_indented = _GOES_ON_INDENTED.match(token.content) is not None
            start, end = self._inline_span(token)
            self.comments += comment_ranges(self._text, token, start, end)
            is_quoted = "blockquote_open" in containers
            for piece in note_pieces(self._text, start, end, is_quoted=is_quoted):
                yield kind, *piece
        elif token.type == "tr_open":
            yield BlockKind.TABLE_ROW, *self._row_span(first)
        elif token.type == "fence":
            yield BlockKind.CODE, *self._code_span(first + 1, token.content.count("\n"))
        elif token.type == "code_block" and self._goes_on_indented:
            yield from self._indented(first, token.content.count("\n"))
        elif token.type == "code_block":
            yield BlockKind.CODE, *self._code_span(first, token.content.count("\n"))

    def _indented(self, first: int, count: int) -> Iterator[tuple[BlockKind, int, int]]:
        """The paragraphs and items of lines that only extensions of Markdown know to be text."""
        lines = self._lines[first : first + count]
        texts = [self._text[line.start : line.end] for line in lines]
        begins = [
            number
            for number, text in enumerate(texts)
            if text.strip() and (not number or not texts[number - 1].strip() or _ITEM.match(text))
        ]
        for number, behind in zip(begins, (*begins[1:], count), strict=True):
            kind = BlockKind.LIST_ITEM if _ITEM.match(texts[number]) else BlockKind.PARAGRAPH
            yield kind, *self._stripped(lines[number].start, lines[behind - 1].end)

    def _enter(self, heading: Token, level: int) -> None:
        children = heading.children or []
        plain = "".join(
            " " if child.type == "softbreak" else child.content
            for child in children
            if child.type in ("text", "code_inline", "softbreak", "image")
        )
        name = _ATTRIBUTES.sub("", plain or heading.content).strip() or heading.content
        if self._title and _TITLE_TEMPLATE.match(heading.content.strip()):
            name = self._title
        self._enter_named(level, name)

    def _enter_named(self, level: int, name: str) -> None:
        path = self._outline.enter(level, name)
        if self.first_heading is None:
            self.first_heading = path[-1]

    def _inline_span(self, token: Token) -> tuple[int, int]:
        """The range of a heading or paragraph, without markers."""
        assert token.map is not None
        content_lines = token.content.split("\n")
        first = self._lines[token.map[0]]
        last = self._lines[min(token.map[0] + len(content_lines), len(self._lines)) - 1]
        start = self._find(content_lines[0], first)
        floor = start if first is last else last.start
        end = self._text.rfind(content_lines[-1], floor, last.end)
        if end < 0:
            return self._stripped(start, last.end)
        return start, end + len(content_lines[-1])

    def _find(self, content: str, line: _Line) -> int:
        """The offset of a block's first line within its source line, after markers."""
        # Searched from the right: in `- - text` or `# #` the marker may look like the content.
        found = self._text.rfind(content, line.start, line.end)
        if found >= 0:
            return found
        return self._stripped(line.start, line.end)[0]

    def _row_span(self, number: int) -> tuple[int, int]:
        line = self._lines[number]
        start, end = self._stripped(line.start, line.end)
        if self._text[start:end].startswith("|"):
            start += 1
        if self._text[start:end].endswith("|") and not self._text[start:end].endswith("\\|"):
            end -= 1
        start, end = self._stripped(start, end)
        has_content = any(sign not in "| \t" for sign in self._text[start:end])
        return (start, end) if has_content else (start, start)

    def _code_span(self, first: int, count: int) -> tuple[int, int]:
        """The lines of a code block with indentation, without surrounding empty lines."""
        lines = self._lines[first : first + count]
        filled = [line for line in lines if self._text[line.start : line.end].strip()]
        return (filled[0].start, filled[-1].end) if filled else (0, 0)

    def _stripped(self, start: int, end: int) -> tuple[int, int]:
        """A range without surrounding white space and leading quote markers."""
        piece = self._text[start:end]
        start += len(piece) - len(piece.lstrip(_CONTAINER_SIGNS + "\r\n"))
        return start, max(start, start + len(self._text[start:end].rstrip()))

    def _end(self, line_number: int) -> int:
        return self._lines[min(line_number, len(self._lines)) - 1].end


def _is_shown(source: str) -> bool:
    """Whether any of it is visible; an anchor or `{% endalert %}` alone is not."""
    if len(source) > _LONGEST_UNSEEN_CHARS or not _HTML_OR_TEMPLATE.search(source):
        return True
    return any(map(str.isalnum, markdown_inline(source)))


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for match in _LINE_END.finditer(text):
        yield _Line(start, match.start())
        start = match.end()
    yield _Line(start, len(text))
