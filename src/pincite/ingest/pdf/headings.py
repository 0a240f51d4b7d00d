"""Detects headings on a PDF page: by size, weight, capitals, numbers and bookmarks."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.ingest.pdf.words import Item, Row, Segment, Table

# Reads the bookmarks of a PDF, which give its headings and their nesting.

_MOST_BOOKMARKS = 5000
_DEEPEST = 6
_SIGNS = re.compile(r"[\W_]+")

Bookmarks = dict[int, dict[str, int]]
"""For each page number, the levels (from 1) of the titles on that page, keyed by `letters_of`."""


def read_bookmarks(pdf: pypdfium2.PdfDocument) -> Bookmarks:
    """The bookmarks that point to a page; of a broken tree, as many as PDFium can follow."""
    found: Bookmarks = {}
    for bookmark in islice(pdf.get_toc(max_depth=_DEEPEST), _MOST_BOOKMARKS):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        letters = letters_of(_title(bookmark))
        if page is not None and letters:
            found.setdefault(page + 1, {}).setdefault(letters, bookmark.level + 1)
    return found


def _title(bookmark: pypdfium2.PdfBookmark) -> str:
    """Its title; pypdfium2 itself fails on titles with a lone surrogate."""
    length = pdfium.FPDFBookmark_GetTitle(bookmark.raw, None, 0)
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFBookmark_GetTitle(bookmark.raw, buffer, length)
    return buffer.raw[: max(length - 2, 0)].decode("utf-16-le", "replace")


def letters_of(title: str) -> str:
    """A normal form of a heading: its letters, equal for different spellings of the same title."""
    return _SIGNS.sub("", title).casefold()


_NUMBERED_HEADING = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])")
ENDS_SENTENCE = re.compile(r"[.!?:;。！？؟…][\"'”’)\]]*$")
_LONGEST_HEADING_CHARS = 120
_LONGEST_CAPITAL_HEADING_CHARS = 80
_LARGER = 1.13
LARGEST_LEVEL = 10
LEAST_LARGER_LEVEL = 30
_RUNNING_PAGES = 3
_LEAST_LINES_OF_PROSE = 3
_LEAST_CHARS_OF_PROSE = 40
_LEAST_SHARE_OF_PROSE = 0.15
_LEAST_WORDS_OF_PROSE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyStyle:
    """The look of most of a document's text; headings stand out from it.

    `running` has the lines repeated at the top or bottom of pages, without numbers; `prose` has the
    common sizes of paragraph text, for documents that are mostly small print.
    """

    size: float
    bold: bool
    running: frozenset[str]
    prose: frozenset[float]


def body_style(pages: Iterable[Sequence[Item]]) -> BodyStyle:
    """The style of most characters, learnt from a sample of a document's pages."""
    sizes: Counter[float] = Counter()
    prose: Counter[float] = Counter()
    edges: Counter[str] = Counter()
    bold = 0
    for items in pages:
        rows = [item for item in items if not isinstance(item, Table)]
        edges.update(
            {
                _without_numbers("\t".join(segment.text for segment in row))
                for row in (*rows[:3], *rows[-3:])
            }
        )
        for lines in _paragraphs(rows):
            prose[_rounded(lines[0].size)] += sum(len(line.text) for line in lines)
        for segment in (segment for row in rows for segment in row):
            sizes[_rounded(segment.size)] += len(segment.text)
            bold += len(segment.text) * (1 if segment.bold else -1)
    return BodyStyle(
        size=sizes.most_common(1)[0][0] if sizes else 12.0,
        # Some fonts claim to be bold without being so; then weight is no evidence.
        bold=bold > 0,
        running=frozenset(text for text, count in edges.items() if count >= _RUNNING_PAGES),
        prose=frozenset(
            size for size, chars in prose.items() if chars >= _LEAST_SHARE_OF_PROSE * prose.total()
        ),
    )


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _paragraphs(rows: Sequence[Row]) -> Iterator[list[Segment]]:
    """The runs of long, closely spaced lines of one size."""
    run: list[Segment] = []
    for row in rows:
        line = row[0]
        if run and (len(row) > 1 or not _is_next_line(run[-1], line)):
            if _is_prose(run):
                yield run
            run = []
        if len(row) == 1:
            run.append(line)
    if _is_prose(run):
        yield run


def _is_prose(lines: Sequence[Segment]) -> bool:
    chars = sum(len(line.text) for line in lines)
    return len(lines) >= _LEAST_LINES_OF_PROSE and chars >= _LEAST_CHARS_OF_PROSE * len(lines)


def _is_next_line(above: Segment, line: Segment) -> bool:
    near = 0 < line.y0 - above.y0 < 1.6 * above.size and line.x0 < above.x1
    return near and abs(line.size - above.size) < 0.5


def runs_into(group: Sequence[Row], line: Segment) -> bool:
    """Whether a line finishes the sentence above, whose last line had no room for its first word."""
    last = group[-1][-1]
    if ENDS_SENTENCE.search(last.text) or len(last.words) < _LEAST_WORDS_OF_PROSE:
        return False
    # The text of a list item starts after its marker.
    aligned = any(abs(line.x0 - word.x0) <= 1.0 for word in last.words[:2])
    if not aligned or not _is_next_line(last, line) or line.bold != last.bold:
        return False
    right = max(line.x1, *(row[-1].x1 for row in group))
    word = line.words[0]
    return last.x1 + (word.x1 - word.x0) > right


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "", text).strip()


def heading_level(
    line: Segment, following: Sequence[Row], body: BodyStyle, titles: Mapping[str, int]
) -> int:
    """A heading's level, from 1 (highest); 0 for other lines.

    A line that a bookmark points to (`titles`) has the bookmark's level. Other levels start at 10 and
    depend first on size, in steps of 10. Among lines in body size, capitals rank above bold, and
    numbered lines rank below, by the depth of their number.
    """
    text = line.text
    level = titles.get(letters_of(text), 0) if titles else 0
    if level:
        return level
    if not _may_be_heading(text) or _continues_below(line, following, body):
        return 0
    if _without_numbers(text) in body.running:
        return 0
    numbered = _NUMBERED_HEADING.match(text)
    depth = numbered[1].count(".") + 1 if numbered else 0
    prose = _rounded(line.size) in body.prose and not _is_above_longer_text(line, following)
    if line.size >= _LARGER * body.size and not prose:
        step = 1 if line.size >= 1.7 * body.size else 2 if line.size >= 1.35 * body.size else 3
        return 10 * step + depth
    return 0 if ENDS_SENTENCE.search(text) else _level_in_body_size(line, following, body, numbered)


def _may_be_heading(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    if letters < 3 or letters < 0.4 * len(text) or len(text) > _LONGEST_HEADING_CHARS:
        return False
    # "(in thousands, except percentages)" is a remark on a table.
    aside = text[0] == "(" and text[-1] == ")" and text.count("(") == 1
    return not aside and (text[0].isalnum() or text[0] in "\"'“‘«([¿¡§")


def _level_in_body_size(
    line: Segment, following: Sequence[Row], body: BodyStyle, numbered: re.Match[str] | None
) -> int:
    text = line.text
    depth = numbered[1].count(".") + 1 if numbered else 0
    is_short = len(text) <= _LONGEST_CAPITAL_HEADING_CHARS
    if is_short and _is_capitals([sign for sign in text if sign.isalpha()]):
        return 40 + depth
    if numbered and depth > 1 and is_short and text[numbered.end()].isupper():
        return 43 + depth
    if line.bold and not body.bold and not text[0].islower():
        return 43 + depth
    return 46 if is_short and _is_italic_title(line, following) else 0


def _is_italic_title(line: Segment, following: Sequence[Row]) -> bool:
    """Whether an italic line is alone above a new sentence in upright type."""
    if not line.italic or not line.text[0].isupper() or not following:
        return False
    below = following[0][0]
    return not below.italic and below.text[:1].isupper() and 0 < below.y0 - line.y0 < 3 * line.size


def _is_above_longer_text(line: Segment, following: Sequence[Row]) -> bool:
    """Whether a line is short, without a full stop, and above longer text."""
    text = line.text
    if not following or ENDS_SENTENCE.search(text) or len(text) > _LONGEST_CAPITAL_HEADING_CHARS:
        return False
    below = following[0]
    word = below[0].words[0]
    has_room = line.x1 + word.x1 - word.x0 + line.size < below[-1].x1
    return has_room and not text[0].islower() and not below[0].text[0].islower()


def _is_capitals(letters: Sequence[str]) -> bool:
    return len(letters) >= 4 and sum(sign.isupper() for sign in letters) >= 0.85 * len(letters)


def _continues_below(line: Segment, following: Sequence[Row], body: BodyStyle) -> bool:
    """Whether a line continues below as prose, so that it is not a title."""
    if line.text.endswith("-"):
        return line.size < 1.35 * body.size
    if not following or line.size >= 1.35 * body.size:
        return False
    below = following[0][0]
    near = 0 < below.y0 - line.y0 < 2 * line.size and abs(below.size - line.size) < 0.2 * line.size
    return near and below.text[:1].islower() and (len(line.text) > 60 or not line.bold)


def is_numbered(line: Segment) -> bool:
    """Whether a line starts with a section number."""
    return _NUMBERED_HEADING.match(line.text) is not None
