"""Reads plain text: paragraphs, headings and list items, unchanged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from pathlib import Path

from pincite.ingest.assembly import Outline, choose_title
from pincite.ingest.encoding.decode import decode
from pincite.ingest.markdown.reader import MarkdownReader
from pincite.ingest.plain.aligned import TAB_COLUMNS, aligned_items
from pincite.records.document import Block, BlockKind, Document, document_id
from pincite.records.formats import RST, TEXT, media_type_of
from pincite.text.inline_marks import rst_inline

# Detects whether a plain text file is written in Markdown, from the structure of the whole file.

_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_MARKED_HEADING = re.compile(r"#{1,6}[ \t]+\[[A-Z][A-Z _-]*\][ \t]+\S")
_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)[\w+-]*[ \t]*$")
_LINK = re.compile(r"\[[^\[\]\n]{1,200}\]\((?:https?://|mailto:|[#./]|[\w-]+[./#])[^()\s]{0,500}\)")
_BOLD = re.compile(r"(?<![\w*])\*\*[^\s*][^*\n]{0,200}\*\*(?![\w*])")
_ITEM = re.compile(r"[ ]{0,8}(?:[-*+]|\d{1,3}\.)[ \t]+\S")
_TABLE_RULE = re.compile(r"[ ]{0,3}\|?[ ]*+:?-{2,}+:?[ ]*+(?:\|[ ]*+:?-{2,}+:?[ ]*+)++\|?[ \t]*+$")
# Scripts, C, RPM, XML, reStructuredText and AsciiDoc, where "#" and "*" mean something else.
_OTHER = re.compile(
    r"#!|[ \t]*#(?:include|define|if|endif)\b|%[A-Z]|<\?xml|<!DOCTYPE|\.\. [\w-]+::|={1,5} \S"
    r"|[a-z]+::\S*\[|\[\[?[a-z]+(?:,[^\]]*)?\]{1,2}$|\+$|\.{4,}$|\S.{0,100}::$"
)
_FRONT_MATTER = re.compile(r"---[ \t]*\n\w[^\n]*:")
_FEWEST_ITEMS = 3
_FEWEST_BOLD = 3
_FEWEST_SIGNS = 3


def is_markdown(text: str) -> bool:
    """Whether it has headings of two levels, several plus other structure, or three other structures.

    Consecutive lines with `#` are comments, as are those that begin a script; then no line is a
    heading. Knowledge bases whose entries begin with `# [ARTICLE]` have such headings.
    """
    lines = text.splitlines()
    if any(map(_OTHER.match, lines)):
        return False
    outside, fences = _outside_fences(lines)
    prose = "\n".join(outside)
    others = [
        fences > 0,
        bool(_FRONT_MATTER.match(text)),
        any(map(_MARKED_HEADING.match, outside)),
        bool(_LINK.search(prose)),
        len(_BOLD.findall(prose)) >= _FEWEST_BOLD,
        sum(map(bool, map(_ITEM.match, outside))) >= _FEWEST_ITEMS,
        any(map(_TABLE_RULE.match, outside)),
    ]
    levels = _heading_levels(outside)
    if len(set(levels)) > 1 and levels[0] == min(levels):
        return True
    return sum(others) + min(len(levels), 2) >= _FEWEST_SIGNS


def _outside_fences(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines outside fenced code, and the number of closed fences."""
    outside: list[str] = []
    closed = 0
    opened: int | None = None
    for number, line in enumerate(lines):
        if not _FENCE.match(line):
            if opened is None:
                outside.append(line)
        elif opened is None:
            opened = number
        else:
            opened = None
            closed += 1
    if opened is not None:
        outside += lines[opened:]
    return outside, closed


def _heading_levels(lines: Sequence[str]) -> list[int]:
    """The levels of the heading lines; none if some are consecutive, as comments are."""
    levels: list[int] = []
    before = 0
    for line in lines:
        match = _HEADING.match(line)
        level = len(match[1]) if match else 0
        if level and level == before:
            return []
        if level:
            levels.append(level)
        before = level if line.strip() else 0
    return levels


# Reads plain text: paragraphs, headings and list items, unchanged.

# Distinguishes prose from records (a log, a list of numbers) and drawings.

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_DATE = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.](?:\d{1,2}|[A-Z][a-z]{2})[-/.]\d{4}"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"
_WORD_WITH_A_SIGN = r"(?=[^\W\d]*+(?:\d|[^\w\s]|\s\s))[^\s\w]*+[\w.:-]*+(?:[^\s\w.:-][\w.:-]*+)?"
# The start of an entry: a date, a time or a level, after at most a few words that contain digits or
# punctuation (`10.0.0.7 - - [10/Oct/2025:13:55:36`), or as in `Oct  3 13:55:36`.
_STAMP = re.compile(
    rf"(?:{_WORD_WITH_A_SIGN}[ \t]++){{0,4}}?[\[(<{{\"']*"
    rf"(?:(?:{_DATE})(?:[T :]{_CLOCK})?|{_CLOCK}|{_LEVEL}|[A-Z][a-z]{{2}} [ \d]\d {_CLOCK})"
)
_LONGEST_STAMP_CHARS = 80
_DIGITS = re.compile(r"\d+")

_WORDS = re.compile(r"[^\W\d_]+(?:[ '’.&-]{1,2}[^\W\d_]+)*\.?")
_BLANKS = re.compile(r"[ \t]{2,}|\t")
_TELLING = re.compile(r"[9\t:=|–—]")
# Signs of prose at the end of a line or within it; records do not end sentences or end in a comma.
_RUNS_ON = re.compile(r"[.!?,;…-]$|[.!?…]\s+[^\W\d_]")
_LONGEST_RECORD_CHARS = 80
_FEWEST_RECORDS = 3
_SHORT_WIDTH = 60
_DRAWN = re.compile(r"[\u2500-\u257f]|\+[-=]{2}|[-=]{2}\+|-->|<--|[|/\\]$|^[|/\\]")
_CORNER = re.compile(r"[\u2500-\u257f]|\+[-=]{2}|[-=]{2}\+|-->|<--")
_FEWEST_DRAWN = 3
_LEAST_DRAWN = 0.6


def record_starts(lines: Sequence[str], *, width: int) -> list[int]:
    """The indices of the lines of a paragraph that start a record; for prose, only the first.

    `width` is the length of the longest line in the file, at which prose would be wrapped.
    """
    if len(lines) < 2:
        return [0]
    entries = _entries(lines)
    if len(entries) > 1:
        return entries
    return list(range(len(lines))) if _are_records(lines, max(width, _SHORT_WIDTH)) else [0]


def is_drawing(lines: Sequence[str]) -> bool:
    """Whether a paragraph is an ASCII drawing of boxes and arrows, which must not be split."""
    drawn = sum(map(bool, map(_DRAWN.search, lines)))
    if not any(map(_CORNER.search, lines)):
        return False
    return len(lines) >= _FEWEST_DRAWN and drawn >= _LEAST_DRAWN * len(lines)


def _entries(lines: Sequence[str]) -> list[int]:
    """The lines that start with a stamp like that of the first line; others continue an entry."""
    form = _stamp_form(lines[0])
    return [n for n, line in enumerate(lines) if _stamp_form(line) == form] if form else []


def _stamp_form(line: str) -> str:
    match = _STAMP.match(line[:_LONGEST_STAMP_CHARS])
    if match is None:
        return ""
    return " ".join(re.sub(r"[^\W\d_]+", "a", _DIGITS.sub("9", match[0])).split())


def _are_records(lines: Sequence[str], width: int) -> bool:
    """Whether the line breaks are deliberate and half of the lines share a pattern."""
    if len(lines) < _FEWEST_RECORDS or any(map(_is_prose, lines)):
        return False
    for line, following in pairwise(lines):
        if len(line) + 1 + len(following.split(maxsplit=1)[0]) > width:
            return False
    forms = Counter(form for form in map(_form, lines) if _TELLING.search(form))
    return max(forms.values(), default=0) >= max(2, len(lines) / 2)


def _is_prose(line: str) -> bool:
    return len(line) > _LONGEST_RECORD_CHARS or line[0].islower() or bool(_RUNS_ON.search(line))


def _form(line: str) -> str:
    """The pattern of a line: one letter per run of words, one digit per number, one tab per gap."""
    return _DIGITS.sub("9", _WORDS.sub("a", _BLANKS.sub("\t", line)))


_MAY_BE_MARKDOWN = (".txt", ".text")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_LIST_MARKER = re.compile(r"[ \t]*(?:[-*•‣◦–]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+\S")
_UNDERLINE = re.compile(r"^([=\-~^\"*#+`])\1{2,}$")
# "2.3 Terms", "Article 7", "Annex B: Forms": numbering that only headings have.
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,5})\.?[ \t]+\S")
_NAMED = re.compile(r"(?:chapter|section|article|part|annex|appendix|schedule)[ \t]+[\dA-Z]", re.I)
_SINGLE_NUMBER = re.compile(r"\d{1,3}\.?[ \t]+[^\W\d_]")
# How reStructuredText introduces a literal block.
_ABOVE_LITERAL = re.compile(
    r"(?:\.\. (?:code(?:-block)?|sourcecode|parsed-literal)::.*|(?!\.\. ).*::)$"
)
_TITLED = re.compile(r"(\d{1,3})[.)]?[ \t]+[A-ZÀ-Þ].{0,60}")
_FEWEST_TITLES = 3
_SHORTEST_SECTION_CHARS = 80
_CAPITAL_SHARE = 0.7
_LONGEST_HEADING_CHARS = 80
_CAPITAL_LINES_READ = 8
_MOST_CAPITAL_LINES = 2
"""Lines that one heading in capitals may fill."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the file, without surrounding white space."""

    start: int
    end: int
    text: str
    indent: int
    column: int
    """Where it begins, in columns: a tab fills up to eight."""


class TextReader:
    """Reads `.txt`, `.log` and `.rst` files; the text is the unchanged decoded file.

    A `.txt` file that is clearly Markdown is read as Markdown.
    """

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode(content)
        if path.suffix.lower() in _MAY_BE_MARKDOWN and is_markdown(decoded.text):
            return MarkdownReader().read(path, content)
        identifier, sha256 = document_id(content)
        is_rst = path.suffix.lower() in RST.media_types
        blocks = text_blocks(decoded.text, rst_inline if is_rst else str)
        headings = [block for block in blocks if block.kind is BlockKind.HEADING]
        first = decoded.text[headings[0].start : headings[0].end] if headings else None
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, _manual_title(decoded.text, blocks) or first),
            media_type=media_type_of(path.name) or TEXT.media_types[".txt"],
            text=decoded.text,
            encoding=decoded.encoding,
            first_byte=decoded.first_byte,
            blocks=blocks,
            warnings=tuple(_warnings(decoded.warnings, blocks)),
        )


def _manual_title(text: str, blocks: Sequence[Block]) -> str:
    """Of a manual page, what is below its first heading: its name and what it is; otherwise empty."""
    # "TMUX(1)      General Commands Manual      TMUX(1)" is its first line.
    first, *others = next(iter(text.lstrip().splitlines()), "").split() or [""]
    if others[-1:] != [first] or not first.endswith(")") or "(" not in first:
        return ""
    heading = BlockKind.HEADING
    below = next((b for a, b in pairwise(blocks) if a.kind is heading is not b.kind), None)
    return " ".join(text[below.start : below.end].split()) if below else ""


def text_blocks(text: str, shown: Callable[[str], str] = str) -> tuple[Block, ...]:
    """The headings, paragraphs and list items of a plain text; `shown` gives a heading its name."""
    return tuple(_Blocks(text, shown).find())


def _warnings(decoding: Sequence[str], blocks: Sequence[Block]) -> Iterator[str]:
    yield from decoding
    if not blocks:
        yield "it contains no words, so it cannot be found"


class _Blocks:
    """Splits a text into blocks, line by line."""

    def __init__(self, text: str, shown: Callable[[str], str]) -> None:
        self._shown = shown
        self._lines = list(_lines(text))
        whole = [text[line.start - line.indent : line.end] for line in self._lines]
        self._items = frozenset(self._lines[number].start for number in aligned_items(whole))
        self._width = max((len(line.text) for line in self._lines), default=0)
        self._outline = Outline()
        self._titles = frozenset(_titles(self._lines))
        # Underlined headings: the first kind of underline in the file is the highest level.
        self._underlines: list[str] = []

    def find(self) -> Iterator[Block]:
        """The blocks of the text in order."""
        paragraph: list[_Line] = []
        position = 0
        while position < len(self._lines):
            line = self._lines[position]
            if not line.text and paragraph and _ABOVE_LITERAL.match(paragraph[-1].text):
                literal = self._literal_below(position, paragraph[0].indent)
                above = paragraph if literal and paragraph[0].text.startswith("..") else []
                if not above:
                    yield from self._close(paragraph)
                paragraph = []
                if literal:
                    yield self._verbatim([*above, *(one for one in literal if one.text)])
                position += max(1, len(literal))
                continue
            underline = self._underline_below(position)
            is_inside = paragraph or underline or line.start in self._items
            depth = 0 if is_inside else self._heading_depth(position)
            if not line.text or underline or depth:
                yield from self._close(paragraph)
                paragraph = []
                if line.text:
                    yield self._heading(line, self._level(underline) + max(depth - 1, 0))
            else:
                if self._begins_item(line):
                    yield from self._close(paragraph)
                    paragraph = []
                paragraph.append(line)
            position += 2 if underline else 1
        yield from self._close(paragraph)

    def _begins_item(self, line: _Line) -> bool:
        return line.start in self._items or bool(_LIST_MARKER.match(line.text))

    def _literal_below(self, position: int, indent: int) -> list[_Line]:
        """The more deeply indented lines after an empty line, including empty ones among them."""
        below = list(
            takewhile(
                lambda line: not line.text or line.indent > indent,
                islice(self._lines, position, None),
            )
        )
        return below if any(line.text for line in below) else []

    def _underline_below(self, position: int) -> str | None:
        """The underline character of a heading, if this line is an underlined heading."""
        line = self._lines[position]
        if not line.text or position + 1 >= len(self._lines) or _UNDERLINE.match(line.text):
            return None
        below = self._lines[position + 1].text
        match = _UNDERLINE.match(below)
        # A much shorter line of punctuation is a table rule or a break, not an underline.
        return match[1] if match and len(below) >= 0.8 * len(line.text) else None

    def _heading_depth(self, position: int) -> int:
        """The depth of a heading without an underline; 0 if the line is not a heading."""
        text = self._lines[position].text
        if len(text) > _LONGEST_HEADING_CHARS or text[-1:] in ".,;!?":
            return 0
        if _is_capital_heading(text):
            return 0 if self._is_term(position) or self._is_loud(position) else 1
        if position in self._titles:
            return 2
        if self._lines[position + 1 :] and self._lines[position + 1].text:
            return 0
        if _NAMED.match(text):
            return 1
        numbered = _NUMBERED.match(text)
        if numbered:
            return 2 + numbered[1].count(".")
        return 2 if _SINGLE_NUMBER.match(text) and self._has_prose_below(position) else 0

    def _is_term(self, position: int) -> bool:
        """Whether it is an option, or explained by a more deeply indented line right below it."""
        line, below = self._lines[position], next(iter(self._lines[position + 1 :]), None)
        return line.text.startswith("-") or 0 < line.column < (below.column if below else 0)

    def _is_loud(self, position: int) -> bool:
        """Whether a line in capitals is one of several, as in the disclaimers of licences."""
        above = self._lines[max(0, position - _CAPITAL_LINES_READ) : position]
        below = self._lines[position + 1 : position + 1 + _CAPITAL_LINES_READ]
        loud = [
            list(takewhile(lambda line: line.text and _is_capital_heading(line.text), lines))
            for lines in (reversed(above), below)
        ]
        lines = [*loud[0], self._lines[position], *loud[1]]
        # The lines of a title end without a mark.
        runs_on = any(line.text.endswith((",", ";", ".")) for line in lines)
        return len(lines) > _MOST_CAPITAL_LINES and runs_on

    def _has_prose_below(self, position: int) -> bool:
        """Whether the next non-empty line is not the continuation of a list."""
        for line in self._lines[position + 1 : position + 6]:
            if line.text:
                return not _LIST_MARKER.match(line.text) and not _SINGLE_NUMBER.match(line.text)
        return False

    def _heading(self, line: _Line, level: int) -> Block:
        section = self._outline.enter(level, self._shown(line.text))
        return Block(start=line.start, end=line.end, kind=BlockKind.HEADING, section=section)

    def _level(self, underline: str | None) -> int:
        if underline is None:
            return len(self._underlines) + 1
        if underline not in self._underlines:
            self._underlines.append(underline)
        return self._underlines.index(underline) + 1

    def _close(self, lines: Sequence[_Line]) -> Iterator[Block]:
        if not lines or self._begins_item(lines[0]):
            yield from self._block(lines)
            return
        texts = [line.text for line in lines]
        if is_drawing(texts):
            yield self._verbatim(lines)
            return
        starts = record_starts(texts, width=self._width)
        for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
            yield from self._block(lines[start:end])

    def _verbatim(self, lines: Sequence[_Line]) -> Block:
        """All lines as one block, including the indentation of the first."""
        start = lines[0].start - lines[0].indent
        end = lines[-1].end
        return Block(start=start, end=end, kind=BlockKind.CODE, section=self._outline.path)

    def _block(self, lines: Sequence[_Line]) -> Iterator[Block]:
        # A line of punctuation alone (a rule, an overline) has no content.
        if not any(character.isalnum() for line in lines for character in line.text):
            return
        kind = BlockKind.LIST_ITEM if self._begins_item(lines[0]) else BlockKind.PARAGRAPH
        yield Block(start=lines[0].start, end=lines[-1].end, kind=kind, section=self._outline.path)


def _lines(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        bare = match[0].strip()
        before = match[0][: len(match[0]) - len(match[0].lstrip())] if bare else ""
        start = match.end() if not bare else match.start() + len(before)
        column = len(before.expandtabs(TAB_COLUMNS))
        yield _Line(start, start + len(bare), bare, len(before), column)


def _titles(lines: Sequence[_Line]) -> Iterator[int]:
    """The lines that are numbered titles with prose right below, as in minutes: "1. Welcome".

    They are numbered one by one from 1, and what is below is longer than the step of a list.
    """
    found: list[int] = []
    below = 0
    for number, line in enumerate(lines[:-1]):
        title = _TITLED.fullmatch(line.text)
        is_first = not number or not lines[number - 1].text
        if (
            not title
            or not is_first
            or line.text[-1:] in ".,;:!?"
            or int(title[1]) != len(found) + 1
        ):
            continue
        behind = lines[number + 1]
        if not behind.text[:1].isupper() or behind.indent or _LIST_MARKER.match(behind.text):
            continue
        found.append(number)
        prose = takewhile(lambda one: one.text, lines[number + 1 :])
        below += sum(len(one.text) for one in prose)
    if len(found) >= _FEWEST_TITLES and below >= _SHORTEST_SECTION_CHARS * len(found):
        yield from found


def _is_capital_heading(text: str) -> bool:
    """Whether most letters of a line are capitals, and most of its characters letters."""
    cased = [character for character in text if character.upper() != character.lower()]
    capitals = sum(character.isupper() for character in cased)
    # Most of the line must be letters: `A 12 34 56 B` is a table row.
    return (
        len(cased) >= 4
        and capitals >= _CAPITAL_SHARE * len(cased)
        and len(cased) >= 0.5 * len(text.replace(" ", ""))
    )
