"""An answer as Markdown for chat programs, with a link to the checked source after each statement.

Text of documents is escaped: it creates no links, images or headings and loads nothing. The input is
the JSON form of an answer, so that a saved answer looks like a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from pincite.records.document import BlockKind
from pincite.records.flow import DOUBT
from pincite.records.formats import media_type_of
from pincite.report.markdown import escaped, without_list_start
from pincite.text.as_read import as_read
from pincite.text.locations import on_one_line, page_and_section

Form = Mapping[str, Any]

_MENTIONS_SHOWN = 20
_NO_ANSWER = "No answer in these documents."


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """The link after a statement, at `text[start:end]` of the message; `number` is the citation's."""

    number: int
    start: int
    end: int
    url: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedText:
    """A message as consecutive `pieces`, and its markers, with positions in the whole message."""

    pieces: tuple[str, ...]
    markers: tuple[Marker, ...]

    def up_to(self, end: int) -> LinkedText:
        """The first `end` characters, with the markers that are whole in them."""
        starts = accumulate(map(len, self.pieces[:-1]), initial=0)
        placed = zip(self.pieces, starts, strict=True) if self.pieces else ()
        pieces = (piece[: max(0, end - start)] for piece, start in placed)
        return LinkedText(
            pieces=tuple(filter(None, pieces)),
            markers=tuple(marker for marker in self.markers if marker.end <= end),
        )

    @property
    def text(self) -> str:
        """The whole message."""
        return "".join(self.pieces)


def linked_text(answer: Form, url_of: Callable[[int], str], *, read_as: str = "") -> LinkedText:
    """The answer's statements, or that there is no answer and why.

    `url_of` gives a citation's URL by its number; `read_as` is how a follow-up was read, if that
    differs from what was written.
    """
    pieces: list[str] = []
    markers: list[Marker] = []
    length = 0
    for block in _blocks(answer, read_as):
        piece = "\n\n" if pieces else ""
        for part in block:
            if isinstance(part, str):
                piece += part
                continue
            citation = answer["citations"][part - 1]
            url, title = url_of(part), _title(citation)
            quoted_title = escaped(title).replace('"', "&quot;")
            link = f'[{part}]({url} "{quoted_title}")'
            start = length + len(piece)
            end = start + len(link)
            markers.append(Marker(number=part, start=start, end=end, url=url, title=title))
            piece += link
        pieces.append(piece)
        length += len(piece)
    return LinkedText(pieces=tuple(pieces), markers=tuple(markers))


_Block = Sequence[str | int]
"""Text, and the numbers of citations at the positions of their links."""


def _blocks(answer: Form, read_as: str) -> Iterator[_Block]:
    if read_as:
        yield [f"*Read as: {escaped(on_one_line(read_as))}*"]
    if "survey" in answer:
        yield from _count(answer)
    elif not answer["citations"]:
        yield [f"**{_NO_ANSWER}**"]
    elif answer["mode"] == "generated":
        yield [*_prose(answer)]
    else:
        yield from _quotes(answer)
    if reasons := answer["reasons"]:
        yield ["\n".join(f"- *{escaped(on_one_line(reason))}*" for reason in reasons)]


def _prose(answer: Form) -> Iterator[str | int]:
    """A model's statements as one paragraph."""
    for place, claim in enumerate(answer["claims"]):
        text = escaped(on_one_line(claim["text"]))
        yield f"{' ' if place else ''}{text if place else without_list_start(text)}"
        yield from _marks(claim["citations"])


def _quotes(answer: Form) -> Iterator[_Block]:
    """The quotes, grouped by part if the question has several."""
    shown = [claim for claim in answer["claims"] if not claim.get("further")]
    for number, part in enumerate(answer.get("parts", ())):
        yield [f"**{escaped(on_one_line(part))}**"]
        mine = [claim for claim in shown if claim.get("parts", [])[:1] == [number]]
        again = [claim for claim in shown if number in claim.get("parts", [])[1:]]
        for claim in mine:
            yield from _quote(claim, answer)
        if again:
            yield ["see", *_marks(sorted({n for claim in again for n in claim["citations"]}))]
        elif not mine:
            yield ["no answer found"]
    if answer.get("doubtful"):
        yield [f"*{DOUBT}*"]
    if answer.get("short_answer"):
        yield [f"**{_line(answer['short_answer'])}**"]
    own = (claim for claim in shown if not claim.get("parts"))
    for heads, claims in groupby(own, lambda claim: _heads(claim, answer)):
        if heads:
            yield [*_table(heads, claims, answer)]
            continue
        for claim in claims:
            yield from _quote(claim, answer)


def _heads(claim: Form, answer: Form) -> tuple[str, ...]:
    """The heads of a quote's columns, if it is one row and nothing else; empty above its name."""
    kinds = [piece["kind"] for piece in claim.get("pieces", ())]
    citation = answer["citations"][claim["citations"][0] - 1]
    cells = citation.get("cells", ())
    is_more = claim.get("left_out") or citation.get("announced_by")
    if kinds != [BlockKind.TABLE_ROW] or is_more or not all(cell["columns"] for cell in cells):
        return ()
    said = "".join(_cells(citation)) if cells else ""
    if sum(map(str.isalnum, said)) != sum(map(str.isalnum, claim["text"])):
        return ()
    heads = [_labels(cell["columns"], citation) for cell in cells]
    return (*[""] * (len(_cells(citation)) - len(heads)), *heads)


def _cells(citation: Form) -> tuple[str, ...]:
    """The row's cells, below what names it if that is not one of them."""
    own = {cell["start_char_index"] for cell in citation["cells"]}
    rows = {row["start_char_index"]: row for cell in citation["cells"] for row in cell["rows"]}
    start, end = citation["start_char_index"], citation["end_char_index"]
    names = [
        row for place, row in sorted(rows.items()) if start <= place < end and place not in own
    ]
    name = [_labels(names, citation)] if names else []
    return (*name, *(_labels([cell], citation) for cell in citation["cells"]))


def _labels(labels: Sequence[Form], citation: Form) -> str:
    media_type = media_type_of(citation["source"])
    texts = (on_one_line(as_read(label["cited_text"], media_type)) for label in labels)
    return " > ".join(escaped(text) for text in texts)


def _table(heads: Sequence[str], claims: Iterable[Form], answer: Form) -> Iterator[str | int]:
    """Rows below their heads, each with its links in the last column."""
    yield f"| {' | '.join(heads)} | |\n{'|---' * (len(heads) + 1)}|"
    for claim in claims:
        citation = answer["citations"][claim["citations"][0] - 1]
        yield f"\n| {' | '.join(_cells(citation))} |"
        yield from _marks(claim["citations"])
        yield " |"


def _quote(claim: Form, answer: Form) -> Iterator[_Block]:
    citation = answer["citations"][claim["citations"][0] - 1]
    media_type = media_type_of(citation["source"])
    for label in citation.get("announced_by", ()):
        yield [f"*{escaped(on_one_line(as_read(label['text'], media_type)))}*"]
    text = claim["text"]
    pieces = claim.get("pieces") or [{"start": 0, "end": len(text), "kind": None}]
    shown = [
        block
        for piece in pieces
        if (block := _shown(text[piece["start"] : piece["end"]], media_type, piece["kind"]))
    ]
    if claim.get("left_out"):
        shown.append(f"*... {escaped(claim['left_out'])}*")
    yield from ([block] for block in shown[:-1])
    last = shown[-1] if shown else ""
    ends_code = last.endswith("`")
    yield [f"{last}\n\n" if ends_code else last, *_marks(claim["citations"], first=not ends_code)]


def _shown(quote: str, media_type: str, kind: str | None) -> str:
    """A block of a quote in readable form, with its line breaks kept."""
    text = as_read(quote, media_type, kind)
    if kind == BlockKind.CODE:
        return _fenced(text)
    paragraphs = [part for part in text.split("\n\n") if part.strip()]
    return "\n\n".join("\\\n".join(map(_line, part.split("\n"))) for part in paragraphs)


def _line(text: str) -> str:
    return without_list_start(escaped(on_one_line(text)))


def _fenced(code: str) -> str:
    """Code between fences longer than any in it."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}\n{code}\n{fence}"


def _count(answer: Form) -> Iterator[_Block]:
    """The count and the first quotes; the JSON form has all of them."""
    yield [_line(answer["text"])]
    for number, citation in enumerate(answer["citations"][:_MENTIONS_SHOWN], start=1):
        media_type = media_type_of(citation["source"])
        quote = on_one_line(as_read(citation["cited_text"], media_type))
        yield [without_list_start(escaped(quote)), *_marks([number])]
    if (more := len(answer["citations"]) - _MENTIONS_SHOWN) > 0:
        yield [f"*{more} more {'quote' if more == 1 else 'quotes'}*"]


def _marks(numbers: Sequence[int], *, first: bool = True) -> Iterator[str | int]:
    for place, number in enumerate(numbers):
        if place or first:
            yield " "
        yield number


def _title(citation: Form) -> str:
    """The location of a quote: file name, place, page and section."""
    place = citation.get("place", "")
    section = "" if place.startswith(citation["section"]) else citation["section"]
    where = page_and_section(citation["page"], section)
    return "; ".join(part for part in (Path(citation["source"]).name, place, where) if part)
