"""Checks a saved answer about what changed against both files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pincite.errors import ReadError
from pincite.records.comparisons import Comparison
from pincite.records.document import Document
from pincite.verify.comparing.changes import compare, told
from pincite.verify.receipts.cited_files import CitedFiles

COMPARED = "compared"
"""The field of a saved answer that says which files were compared."""


def compared_problems(receipt: Mapping[str, Any], files: CitedFiles) -> Iterator[str]:
    """What a saved answer tells about the differences between both files and is not so."""
    form = receipt[COMPARED]
    documents = []
    for side in form["sides"]:
        document, fault = side_as_compared(side, files)
        if document is None:
            yield fault
        else:
            documents.append(document)
    if len(documents) != 2:
        return
    here = compare(*documents)
    if (form["changes"], form["unchanged"]) != (len(here.changes), here.unchanged):
        yield (
            f"{len(here.changes)} statements differ and {here.unchanged} are the same, not "
            f"{form['changes']} and {form['unchanged']}"
        )
    yield from _quote_problems(receipt, here)


def _quote_problems(receipt: Mapping[str, Any], here: Comparison) -> Iterator[str]:
    differing = {
        (side.sha256, quoted.start, quoted.end)
        for change in here.changes
        for side, quoted in zip(here.sides, (change.before, change.after), strict=True)
        if quoted is not None
    }
    for number, cited in enumerate(receipt["citations"], start=1):
        if _place(cited) not in differing:
            yield f"quote [{number}] is no difference between both files"
    titles = {told(change) for change in here.changes}
    yield from (
        f"'{part}' is no difference between both files"
        for part in receipt.get("parts", ())
        if part not in titles
    )


def _place(cited: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return cited["sha256"], cited["start_char_index"], cited["end_char_index"]


def side_as_compared(side: Mapping[str, Any], files: CitedFiles) -> tuple[Document | None, str]:
    """The file of a side as it is read here, or why it is not what was compared."""
    try:
        found = files.document(str(side["source"]), str(side["sha256"]))
    except ReadError as error:
        return None, str(error)
    if found.sha256 != side["sha256"]:
        return None, "the file has changed since it was compared"
    if found.reading != side["reading"]:
        return None, (
            f"another version reads it otherwise (reading {side['reading']}, here {found.reading}): "
            "compare again"
        )
    return found, ""
