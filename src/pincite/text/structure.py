"""Finds the structural unit to show around a sentence: its paragraph, list or table.

A sentence is rarely read alone: it belongs to a paragraph, a sequence of steps, a table. The
smallest such unit is shown as one quote: a stretch of the document, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from pincite.records.document import UNQUOTED, Block, BlockKind, Document, Range
from pincite.records.flow import Piece
from pincite.records.formats import Markup, markup_of
from pincite.text.negations import takes_back
from pincite.text.remarks import is_header_place
from pincite.text.sentences import sentence_spans

# Page headers and footers that the file's reader did not separate from the text.

_PLACES = ("page header", "page footer")
_PAGE = (
    r"(?:page|pg\.|seite|p[aá]gina|sida|side|sivu|strona|strana|str\.|oldal|страница|стр\.|σελίδα|"
    r"sayfa|halaman|trang)"
)
_OF = r"(?:\s*(?:of|/|von|sur|de|di|van|av|af|z|ze|из|από)\s*\d{1,4})?"
_PAGE_MARK = re.compile(
    rf"(?:^|\s){_PAGE}\s*\d{{1,4}}{_OF}\W*$|^\W*{_PAGE}\s*\d{{1,4}}{_OF}(?:\s|$)", re.IGNORECASE
)
_MOST_WORDS = 15


def is_page_edge(document: Document, start: int, end: int) -> bool:
    """Whether `text[start:end]` is a short line with a page number, or a DOCX header or footer."""
    text = document.text[start:end]
    if len(text.split()) > _MOST_WORDS:
        return False
    blocks = document.blocks_in(start, end)
    if any(block.place.startswith(_PLACES) for block in blocks):
        return True
    is_whole = len(blocks) == 1 and (blocks[0].start, blocks[0].end) == (start, end)
    return is_whole and bool(_PAGE_MARK.search(text))


# Lines of a table of contents.

_CONTENTS_LINK = re.compile(r"(?:[-*+]|\d+[.)])?\s*\[[^\[\]]{1,300}\]\(#[^()\s]{0,300}\)")
_NUMBERED = re.compile(r"(?:§ ?)?\d{1,3}(?:\.\d{1,3}){0,5}\.?\s")
_PAGE_DIGITS = 4
_LONGEST_HEADING_CHARS = 200


def is_contents_line(document: Document, start: int, end: int) -> bool:
    """Whether `text[start:end]` repeats a heading with its number or a page, or links to a place.

    Such a line says where something stands, not what it is. A bare repetition may be a list of things
    that have a section each, which answers which ones there are.
    """
    if _CONTENTS_LINK.fullmatch(document.text[start:end].strip()):
        return True
    blocks = document.blocks_in(start, end)
    if len(blocks) != 1 or blocks[0].kind is BlockKind.HEADING:
        return False
    if blocks[0].end - blocks[0].start > _LONGEST_HEADING_CHARS:
        return False
    line = " ".join(document.text[blocks[0].start : blocks[0].end].split())
    headings = _headings(_Held(document.id, document))
    bare = line.rstrip("0123456789")
    is_paged = 0 < len(line) - len(bare) <= _PAGE_DIGITS
    is_numbered = _NUMBERED.match(line) is not None and line in headings
    return is_numbered or (is_paged and bare.rstrip(" .…·_") in headings)


@dataclass(frozen=True)
class _Held:
    """A document by its id: a cache must not compare texts."""

    id: str
    document: Document = field(compare=False)


@lru_cache(maxsize=64)
def _headings(held: _Held) -> frozenset[str]:
    text = held.document.text
    blocks = (block for block in held.document.blocks if block.kind is BlockKind.HEADING)
    return frozenset(" ".join(text[block.start : block.end].split()) for block in blocks)


# The structural unit of a sentence.

PARAGRAPH_CHARS = 480
"""Six lines of a terminal: a paragraph up to this long is shown whole."""

BRIEF_CHARS = 240
"""How much of a paragraph is shown for units other than the best one."""

SECTION_CHARS = 800
"""Several good sentences of a section up to this long are shown as one quote with what is between."""

LIST_CHARS = 1_400
LIST_ITEMS = 15
"""A list up to these limits is shown whole; otherwise the first items, and how many follow."""

SHORT_LIST_CHARS = 420
"""A list this short is shown whole, whichever item is the answer."""

_WITHIN_LISTS = frozenset({BlockKind.CODE, BlockKind.TABLE_ROW, BlockKind.CAPTION})
_COLONS = (":", "：")
_CLOSING = " \t\n\"'”’»)]*_`"
_MARKER = re.compile(r"[ \t]*(?:[-*+•▪‣◦–]|(?P<number>\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])[ \t]+")
_TERMS = {
    Markup.HTML: re.compile(r"\S.{0,40}\n\S"),
    Markup.NONE: re.compile(r"\S.{0,31}?(?<![.!?;,])(?: {2,}|\t[ \t]*)\S"),
}
"""How an item begins that is a term and what it means, in a web page or in two columns of a text."""
_CLAUSE = re.compile(r"(?:§ ?)?\d{1,3}(?:\.\d{1,3}){1,5}\.?\s")
"""The number of a clause: 5.3, 12.4.1, § 7.2."""
_TABLE_ROWS = 12
"""Most rows of a table that is shown whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A stretch `text[start:end]` that is shown as one quote.

    `left_out` says what follows in the same structure and is not shown ("9 more items").
    """

    start: int
    end: int
    left_out: str = ""


def unit_around(
    document: Document,
    start: int,
    end: int,
    *,
    is_wanted: Callable[[int, int], bool],
    is_brief: bool = False,
) -> Unit:
    """The unit of the sentence `text[start:end]`; with `is_brief` the least that makes it readable.

    `is_wanted` says whether another sentence or item (a range of the text) is as good an answer: a list
    is shown whole if its lead-in, or more than one of its items, is.
    """
    place = document.first_block_behind(start)
    blocks = document.blocks
    if place >= len(blocks) or blocks[place].start >= end:
        return Unit(start=start, end=end)
    kind = blocks[place].kind
    room = BRIEF_CHARS if is_brief else PARAGRAPH_CHARS
    if kind is BlockKind.LIST_ITEM:
        whole = _list_around(document, place, is_wanted, is_brief=is_brief)
        return whole or _item(document, place, start, end, room)
    if kind is BlockKind.TABLE_ROW and _heads_table(document, place):
        return _table(document, place)
    if kind is BlockKind.CODE:
        return _with_lead_in(document, place)
    if kind is BlockKind.PARAGRAPH:
        announced = _announced(document, place, end, is_brief=is_brief)
        return announced or _in_block(document, place, start, end, room)
    return Unit(start=start, end=end)


def is_read_together(document: Document, start: int, end: int) -> bool:
    """Whether `text[start:end]` is within one section and short enough to be shown whole."""
    blocks = document.blocks_in(start, end)
    return end - start <= SECTION_CHARS and all(
        _is_body(block, blocks[0].section)
        and block.place == blocks[0].place
        and not _stands_alone(document, block)
        for block in blocks
    )


def _stands_alone(document: Document, block: Block) -> bool:
    is_clause = _CLAUSE.match(document.text, block.start, block.end) is not None
    is_term = block.kind is BlockKind.LIST_ITEM and _explains(document, block)
    return block.kind is BlockKind.TABLE_ROW or is_clause or is_term


def _is_body(block: Block, section: tuple[str, ...]) -> bool:
    return (
        block.section == section
        and block.kind is not BlockKind.HEADING
        and block.kind not in UNQUOTED
        and not is_header_place(block.place)
    )


# --- Lists and steps ----------------------------------------------------------------------------


def _list_around(
    document: Document, place: int, is_wanted: Callable[[int, int], bool], *, is_brief: bool
) -> Unit | None:
    """The list with its lead-in; None if the item alone is the answer."""
    blocks = document.blocks
    first, last = _run(document, place)
    items = [n for n in range(first, last + 1) if blocks[n].kind is BlockKind.LIST_ITEM]
    lead = _lead_in(document, first)
    whole = _list(document, _with_marker(document, first) if lead is None else lead[0], items, last)
    if whole.end < blocks[place].end:
        return None
    # The terms of a glossary are explained alike, but one of them is asked for.
    is_term = _explains(document, blocks[place])
    is_short = not whole.left_out and whole.end - whole.start <= SHORT_LIST_CHARS
    if is_short and not is_term:
        return whole
    if is_brief:
        return None
    wanted = sum(is_wanted(blocks[n].start, blocks[n].end) for n in items)
    fewest = len(items) // 2 if is_term else 1
    is_announced = lead is not None and is_wanted(*lead)
    return whole if wanted > fewest or is_announced or _is_numbered(document, first) else None


def _explains(document: Document, block: Block) -> bool:
    term = _TERMS.get(markup_of(document.media_type))
    # Blanks behind a bullet or a number set no term apart.
    marker = _MARKER.match(document.text, block.start, block.end)
    start = marker.end() if marker else block.start
    return term is not None and term.match(document.text, start, block.end) is not None


def _item(document: Document, place: int, start: int, end: int, room: int) -> Unit:
    """One item with the blocks that belong to it, such as the code of a step."""
    unit = _in_block(document, place, start, end, room)
    blocks, last = document.blocks, place
    while last + 1 < len(blocks) and blocks[last + 1].kind in _WITHIN_LISTS and last - place < 3:
        last += 1
    below = blocks[last].end
    is_whole = unit.end == blocks[place].end and below - unit.start <= LIST_CHARS
    first = _with_marker(document, place) if unit.start == blocks[place].start else unit.start
    return Unit(start=first, end=below if is_whole else unit.end)


def _with_marker(document: Document, number: int) -> int:
    """Where an item begins, including a bullet or number before its block."""
    start = document.blocks[number].start
    line = document.text.rfind("\n", 0, start) + 1
    found = _MARKER.fullmatch(document.text, line, start) if start - line <= 40 else None
    return line + len(found[0]) - len(found[0].lstrip()) if found else start


def _is_numbered(document: Document, number: int) -> bool:
    block = document.blocks[number]
    start = _with_marker(document, number)
    found = _MARKER.match(document.text, start, block.end)
    return found is not None and found["number"] is not None


def _list(
    document: Document, start: int, items: Sequence[int], last: int, room: int = LIST_CHARS
) -> Unit:
    """A list from `start` on, cut after an item if it is too long."""
    blocks = document.blocks
    ends = [blocks[behind - 1].end for _, behind in pairwise([*items, last + 1])]
    fitting = sum(1 for _ in takewhile(lambda end: end - start <= room, ends[:LIST_ITEMS]))
    shown = max(1, fitting)
    more = len(items) - shown
    left_out = f"{more} more {'item' if more == 1 else 'items'}" if more else ""
    return Unit(start=start, end=ends[shown - 1], left_out=left_out)


def _run(document: Document, place: int) -> Range:
    """The numbers of the first and last blocks of the list that contains a block."""
    blocks, section = document.blocks, document.blocks[place].section

    def last_of(numbers: Iterable[int], step: int) -> int:
        last = place
        for n in numbers:
            if blocks[n].section != section or not _belongs(document, n):
                break
            # Upwards the list ends with its first item; downwards it includes what belongs to the
            # last one.
            if blocks[n].kind is BlockKind.LIST_ITEM or step > 0:
                last = n
        return last

    return last_of(range(place - 1, -1, -1), -1), last_of(range(place + 1, len(blocks)), 1)


def _belongs(document: Document, number: int) -> bool:
    """Whether a block is a list item, or inside one."""
    block = document.blocks[number]
    if block.kind is BlockKind.LIST_ITEM or block.kind in _WITHIN_LISTS:
        return True
    return block.kind is BlockKind.PARAGRAPH and _is_indented(document, block)


def _is_indented(document: Document, block: Block) -> bool:
    before = document.text[max(0, block.start - 2) : block.start]
    return document.encoding is not None and (before.endswith("  ") or before.endswith("\t"))


def _lead_in(document: Document, first: int) -> Range | None:
    """The paragraph right above a list; of a long one its last sentence, if it ends with a colon."""
    if not first:
        return None
    above = document.blocks[first - 1]
    if above.kind is not BlockKind.PARAGRAPH or above.section != document.blocks[first].section:
        return None
    text = document.text[above.start : above.end]
    if len(text) <= PARAGRAPH_CHARS:
        return above.start, above.end
    if not _ends_open(text):
        return None
    sentences = sentence_spans(text) or [(0, len(text))]
    return above.start + sentences[-1][0], above.end


def _announced(document: Document, place: int, end: int, *, is_brief: bool) -> Unit | None:
    """The lead-in that contains a sentence, with its list, code or table; None for any other sentence.

    With `is_brief`, a short list is included whole, and the first items of a longer one if the line
    ends with a colon: such a line means nothing alone.
    """
    blocks, block = document.blocks, document.blocks[place]
    behind = place + 1
    if behind >= len(blocks) or blocks[behind].section != block.section:
        return None
    lead = _lead_in(document, behind)
    if lead is None or lead[0] >= end:
        return None
    ends_open = _ends_open(document.text[block.start : block.end])
    if blocks[behind].kind is BlockKind.LIST_ITEM:
        first, last = _run(document, behind)
        items = [n for n in range(first, last + 1) if blocks[n].kind is BlockKind.LIST_ITEM]
        room = SHORT_LIST_CHARS if is_brief else LIST_CHARS
        listed = _list(document, lead[0], items, last, room)
        is_whole = not listed.left_out and listed.end - listed.start <= room
        return listed if is_whole or not is_brief or ends_open else None
    if blocks[behind].kind is BlockKind.CODE and ends_open:
        code = Unit(start=lead[0], end=blocks[behind].end)
        return None if is_brief and code.end - code.start > SHORT_LIST_CHARS else code
    if blocks[behind].kind is BlockKind.TABLE_ROW and ends_open:
        table = replace(_table(document, behind), start=lead[0])
        return None if is_brief and table.end - table.start > SHORT_LIST_CHARS else table
    return None


def _with_lead_in(document: Document, place: int) -> Unit:
    """A code block with the lines that introduce it."""
    block, lead = document.blocks[place], _lead_in(document, place)
    return Unit(start=block.start if lead is None else lead[0], end=block.end)


def _ends_open(text: str) -> bool:
    return text.rstrip(_CLOSING).endswith(_COLONS)


# --- Tables -------------------------------------------------------------------------------------


def _heads_table(document: Document, place: int) -> bool:
    """Whether the cells of the next row have their column headers in this row."""
    row, behind = document.blocks[place], document.blocks[place + 1 : place + 2]
    return any(
        row.start <= start < row.end
        for block in behind
        for cell in block.cells
        for start, _ in cell.column_headers
    )


def _table(document: Document, place: int) -> Unit:
    """A header row with the rows below it."""
    blocks = document.blocks
    section = blocks[place].section
    rows = [
        *takewhile(
            lambda n: blocks[n].kind is BlockKind.TABLE_ROW and blocks[n].section == section,
            range(place, len(blocks)),
        )
    ]
    start = blocks[place].start
    shown = [n for n in rows[: _TABLE_ROWS + 1] if blocks[n].end - start <= LIST_CHARS] or rows[:1]
    more = len(rows) - len(shown)
    left_out = f"{more} more {'row' if more == 1 else 'rows'}" if more else ""
    return Unit(start=start, end=blocks[shown[-1]].end, left_out=left_out)


# --- Paragraphs ---------------------------------------------------------------------------------


def _in_block(document: Document, place: int, start: int, end: int, room: int) -> Unit:
    """The paragraph, or in one longer than `room` the sentences around, the one before first."""
    block = document.blocks[place]
    if block.end - block.start <= room:
        return Unit(start=min(block.start, start), end=max(block.end, end))
    text = document.text[block.start : block.end]
    spans = [(block.start + a, block.start + b) for a, b in sentence_spans(text)]
    before = [a for a, b in spans if b <= start]
    behind = [b for a, b in spans if a >= end]
    first = before[-1] if before and end - before[-1] <= room else start
    fitting = [b for b in behind if b - first <= room]
    # A sentence that denies or limits the statement is always shown with it, whatever the length.
    taken = [b for a, b in spans if b in behind[:1] and takes_back(document.text[a:b])]
    return Unit(start=first, end=max([end, *fitting, *taken]))


# --- Pieces of a unit ---------------------------------------------------------------------------


def pieces_of(document: Document, start: int, end: int) -> tuple[Piece, ...]:
    """The blocks of `text[start:end]` as ranges of that quote; each is shown on its own lines."""
    return tuple(_pieces(document, start, end))


def _pieces(document: Document, start: int, end: int) -> Iterator[Piece]:
    place = document.first_block_behind(start)
    for number in range(place, len(document.blocks)):
        block = document.blocks[number]
        if block.start >= end:
            return
        first = _with_marker(document, number) if block.kind is BlockKind.LIST_ITEM else block.start
        yield Piece(
            start=max(first, start) - start, end=min(block.end, end) - start, kind=block.kind
        )
