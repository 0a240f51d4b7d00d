"""What does a reader see of a stretch of a file? Its text without the marks that lay it out.

A quote is an exact slice: `[the form](https://...)`, `| 5 | 6 |`, `&nbsp;`. People are shown what such
marks mean on the page. Nothing is decided by these texts: checks, receipts and JSON have the slice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from typing import TypeAlias

from pincite.records.document import BlockKind
from pincite.text.inline_marks import markdown_inline, rst_inline

MARKDOWN = "text/markdown"
RESTRUCTURED_TEXT = "text/x-rst"

_FENCE = re.compile(r"[ \t>]*(?P<signs>`{3,}|~{3,})(?P<info>[^`]*)$")
# Not before a number, where it may be read as "more than".
_QUOTED = re.compile(r"(?:[ \t]{0,3}>(?![ \t]*[\d.,=$€£¥])[ \t]?)+")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_HEADING_END = re.compile(r"(?<![ \t])[ \t]++#{1,20}[ \t]*+$")
_RULER = re.compile(r"[ \t]*([-=*_~^])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+•‣▪◦]|\(?\d{1,9}[.)])[ \t]+(?P<text>\S.*)$")
_MAY_BE_NUMBER = re.compile(r"[\d.,$€£¥(]")
_TABLE_RULE = re.compile(r"(?=[^\n]*\|)(?=[^\n]*-)[|:\- \t]+$")
_PIPE = re.compile(r"(?<!\\)\|")
_HTML_ROW = re.compile(r"(?:(?<!\s)\s++)?<tr\b[^<>]*+>\s*+", re.IGNORECASE)

Inline: TypeAlias = Callable[[str], str]
"""Puts a paragraph on one line."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the source: its text behind the mark of an item, and whether it is a block's end."""

    text: str
    begins: bool = False
    ends: bool = False
    is_row: bool = False
    mark: str = ""
    indent: int = 0


@dataclass(frozen=True, slots=True)
class _Shown:
    """A block as it is read; `is_close` blocks follow the one above without an empty line."""

    text: str
    is_close: bool = False


def as_read(quote: str, media_type: str, kind: BlockKind | str | None = None) -> str:
    """The quote as it is read: marks folded to what they show, lines where blocks have them.

    Line ends of the page become blanks; items of a list, rows of a table and lines of code stay on
    lines of their own. `media_type` is the document's, `kind` the block's that the quote is from.
    """
    if kind == BlockKind.CODE:
        return _code(quote.splitlines())
    if media_type == MARKDOWN:
        return _joined(_markdown(_HTML_ROW.sub("\n\n", quote).splitlines()))
    inline = rst_inline if media_type == RESTRUCTURED_TEXT else _on_one_line
    return _joined(_blocks(quote.splitlines(), inline))


def statement_key(quote: str, media_type: str) -> str:
    """What two stretches have in common that say the same, word for word, in different formats.

    Marks, line ends, the shape of quotation marks and dashes, and what a list item begins with do not
    count; every word, number and sign does.
    """
    shown = " ".join(unicodedata.normalize("NFKC", as_read(quote, media_type)).split())
    item = _ITEM.match(shown)
    return (item["text"] if item else shown).translate(_SHAPES)


_SHAPES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´", "'"),
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("‐‑‒–—", "-"),
        "\u00ad": None,
    }
)


def _joined(blocks: Iterator[_Shown]) -> str:
    """The blocks, each on lines of its own, with an empty line before what is no item or row."""
    shown = ""
    for block in blocks:
        if block.text.strip():
            shown += ("\n" if block.is_close else "\n\n") * bool(shown) + block.text
    return shown


def _markdown(lines: Sequence[str]) -> Iterator[_Shown]:
    """The blocks of Markdown; what stands between fences is code."""
    prose: list[str] = []
    code: list[str] | None = None
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if code is None and match:
            yield from _blocks(prose, markdown_inline, _markdown_line)
            prose, code, fence = [], [], match["signs"]
        elif code is not None and match and match["signs"].startswith(fence):
            yield _Shown(_code(code))
            code = None
        elif code is not None:
            code.append(line)
        else:
            prose.append(line)
    if code:
        yield _Shown(_code(code))
    yield from _blocks(prose, markdown_inline, _markdown_line)


def _code(lines: Sequence[str]) -> str:
    """Lines as they stand, without what indents all of them and the fences around them."""
    filled = [line.rstrip() for line in lines]
    while filled and (not filled[0] or _FENCE.match(filled[0])):
        filled = filled[1:]
    while filled and (not filled[-1] or _FENCE.match(filled[-1])):
        filled = filled[:-1]
    return dedent("\n".join(filled))


def _blocks(
    lines: Sequence[str], inline: Inline, prepared: Callable[[str], _Line] | None = None
) -> Iterator[_Shown]:
    """Paragraphs on one line each, items and rows on theirs."""
    prepared = prepared or _plain_line
    opened: _Line | None = None
    texts: list[str] = []
    shift: int | None = None
    for source in (*lines, ""):
        line = prepared(source)
        if opened is not None and (line.begins or not line.text or opened.ends):
            if opened.mark and shift is None:
                shift = opened.indent
            yield _shown(opened, inline("\n".join(texts)), opened.indent - (shift or 0))
            opened, texts = None, []
        if line.text and opened is None:
            opened = line
        if line.text:
            texts.append(line.text)


def _shown(line: _Line, text: str, indent: int) -> _Shown:
    if line.mark:
        return _Shown(f"{' ' * indent}{line.mark} {text}" if text else "", is_close=True)
    return _Shown(text, is_close=line.is_row)


def _plain_line(source: str) -> _Line:
    if _RULER.match(source):
        return _Line("")
    item = _ITEM.match(source)
    return _item(item) if item else _Line(source.strip())


def _markdown_line(source: str) -> _Line:
    line = source[match.end() :] if (match := _QUOTED.match(source)) else source
    if _RULER.match(line) or _TABLE_RULE.match(line):
        return _Line("")
    if heading := _HEADING.match(line):
        text = _HEADING_END.sub("", line[heading.end() :]).strip()
        return _Line(text, begins=True, ends=True)
    if item := _ITEM.match(line):
        return _item(item)
    text = line.strip()
    cells = [cell.strip() for cell in _PIPE.split(text)]
    if len(cells) < 2 or not (text.startswith("|") or " | " in text):
        return _Line(text)
    first, last = int(not cells[0]), len(cells) - int(not cells[-1])
    row = " | ".join(cell.replace("\\|", "|") for cell in cells[first:last])
    return _Line(row.strip(), begins=True, ends=True, is_row=True)


def _item(match: re.Match[str]) -> _Line:
    """A list item; its mark is the same for all lists but where it may be a sign of a number."""
    mark = match["mark"]
    if mark[-1] not in ".)" and not _MAY_BE_NUMBER.match(match["text"]):
        mark = "-"
    indent = len(match["indent"].expandtabs(4))
    return _Line(match["text"], begins=True, mark=mark, indent=indent)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


# How a text is changed for searching only; what is quoted stays as it stands in the file.

LINE_HYPHEN = "-\n"
"""How readers leave a word that is broken at the end of a line."""

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, byte order mark: inside a word they hide it."""

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_VISIBLE_ONLY = str.maketrans("", "", INVISIBLE)
_SIGNS_OF_MOJIBAKE = ("Ã", "â€", "Â", "ð", "Ð", "Ñ", "Ø", "Ù", "æ", "å", "ç", "ã", "œ", "˜")


def without_invisible(text: str) -> str:
    """The text without characters that nobody sees and that would hide a word from the search."""
    return text if text.isascii() else text.translate(_VISIBLE_ONLY)


def whole_characters(text: str) -> str:
    """The text without halves of characters, which no tokenizer takes and nobody can send."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def repaired(text: str) -> str:
    """The text with wrongly decoded stretches set right (`cafÃ©` is `café`), for the search.

    Text that reads as it should comes back as it is.
    """
    return _ftfy()[1](text) if looks_wrong(text) else text


def looks_wrong(text: str) -> bool:
    """Whether some of a text may be wrongly decoded."""
    if text.isascii() or not any(sign in text for sign in _SIGNS_OF_MOJIBAKE):
        return False
    return _ftfy()[0](text)


@cache
def _ftfy() -> tuple[Callable[[str], bool], Callable[[str], str]]:
    # Loaded when a text looks wrong, which few do.
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return is_bad, fix_encoding
