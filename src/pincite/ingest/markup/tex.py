"""Reads TeX files: sections, lists, tables, formulas and notes; macros are neither run nor expanded."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexCommentNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
    LatexWalker,
    LatexWalkerError,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import LatexContextDb, MacroSpec, std_environment

from pincite.errors import ReadError
from pincite.ingest.encoding.decode import decode
from pincite.ingest.markup.page import MadePage, page_document
from pincite.records.document import Document
from pincite.settings.toml_files import shipped

_NAMES = shipped("ingest/markup", "tex")
_MACROS = {
    name: kind for kind, names in _NAMES["macros"].items() for name in names if kind != "rules"
}
_ENVIRONMENTS = {name: kind for kind, names in _NAMES["environments"].items() for name in names}
_RULES = frozenset(_NAMES["macros"]["rules"])
_POWERS_BEFORE = {"square": "²", "cubic": "³"}
_POWERS_BEHIND = {"squared": "²", "cubed": "³"}
_SPECIALS = {"~": "\u00a0", "``": "“", "''": "”", "--": "–", "---": "—", "&": "&amp;"}
# The arguments of macros that the library does not know: `[` may be given, `{` must be.
_ARGUMENTS = {
    "{": "sout st xout textsuperscript textsubscript caption enquote autoref cref Cref ce",
    "[{{": "SI qty",
    "[{": "si unit num ang cmidrule",
    "[{{{": "numrange SIrange qtyrange multirow",
    "{{{": "multicolumn",
}
_BROKEN = (LatexWalkerError, RecursionError, LookupError, TypeError, AttributeError, ValueError)
_OPENS, _CLOSES = "\ue002", "\ue003"
_BLOCK = re.compile(f"{_OPENS}([^{_OPENS}{_CLOSES}]*+){_CLOSES}")
"""A block that is complete, between signs that no text has."""
_BREAK = re.compile(r"\n(?:[ \t]*\n)+")
_SINGLE = re.compile(r"\w+(?:[.,]\w+)?")
_VERBATIM_ENDS = re.compile(
    r"\A\\begin\{[^}]{0,50}\}(?:\[[^\]]{0,500}\])?(?:\{[^}]{0,50}\})?|\\end\{[^}]{0,50}\}\Z"
)
_TAG = re.compile(r"<[^<>]*>")
_DEEPEST = 150
"""Groups within groups; the library's parser calls itself for each."""
_NESTING = re.compile(r"\\(?:begin|end)\b|\\.|[{}]", re.DOTALL)
_FEWEST_COMMENT_WORDS = 4
_MOST_HEAD_ROWS = 2


class TexReader:
    """Reads `.tex` files; files that they include are told, not opened."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not text or nested too deep."""
        decoded = decode(content)
        _refuse_deep(decoded.text)
        allowed = sys.getrecursionlimit()
        # Each group takes about ten calls of the library.
        sys.setrecursionlimit(max(allowed, 30 * _DEEPEST))
        try:
            walker = LatexWalker(decoded.text, latex_context=_context(), tolerant_parsing=True)
            nodes, _, _ = walker.get_latex_nodes()
            writer = _TexWriter()
            writer.write(nodes or ())
        except _BROKEN as error:
            raise ReadError(
                f"its TeX cannot be followed ({type(error).__name__}); save it as PDF or text"
            ) from error
        finally:
            sys.setrecursionlimit(allowed)
        return page_document(path, content, writer.page, thing="file", warnings=decoded.warnings)


@cache
def _context() -> LatexContextDb:
    known = get_default_latex_context_db()
    known.add_context_category(
        "pincite",
        prepend=True,
        macros=[
            MacroSpec(name, form) for form, names in _ARGUMENTS.items() for name in names.split()
        ],
        environments=[
            std_environment("tabularx", "{{"),
            std_environment("tabular*", "{{"),
            std_environment("longtable", "[{"),
        ],
    )
    return known


def _refuse_deep(text: str) -> None:
    depth = 0
    for match in _NESTING.finditer(text):
        depth += (match[0] in ("{", "\\begin")) - (match[0] in ("}", "\\end"))
        if depth > _DEEPEST:
            raise ReadError(f"its groups are nested more than {_DEEPEST} deep; simplify it")


class _TexWriter:
    """Writes the nodes of a file as a page."""

    def __init__(self) -> None:
        self.page = MadePage()
        self._notes: list[str] = []
        self._writers: dict[str, Callable[[Any], str]] = {
            "shown": self._argument,
            "silent": _paragraph_end,
            "references": lambda node: f"[{self._argument(node)}]",
            "files": self._file,
            "breaks": lambda _: "<br>",
            "quantities": lambda node: f"{self._argument(node, -2)}\u00a0{self._unit(node)}",
            "units": self._unit,
            "ranges": self._range,
            "notes": self._note,
            "pictures": self._picture,
            "captions": lambda node: f"\n\n{self._argument(node)}\n\n",
            "quotes": lambda node: f"“{self._argument(node)}”",
        }

    def write(self, nodes: Sequence[Any]) -> None:
        """The page of a whole file: its preamble is not text, but for title, author and date."""
        body = next((one for one in nodes if _is_environment(one, "document")), None)
        for one in nodes if body is not None else ():
            if _is(one, LatexMacroNode) and one.macroname in ("title", "author", "date"):
                self._title_part(one.macroname, self._argument(one))
        self.page.parts += self._paragraphs(nodes if body is None else body.nodelist)
        self.page.parts += (f"<p>{note}</p>\n" for note in self._notes)

    def _title_part(self, name: str, text: str) -> None:
        if name == "title":
            self.page.title = _TAG.sub("", text)
        self.page.parts.append(
            f"<h1>{text}</h1>\n" if name == "title" else f"<p>{name.capitalize()}: {text}</p>\n"
        )

    def _paragraphs(self, nodes: Sequence[Any]) -> Iterator[str]:
        """Blocks stay as they are; the text between them is cut into paragraphs at empty lines."""
        for number, piece in enumerate(_BLOCK.split(self._all(nodes))):
            if number % 2:
                yield piece
            else:
                paragraphs = (one.strip() for one in _BREAK.split(piece))
                yield from (f"<p>{one}</p>\n" for one in paragraphs if one)

    def _all(self, nodes: Sequence[Any]) -> str:
        return "".join(map(self._one, nodes))

    def _one(self, node: Any) -> str:
        if _is(node, LatexMacroNode):
            return self._macro(node)
        if _is(node, LatexEnvironmentNode):
            return self._environment(node)
        if _is(node, LatexMathNode):
            return self._formula(node.nodelist)
        if _is(node, LatexCommentNode):
            return self._comment(node)
        if _is(node, LatexGroupNode):
            return self._all(node.nodelist)
        if _is(node, LatexCharsNode):
            return _typed(node.chars)
        signs = node.specials_chars if _is(node, LatexSpecialsNode) else ""
        return "\n\n" if signs.isspace() else _SPECIALS.get(signs, escape(signs))

    def _comment(self, node: Any) -> str:
        if len(node.comment.split()) >= _FEWEST_COMMENT_WORDS:
            self.page.comments.append(node.comment.strip())
        return "\n\n" if node.comment_post_space.count("\n") > 1 else ""

    def _argument(self, node: Any, place: int = -1) -> str:
        given = _given(node)
        return self._one(given[place]).strip() if given else ""

    def _macro(self, node: Any) -> str:
        name = node.macroname
        if name in _NAMES["sections"]:
            return _block(f"h{_NAMES['sections'][name]}", self._argument(node))
        if name in _NAMES["styles"]:
            style = _NAMES["styles"][name]
            return f"<{style}>{self._argument(node)}</{style}>"
        kind = _MACROS.get(name)
        return self._writers[kind](node) if kind else self._plain(node)

    def _plain(self, node: Any) -> str:
        """A sign or an accent that the library knows; of other macros, what they are given."""
        shown = LatexNodes2Text(math_mode="text").nodelist_to_text([node])
        if shown.strip():
            return escape(shown, quote=False)
        return " ".join(filter(None, map(self._one, _given(node))))

    def _file(self, node: Any) -> str:
        self.page.leave_out("included file")
        return _paragraph_end(node)

    def _picture(self, node: Any) -> str:
        self.page.pictures += 1
        return _paragraph_end(node)

    def _note(self, node: Any) -> str:
        self._notes.append(f"<sup>{len(self._notes) + 1}</sup> {self._argument(node)}")
        return f"<sup>{len(self._notes)}</sup>"

    def _range(self, node: Any) -> str:
        unit = "" if node.macroname == "numrange" else f"\u00a0{self._unit(node)}"
        first, last = (0, 1) if unit else (-2, -1)
        return f"{self._argument(node, first)} to {self._argument(node, last)}{unit}"

    def _unit(self, node: Any) -> str:
        r"""Names of units as signs: `\metre\per\second\squared` is `m/s²`."""
        group = _given(node)[-1]
        nodes = group.nodelist if _is(group, LatexGroupNode) else [group]
        shown, power, glue = "", "", ""
        for one in nodes:
            name = one.macroname if _is(one, LatexMacroNode) else self._one(one).strip()
            if name in _POWERS_BEFORE:
                power = _POWERS_BEFORE[name]
            elif name in _POWERS_BEHIND:
                shown += _POWERS_BEHIND[name]
            elif name == "per":
                shown, glue = f"{shown}/", ""
            elif name in _NAMES["prefixes"]:
                shown, glue = shown + glue + _NAMES["prefixes"][name], ""
            elif name:
                shown += glue + _NAMES["units"].get(name, name) + power
                power, glue = "", "·"
        return escape(shown, quote=False)

    def _environment(self, node: Any) -> str:
        kind = _ENVIRONMENTS.get(node.environmentname)
        if kind == "verbatim":
            body = _VERBATIM_ENDS.sub("", node.latex_verbatim())
            return _block("pre", escape(body.strip("\n"), quote=False))
        if kind == "lists":
            return self._list(node)
        if kind == "tables":
            return self._table(node)
        if kind in ("pictures", "unread"):
            self.page.pictures += kind == "pictures"
            return ""
        inside = self._formula(node.nodelist) if kind == "formulas" else self._all(node.nodelist)
        return f"\n\n{inside}\n\n"

    def _list(self, node: Any) -> str:
        items: list[tuple[str, list[Any]]] = []
        for one in node.nodelist:
            if _is(one, LatexMacroNode) and one.macroname == "item":
                items.append((self._argument(one), []))
            elif items:
                items[-1][1].append(one)
        shown = ""
        for number, (label, inside) in enumerate(items, start=1):
            is_counted = node.environmentname == "enumerate" and not label
            told = f"{number}. " if is_counted else f"{label}: " if label else ""
            shown += f"<li>{told}{_BREAK.sub('<br>', self._all(inside).strip())}</li>"
        return _block("ul", shown)

    def _table(self, node: Any) -> str:
        rows: list[list[str]] = [[""]]
        ruled: list[int] = []
        for one in node.nodelist:
            name = one.macroname if _is(one, LatexMacroNode) else ""
            if name in _NAMES["macros"]["breaks"]:
                rows.append([""])
            elif name in _RULES:
                ruled.append(len(rows) - 1)
            elif _is(one, LatexSpecialsNode) and one.specials_chars == "&":
                rows[-1].append("")
            else:
                rows[-1][-1] += self._one(one)
        heads = next((line for line in ruled if line), 0)
        shown = ""
        for number, row in enumerate(rows):
            tag = "th" if number < heads <= _MOST_HEAD_ROWS else "td"
            cells = [_BREAK.sub(" ", cell).strip() for cell in row]
            inside = "".join(f"<{tag}>{cell}</{tag}>" for cell in cells)
            shown += f"<tr>{inside}</tr>" if any(cells) else ""
        return _block("table", shown)

    def _formula(self, nodes: Sequence[Any]) -> str:
        """A formula on one line, with its raised and lowered parts marked."""
        shown, script = "", ""
        for sign in self._signs(nodes):
            if sign in ("^", "_"):
                script = sign
            elif script and not sign.isspace():
                name = "sup" if script == "^" else "sub"
                shown, script = f"{shown}<{name}>{sign}</{name}>", ""
            else:
                shown += sign
        return " ".join(shown.split())

    def _signs(self, nodes: Sequence[Any]) -> Iterator[str]:
        for one in nodes:
            if _is(one, LatexCharsNode):
                yield from (escape(sign, quote=False) for sign in one.chars)
            elif _is(one, LatexSpecialsNode) and one.specials_chars in "^_":
                yield one.specials_chars
            else:
                yield self._part(one)

    def _part(self, node: Any) -> str:
        """A part of a formula."""
        if _is(node, LatexGroupNode):
            return self._formula(node.nodelist)
        if not _is(node, LatexMacroNode):
            return self._one(node)
        name, kinds = node.macroname, _NAMES["formulas"]
        if name in kinds["silent"]:
            return ""
        if name in kinds["spaces"]:
            return " "
        inside = [self._part(one) for one in _given(node)]
        if name in kinds["fractions"] and len(inside) > 1:
            return "/".join(one if _SINGLE.fullmatch(one) else f"({one})" for one in inside)
        if name == "sqrt" and inside:
            return f"√({inside[-1]})"
        if name in kinds["shown"]:
            return "".join(inside[-1:])
        return self._macro(node) + (" " if node.macro_post_space else "")


def _given(node: Any) -> list[Any]:
    """The arguments of a macro, without those that were left out."""
    parsed = node.nodeargd
    return [one for one in (parsed.argnlist if parsed else None) or () if one is not None]


def _paragraph_end(node: Any) -> str:
    return "\n\n" if (node.macro_post_space or "").count("\n") > 1 else ""


def _block(tag: str, inside: str) -> str:
    """A block; blocks within it are part of it."""
    flat = inside.replace(_OPENS, "").replace(_CLOSES, "")
    return f"{_OPENS}<{tag}>{flat}</{tag}>\n{_CLOSES}"


def _typed(text: str) -> str:
    """Text with the signs that TeX sets otherwise than they are typed."""
    clean = text.replace(_OPENS, "").replace(_CLOSES, "")
    return escape(clean, quote=False)


def _is_environment(node: Any, name: str) -> bool:
    return _is(node, LatexEnvironmentNode) and node.environmentname == name


def _is(node: Any, kind: Callable[..., Any]) -> bool:
    return node is not None and bool(node.isNodeType(kind))
