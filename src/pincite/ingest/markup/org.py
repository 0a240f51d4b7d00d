"""Reads Org files (https://orgmode.org/worg/org-syntax.html)."""

from __future__ import annotations

import re
from pathlib import Path

from pincite.ingest.encoding.decode import decode
from pincite.ingest.markup.page import Mark, PageWriter, element, marked, page_document
from pincite.records.document import Document

_HEADING = re.compile(r"(\*+)[ \t]+(\S.*)")
_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAIT(?:ING)?|CANCELLED)[ \t]+(?=\S)")
_TAGS = re.compile(r"[ \t]:[\w@#%:]+:$")
_KEYWORD = re.compile(r"#\+([A-Za-z_]+)(?:\[[^\]]*\])?:[ \t]*(.*)")
_BEGIN = re.compile(r"#\+begin_(\w+)", re.IGNORECASE)
_END = re.compile(r"#\+end_(\w+)", re.IGNORECASE)
_DRAWER = re.compile(r":([\w-]+):$")
_PLANNING = re.compile(r"(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_RULE = re.compile(r"\|(?=[^-\n]*+-)[-+|: \t]++$")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,4}[.)]))[ \t]+(?:\[([ X-])\][ \t]+)?(\S.*)")
_TERM = re.compile(r"(\S.*?)[ \t]::[ \t]+(\S.*)")
_NOTE = re.compile(r"\[fn:([\w-]+)\][ \t]*(\S.*)")
_VERBATIM = frozenset({"src", "example", "export"})
_TICKS = {"X": "☑ ", " ": "☐ ", "-": "☐ "}

_BEFORE, _AFTER = r"(?<![\w*/+=~_])", r"(?![\w*/+=~_])"
_LITERAL = re.compile(
    rf"{_BEFORE}(?P<sign>[=~])(?P<text>[^\s=~](?:[^=~\n]{{0,300}}[^\s=~])?)(?P=sign){_AFTER}"
)
_MARKS = (
    Mark(
        pattern=re.compile(r"\[\[([^\[\]]{1,2000})\](?:\[([^\[\]]{1,500})\])?\]"),
        html=lambda match: match[2] or match[1],
    ),
    *(
        Mark(
            pattern=re.compile(
                rf"{_BEFORE}{re.escape(sign)}([^\s{re.escape(sign)}](?:[^{re.escape(sign)}\n]{{0,300}}[^\s{re.escape(sign)}])?){re.escape(sign)}{_AFTER}"
            ),
            html=element(name),
        )
        for sign, name in (("*", "b"), ("/", "i"), ("+", "del"))
    ),
    Mark(
        pattern=re.compile(r"(?<=\w)\^(?:\{([^{}\n]{1,100})\}|([+-]?\d+(?!\w)))"),
        html=lambda m: f"<sup>{m[1] or m[2]}</sup>",
    ),
    Mark(
        pattern=re.compile(r"(?<=[^\W_])_(?:\{([^{}\n]{1,100})\}|(\d+)(?![\w.]))"),
        html=lambda m: f"<sub>{m[1] or m[2]}</sub>",
    ),
    Mark(
        pattern=re.compile(r"\[fn:([\w-]+)(?::([^\[\]\n]{0,500}))?\]"),
        html=lambda m: f"<sup>{m[1]}</sup>" if not m[2] else f" ({m[2]})",
    ),
)


def _inline(text: str) -> str:
    return marked(text, _LITERAL, _MARKS)


class OrgReader:
    """Reads `.org` files; nothing in them is run."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text."""
        decoded = decode(content)
        writer = _OrgWriter()
        for line in decoded.text.splitlines():
            writer.add(line)
        writer.out.end()
        return page_document(
            path, content, writer.out.page, thing="file", warnings=decoded.warnings
        )


class _OrgWriter:
    """The blocks of the lines that were given so far."""

    def __init__(self) -> None:
        self.out = PageWriter(_inline)
        self._block = ""
        self._inside: list[str] = []
        self._in_drawer = False

    def add(self, line: str) -> None:
        """Read one line."""
        bare = line.strip()
        if self._block:
            self._inside_block(line, bare)
        elif self._in_drawer:
            self._in_drawer = bare.lower() != ":end:"
        elif begins := _BEGIN.match(bare):
            self.out.end()
            self._block, self._inside = begins[1].lower(), []
        elif not bare or _PLANNING.match(bare):
            self.out.end()
        elif drawer := _DRAWER.match(bare):
            self._in_drawer = drawer[1].lower() != "end"
        elif heading := _HEADING.match(line):
            text = _TAGS.sub("", _STATE.sub("", heading[2], count=1)).strip()
            self.out.whole(f"h{min(len(heading[1]), 6)}", text)
        elif bare.startswith("#"):
            self._keyword(bare)
        else:
            self._text(bare)

    def _inside_block(self, line: str, bare: str) -> None:
        ends = _END.match(bare)
        if not ends or ends[1].lower() != self._block:
            self._inside.append(line)
            return
        block, self._block = self._block, ""
        if block in _VERBATIM:
            self.out.code("\n".join(self._inside))
        elif block == "comment":
            self.out.page.comments.append("\n".join(self._inside))
        else:
            for one in self._inside:
                self.add(one)
            self.out.end()

    def _keyword(self, bare: str) -> None:
        self.out.end()
        found = _KEYWORD.match(bare)
        if found is None:
            if bare.startswith("# "):
                self.out.page.comments.append(bare[2:])
            return
        name, value = found[1].lower(), found[2]
        if name == "title":
            self.out.page.title = self.out.page.title or value
        if name in ("title", "subtitle", "author", "date", "caption") and value:
            self.out.whole(
                "p",
                value
                if name in ("title", "subtitle", "caption")
                else f"{name.capitalize()}: {value}",
            )
        elif name == "include":
            self.out.page.leave_out("included file")

    def _text(self, bare: str) -> None:
        if bare.startswith("|"):
            if _RULE.match(bare):
                self.out.head_ends()
            else:
                self.out.row([cell.strip() for cell in bare.strip("|").split("|")])
        elif item := _ITEM.match(bare):
            number, tick, said = item.groups()
            term = _TERM.match(said)
            text = f"{term[1]}: {term[2]}" if term else said
            self.out.open("li", (f"{number} " if number else "") + _TICKS.get(tick, "") + text)
        elif bare.startswith(": "):
            self.out.code(bare[2:])
        elif note := _NOTE.match(bare):
            self.out.open("p", f"[fn:{note[1]}] {note[2]}")
        else:
            self.out.line(bare)
