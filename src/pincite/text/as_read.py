"""Renders a quote as readable text, without markup.

A quote is an exact slice: `[the form](https://...)`, `| 5 | 6 |`, `&nbsp;`. People see what such markup
means on the page. These texts are only for display: checks, receipts and JSON use the slice.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import TypeAlias

from pincite.records.document import BlockKind
from pincite.records.files import read_regular
from pincite.records.formats import Markup, markup_of
from pincite.text.inline_marks import markdown_inline, rst_inline
from pincite.text.marks import scripts_apart

_SET = "application/pdf"
"""Pages that a program has set: a hyphen at the end of a line may be its own."""
_FENCE = re.compile(r"[ \t>]*(?P<signs>`{3,}|~{3,})(?P<info>[^`]*)$")
_CODE_BELOW = re.compile(r"[ \t]*\.\. (?:code(?:-block)?|sourcecode|parsed-literal)::(?:[ \t].*)?$")
# Not before a number, where it may mean "more than".
_QUOTED = re.compile(r"(?:[ \t]{0,3}>(?![ \t]*[\d.,=$€£¥])[ \t]?)+")
# Below its first line a paragraph goes on with ">" only in a quotation: "> 25" is no comparison there.
_QUOTED_ON = re.compile(r"^(?:[ \t]{0,3}>[ \t]?)+")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_DEFINES = re.compile(r"^ {0,3}:[ \t]+(?=\S)")
"""What a definition begins with: the term is in the line, or the heading, above."""
_HEADING_END = re.compile(r"(?<![ \t])[ \t]++#{1,20}[ \t]*+$")
_RULER = re.compile(r"[ \t]*([-=*_~^])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+•‣▪◦]|\(?\d{1,9}[.)])[ \t]+(?P<text>\S.*)$")
_MAY_BE_NUMBER = re.compile(r"[\d.,$€£¥(]")
_TABLE_RULE = re.compile(r"(?=[^\n]*\|)(?=[^\n]*-)[|:\- \t]+$")
_PIPE = re.compile(r"(?<!\\)\|")
_HTML_ROW = re.compile(r"(?:(?<!\s)\s++)?<tr\b[^<>]*+>\s*+", re.IGNORECASE)

Inline: TypeAlias = Callable[[str], str]
"""Renders a paragraph on one line."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the source: its text after an item's marker, and whether it starts or ends a block."""

    text: str
    begins: bool = False
    ends: bool = False
    is_row: bool = False
    mark: str = ""
    indent: int = 0


@dataclass(frozen=True, slots=True)
class _Shown:
    """A rendered block; `is_close` blocks follow the one above without an empty line."""

    text: str
    is_close: bool = False


def as_read(quote: str, media_type: str, kind: BlockKind | str | None = None) -> str:
    """The quote as readable text, without markup.

    Line breaks within paragraphs become spaces; list items, table rows and lines of code stay on
    separate lines. `media_type` is the document's, `kind` that of the quote's block.
    """
    if kind == BlockKind.CODE:
        return _code(quote.splitlines())
    markup = markup_of(media_type)
    if markup is Markup.HTML:
        return quote
    if markup is Markup.MARKDOWN:
        return _joined(_markdown(_HTML_ROW.sub("\n\n", quote).splitlines()))
    if markup is Markup.RST:
        return _joined(_rst(quote.splitlines()))
    if markup is Markup.NONE:
        quote = with_whole_words(quote, is_set=media_type == _SET)
    return _joined(_blocks(quote.splitlines(), _on_one_line))


def statement_key(quote: str, media_type: str) -> str:
    """A key that is equal for texts with the same words in different formats.

    Markup, line breaks, the style of quotation marks and dashes, and list markers are ignored; every
    word, number and sign counts.
    """
    read = scripts_apart(as_read(quote, media_type))
    shown = " ".join(unicodedata.normalize("NFKC", read).split())
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
    """The blocks, each on separate lines, with an empty line before all but items and rows."""
    shown = ""
    for block in blocks:
        if block.text.strip():
            shown += ("\n" if block.is_close else "\n\n") * bool(shown) + block.text
    return shown


def _markdown(lines: Sequence[str]) -> Iterator[_Shown]:
    """The blocks of Markdown; text between fences is code."""
    prose: list[str] = []
    code: list[str] | None = None
    fence = ""
    for number, line in enumerate(lines):
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
            prose.append(_QUOTED_ON.sub("", line) if number else line)
    if code:
        yield _Shown(_code(code))
    yield from _blocks(prose, markdown_inline, _markdown_line)


def _rst(lines: Sequence[str]) -> Iterator[_Shown]:
    """The blocks of reStructuredText; what is indented below a directive of code is code."""
    prose: list[str] = []
    code: list[str] = []
    indent: int | None = None
    for line in lines:
        if indent is not None and (not line.strip() or _indent(line) > indent):
            code.append(line)
            continue
        if code:
            yield _Shown(_code(code))
        code, indent = [], None
        if _CODE_BELOW.match(line):
            yield from _blocks(prose, rst_inline)
            prose, indent = [], _indent(line)
        else:
            prose.append(line)
    if code:
        yield _Shown(_code(code))
    yield from _blocks(prose, rst_inline)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _code(lines: Sequence[str]) -> str:
    """The lines unchanged, without common indentation and what marks them as code."""
    filled = [line.rstrip() for line in lines]
    while filled and (not filled[0] or _FENCE.match(filled[0]) or _CODE_BELOW.match(filled[0])):
        filled = filled[1:]
    while filled and (not filled[-1] or _FENCE.match(filled[-1])):
        filled = filled[:-1]
    return dedent("\n".join(filled))


def _blocks(
    lines: Sequence[str], inline: Inline, prepared: Callable[[str], _Line] | None = None
) -> Iterator[_Shown]:
    """Paragraphs, items and rows, each on one line."""
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
    text = _DEFINES.sub("", line).strip()
    cells = [cell.strip() for cell in _PIPE.split(text)]
    if len(cells) < 2 or not (text.startswith("|") or " | " in text):
        return _Line(text)
    first, last = int(not cells[0]), len(cells) - int(not cells[-1])
    row = " | ".join(cell.replace("\\|", "|") for cell in cells[first:last])
    return _Line(row.strip(), begins=True, ends=True, is_row=True)


def _item(match: re.Match[str]) -> _Line:
    """A list item; bullets become `-`, unless they may be the sign of a number."""
    mark = match["mark"]
    if mark[-1] not in ".)" and not _MAY_BE_NUMBER.match(match["text"]):
        mark = "-"
    indent = len(match["indent"].expandtabs(4))
    return _Line(match["text"], begins=True, mark=mark, indent=indent)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


# Changes to texts for searching only; quotes stay as they are in the file.

LINE_HYPHEN = "-\n"
"""How readers represent a word hyphenated at the end of a line."""

_MOST_BYTES = 16 * 1024 * 1024

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, byte order mark: they hide the word they are in."""

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}

_BROKEN = re.compile(r"(?<!\w)(?P<first>\w{1,60}+)-\n(?P<second>\w{1,60})")
_WORD_LIST = Path(__file__).parents[1] / "models" / "encoders" / "data" / "minilm-tokenizer.json"
# What follows a hyphen that stands for a part left out: "short- and long-term".
_AND_OR = frozenset("and or to nor und oder bis et ou y o e en of".split())


def with_whole_words(text: str, *, is_set: bool) -> str:
    """A text without the line ends within its words, for display.

    The hyphen stays at digits ("AB-220"), where two English words would become none ("well-known"), and
    in texts that no program has set; otherwise the word was divided there ("me-tre").
    """
    if LINE_HYPHEN not in text:
        return text
    return _BROKEN.sub(lambda match: _whole(match, is_set=is_set), text)


def whole_words(text: str, media_type: str) -> dict[str, str]:
    """What lines divide, with hyphen and break, and how `with_whole_words` shows it."""
    if markup_of(media_type) is not Markup.NONE or LINE_HYPHEN not in text:
        return {}
    shown = {found[0]: _whole(found, is_set=media_type == _SET) for found in _BROKEN.finditer(text)}
    return {broken: whole for broken, whole in shown.items() if whole != broken}


def _whole(match: re.Match[str], *, is_set: bool) -> str:
    first, second = match["first"], match["second"]
    if second in _AND_OR:
        return match[0]
    hyphened = f"{first}-{second}"
    if not is_set or not first[-1].isalpha() or not second[0].islower():
        return hyphened
    words = _english_words()
    is_compound = {first.lower(), second} <= words and (first + second).lower() not in words
    return hyphened if is_compound else first + second


@cache
def _english_words() -> frozenset[str]:
    """The whole words among the pieces of the built-in encoder: 22,000 that are frequent."""
    pieces = json.loads(read_regular(_WORD_LIST, most_bytes=_MOST_BYTES))["model"]["vocab"]
    return frozenset(piece for piece in pieces if piece.isalpha())


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_VISIBLE_ONLY = str.maketrans("", "", INVISIBLE)
_SIGNS_OF_MOJIBAKE = ("Ã", "â€", "Â", "ð", "Ð", "Ñ", "Ø", "Ù", "æ", "å", "ç", "ã", "œ", "˜")


def without_invisible(text: str) -> str:
    """The text without invisible characters, which would hide words from the search."""
    return text if text.isascii() else text.translate(_VISIBLE_ONLY)


def whole_characters(text: str) -> str:
    """The text with lone surrogates replaced, which tokenizers reject and UTF-8 cannot encode."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def repaired(text: str) -> str:
    """The text with wrongly decoded parts repaired (`cafÃ©` to `café`), for the search.

    Correct text is returned unchanged.
    """
    return _ftfy()[1](text) if looks_wrong(text) else text


def looks_wrong(text: str) -> bool:
    """Whether parts of a text may be wrongly decoded."""
    if text.isascii() or not any(sign in text for sign in _SIGNS_OF_MOJIBAKE):
        return False
    return _ftfy()[0](text)


@cache
def _ftfy() -> tuple[Callable[[str], bool], Callable[[str], str]]:
    # Loaded only if a text looks wrong, which is rare.
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    return is_bad, fix_encoding
