"""Extracts the visible text of a piece of Word XML, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from lxml import etree

from pincite.ingest.office.package import elements, whole_number
from pincite.ingest.office.symbols import in_symbol_font, symbol
from pincite.text.marks import Run, written

# Writes equations in linear form, so that `x²` does not read as `x2`.

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DEEPEST = 40
_PROPERTIES = "Pr"


def linear(equation: etree._Element, depth: int = 0) -> str:
    """An equation in linear form: `(a+b)/2`, `x^2`, `√(y)`."""
    if depth > _DEEPEST:
        return "".join(equation.itertext())
    name = equation.tag.removeprefix(M)
    if name in ("t", "r"):
        return "".join(node.text or "" for node in equation.iter(f"{M}t"))
    if name.endswith(_PROPERTIES):
        return ""
    write = _FORMS.get(name)
    if write is not None:
        return write(equation, depth + 1)
    return "".join(linear(child, depth + 1) for child in _inner(equation))


def _inner(node: etree._Element) -> list[etree._Element]:
    return [child for child in elements(node) if child.tag.startswith(M)]


def _part(node: etree._Element, name: str, depth: int) -> str:
    child = node.find(f"{M}{name}")
    return linear(child, depth) if child is not None else ""


def _grouped(text: str) -> str:
    """A part, in parentheses if it has more than one character and is not a plain word."""
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _fraction(node: etree._Element, depth: int) -> str:
    above, below = _part(node, "num", depth), _part(node, "den", depth)
    bar = node.find(f"{M}fPr/{M}type")
    if bar is not None and bar.get(f"{M}val") == "noBar":
        return f"{above} over {below}"  # a binomial is not a fraction
    return f"{_grouped(above)}/{_grouped(below)}"


def _script(node: etree._Element, depth: int) -> str:
    low, high = _part(node, "sub", depth), _part(node, "sup", depth)
    return _part(node, "e", depth) + _marked("_", low) + _marked("^", high)


def _marked(sign: str, text: str) -> str:
    return sign + _grouped(text) if text else ""


def _root(node: etree._Element, depth: int) -> str:
    degree = _part(node, "deg", depth)
    sign = {"": "√", "3": "∛", "4": "∜"}.get(degree, f"root_{degree} ")
    return f"{sign}({_part(node, 'e', depth)})"


def _operator(node: etree._Element, depth: int) -> str:
    sign = node.find(f"{M}naryPr/{M}chr")
    low, high = _part(node, "sub", depth), _part(node, "sup", depth)
    shown = sign.get(f"{M}val") or "" if sign is not None else "∫"
    return f"{shown}{_marked('_', low)}{_marked('^', high)} {_part(node, 'e', depth)}"


def _brackets(node: etree._Element, depth: int) -> str:
    def sign(name: str, usual: str) -> str:
        found = node.find(f"{M}dPr/{M}{name}")
        return usual if found is None else found.get(f"{M}val") or ""

    inside = [linear(child, depth) for child in node.iterchildren(f"{M}e")]
    return sign("begChr", "(") + sign("sepChr", "|").join(inside) + sign("endChr", ")")


def _function(node: etree._Element, depth: int) -> str:
    return f"{_part(node, 'fName', depth)} {_part(node, 'e', depth)}"


def _limit(node: etree._Element, depth: int) -> str:
    sign = "_" if node.tag == f"{M}limLow" else "^"
    return _part(node, "e", depth) + _marked(sign, _part(node, "lim", depth))


def _matrix(node: etree._Element, depth: int) -> str:
    rows = [
        ", ".join(linear(cell, depth) for cell in row.iterchildren(f"{M}e"))
        for row in node.iterchildren(f"{M}mr")
    ]
    return "; ".join(rows)


_FORMS = {
    "f": _fraction,
    "sSup": _script,
    "sSub": _script,
    "sSubSup": _script,
    "rad": _root,
    "nary": _operator,
    "d": _brackets,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _matrix,
}


W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

# Deleted or moved text, phonetic guides, field codes, properties, and fallback copies of drawings.
LEFT_OUT = frozenset(
    (
        f"{W}del",
        f"{W}moveFrom",
        f"{W}delText",
        f"{W}instrText",
        f"{W}rt",
        f"{W}pPr",
        f"{W}rPr",
        f"{W}sdtPr",
        f"{W}tblPr",
        f"{_MC}Fallback",
    )
)
_SIGNS = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "\u2011",
}
TEXT_BOX = f"{W}txbxContent"
PARAGRAPH = f"{W}p"
TABLE = f"{W}tbl"
_RUN = f"{W}r"
_SCRIPTS = {"superscript": 1, "subscript": -1}
# In half points: letters of a point and a half are unreadable.
_UNREADABLE_SIZE = 3


@dataclass(frozen=True, slots=True)
class RunStyles:
    """Character styles that change what the text of a run says, by their ids."""

    hidden: frozenset[str] = frozenset()
    raised: frozenset[str] = frozenset()
    lowered: frozenset[str] = frozenset()
    struck: frozenset[str] = frozenset()


class RunText:
    """Separates visible from hidden text, and keeps the marks of raised, lowered and struck text."""

    def __init__(self, root: etree._Element, styles: RunStyles | None = None) -> None:
        """Check first whether anything below `root` can be hidden; most files hide nothing."""
        self._styles = styles or RunStyles()
        marks = root.iter(f"{W}vanish", f"{W}rStyle", f"{W}sz")
        self._may_hide = any(self._hides(mark) for mark in marks)

    def visible(self, paragraph: etree._Element) -> str:
        """The visible text of one paragraph, without the text boxes anchored in it."""
        is_visible = self._is_visible if self._may_hide else _always
        return written(self._runs(paragraph, is_visible)).strip()

    def hidden(self, paragraph: etree._Element) -> str:
        """The text of the runs that Word neither shows nor prints."""
        if not self._may_hide:
            return ""
        runs = [run for run in _runs(paragraph) if not self._is_visible(run)]
        return written(piece for run in runs for piece in self._runs(run, _always)).strip()

    def _runs(
        self, root: etree._Element, is_visible: Callable[[etree._Element], bool]
    ) -> Iterator[Run]:
        """The text of each piece with the style of the run that it stands in."""
        style = self._style(root) if root.tag == _RUN else Run("")
        for text, run in _pieces(root, is_visible):
            if run is not None:
                style = self._style(run)
            else:
                yield replace(style, text=text)

    def _style(self, run: etree._Element) -> Run:
        properties = run.find(f"{W}rPr")
        if properties is None:
            return Run("")
        script, is_struck = 0, False
        for mark in elements(properties):
            name, value = mark.tag.removeprefix(W), mark.get(f"{W}val") or ""
            if name == "rStyle":
                script = (value in self._styles.raised) - (value in self._styles.lowered)
                is_struck = value in self._styles.struck
            elif name == "vertAlign":
                script = _SCRIPTS.get(value, 0)
            elif name in ("strike", "dstrike"):
                is_struck = not is_off(mark)
        return Run("", script, is_struck)

    def _is_visible(self, run: etree._Element) -> bool:
        properties = run.find(f"{W}rPr")
        return properties is None or not any(map(self._hides, elements(properties)))

    def _hides(self, mark: etree._Element) -> bool:
        """Whether this property hides its run."""
        if mark.tag == f"{W}vanish":
            return not is_off(mark)
        value = mark.get(f"{W}val")
        if mark.tag == f"{W}rStyle":
            return value in self._styles.hidden
        return mark.tag == f"{W}sz" and whole_number(value, 99) <= _UNREADABLE_SIZE


def text_boxes(paragraph: etree._Element) -> Iterator[etree._Element]:
    """The text boxes anchored in a paragraph, outermost only."""
    if paragraph.find(f".//{TEXT_BOX}") is None:
        return
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag == TEXT_BOX:
            yield node
        elif node.tag not in LEFT_OUT:
            stack.extend(reversed(elements(node)))


def value_of(node: etree._Element, name: str) -> str | None:
    """The value of a property: `<w:name w:val="..."/>` below a node."""
    child = node.find(f"{W}{name}")
    return child.get(f"{W}val") if child is not None else None


def is_off(switch: etree._Element) -> bool:
    """Whether a property that is present is switched off."""
    return switch.get(f"{W}val") in ("0", "false", "off")


def _always(_run: etree._Element) -> bool:
    return True


def _runs(paragraph: etree._Element) -> Iterator[etree._Element]:
    stack = list(reversed(elements(paragraph)))
    while stack:
        node = stack.pop()
        if node.tag == _RUN:
            yield node
        elif node.tag not in LEFT_OUT and node.tag != TEXT_BOX:
            stack.extend(reversed(elements(node)))


_Piece: TypeAlias = tuple[str, etree._Element | None]
"""A text, or the run whose texts come next."""


def _pieces(root: etree._Element, is_visible: Callable[[etree._Element], bool]) -> Iterator[_Piece]:
    # A stack instead of recursion: a hostile file may be nested thousands of levels deep.
    stack = list(reversed(elements(root)))
    font = _font(root)
    while stack:
        node = stack.pop()
        tag = node.tag
        if tag == f"{W}t":
            yield in_symbol_font(node.text or "", font), None
        elif tag in _SIGNS:
            yield _SIGNS[tag], None
        elif tag == f"{M}oMath":
            yield "", node  # an equation has no style of a run
            yield linear(node), None
        elif tag == f"{W}sym":
            yield _symbol(node), None
        elif tag == f"{W}ffData":
            yield _field_value(node), None
        elif tag == f"{W}sdt" and shows_placeholder(node):
            continue
        elif tag not in LEFT_OUT and tag != TEXT_BOX and (tag != _RUN or is_visible(node)):
            if tag == _RUN:
                font = _font(node)
                yield "", node
            stack.extend(reversed(elements(node)))


def _font(run: etree._Element) -> str | None:
    fonts = run.find(f"{W}rPr/{W}rFonts")
    return None if fonts is None else fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi")


def _symbol(node: etree._Element) -> str:
    """A character of a symbol font."""
    try:
        return symbol(int(node.get(f"{W}char") or "", 16), node.get(f"{W}font"))
    except ValueError:
        return ""


def shows_placeholder(control: etree._Element) -> bool:
    """Whether a content control is not filled in: it shows what to enter there."""
    return control.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


def _field_value(data: etree._Element) -> str:
    """What an older form field shows where its file has no text for it: a box, or a choice."""
    box = data.find(f"{W}checkBox")
    if box is not None:
        mark = box.find(f"{W}checked")
        mark = box.find(f"{W}default") if mark is None else mark
        return "☐" if mark is None or is_off(mark) else "☒"
    choices = data.find(f"{W}ddList")
    if choices is None:
        return ""
    entries = [node.get(f"{W}val") or "" for node in choices.iterchildren(f"{W}listEntry")]
    chosen = value_of(choices, "result") or value_of(choices, "default")
    number = whole_number(chosen, 0)
    return entries[number] if number < len(entries) else ""
