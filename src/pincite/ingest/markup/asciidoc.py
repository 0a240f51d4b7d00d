"""Reads AsciiDoc (https://docs.asciidoctor.org/asciidoc/latest/)."""

from __future__ import annotations

import re
from pathlib import Path

from pincite.ingest.encoding.decode import decode
from pincite.ingest.markup.page import Mark, PageWriter, element, marked, page_document
from pincite.records.document import Document

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ATTRIBUTE = re.compile(r":!?([\w-]+)!?:(?:[ \t]+(.*))?$")
_REFERENCE = re.compile(r"\{([\w-]+)\}")
_COMMENT = re.compile(r"//(?!/)[ \t]*(.*)")
_FENCE = re.compile(
    r"(-{4,}+|\.{4,}+|`{3,}+|\+{4,}+|/{4,}+|={4,}+|\*{4,}+|_{4,}+|--(?!-)|[|!,:]===)[\w,-]{0,40}$"
)
_LISTED = re.compile(r"\[(?!\[)([^\]]*)\]$")
_ANCHOR = re.compile(r"\[\[[^\[\]]*\]\]")
_TITLE = re.compile(r"\.(?![.\s])(\S.*)")
_ITEM = re.compile(r"(?:[*\-•]{1,5}|\.{1,5}|\d{1,4}\.|<\d{1,3}>)[ \t]+(?:\[([ x*])\][ \t]+)?(\S.*)")
_TERM = re.compile(r"(\S.{0,300}?)(?<!:):{2,4}(?:[ \t]+(\S.*))?$")
_MACRO = re.compile(
    r"(image|include|video|audio|toc|ifdef|ifndef|ifeval|endif)::(\S*?)\[([^\]]*)\]"
)
# Before `|` may stand over how many columns and rows the cell reaches, and how it is set.
_CELL = re.compile(r"(?:(?<!\S)(?:\d{1,3}(?:\.\d{1,3})?[+*])?[<^>]?(?:\.[<^>])?[a-z]?)?(?<!\\)\|")
_NAMED = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_CODE = frozenset("-.`+")
_TICKS = {"x": "☑ ", "*": "☑ ", " ": "☐ "}

_LITERAL = re.compile(
    r"(?P<before>(?<![\w`]))(?:``(?P<two>[^`\n]{1,300})``|`\+?(?P<text>[^`\n]{1,300}?)\+?`)(?![\w`])"
)
_LINK = re.compile(
    r"(?:link:|xref:|mailto:)?((?:https?://|(?<=link:)|(?<=xref:)|(?<=mailto:))[^\s\[\]]{1,2000})\[([^\[\]]{0,300})\]"
)
_MARKS = (
    Mark(pattern=_LINK, html=lambda m: m[2].rstrip("^") or m[1]),
    Mark(
        pattern=re.compile(r"&lt;&lt;([^,&]{1,200})(?:,([^&]{1,300}))?&gt;&gt;"),
        html=lambda m: m[2] or m[1],
    ),
    Mark(pattern=re.compile(r"footnote:[\w-]*\[([^\[\]]{1,1000})\]"), html=lambda m: f" ({m[1]})"),
    Mark(pattern=re.compile(r"(?:kbd|btn|menu):?\w*\[([^\[\]]{1,200})\]"), html=lambda m: m[1]),
    Mark(pattern=re.compile(r"image:[^\s\[\]]{1,500}\[([^\[\]]{0,300})\]"), html=lambda m: m[1]),
    Mark(
        pattern=re.compile(r"\[(?:\.|role=)?line-through\]#([^#\n]{1,500})#"), html=element("del")
    ),
    Mark(
        pattern=re.compile(r"\[[\w.=\"' -]{0,60}\]#{1,2}([^#\n]{1,500})#{1,2}"), html=lambda m: m[1]
    ),
    Mark(pattern=re.compile(r"(?<=[\w)])\^([^\s^]{1,60})\^"), html=element("sup")),
    Mark(pattern=re.compile(r"(?<=[\w)])~([^\s~]{1,60})~"), html=element("sub")),
    *(
        Mark(
            pattern=re.compile(
                rf"(?<![\w{sign}\\])[{sign}]{{1,2}}(?![\s{sign}])([^{sign}\n]{{1,300}})(?<!\s)[{sign}]{{1,2}}(?![\w{sign}])"
            ),
            html=element(name),
        )
        for sign, name in (("*", "b"), ("_", "i"), ("#", "mark"))
    ),
    Mark(pattern=re.compile(r"[ \t]\+$", re.MULTILINE), html=lambda _: "<br>"),
)


def _inline(text: str) -> str:
    return marked(_LITERAL.sub(lambda m: f"`{m['two'] or m['text']}`", text), _LITERAL, _MARKS)


class AsciiDocReader:
    """Reads `.adoc` files; other files that they include are told, not opened."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode(content)
        writer = _AsciiDocWriter()
        for line in decoded.text.splitlines():
            writer.add(line)
        writer.finish()
        return page_document(
            path, content, writer.out.page, thing="file", warnings=decoded.warnings
        )


class _AsciiDocWriter:
    """The blocks of the lines that were given so far."""

    def __init__(self) -> None:
        self.out = PageWriter(_inline)
        self._attributes: dict[str, str] = {}
        self._fence = ""
        self._inside: list[str] = []
        self._style = ""
        self._term = ""

    def add(self, line: str) -> None:
        """Read one line."""
        bare = line.strip()
        if self._fence:
            if bare.startswith(self._fence) and bare.strip("".join(set(self._fence))) == "":
                self._close()
            else:
                self._inside.append(line)
            return
        fence = _FENCE.match(bare)
        if fence and (len(bare) == len(fence[1]) or fence[1][0] == "`"):
            self._open(fence[1])
        elif not bare:
            self.out.end()
        elif (attribute := _ATTRIBUTE.match(bare)) and len(self._attributes) < 1_000:
            self._attributes[attribute[1]] = (attribute[2] or "")[:500]
        elif comment := _COMMENT.match(bare):
            self.out.page.comments.append(comment[1])
        elif listed := _LISTED.match(bare):
            self._style = listed[1]
        elif macro := _MACRO.match(bare):
            self._macro(macro)
        else:
            self._text(self._filled(_ANCHOR.sub("", bare)) or "")

    def finish(self) -> None:
        """End what is open; a block without its end reaches to the end of the file."""
        if self._fence:
            self._close()
        self._end_term()
        self.out.end()

    def _filled(self, text: str) -> str:
        return _REFERENCE.sub(lambda match: self._attributes.get(match[1], match[0]), text)

    def _open(self, fence: str) -> None:
        # Around other blocks; what is inside is read as if it stood alone.
        if fence[0] in "=*_" or fence == "--":
            self.out.end()
            return
        self.out.end()
        self._fence, self._inside = fence, []

    def _close(self) -> None:
        fence, self._fence, inside = self._fence, "", self._inside
        style, self._style = self._style, ""
        if fence.endswith("==="):
            self._table(inside, fence[0], style)
        elif fence[0] == "/":
            self.out.page.comments.append("\n".join(inside))
        elif fence[0] in _CODE:
            self.out.code("\n".join(inside))

    def _macro(self, macro: re.Match[str]) -> None:
        self.out.end()
        if macro[1] == "include":
            self.out.page.leave_out("included file")
        elif macro[1] == "image":
            self.out.page.pictures += 1
            if macro[3]:
                self.out.whole("p", macro[3].split(",")[0].strip('"'))

    def _text(self, bare: str) -> None:
        style, self._style = self._style, ""
        if heading := _HEADING.match(bare):
            self._end_term()
            level = len(heading[1])
            if level == 1 and not self.out.page.title:
                self.out.page.title = heading[2]
            self.out.whole(f"h{level}", heading[2])
        elif title := _TITLE.match(bare):
            self.out.whole("p", title[1])
        elif item := _ITEM.match(bare):
            self._end_term()
            self.out.open("li", _TICKS.get(item[1], "") + item[2])
        elif bare == "+":
            self.out.end()
        elif (term := _TERM.match(bare)) and "::" in bare:
            self._end_term()
            self.out.end()
            if term[2]:
                self.out.open("li", f"{term[1]}: {term[2]}")
            else:
                self._term = term[1]
        elif self._term:
            self.out.open("li", f"{self._term}: {bare}")
            self._term = ""
        elif style in _NAMED:
            self.out.open("p", f"{style}: {bare}")
        else:
            self.out.line(bare)

    def _end_term(self) -> None:
        if self._term:
            term, self._term = self._term, ""
            self.out.whole("li", term)

    def _table(self, lines: list[str], sign: str, style: str) -> None:
        if sign in ",:":
            rows = [[cell.strip() for cell in line.split(sign)] for line in lines if line.strip()]
        else:
            rows = _psv(lines, style)
        is_headed = "header" in style or (
            len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip()
        )
        for number, row in enumerate(rows):
            self.out.row([self._filled(cell) for cell in row])
            if number == 0 and is_headed:
                self.out.head_ends()
        self.out.end()


def _psv(lines: list[str], style: str) -> list[list[str]]:
    """Rows of a table whose cells begin with `|`; a row has as many as told, or as its first line."""
    first = next((line for line in lines if line.strip()), "")
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split("\n".join(lines))[1:]]
    columns = _columns(style) or len(_CELL.split(first)) - 1
    if columns < 1:
        return []
    return [cells[start : start + columns] for start in range(0, len(cells), columns)]


_COLS = re.compile(r"cols=(?:\"([^\"]*)\"|'([^']*)'|(\d+\*?))")


def _columns(style: str) -> int:
    """The number of columns that a table's attributes tell; 0 if they do not."""
    found = _COLS.search(style)
    if found is None:
        return 0
    told = found[1] or found[2] or found[3]
    if told.isdigit():
        return int(told)
    number = 0
    for one in re.split(r"[,;]", told):
        times = re.match(r"\s*(\d{1,3})\*", one)
        number += int(times[1]) if times else 1
    return number
