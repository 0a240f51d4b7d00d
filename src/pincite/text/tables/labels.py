"""Labels with their values, as tables of names and values without heads.

They stand side by side in forms, one below the other in front matter and the headers of messages, and
as terms with definitions in lists: `Version: 3.2`, `E5 – Filter blocked`. Such a table is looked up,
never counted or compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from pincite.records.document import Block, BlockKind, Cell, Document, Range
from pincite.records.formats import Markup, markup_of
from pincite.text.tables.phrases import Phrases, as_words, stems
from pincite.text.tables.reading import Reading
from pincite.text.tables.tables import Column, Row, Table, quantity
from pincite.text.tables.words import words_for_label, words_of

_FEWEST_FORM_LABELS = 3
_FEWEST = 2
"""A line with a colon alone may be any sentence, except on a title page."""
_TITLE_PAGE_BLOCKS = 12
_LONGEST_LABEL_CHARS, _LONGEST_LABEL_WORDS = 60, 6
_LONGEST_LONE_WORDS = 3
_LONGEST_BLOCK_CHARS = 600
_LONGEST_VALUE_WORDS = 12
_KINDS = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)
_LEAD = re.compile(r"[ \t]*(?:[-*+•‣▪◦][ \t]+|:)?+(?:\*\*|__|`)?+")
_BETWEEN = re.compile(r"(?:\*\*|__|`)?(?:::?(?:\*\*|__|`)?(?=\s)|[ \t][–—](?=\s))|(?:\*\*|__|`)?\n")
_GAP = re.compile(r"(?<=\S)(?: {2,}|\t[ \t]*)(?=\S)")
_BETWEEN_OR_GAP = re.compile(f"{_BETWEEN.pattern}|{_GAP.pattern}")
_NO_LABEL = re.compile(r"[.!?;|\[\]<>](?:\s|$)|[|\[\]<>]")
_MAIL = "message/"
_NO_VALUE_END = (".", "!", "?", ":")


def label_tables(document: Document) -> Iterator[Table]:
    """The tables of a document's labels, in order."""
    heads = {
        ranges
        for block in document.blocks
        for cell in block.cells
        for ranges in cell.column_headers
    }
    made = [(block, _rows(document, block, heads)) for block in document.blocks]
    place = 0
    for is_labelled, run in groupby(made, key=lambda one: bool(one[1])):
        blocks = list(run)
        place += len(blocks)
        if not is_labelled:
            continue
        for _, part in groupby(blocks, key=lambda one: (one[0].section, bool(one[0].cells))):
            some = list(part)
            rows = tuple(row for _, held in some for row in held)
            is_told = len(rows) >= _FEWEST or (
                place <= _TITLE_PAGE_BLOCKS and _is_short(document, rows)
            )
            if is_told and (_are_terms(document, some) or _are_labels(document, rows)):
                table = _table(document, rows, some[0][0].section)
                kept = rows if some[0][0].cells else _certain(table)
                if kept:
                    yield replace(table, rows=kept)
    yield from _below_headings(document)


def as_form(table: Table) -> Table:
    """The table without its heads if these only say that it has labels and values: Field, Entry.

    Or if they are a label and a value themselves, as where a sheet begins with "Name, Hanna Berg".
    """
    names = [as_words(column.name) for column in table.columns]
    if len(names[1:]) != 1 or table.key:
        return table
    label, value = names
    bare = Column((), "", "")
    form = replace(table, columns=(bare, bare), totals=(), notes=())
    rows = sorted((*table.rows, *table.totals, *table.notes), key=lambda row: row.start)
    labels = [as_words(text) for text in (label, *table.texts(0))]
    known = sum(text in words_of("form_labels") for text in labels)
    has_labels = label in words_of("form_labels") and known >= _FEWEST_FORM_LABELS
    if value in words_of("value_heads") and (has_labels or label in words_of("label_heads")):
        return replace(form, rows=tuple(rows))
    heads = [column.heads[-1] for column in table.columns if column.heads]
    if not has_labels or len(heads) != len(names):
        return table
    first = Row(heads[0][0], heads[1][1], tuple(Cell(start=a, end=b) for a, b in heads))
    return replace(form, rows=(first, *rows))


def _below_headings(document: Document) -> Iterator[Table]:
    """Headings of a title page that say something of the document, with the one value below them.

    Only such as `Author`: below any other heading may stand the first line of a list.
    """
    text, blocks = document.text, document.blocks[:_TITLE_PAGE_BLOCKS]
    for above, below, behind in zip(blocks, blocks[1:], (*blocks[2:], None), strict=False):
        label, value = text[above.start : above.end].strip(), text[below.start : below.end].strip()
        is_label = above.kind is BlockKind.HEADING and as_words(label) in words_of("of_documents")
        is_value = below.kind in _KINDS and not below.cells and _is_value(value)
        goes_on = behind is not None and (behind.kind, behind.section) == (
            below.kind,
            below.section,
        )
        if is_label and is_value and not goes_on and below.section == above.section:
            cells = Cell(start=above.start, end=above.end), Cell(start=below.start, end=below.end)
            yield _table(document, (Row(below.start, below.end, cells),), above.section[:-1])


def _table(document: Document, rows: tuple[Row, ...], section: tuple[str, ...]) -> Table:
    return Table(document, (Column((), "", ""), Column((), "", "")), rows, section=section)


def _rows(document: Document, block: Block, heads: set[Range]) -> tuple[Row, ...]:
    """The labels of a block with their values; none if it holds anything else."""
    if block.kind not in _KINDS:
        return ()
    if block.cells:
        is_pair = _is_pair(block) and _place(block.cells[1]) not in heads
        return (Row(block.start, block.end, block.cells),) if is_pair else ()
    if block.end - block.start > _LONGEST_BLOCK_CHARS:
        return ()
    text = document.text[block.start : block.end]
    # An item goes on below its label; the lines of a paragraph have a label each.
    is_item = block.kind is BlockKind.LIST_ITEM
    # The line ends of a web page are those that people see: a term, and its definition below it.
    may_break = is_item and markup_of(document.media_type) is Markup.HTML
    # In plain text, an item that is no sentence has its term in a column of its own.
    separator = _BETWEEN_OR_GAP if is_item and _has_columns(document, block) else _BETWEEN
    found: list[Row] = []
    start = block.start
    for line in [text] if is_item else text.splitlines(keepends=True):
        row = _parted(line, start, separator, may_break=may_break)
        if row is None:
            return ()
        found.append(row)
        start += len(line)
    return tuple(found)


def _has_columns(document: Document, block: Block) -> bool:
    is_plain = document.encoding is not None and markup_of(document.media_type) is Markup.NONE
    return is_plain and _GAP.search(document.text, block.start, block.end) is not None


def _parted(line: str, start: int, separator: re.Pattern[str], *, may_break: bool) -> Row | None:
    """A line as a label and its value; `start` is its place in the document."""
    lead = _LEAD.match(line)
    first = lead.end() if lead else 0
    between = separator.search(line, first, first + _LONGEST_LABEL_CHARS)
    if between is None or (between[0].endswith("\n") and not may_break):
        return None
    label, value = line[first : between.start()], line[between.end() :]
    if not label[:1].isalnum() or len(label.split()) > _LONGEST_LABEL_WORDS or not value.strip():
        return None
    if _NO_LABEL.search(label):
        return None
    begin = start + between.end() + len(value) - len(value.lstrip())
    end = start + len(line.rstrip())
    cells = (
        Cell(start=start + first, end=start + first + len(label)),
        Cell(start=begin, end=end),
    )
    return Row(start, end, cells)


def _is_pair(block: Block) -> bool:
    """Whether a row is two cells without heads, at most the first one of the second."""
    if len(block.cells) != _FEWEST:
        return False
    label, value = block.cells
    is_bare = not (label.column_headers or value.column_headers or label.row_headers)
    return is_bare and value.row_headers in ((), (_place(label),))


def _certain(table: Table) -> tuple[Row, ...]:
    """Of lines, those that give a value, or what a code means.

    "Depreciation: GnuCash can track it" in a list of features does not say what depreciation is.
    """
    return tuple(
        row
        for row in table.rows
        if any(map(str.isdigit, table.text(row, 0))) or _is_value(table.text(row, 1))
    )


def _is_value(text: str) -> bool:
    return len(text.split()) <= _LONGEST_VALUE_WORDS and not text.endswith(_NO_VALUE_END)


def _names_of(document: Document, rows: Sequence[Row]) -> list[str]:
    return [document.text[slice(*_place(row.cells[0]))].strip() for row in rows if row.cells[0]]


def _is_short(document: Document, rows: Sequence[Row]) -> bool:
    return all(len(name.split()) <= _LONGEST_LONE_WORDS for name in _names_of(document, rows))


def _are_labels(document: Document, rows: Sequence[Row]) -> bool:
    """Whether the first cells name the second ones: each another name, none a number."""
    names = _names_of(document, rows)
    return len(set(names)) == len(names) and not any(map(quantity, names))


def _are_terms(document: Document, held: Sequence[tuple[Block, tuple[Row, ...]]]) -> bool:
    """Whether they are items of a list, each a term apart from what it means: exit codes, say."""
    rows = [row for block, some in held for row in some if not block.cells]
    pairs = (row.cells[:2] for row in rows)
    between = (document.text[one.end : other.start] for one, other in pairs if one and other)
    names = _names_of(document, rows)
    return len(set(names)) == len(names) == len(held) and all(map(str.isspace, between))


def _place(cell: Cell) -> Range:
    return cell.start, cell.end


# What a question may call a label.


def label_forms(label: str, table: Table, language: str) -> frozenset[str]:
    """Other words by which a label is asked for: who *prepared*, for `Prepared by`.

    None that the document is called by: the invoice's `Invoice date` is not asked for by "invoice".
    """
    if not table.is_form:
        return frozenset()
    written = as_words(label)
    ends = [f" {end}" for end in words_of("label_ends") if written.endswith(f" {end}")]
    named = {written.removesuffix(end) for end in ends} - _names(table, language)
    if table.is_of_parties:
        named |= words_of("parties")
    # "Does she want the newsletter?" asks for `Wants the newsletter`.
    return words_for_label(written) | named | {" ".join(stems(label, language))}


def words_beside(table: Table, language: str) -> frozenset[str]:
    """What a question about a label may say besides: its document, and that it asks what it means."""
    if not table.is_form:
        return frozenset()
    is_mail = table.document.media_type.startswith(_MAIL)
    kinds = words_of("messages") if is_mail else words_of("documents") | words_of("products")
    kinds |= words_of("contracts") if table.is_of_parties else frozenset()
    names = _names(table, language) | _words_in(subjects(table), language)
    return kinds | words_of("of_labels") | names


def subjects(table: Table) -> tuple[str, ...]:
    """The names of whom a form is about; none for other tables."""
    about = words_of("of_subjects")
    rows = table.rows if table.is_form else ()
    return tuple(table.text(row, 1) for row in rows if as_words(table.text(row, 0)) in about)


def _names(table: Table, language: str) -> frozenset[str]:
    return _words_in((table.document.title, *table.section), language)


def _words_in(names: Iterable[str], language: str) -> frozenset[str]:
    return frozenset(
        stem for name in names for stem in (*stems(name, language), *as_words(name).split())
    )


def suited(question: str, language: str, reading: Reading) -> Reading | None:
    """The reading with the values of the kind that is asked for: who a name, when a date."""
    if reading.table.is_of_parties:
        return reading
    words = Phrases(question, language).words
    asking = next((word.folded for word in words if word.folded in words_of("of_cells")), "")
    rows = tuple(row for row in reading.rows if _is_of_kind(asking, reading.table.text(row, 1)))
    if not rows:
        return None
    left = {
        reading.table.text(row, one) for row in rows for one in range(len(reading.table.columns))
    }
    conditions = tuple(
        replace(one, values=tuple(text for text in one.values if text in left))
        for one in reading.conditions
    )
    return replace(reading, rows=rows, conditions=conditions)


def _is_of_kind(asking: str, value: str) -> bool:
    digits, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    if asking in words_of("when"):
        return digits > 0
    if asking in words_of("who"):
        return _is_value(value) and letters > digits and any(map(str.isupper, value))
    return True
