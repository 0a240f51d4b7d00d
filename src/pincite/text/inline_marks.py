"""Renders a paragraph's inline markup: emphasis, links, templates and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


# HTML elements, by how they are rendered in a line of text.

INLINE_NAMES = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label map mark "
        "meter nobr output picture progress q rb ruby s samp small source span strike strong sub "
        "sup time tt u var wbr"
    ).split()
)
CELL_NAMES = frozenset({"td", "th"})
SILENT_NAMES = frozenset({"script", "style"})
"""Their content is not for readers."""
BLOCK_NAMES = frozenset(
    (
        "address article aside blockquote body br button caption center col colgroup dd details "
        "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 "
        "h6 head header hgroup hr html iframe input legend li link main menu meta nav noscript "
        "object ol optgroup option p param pre search section select summary svg table tbody "
        "template textarea tfoot thead title tr ul video audio canvas embed area base track rt rp"
    ).split()
)


_LONGEST_PARSED_CHARS = 2_000
"""The parser looks back at earlier markup: longer text is split to keep the time linear."""

_MARKS = re.compile(r"[\\`*_\[\]<&!{~]")
_TEMPLATE = re.compile(
    r"\{%(?P<tag>[^{}]{0,300}?)%\}|(?:\{\{(?P<value>[^{}]{0,300})\}\}|<%(?P<code>[^<>]{0,300})%>)"
    r"|\{:[^{}\n]{0,100}\}|\{[.#][A-Za-z][\w-]{0,60}\}"
)
# A tag of only a name and quoted texts shows the last text: `{% image "a.png" "the alt" %}`.
_SHOWS = re.compile(r"""-?\s*\w+(?:\s+(?:"[^"]*"|'[^']*'),?)+\s*-?""")
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_NO_WORDS = re.compile(r"[^\w]*|\S*/\S*|\S+\.\w{2,5}")
_UNKNOWN = "…"
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]:?")
# For `[text][name]` if the slice does not contain its link target.
_REFERENCE = re.compile(
    r"!?(?<![\w\]])\[(?P<text>(?=[^\[\]]*?(?:[^\W\d_]|\ue000))[^\[\]]*+)\]\[[^\[\]]{0,200}\]"
)
# A sentence may end within a link or bold text, which leaves half of the markup.
_LINK_END = re.compile(r"\]\((?:https?:|mailto:|[/#.])[^\s()]{0,2000}\)")
_HALF_BOLD = re.compile(r"(?<![\w*])_?\*\*_?(?=[^\s*_])|(?<=[^\s*_])_?\*\*_?(?![\w*])")
_TAG_NAME = re.compile(r"</?([A-Za-z][\w-]*)")
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_DELETED = frozenset({"del", "s", "strike"})

# Private-use characters replace text that must not be parsed as markup.
_HELD, _END, _DIGITS = "\ue000", "\ue001", 0xE010
_HOLDER = re.compile(f"{_HELD}([{chr(_DIGITS)}-{chr(_DIGITS + 9)}]+){_END}")


def markdown_inline(text: str) -> str:
    """One paragraph of Markdown, rendered on one line.

    Markup that separates numbers is kept, so that `5*3*2` does not become `532`; so is strikethrough.
    """
    if not _MARKS.search(text) or _HELD in text:
        return " ".join(text.split())
    shown = "".join(map(_piece, _pieces(text)))
    return " ".join(shown.split())


def rst_inline(text: str) -> str:
    """One paragraph of reStructuredText, rendered on one line."""
    shown = _RST_ROLE.sub(_rst_text, text)
    shown = _RST_LINK.sub(_rst_text, shown)
    shown = _RST_LITERAL.sub(r"\1", shown)
    shown = _RST_EMPHASIS.sub(r"\2", shown)
    return " ".join(_RST_FOOTNOTE.sub(r"\1", shown).split())


_RST_ROLE = re.compile(r":[\w.+:-]{1,60}:`(?!`)(?P<text>[^`]{1,500})`")
_RST_LINK = re.compile(r"(?<![\w`])`(?!`)(?P<text>[^`]{1,500})`_{1,2}(?!\w)")
_RST_LITERAL = re.compile(r"(?<!`)``(?!`)([^`]{1,500})``(?!`)")
_RST_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=[^\s*])([^*\n]{1,300})(?<=[^\s*])\1(?![\w*])")
_RST_FOOTNOTE = re.compile(r"(\[(?:#?\w{0,40}|\*)\])_(?!\w)")
_RST_TARGET = re.compile(r"(?:(?<!\s)\s++)?<[^<>]*+>$")


def _rst_text(match: re.Match[str]) -> str:
    return _RST_TARGET.sub("", match["text"]) or match["text"].strip("<>")


_UNCUT = re.compile(
    r"\[[^\[\]]{0,300}\]\([^()]{0,2000}\)|\{%[^{}]{0,300}%\}|\{\{[^{}]{0,300}\}\}|<[A-Za-z/][^<>]{0,500}>"
)


def around_links(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sentence spans of Markdown, joined if a sentence ends within a link, a tag or a template."""
    uncut = [match.span() for match in _UNCUT.finditer(text)]
    joined: list[tuple[int, int]] = []
    row = 0
    for start, end in spans:
        while row < len(uncut) and uncut[row][1] <= start:
            row += 1
        is_inside = row < len(uncut) and uncut[row][0] < start
        if is_inside and joined:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _pieces(text: str) -> Iterator[str]:
    while len(text) > _LONGEST_PARSED_CHARS:
        cut = text.rfind(" ", 1, _LONGEST_PARSED_CHARS)
        cut = cut if cut > 0 else _LONGEST_PARSED_CHARS
        yield text[:cut]
        text = text[cut:]
    yield text


def _piece(text: str) -> str:
    held = _Held()
    hidden = _TEMPLATE.sub(lambda match: held.put(_template_text(match), match[0]), text)
    before = hidden[: len(hidden) - len(hidden.lstrip())] and " "
    after = hidden[len(hidden.rstrip()) :] and " "
    tokens = _parser().parseInline(hidden)[0].children or []
    shown = _joined(list(_parts(tokens, held)))
    shown = _FOOTNOTE.sub("", shown)
    shown = _REFERENCE.sub(lambda match: match["text"], shown)
    shown = _HALF_BOLD.sub("", _LINK_END.sub("", shown))
    return before + held.restored(shown) + after


class _Held:
    """Texts replaced by placeholders during parsing, with their rendered form and their source."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, str]] = []

    def put(self, shown: str, source: str) -> str:
        """Store a text; returns its placeholder."""
        self._texts.append((shown, source))
        digits = "".join(chr(_DIGITS + int(digit)) for digit in str(len(self._texts) - 1))
        return f"{_HELD}{digits}{_END}"

    def restored(self, text: str) -> str:
        """The text with placeholders replaced by rendered forms."""
        return _HOLDER.sub(lambda match: self._of(match)[0], text)

    def in_source(self, text: str) -> str:
        """The text with placeholders replaced by sources, for code."""
        return _HOLDER.sub(lambda match: self._of(match)[1], text)

    def _of(self, match: re.Match[str]) -> tuple[str, str]:
        number = int("".join(str(ord(digit) - _DIGITS) for digit in match[1]))
        # Text that accidentally parsed to a placeholder (`&#xE000;`).
        return self._texts[number] if number < len(self._texts) else ("", "")


def _template_text(match: re.Match[str]) -> str:
    """The text that a template shows, if it is in the file; inserted values are unknown."""
    inside = match["tag"] if match["tag"] is not None else match["value"] or match["code"]
    if inside is None:
        return ""
    texts = [one or other for one, other in _QUOTED.findall(inside)]
    shown = next((one for one in reversed(texts) if not _NO_WORDS.fullmatch(one)), "")
    if match["tag"] is not None:
        return shown if _SHOWS.fullmatch(inside) else ""
    return shown or _UNKNOWN


@dataclass(frozen=True, slots=True)
class _Part:
    """A token's text; `nesting` is 1 for an opening mark, -1 for a closing one, otherwise 0."""

    text: str
    nesting: int = 0


def _joined(parts: Sequence[_Part]) -> str:
    """The parts without marks, except pairs with a mark between a number and a word."""
    kept: set[int] = set()
    opened: list[int] = []
    for place, part in enumerate(parts):
        if part.nesting > 0:
            opened.append(place)
        elif part.nesting < 0:
            pair = {opened.pop(), place}
            kept |= pair if any(_parts_numbers(parts, mark) for mark in pair) else set()
    return "".join(
        part.text for place, part in enumerate(parts) if not part.nesting or place in kept
    )


def _parts_numbers(parts: Sequence[_Part], place: int) -> bool:
    """Whether a number and its neighbour would form one word without the mark."""
    before = "" if place == 0 else parts[place - 1].text[-1:]
    after = parts[place + 1].text[:1] if place + 1 < len(parts) else ""
    ends = before + after
    return len(ends) == 2 and ends.isalnum() and any(map(str.isdigit, ends))


def _parts(tokens: Sequence[Token], held: _Held) -> Iterator[_Part]:
    """The visible parts of the tokens."""
    silent = ""
    before = ""
    for token in tokens:
        if token.type == "html_inline":
            name = _name(token.content)
            if silent or name in SILENT_NAMES:
                silent = "" if token.content.startswith("</") else silent or name
                continue
        if silent:
            continue
        part = _part(token, before, held)
        if part.text:
            yield part
            before = part.text[-1]


def _part(token: Token, before: str, held: _Held) -> _Part:
    """The visible part of one token after the character `before`."""
    if token.type == "html_inline":
        return _Part(_tag_text(token.content, _name(token.content), before))
    if token.type == "text":
        return _Part(token.content)
    if token.type == "code_inline":
        source = held.in_source(token.content)
        return _Part(held.put(source, source))
    if token.type == "image":
        return _Part(_joined(list(_parts(token.children or (), held))))
    if token.type in _EMPHASIS:
        return _Part(token.markup, token.nesting)
    return _Part("\n" if token.type in ("softbreak", "hardbreak") else "")


_EMPHASIS = frozenset({"em_open", "em_close", "strong_open", "strong_close"})


def _name(tag: str) -> str:
    found = _TAG_NAME.match(tag)
    return found[1].lower() if found else ""


def _tag_text(tag: str, name: str, before: str) -> str:
    """The replacement for a tag; unknown names are not tags and stay: `clone <address>`."""
    if not name:  # a comment, a declaration
        return ""
    if name == "img":
        alt = _ALT.search(tag)
        return f" {alt[1] or alt[2] or ''} " if alt else ""
    if name in CELL_NAMES:
        return " " if tag.startswith("</") else " | "
    if name in BLOCK_NAMES:
        return "\n"
    if name in _DELETED:
        return "~~"
    # `10<sup>2</sup>` must not become 102.
    if name in ("sup", "sub") and not tag.startswith("</") and before.isdigit():
        return "^" if name == "sup" else "_"
    return "" if name in INLINE_NAMES else tag


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
