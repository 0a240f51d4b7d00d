"""Does a saved count say what its files say? Counts again in the files that it cites.

Which files were looked at and hold nothing, the files cannot tell: only the library could.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pincite.document import Document
from pincite.errors import ReadError
from pincite.scans import Closeness
from pincite.text.mentions import Mentions
from pincite.verify.cited_files import CitedFiles


def recount_problems(receipt: Mapping[str, Any], files: CitedFiles) -> Iterator[str]:
    """What in the rows of a count is not so in their files. Changed files are told elsewhere."""
    survey, citations = receipt["survey"], receipt["citations"]
    first = 0
    for number, row in enumerate(survey["rows"], start=1):
        cited = citations[first : first + row["citations"]]
        first += row["citations"]
        for problem in _row_problems(survey, row, cited, files):
            yield f"row {number}: {problem}"


def _row_problems(
    survey: Mapping[str, Any],
    row: Mapping[str, Any],
    cited: Sequence[Mapping[str, Any]],
    files: CitedFiles,
) -> Iterator[str]:
    if {citation["source"] for citation in cited} - set(row["paths"]):
        yield "its quotes are of another file than it names"
        return
    places = [(citation["start_char_index"], citation["end_char_index"]) for citation in cited]
    if not all(type(place) is int for pair in places for place in pair):
        return  # That is told of the citation.
    for (_, end), (start, _) in pairwise(places):
        if start < end:
            yield f"its quotes are not one after the other: characters from {start} count twice"
            return
    try:
        document = files.document(str(cited[0]["source"]), str(cited[0]["sha256"]))
    except (ReadError, IndexError):
        return
    if document.sha256 != cited[0]["sha256"]:
        return
    for start, end in places:
        if _cuts_a_word(document.text, start) or _cuts_a_word(document.text, end):
            yield f"characters {start}-{end} begin or end inside of a word"
    if not survey.get("sections"):
        counter = Mentions(survey["subject"], Closeness(survey["closeness"]), row["language"])
        yield from _overlooked(document, counter, places, files)


def _cuts_a_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _overlooked(
    document: Document,
    counter: Mentions,
    places: Sequence[tuple[int, int]],
    files: CitedFiles,
) -> Iterator[str]:
    """Mentions of the file in sentences and headings of which no part is quoted."""
    counted, total = sorted(places), 0
    for start, end in files.units(document):
        if any(first < end and start < last for first, last in counted):
            continue
        total += len(counter.found(document.text[start:end]))
    if total:
        yield f"its file holds {total} more mentions than were counted"
