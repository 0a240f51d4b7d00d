"""The parties that a contract names before a bracket: `Hill Ltd, a company of Leeds (the "Supplier")`.

As a table of names and values they are looked up by what the contract calls them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.records.document import Block, BlockKind, Cell, Document
from pincite.text.tables.phrases import as_words
from pincite.text.tables.tables import Column, Row, Table
from pincite.text.tables.words import words_of

_FIRST_BLOCKS = 40
"""Parties are named where a contract begins."""
_FEWEST = 2
_LONGEST_BEFORE_CHARS = 40
_LONGEST_NAME_WORDS, _LONGEST_SMALL_WORD = 8, 3
_KINDS = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_CALLED = re.compile(r"\([^()\"“”„]{0,40}[\"“„]([^()\"“”„]{2,40})[\"“”][^()]{0,30}\)")
_BETWEEN = re.compile(r"\b(?:between|zwischen)[:\s]\s*|\)[,;]?\s+(?:and|und)\s+|;\s+")
_BEFORE = re.compile(r"\b(?:between|zwischen|and|und)\W{0,3}$", re.I)
_NUMBER = re.compile(r"\s*(?:and\s+|und\s+)?\(?(?:\d{1,2}[.)]|[a-z]\)|[ivx]{1,4}\))\s+", re.I)
_END_OF_NAME = re.compile(r",\s|\s\(|\s[–—-]\s|\n|\sof\s(?=\d)|\s(?:whose|represented)\s")
_ARTICLE = re.compile(r"the\s+|der\s+|die\s+", re.I)


def parties(document: Document) -> Iterator[Table]:
    """The parties of a contract, if it begins with two or more: behind "between", or numbered."""
    rows: list[Row] = []
    before = ""
    for block in document.blocks[:_FIRST_BLOCKS]:
        if block.kind in _KINDS and not block.cells:
            rows += _rows(document.text, block, before)
        before = document.text[max(block.start, block.end - _LONGEST_BEFORE_CHARS) : block.end]
    if len(rows) >= _FEWEST:
        bare = Column((), "", "")
        yield Table(document, (bare, bare), tuple(rows), is_of_parties=True)


def _rows(text: str, block: Block, before: str) -> Iterator[Row]:
    """The parties of a block; `before` is the end of the one above it."""
    begin, is_led = block.start, _BEFORE.search(before) is not None
    for called in _CALLED.finditer(text, block.start, block.end):
        for between in _BETWEEN.finditer(text, begin, called.start()):
            begin, is_led = between.end(), True
        number = _NUMBER.match(text, begin, called.start())
        if number is not None:
            begin, is_led = number.end(), True
        end = _END_OF_NAME.search(text, begin, called.start())
        name = text[begin : end.start() if end else called.start()].rstrip(" ,*_")
        start = begin + len(name) - len(name.lstrip("*_"))
        name = name.lstrip("*_")
        article = _ARTICLE.match(text, called.start(1), called.end(1))
        label = article.end() if article else called.start(1), called.end(1)
        is_contract = as_words(text[slice(*label)]) in words_of("contracts")
        if is_led and _is_name(name) and not is_contract:
            value = Cell(start=start, end=start + len(name))
            yield Row(begin, called.end(), (Cell(start=label[0], end=label[1]), value))
        begin, is_led = called.end() - 1, False


def _is_name(text: str) -> bool:
    words = text.split()
    if not 0 < len(words) <= _LONGEST_NAME_WORDS or words[0].casefold() in words_of("pointing"):
        return False
    return words[0][0].isupper() and not any(
        len(word) > _LONGEST_SMALL_WORD and word[0].islower() for word in words
    )
