"""Finds the lines above a list that give its items their meaning ("We do not pay for:").

Without them "damage by pets" means nothing. They are recognised by structure: a line that ends with
a colon announces the list below it. Other sentences and headings do so if they exclude or limit
something ("What is not covered").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pincite.records.document import UNQUOTED, Block, BlockKind, Document, Range
from pincite.records.formats import Markup, markup_of
from pincite.settings.toml_files import shipped
from pincite.text.languages import language_of
from pincite.text.negations import without_number_signs
from pincite.text.sentences import sentence_spans

# Does this line limit or exclude what is below it: "We do not pay for:", "Exclusions"?

_JOINED = frozenset({"hi", "ta"})
"""Regular expressions do not treat their vowel signs as letters, so word boundaries do not work."""


_Bounded = tuple[str, str, str]
"""A word, with the patterns before and behind it."""


def is_limiting(line: str, around: str) -> bool:
    """Whether a line has a negation, an exception or an exclusion; `around` shows its language."""
    plain = without_number_signs(line).casefold()
    return bool(_pattern(language_of(around)).search(plain))


@cache
def _pattern(language: str) -> re.Pattern[str]:
    own, any_text = _table()
    words = defaultdict[tuple[str, str], list[str]](list)
    for before, word, after in dict.fromkeys((*own.get(language, ()), *any_text)):
        words[before, after].append(re.escape(word))
    return re.compile(
        "|".join(
            f"{before}(?:{'|'.join(alike)}){after}" for (before, after), alike in words.items()
        )
    )


@cache
def _table() -> tuple[dict[str, list[_Bounded]], list[_Bounded]]:
    """Words for texts of each language, and those for any text."""
    lists = dict(shipped("text/data", "limits"))
    own: dict[str, list[_Bounded]] = {}
    any_text = [("", word, "") for word in lists.pop("without_blanks").split()]
    for language, words in lists.items():
        own[language] = [_bounded(word, language) for word in words.get("here", "").split()]
        any_text += [_bounded(word, language) for word in words.get("anywhere", "").split()]
    return own, any_text


def _bounded(word: str, language: str) -> _Bounded:
    if language in _JOINED:
        return "", word, ""
    bare = word.strip("*")
    before = r"(?<!\w)\w*" if word.startswith("*") else r"(?<!\w)"
    # "Non-disclosure agreement", "no-claims discount": names, which exclude nothing.
    after = "" if word.endswith(("*", "'", "’")) else r"(?!\w| ?- ?\w)"
    return before, bare, after


# Finding the lines above a list.

_MOST_BLOCKS = 2_000
"""How far to look back over a list."""
_MOST_HEADINGS_PASSED = 20_000
_COLONS = (":", "：", "﹕", "։")
_DASHES = ("-", "–", "—", "…", "...", ",", "，")
_NUMBERED = re.compile(
    r"\s*[(\[]?(?:(?P<digits>\d{1,3})|(?P<roman>[ivx]{1,5})|(?P<letter>[a-z]))(?:[.)\]]|\s)",
    re.IGNORECASE,
)
_LONGEST_MARKER = 8
_SENTENCE_ENDS = tuple(".!?。！？؟।")
_FEWEST_WORDS, _MANY_WORDS = 5, 15
"""Fewest words of a sentence with a full stop ("Damage by pets." is not one), and without."""
_CLOSING = " \t\n\"'”’»)]*_"
_MARKER = re.compile(
    r"[\W_]{0,3}(?:\d{1,3}(?:[.)\]]|\s)|[a-z][.)\]]|[ivx]{1,5}[.)\]])", re.IGNORECASE
)
"""Start of an item that the file's reader did not recognise as a list: "1 Guttate psoriasis"."""
_PASSED = UNQUOTED | {BlockKind.FOOTNOTE}
"""Blocks that may come between two items of a list that continues on the next page."""
_WITHIN_ITEMS = frozenset({BlockKind.TABLE_ROW, BlockKind.CODE, BlockKind.CAPTION})
_LONGEST_CHARS = 300
"""Longest line with a colon at the end that counts as a line above a list."""
_LONGEST_SENTENCE_CHARS = 150
"""Longest sentence with a full stop that counts as one; longer ones are read as prose."""
_MOST_SENTENCES = 4
"""Most sentences of a paragraph that announces a list as a whole: "Some is excluded. That is:"."""
_INDENTED_POINTS = 4.0
"""Least extra indentation, in PDF points, of an item nested below another."""
_AROUND_CHARS = 600


def announcements(document: Document, start: int, end: int) -> tuple[Range, ...]:
    """The sentences and headings that announce the item `text[start:end]`, outermost first.

    Each is a range of `document.text` above it; empty if the quote is complete by itself.
    """
    blocks = document.blocks
    place = document.first_block_behind(start)
    if place >= len(blocks) or blocks[place].kind in _NO_ITEMS or blocks[place].start >= end:
        return ()
    block = blocks[place]
    found: list[Range] = []
    if _is_item(document, block):
        found = [*_leads_in_list(document, place)]
    elif _opens(document, block, start):
        found = [*_sentences_above(document, place, needs_limit=block.kind is BlockKind.TABLE_ROW)]
    term = _term(document, block, start)
    return (*_limiting_headings(document, place), *found[::-1], *term)


def _term(document: Document, block: Block, start: int) -> list[Range]:
    """The term of a definition, if the quote begins behind it."""
    cut = document.text.find("\n", block.start, start)
    is_behind = (
        markup_of(document.media_type) is Markup.HTML
        and block.kind is BlockKind.LIST_ITEM
        and cut > 0
    )
    return [(block.start, cut)] if is_behind else []


def limits_above(
    document: Document, start: int, end: int, above: Sequence[Range]
) -> tuple[Range, ...]:
    """Those of the lines `above` a quote that limit or exclude it ("We do not pay for:").

    Without them it would say the opposite. Paragraphs too long to be the line above a list are left
    out, and so are headings if the quote is a sentence: they are named with it.
    """
    is_fragment = _is_fragment(document.text[start:end])
    return tuple(
        (first, last)
        for first, last in above
        if last - first <= _LONGEST_CHARS
        and (is_fragment or not _is_heading(document, first))
        and is_limiting(
            _MARKER.sub("", document.text[first:last], count=1), _around(document, first)
        )
    )


def _is_fragment(quote: str) -> bool:
    words = len(_MARKER.sub("", quote, count=1).split())
    is_closed = quote.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)
    return words < (_FEWEST_WORDS if is_closed else _MANY_WORDS)


def _is_heading(document: Document, start: int) -> bool:
    return document.blocks[document.first_block_behind(start)].kind is BlockKind.HEADING


_NO_ITEMS = _PASSED | {BlockKind.HEADING, BlockKind.CODE, BlockKind.CAPTION}


def _is_item(document: Document, block: Block) -> bool:
    if block.kind is BlockKind.LIST_ITEM:
        return True
    text = document.text[block.start : block.start + 12]
    return block.kind is BlockKind.PARAGRAPH and bool(_MARKER.match(text))


def _opens(document: Document, block: Block, start: int) -> bool:
    """Whether a quote is a table row, or begins its paragraph."""
    return block.kind is BlockKind.TABLE_ROW or not document.text[block.start : start].strip()


def _leads_in_list(document: Document, place: int) -> Iterator[Range]:
    """The items that an item is nested below, nearest first, then what announces the whole list."""
    blocks = document.blocks
    item = below = _Item.from_block(document, blocks[place])
    for number in range(place - 1, max(-1, place - _MOST_BLOCKS), -1):
        block = blocks[number]
        if block.kind in _PASSED or (block.kind in _WITHIN_ITEMS and _is_within(document, number)):
            continue
        if not _is_item(document, block):
            yield from _announcing(document, block)
            return
        here = _Item.from_block(document, block)
        if here.holds(item, below):
            if _ends_open(document.text[block.start : block.end], _COLONS):
                yield from _announcing(document, block)
                item = replace(here, is_flat_above=True)
            elif here.is_left_of(item):
                item = here
        below = here


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """An item's position in its list; `left` is None if its indentation is unknown.

    One unit of `left` is a character, or `_INDENTED_POINTS` on a page. `numbered` is the kind of its
    number, empty for a bullet. `is_flat_above`: only a less indented item can be its parent.
    """

    left: float | None
    numbered: str
    is_flat_above: bool = False

    @classmethod
    def from_block(cls, document: Document, block: Block) -> _Item:
        text, line = document.text, block.start
        left: float | None = None
        if document.encoding is not None:
            line = text.rfind("\n", 0, block.start) + 1
            before = text[line : block.start].expandtabs(4)
            left = len(before) - len(before.lstrip())
        elif boxes := document.boxes.boxes(block.start, min(block.end, block.start + 20)):
            left = boxes[0].x0 / _INDENTED_POINTS
        marker = _NUMBERED.match(text, line, block.start + _LONGEST_MARKER)
        return cls(left=left, numbered=(marker.lastgroup or "") if marker else "")

    def is_left_of(self, other: _Item) -> bool:
        return self.left is not None and other.left is not None and self.left <= other.left - 1

    def holds(self, item: _Item, below: _Item) -> bool:
        """Whether an item further down is nested below this one, if this one announces anything.

        `below` is the next item. Some lists do not indent: then the items after one that ends with a
        colon are nested below it, up to the next one with the same kind of number.
        """
        if self.is_left_of(item):
            return True
        is_indented = self.is_left_of(below) or item.is_left_of(self)
        is_next = bool(self.numbered) and self.numbered == item.numbered
        return not (is_indented or is_next or item.is_flat_above)


def _is_within(document: Document, number: int) -> bool:
    """Whether a table or code is inside a list item, so that the list continues above it."""
    for block in reversed(document.blocks[max(0, number - _MOST_BLOCKS) : number]):
        if block.kind not in _WITHIN_ITEMS and block.kind not in _PASSED:
            return block.kind is BlockKind.LIST_ITEM
    return False


def _sentences_above(document: Document, place: int, *, needs_limit: bool) -> Iterator[Range]:
    """What announces a single paragraph, or a table, right below it."""
    skipped = {*_PASSED, *(_WITHIN_ITEMS if needs_limit else ())}
    for number in range(place - 1, max(-1, place - _MOST_BLOCKS), -1):
        block = document.blocks[number]
        if block.kind in skipped:
            continue
        text = document.text[block.start : block.end]
        if block.kind is BlockKind.HEADING or not _ends_open(text, _COLONS):
            return
        if not needs_limit or is_limiting(text, _around(document, block.start)):
            yield from _announcing(document, block)
        return


def _announcing(document: Document, block: Block) -> Iterator[Range]:
    """The last sentence of a block if it announces what follows, then limiting sentences before it."""
    if block.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM):
        return
    text = document.text[block.start : block.end]
    *before, (first, last) = sentence_spans(text) or [(0, len(text))]
    around = _around(document, block.start)
    is_limit = is_limiting(text[first:last], around)
    if not _ends_open(text, (*_COLONS, *_DASHES)):
        # Alone above a list it refers to the list; at the end of a paragraph, to the paragraph.
        if is_limit and not before and last - first <= _LONGEST_SENTENCE_CHARS:
            yield block.start + first, block.start + last
        return
    if not is_limit and last - first > _LONGEST_CHARS:
        return
    yield block.start + first, block.start + last
    is_short = block.kind is BlockKind.PARAGRAPH and len(before) < _MOST_SENTENCES
    for start, end in reversed(before if is_short else ()):
        if is_limiting(text[start:end], around):
            yield block.start + start, block.start + end


def _ends_open(text: str, signs: Sequence[str]) -> bool:
    return text.rstrip(_CLOSING).endswith(tuple(signs))


def _limiting_headings(document: Document, place: int) -> list[Range]:
    """The headings above a block that limit or exclude something, outermost first, as written."""
    path = document.blocks[place].section
    around = _around(document, document.blocks[place].start)
    wanted = {
        path[:depth] for depth in range(1, len(path) + 1) if is_limiting(path[depth - 1], around)
    }
    found: list[Range] = []
    for number in range(place - 1, max(-1, place - _MOST_HEADINGS_PASSED), -1):
        if not wanted:
            break
        block = document.blocks[number]
        if block.kind is BlockKind.HEADING and block.section in wanted:
            wanted.remove(block.section)
            found.append((block.start, block.end))
    return found[::-1]


def _around(document: Document, position: int) -> str:
    return document.text[max(0, position - _AROUND_CHARS // 2) : position + _AROUND_CHARS // 2]
