"""Saves an answer as a page that shows the quotes in context and checks itself offline."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html import HtmlElement
from lxml.html import builder as element

from pincite.errors import ReadError, ReceiptError
from pincite.records.document import Document
from pincite.records.flow import Answer
from pincite.stages import Sources
from pincite.verify.receipts.cited_files import CitedFiles, read_otherwise, readings_of
from pincite.verify.receipts.rechecking import Finding
from pincite.verify.receipts.signing import DIGEST, SIGNATURE, canonical, signer

# The text around each quote, saved with an answer for readers who do not have the file.

CONTEXT_CHARS = 300
"""Characters saved before a quote, and as many after it."""
CONTEXTS = "contexts"


def context_forms(answer: Answer, sources: Sources) -> list[dict[str, str | None]]:
    """For each citation in order, the text before and after it, and the codec of its file."""
    return [
        _context(sources.document(citation.document), citation.start, citation.end)
        for citation in answer.citations
    ]


def _context(document: Document, start: int, end: int) -> dict[str, str | None]:
    return {
        "before": document.text[max(0, start - CONTEXT_CHARS) : start],
        "after": document.text[end : end + CONTEXT_CHARS],
        "encoding": document.encoding,
    }


def context_findings(
    form: Mapping[str, Any], here: Sequence[Mapping[str, Any]], files: CitedFiles
) -> Iterator[Finding]:
    """Saved contexts that differ from the files. Changed files are reported elsewhere.

    `here` are the citations as their files are read here.
    """
    contexts, readings = form[CONTEXTS], readings_of(form)
    if not isinstance(contexts, list) or len(contexts) != len(here):
        yield Finding(text="it does not have one context for each quote")
        return
    for number, (context, citation) in enumerate(zip(contexts, here, strict=True), start=1):
        try:
            found = files.document(str(citation["source"]), str(citation["sha256"]))
        except ReadError:
            continue
        start, end = citation["start_char_index"], citation["end_char_index"]
        is_place = isinstance(start, int) and isinstance(end, int)
        if not is_place or found.sha256 != citation["sha256"]:
            continue
        expected = _context(found, start, end)
        if context in (expected, _of_an_older_version(expected)):
            continue
        text = f"the text shown around quote [{number}] is not that of the file"
        version = read_otherwise(found, readings)
        if version is None:
            yield Finding(text=text)
        else:
            versions = f"reading version {version} before, {found.reading} here"
            yield Finding(text=f"{text} as it is read here ({versions})", is_fault=False)


def _of_an_older_version(context: Mapping[str, Any]) -> dict[str, Any]:
    """Receipts of older versions have no encoding."""
    return {name: value for name, value in context.items() if name != "encoding"}


# The page itself.

_DATA = re.compile(
    rb'<script id="receipt" type="application/octet-stream">([A-Za-z0-9+/=]*)</script>'
)
_SIGNED = re.compile(rb'<script id="signature" type="application/json">([^<]*)</script>')
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LINE_END = re.compile("\r\n?")


def receipt_page(form: Mapping[str, Any]) -> bytes:
    """The page of a sealed form with contexts. The same form gives the same bytes.

    All text is escaped by the element tree, and the policy allows only the one script to run.
    """
    style, script = _part("receipt.css"), _part("receipt.js")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_hash(script)}'; "
        f"style-src 'sha256-{_hash(style)}'; base-uri 'none'; form-action 'none'"
    )
    head = element.HEAD(
        element.META(charset="utf-8"),
        element.META({"http-equiv": "Content-Security-Policy", "content": policy}),
        element.META(name="viewport", content="width=device-width, initial-scale=1"),
        element.META(name="referrer", content="no-referrer"),
        element.TITLE(f"{_safe(str(form['question']))[:200]} - Pincite"),
        element.STYLE(style),
    )
    data = base64.b64encode(canonical(form)).decode()
    body = element.BODY(
        *_body(form),
        element.SCRIPT(data, id="receipt", type="application/octet-stream"),
        *_signature(form),
        element.SCRIPT(script),
    )
    tree = element.HTML(head, body, lang="en")
    text = html.tostring(tree, doctype="<!doctype html>", encoding="unicode")
    return f"{text}\n".encode()


def form_of_page(content: bytes, path: Path) -> Any:
    """The form in a page. Raises ReceiptError if there is none."""
    found = _DATA.search(content)
    if found is None:
        raise ReceiptError(f"{path}: is not a page that 'pincite ask --save' wrote")
    try:
        data = base64.b64decode(found[1], validate=True)
        form = json.loads(data)
        signed = _SIGNED.search(content)
        signature = {SIGNATURE: json.loads(signed[1])} if signed else {}
        return {**form, DIGEST: f"sha256:{hashlib.sha256(data).hexdigest()}", **signature}
    except (ValueError, TypeError, RecursionError) as error:
        raise ReceiptError(f"{path}: the data in the page cannot be read ({error})") from error


def page_problems(form: Mapping[str, Any], content: bytes) -> Iterator[str]:
    """Checks that a page shows exactly its form, and runs only our script."""
    try:
        is_same = receipt_page(form) == content
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        is_same = False
    if not is_same:
        yield ("the page does not show what is saved in it, or another version of Pincite wrote it")


def _body(form: Mapping[str, Any]) -> Iterator[HtmlElement]:
    yield element.H1(_shown(form, "question"), dir="auto")
    yield element.P("Not checked yet: this needs JavaScript.", id="state", role="status")
    yield element.DIV(
        {"class": "answer"},
        *(
            element.P(_shown(form, "text"), dir="auto")
            if form["text"]
            else element.P("No answer."),
        ),
    )
    for number in range(len(form["reasons"])):
        yield element.P({"class": "reason", "dir": "auto"}, _shown(form, "reasons", number))
    if form["citations"]:
        yield element.H2("Quotes in their files")
    for number, citation in enumerate(form["citations"]):
        yield _quote(form, number, citation)
    if form["citations"]:
        yield from _chooser()
    yield element.H2("About this answer")
    yield _about(form)
    yield element.P(
        "The digest shows changes, unless whoever made them also computed it again. Only a signature "
        "proves who wrote this: pincite verify PAGE --public-key KEY.",
        {"class": "small"},
    )


def _chooser() -> Iterator[HtmlElement]:
    yield element.H2("Check the files")
    label = "Choose the cited files. Only this page reads them; nothing is uploaded."
    yield element.LABEL(label, {"class": "small", "for": "chooser"})
    yield element.INPUT(id="chooser", type="file", multiple="multiple")
    yield element.DIV({"id": "files", "aria-live": "polite"})


def _quote(form: Mapping[str, Any], number: int, citation: Mapping[str, Any]) -> HtmlElement:
    place = ("citations", number)
    lines: list[tuple[str, tuple[str | int, ...]]] = [("File", (*place, "source"))]
    lines += [("Page", (*place, "page"))] if citation["page"] is not None else []
    lines += [("Place", (*place, "place"))] if citation.get("place") else []
    lines += [("Section", (*place, "section"))] if citation["section"] else []
    above = range(len(citation.get("announced_by", ())))
    lines += [("Below", (*place, "announced_by", one, "cited_text")) for one in above]
    lines += [("Characters from", (*place, "start_char_index"))]
    lines += [("to", (*place, "end_char_index")), ("SHA-256", (*place, "sha256"))]
    context = (CONTEXTS, number)
    return element.DIV(
        {"class": "quote", "id": f"quote-{number + 1}"},
        element.STRONG(f"[{number + 1}]"),
        element.P(
            {"class": "context", "dir": "auto"},
            _shown(form, *context, "before"),
            element.MARK(_shown(form, *place, "cited_text")),
            _shown(form, *context, "after"),
        ),
        _list(form, lines),
    )


def _about(form: Mapping[str, Any]) -> HtmlElement:
    names = (
        "status",
        "mode",
        "confidence",
        "calibration",
        "model",
        "judged_by",
        "corpus_version",
        "settings_digest",
    )
    made = _list(form, [(name.replace("_", " "), (name,)) for name in names if name in form])
    made.append(element.DT("digest"))
    made.append(element.DD(str(form[DIGEST]), id="digest"))
    if SIGNATURE in form:
        made.append(element.DT("signed by key"))
        made.append(element.DD(signer(form)))
    return made


def _list(form: Mapping[str, Any], lines: Sequence[tuple[str, tuple[Any, ...]]]) -> HtmlElement:
    parts = []
    for name, path in lines:
        parts += [element.DT(name), element.DD(_shown(form, *path), dir="auto")]
    return element.DL(*parts)


def _shown(form: Mapping[str, Any], *path: str | int) -> HtmlElement:
    """A value of the form and its path there, so that the page can check itself."""
    value: Any = form
    for name in path:
        value = value[name]
    text = _safe(str(value))
    # The script skips values that HTML cannot contain, or that it writes differently from Python.
    is_same = text == _LINE_END.sub("\n", str(value)) and not isinstance(value, float)
    attributes = {"data-shows": "/".join(map(str, path))} if is_same else {}
    return element.SPAN(text, attributes)


def _signature(form: Mapping[str, Any]) -> Iterator[HtmlElement]:
    if SIGNATURE in form:
        text = json.dumps(form[SIGNATURE], sort_keys=True).replace("<", "\\u003c")
        yield element.SCRIPT(text, id="signature", type="application/json")


def _safe(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", _LINE_END.sub("\n", text))


def _part(name: str) -> str:
    return files("pincite.verify.receipts").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
