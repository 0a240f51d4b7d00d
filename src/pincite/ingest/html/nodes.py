"""Helpers for elements of a web page: their children, and their text as a browser shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pincite.errors import ReadError
from pincite.text.inline_marks import INLINE_NAMES
from pincite.text.marks import Run, struck, written

_MATH = frozenset(
    "math semantics mrow mstyle mi mn mo mtext ms msup msub msubsup mfrac msqrt mroot mover "
    "munder munderover mfenced mpadded mphantom".split()
)
INLINE = INLINE_NAMES | _MATH | {"-text"}
# Ruby annotations (furigana) are not part of the sentence.
_UNREAD = frozenset(("rt", "rp", "-comment"))
# Signs of a link that only gives the address of the place where it stands, as generators put them
# behind headings. A footnote's sign is text.
_PERMALINKS = frozenset(("¶", "#", "§", "🔗", "\uf0c1"))
DEEPEST = 10_000
"""Levels of nesting; browsers give up at about 500."""

# Before parsing, tags in scripts, comments and attributes count too, and there may be many.
_MOST_OPEN = 5 * DEEPEST
# At each of these tags the parser searches all open elements: 200,000 of them would take minutes.
_SEARCHING = re.compile(
    r"<(/?)(address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption"
    r"|figure|footer|form|header|hgroup|listing|main|menu|nav|ol|pre|search|section|summary|ul)\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"[ \t\r\n\f]+")


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The child nodes of an element, including text and comments."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def is_unread(node: LexborNode) -> bool:
    """Whether an element is no part of the text: a comment, a ruby annotation, a permalink."""
    if node.tag in _UNREAD:
        return True
    if node.tag != "a" or not (node.attributes.get("href") or "").startswith("#"):
        return False
    return (node.text() or "").strip() in _PERMALINKS


def parse_page(page: str) -> LexborHTMLParser:
    """Parse a page. Raises ReadError if its elements are nested too deep, also before parsing."""
    open_tags: Counter[str] = Counter()
    depth = 0
    for match in _SEARCHING.finditer(page):
        name = match[2].lower()
        if not match[1]:
            open_tags[name] += 1
            depth += 1
        elif open_tags[name]:
            open_tags[name] -= 1
            depth -= 1
        _refuse(depth, most=_MOST_OPEN)
    tree = LexborHTMLParser(page)
    _refuse_deep(tree.body)
    _keep_marks(tree)
    return tree


_SCRIPTS = "sup, sub, [style*=vertical-align]"
_STRUCK = "del, s, strike, [style*=line-through]"
_MATH_SCRIPTS = {"msup": (1,), "msub": (-1,), "msubsup": (-1, 1)}
_STYLE_OF_SCRIPT = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)


def _keep_marks(tree: LexborHTMLParser) -> None:
    """Write raised, lowered and struck-out text with its marks, which plain text would lose."""
    for node in tree.css("annotation, annotation-xml"):
        node.decompose()  # MathML repeats its formula as source code
    for node in tree.css("msup, msub, msubsup"):
        parts = [child for child in children(node) if (child.tag or "-")[0] != "-"]
        for part, script in zip(parts[1:], _MATH_SCRIPTS[node.tag or ""], strict=False):
            _rewrite(part, Run("".join(part.text(deep=True).split()), script))
    for node in tree.css("mfrac"):
        parts = [child for child in children(node) if (child.tag or "-")[0] != "-"]
        if len(parts) == 2:
            parts[1].insert_before("/")
    for node in tree.css(_SCRIPTS):
        script = _script_of(node)
        if script and node.css_first("p, div, li, td") is None:
            _rewrite(node, Run(node.text(deep=True), script))
    _strike_out(tree)


def _strike_out(tree: LexborHTMLParser) -> None:
    """Mark struck-out texts, each once, however deep the elements that strike it out are nested."""
    striking = {node.mem_id for node in tree.css(_STRUCK)}
    stack = [(tree.body, False)] if striking and tree.body is not None else []
    found: list[LexborNode] = []
    while stack:
        node, is_struck = stack.pop()
        is_struck = is_struck or node.mem_id in striking
        if node.tag == "-text" and is_struck and (node.text_content or "").strip():
            found.append(node)
        stack.extend((child, is_struck) for child in children(node))
    for text in found:
        text.replace_with(struck(text.text_content or ""))


def _script_of(node: LexborNode) -> int:
    """1 for raised text, -1 for lowered text."""
    if node.tag in ("sup", "sub"):
        return 1 if node.tag == "sup" else -1
    found = _STYLE_OF_SCRIPT.search(node.attributes.get("style") or "")
    return 0 if found is None else 1 if found[1].lower() == "super" else -1


def _rewrite(node: LexborNode, run: Run) -> None:
    """Replace the only text of an element; several texts, such as those of a link in it, are kept."""
    last = _text_before(node)[-1:]
    shown = written([Run(last), run])[len(last) :]
    if shown != run.text:
        for text in list(_texts(node))[1:]:
            text.decompose()
        first = next(_texts(node), None)
        if first is not None:
            first.replace_with(shown)


def _text_before(node: LexborNode) -> str:
    """The text of the node before, to which this one is attached."""
    before = node.prev
    if before is None:
        return ""
    return (before.text_content if before.tag == "-text" else before.text(deep=True)) or ""


def _texts(node: LexborNode) -> Iterator[LexborNode]:
    """The texts below an element that are not blank."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.tag == "-text":
            if (current.text_content or "").strip():
                yield current
        else:
            stack.extend(reversed(list(children(current))))


def _refuse_deep(root: LexborNode | None) -> None:
    stack = [(root, 0)] if root is not None else []
    while stack:
        node, depth = stack.pop()
        _refuse(depth, most=DEEPEST)
        stack.extend((child, depth + 1) for child in children(node))


def _refuse(depth: int, *, most: int) -> None:
    if depth > most:
        raise ReadError(
            f"its elements are nested more than {DEEPEST:,} deep, which no real page needs; "
            "save its text in another format"
        )


def plain(node: LexborNode) -> str:
    """The text of an element on one line, with spaces between blocks."""
    pieces: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.tag == "-text":
            pieces.append(current.text_content or "")
        elif not is_unread(current):
            if current.tag not in INLINE:
                pieces.append(" ")
            stack.extend(reversed(list(children(current))))
    return " ".join(collapse("".join(pieces)).split())


def collapse(text: str) -> str:
    """Text as a browser shows it: one space for each run of white space, a newline for `<br>`."""
    lines = (_SPACES.sub(" ", line).strip(" ") for line in text.split("\x00"))
    return "\n".join(line for line in lines if line.strip())
