"""Writes the equations of Word files on one line, so that `x²` does not read as `x2`."""

from __future__ import annotations

from lxml import etree

from pincite.ingest.package import elements

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
    """A part with more than one sign in brackets, where those are not there yet."""
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _fraction(node: etree._Element, depth: int) -> str:
    above, below = _part(node, "num", depth), _part(node, "den", depth)
    bar = node.find(f"{M}fPr/{M}type")
    if bar is not None and bar.get(f"{M}val") == "noBar":
        return f"{above} over {below}"  # a binomial is no fraction
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
