"""Reads rich text files (RTF 1.9.1): paragraphs, lists, tables, notes and marks of letters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from pincite.errors import ReadError
from pincite.ingest.markup.page import MadePage, page_document
from pincite.ingest.office.symbols import in_symbol_font, is_symbol_font
from pincite.records.document import Document

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?"
    rb"|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z'])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_DEEPEST = 1_000
_MOST_NOTES = 10_000

# Groups whose text is not part of the page. Those that begin with `\*` and are unknown are skipped too.
_SKIPPED = frozenset(
    "colortbl generator themedata datastore pict object objdata fldinst xe tc rxe bkmkstart bkmkend "
    "listtable listoverridetable rsidtbl latentstyles filetbl revtbl template operator keywords "
    "doccomm creatim revtim printim buptim comment pnseclvl annotation atnid atnauthor atndate atnref "
    "header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc "
    "ftncn nonshppict sp "
    "colorschememapping xmlnstbl wgrffmtfilter mmathPr upr factoidname info private".split()
)
_FOLLOWED = frozenset("ud shptxt fldrslt pntext listtext footnote shp shpinst cs".split())
_SIGNS = {
    **{"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"},
    **{
        "bullet": "•",
        "endash": "–",
        "emdash": "—",
        "enspace": " ",
        "emspace": " ",
        "nestcell": " | ",
    },
    **{"softline": "\n"},
}
_ESCAPED = {"~": "\u00a0", "-": "\u00ad", "_": "\u2011", "\\": "\\", "{": "{", "}": "}"}
# \fcharsetN, and the code page it stands for.
_CODE_PAGES = {
    **{0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258},
    **{177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850},
}
_HEADING_STYLE = re.compile(r"heading (\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """The formatting at a place; a group begins with that of the one around it and ends with it."""

    target: str = "text"
    font: int = 0
    script: int = 0
    is_struck: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_suppressed: bool = False
    skip: int = 1


class RtfReader:
    """Reads `.rtf` files; objects in them are neither opened nor run."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are not rich text."""
        parsed = _RtfParser(content)
        warnings = []
        if parsed.deleted:
            warnings.append("its tracked changes are read as accepted; deleted text is left out")
        if parsed.furniture:
            warnings.append("the headers and footers of its pages are left out")
        return page_document(path, content, parsed.page, thing="file", warnings=warnings)


def plain_text(content: bytes) -> str:
    """The words of a rich text, such as the body of a message. Raises ReadError."""
    text = re.sub(r"</(?:p|h\d|li|tr)>", "\n", "".join(_RtfParser(content).page.parts))
    return (
        re.sub(r"<[^<>]*>", "", text)
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
    )


class _RtfParser:
    """Follows the groups and control words of a file and writes its paragraphs as a page."""

    def __init__(self, content: bytes) -> None:
        if not content.lstrip().startswith(b"{\\rtf"):
            raise ReadError(
                "it is named .rtf but does not start like one ({\\rtf); get a complete copy"
            )
        self.page = MadePage()
        self.deleted = False
        self.furniture = False
        self._state = _State()
        self._stack: list[_State] = []
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._symbols: dict[int, str] = {}
        self._styles: dict[int, int] = {}
        self._named = ""
        self._style = 0
        self._bytes = bytearray()
        self._skip = 0
        self._is_marked = False
        self._paragraph: list[str] = []
        self._label = ""
        self._level = 0
        self._is_listed = False
        self._in_table = False
        self._is_head = False
        self._cells: list[str] = []
        self._rows: list[str] = []
        self._notes: list[list[str]] = []
        self._from_page = False
        self._parse(content)

    def _parse(self, content: bytes) -> None:
        place = 0
        while (match := _TOKEN.search(content, place)) is not None:
            place = match.end()
            if match["text"] is not None or match["hex"]:
                self._letters(match)
                continue
            self._decode()
            if match["word"]:
                place += self._control(match["word"].decode(), match["number"])
            else:
                self._sign((match["brace"] or match["sign"]).decode("latin-1"))
        self._decode()
        self._end_paragraph()
        self._end_table()
        for number, note in enumerate(self._notes, start=1):
            self.page.parts.append(f"<p><sup>{number}</sup> {_joined(note).strip()}</p>\n")

    def _letters(self, match: re.Match[bytes]) -> None:
        """Letters in the code page of their font; those behind `\\u` stand for the same sign."""
        text = match["text"] or bytes([int(match["hex"], 16)])
        cut = min(self._skip, len(text))
        self._skip -= cut
        self._bytes += text[cut:]

    def _control(self, word: str, given: bytes | None) -> int:
        """Follow a control word; returns how many bytes behind it are no text."""
        number = int(given) if given else None
        is_marked, self._is_marked = self._is_marked, False
        if word == "bin":
            return max(number or 0, 0)
        if self._state.target == "skip":
            return 0  # what stands in a header or an object changes nothing outside it
        if self._is_skipped(word, is_marked=is_marked):
            self._state = replace(self._state, target="skip")
        else:
            self._word(word, number)
        return 0

    def _sign(self, sign: str) -> None:
        self._is_marked = sign == "*"
        if sign in "{}":
            self._brace(sign)
        elif sign in "\r\n":
            self._word("par", None)
        elif sign in _ESCAPED:
            self._skip_or_put(_ESCAPED[sign])

    def _is_skipped(self, word: str, *, is_marked: bool) -> bool:
        if word in ("pict", "shppict"):
            self.page.pictures += 1
        if word.startswith(("header", "footer")) and word in _SKIPPED:
            self.furniture = True
        if word == "annotation":
            self.page.leave_out("comment")
        if word == "info":
            return False
        return word in _SKIPPED or (is_marked and word not in _FOLLOWED)

    def _brace(self, brace: str) -> None:
        self._skip = 0
        if brace == "{":
            if len(self._stack) >= _DEEPEST:
                raise ReadError(f"its groups are nested more than {_DEEPEST} deep; save it again")
            self._stack.append(self._state)
        elif self._stack:
            if self._state.target in ("fonts", "styles"):
                self._name_ends()
            self._state = self._stack.pop()

    def _name_ends(self) -> None:
        name, self._named = self._named.strip().rstrip(";"), ""
        if self._state.target == "fonts" and is_symbol_font(name):
            self._symbols[self._state.font] = name
        if self._state.target == "styles" and (found := _HEADING_STYLE.match(name)):
            self._styles[self._style] = int(found[1])

    def _word(self, word: str, number: int | None) -> None:
        if word in _SIGNS:
            self._put(_SIGNS[word])
        elif word in _TARGETS:
            self._state = replace(self._state, target=_TARGETS[word])
            if word == "footnote":
                self._begin_note()
        elif word in _ON_OFF:
            is_on: dict[str, Any] = {_ON_OFF[word]: number != 0}
            self._state = replace(self._state, **is_on)
            self.deleted = self.deleted or (word == "deleted" and number != 0)
        elif word in _SCRIPTS:
            is_off = word in ("up", "dn") and number == 0
            self._state = replace(self._state, script=0 if is_off else _SCRIPTS[word])
        elif word in _WORDS:
            _WORDS[word](self, number or 0)

    def _plain(self, _: int) -> None:
        self._state = replace(
            self._state, script=0, is_struck=False, is_hidden=False, is_deleted=False
        )

    def _unicode(self, number: int) -> None:
        self._put(chr(number % 0x10000))
        self._skip = self._state.skip

    def _font(self, number: int) -> None:
        self._state = replace(self._state, font=number)

    def _skip_behind(self, number: int) -> None:
        self._state = replace(self._state, skip=max(number, 0))

    def _code_page_is(self, number: int) -> None:
        self._code_page = _codec(number) or self._code_page

    def _charset(self, number: int) -> None:
        if self._state.target == "fonts":
            self._fonts[self._state.font] = _codec(_CODE_PAGES.get(number, 0))

    def _of_page(self, _: int) -> None:
        self._from_page = True

    def _paragraph_ends(self, _: int) -> None:
        self._end_paragraph()

    def _row_ends(self, _: int) -> None:
        if self._state.target == "note":
            self._notes[-1].append("<br>")
            return
        self._end_paragraph()
        self._end_row()

    def _cell_ends(self, _: int) -> None:
        if self._state.target == "note":
            self._notes[-1].append(" | ")
            return
        self._end_cell()

    def _new_paragraph(self, _: int) -> None:
        self._level, self._is_listed, self._in_table = 0, False, False

    def _into_table(self, _: int) -> None:
        self._in_table = True

    def _new_row(self, _: int) -> None:
        self._is_head = False

    def _head_row(self, _: int) -> None:
        self._is_head = True

    def _style_is(self, number: int) -> None:
        if self._state.target == "styles":
            self._style = number
        else:
            self._level = self._styles.get(number, self._level)

    def _outline_level(self, number: int) -> None:
        self._level = number + 1

    def _listed(self, _: int) -> None:
        self._is_listed = True

    def _note_sign(self, _: int) -> None:
        self._skip_or_put("")

    def _begin_note(self) -> None:
        if len(self._notes) >= _MOST_NOTES:
            self._state = replace(self._state, target="skip")
            self.page.leave_out("note")
            return
        self._notes.append([])
        self._paragraph.append(f"<sup>{len(self._notes)}</sup>")

    def _decode(self) -> None:
        if not self._bytes:
            return
        raw, self._bytes = bytes(self._bytes), bytearray()
        font = self._state.font
        codec = self._fonts.get(font) or self._code_page
        text = raw.decode("latin-1" if font in self._symbols else codec, "replace")
        self._put(in_symbol_font(text, self._symbols.get(font)))

    def _skip_or_put(self, text: str) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._put(text)

    def _put(self, text: str) -> None:
        state = self._state
        if state.target in ("fonts", "styles"):
            self._named += text
            if text.endswith(";"):
                self._name_ends()
        elif state.target == "title":
            self.page.title += text
        elif state.target == "label":
            self._label += text
        elif state.target in ("text", "note") and text and not state.is_deleted:
            if state.is_suppressed and self._from_page:
                return
            self._add(self._shown(text, state))

    def _add(self, shown: str) -> None:
        if self._state.target == "note":
            self._notes[-1].append(shown)
        else:
            self._paragraph.append(shown)

    @staticmethod
    def _shown(text: str, state: _State) -> str:
        shown = escape(text, quote=False).replace("\n", "<br>")
        if state.is_struck:
            shown = f"<del>{shown}</del>"
        if state.script:
            name = "sup" if state.script > 0 else "sub"
            shown = f"<{name}>{shown}</{name}>"
        if state.is_hidden:
            shown = f'<span style="display:none">{shown}</span>'
        return shown

    def _end_paragraph(self) -> None:
        if self._state.target == "note":
            self._notes[-1].append("<br>")
            return
        if self._state.target != "text":
            return
        text, self._paragraph = _joined(self._paragraph), []
        label, self._label = " ".join(self._label.split()), ""
        if self._in_table:
            self._paragraph = [text, "<br>"] if text.strip() else []
            return
        self._end_table()
        if not text.strip():
            return
        if any(map(str.isalnum, label)):
            text = f"{escape(label, quote=False)} {text}"
        tag = f"h{min(self._level, 6)}" if self._level else "p"
        if not self._level and (self._is_listed or label):
            tag = "li"
        self.page.parts.append(f"<{tag}>{text}</{tag}>\n")

    def _end_cell(self) -> None:
        while self._paragraph and self._paragraph[-1] == "<br>":
            self._paragraph.pop()
        self._cells.append(_joined(self._paragraph).strip())
        self._paragraph, self._label = [], ""

    def _end_row(self) -> None:
        cells, self._cells = self._cells, []
        self._paragraph = []
        if any(cells):
            tag = "th" if self._is_head else "td"
            inside = "".join(f"<{tag}>{cell}</{tag}>" for cell in cells)
            self._rows.append(f"<tr>{inside}</tr>")

    def _end_table(self) -> None:
        if self._cells:
            self._end_row()
        if self._rows:
            self.page.parts += ("<table>", *self._rows, "</table>\n")
        self._rows = []


_TARGETS = {
    **{"fonttbl": "fonts", "stylesheet": "styles", "title": "title", "info": "info"},
    **{"pntext": "label", "listtext": "label", "footnote": "note"},
    **dict.fromkeys(("author", "subject", "company", "manager", "category", "hlinkbase"), "info"),
}
_ON_OFF = {
    **dict.fromkeys(("strike", "striked"), "is_struck"),
    **{"v": "is_hidden", "deleted": "is_deleted", "htmlrtf": "is_suppressed"},
}
_SCRIPTS = {"super": 1, "sub": -1, "up": 1, "dn": -1, "nosupersub": 0}


_WORDS: dict[str, Callable[[_RtfParser, int], None]] = {
    "plain": _RtfParser._plain,
    "u": _RtfParser._unicode,
    "uc": _RtfParser._skip_behind,
    "ansicpg": _RtfParser._code_page_is,
    **dict.fromkeys(("f", "deff"), _RtfParser._font),
    "fcharset": _RtfParser._charset,
    "fromhtml": _RtfParser._of_page,
    **dict.fromkeys(("par", "sect", "page", "nestrow"), _RtfParser._paragraph_ends),
    "row": _RtfParser._row_ends,
    "cell": _RtfParser._cell_ends,
    "pard": _RtfParser._new_paragraph,
    "intbl": _RtfParser._into_table,
    "trowd": _RtfParser._new_row,
    "trhdr": _RtfParser._head_row,
    "s": _RtfParser._style_is,
    "outlinelevel": _RtfParser._outline_level,
    **dict.fromkeys(("ls", "ilvl"), _RtfParser._listed),
    "chftn": _RtfParser._note_sign,
}


def _codec(code_page: int) -> str:
    for name in (f"cp{code_page}", {10000: "mac_roman", 65001: "utf-8"}.get(code_page, "")):
        try:
            return codecs.lookup(name).name
        except LookupError:
            continue
    return ""


_ADJACENT = re.compile(r"</(sup|sub|del)><\1>")


def _joined(pieces: list[str]) -> str:
    """Neighbours in the same style as one, so that `10` and `⁶` do not become `^1^0`."""
    text = _ADJACENT.sub("", "".join(pieces))
    # Signs beyond U+FFFF are written as two, one after the other.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
