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
_LONGEST_NAME_WORDS, _LONGEST_SMALL_WORD = 8, 3
_KINDS = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_CALLED = re.compile(r"\([^()\"“”„]{0,40}[\"“„]([^()\"“”„]{2,40})[\"“”][^()]{0,30}\)")
_BETWEEN = re.compile(r"\b(?:between|zwischen)[:\s]\s*|\)[,;]?\s+(?:and|und)\s+|;\s+")
_NUMBER = re.compile(r"\s*(?:and\s+|und\s+)?(?:\(?[0-9a-z]{1,3}[.)]\s+)?", re.I)
_END_OF_NAME = re.compile(r",\s|\s\(|\s[–—-]\s|\n|\s(?:of|with|whose|represented)\s")
_ARTICLE = re.compile(r"the\s+|der\s+|die\s+", re.I)


def parties(document: Document) -> Iterator[Table]:
    """The parties of a contract, if it begins with two or more."""
    rows = tuple(
        row
        for block in document.blocks[:_FIRST_BLOCKS]
        if block.kind in _KINDS and not block.cells
        for row in _rows(document.text, block)
    )
    if len(rows) >= _FEWEST:
        bare = Column((), "", "")
        yield Table(document, (bare, bare), rows, is_of_parties=True)


def _rows(text: str, block: Block) -> Iterator[Row]:
    begin = block.start
    for called in _CALLED.finditer(text, block.start, block.end):
        for between in _BETWEEN.finditer(text, begin, called.start()):
            begin = between.end()
        number = _NUMBER.match(text, begin, called.start())
        begin = number.end() if number else begin
        end = _END_OF_NAME.search(text, begin, called.start())
        name = text[begin : end.start() if end else called.start()].rstrip(" ,")
        article = _ARTICLE.match(text, called.start(1), called.end(1))
        label = article.end() if article else called.start(1), called.end(1)
        if _is_name(name) and as_words(text[slice(*label)]) not in words_of("contracts"):
            value = Cell(start=begin, end=begin + len(name))
            yield Row(begin, called.end(), (Cell(start=label[0], end=label[1]), value))
        begin = called.end() - 1


def _is_name(text: str) -> bool:
    words = text.split()
    if not 0 < len(words) <= _LONGEST_NAME_WORDS or words[0].casefold() in words_of("pointing"):
        return False
    return words[0][0].isupper() and not any(
        len(word) > _LONGEST_SMALL_WORD and word[0].islower() for word in words
    )
