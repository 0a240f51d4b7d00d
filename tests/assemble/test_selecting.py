"""What stands around the choice of evidence stands there in an order, and for a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pincite.assemble.selecting import quoting_selector
from pincite.document import Block, BlockKind, Document, Span, document_id
from pincite.evidence.lists import ListsSelector
from pincite.evidence.newer import NewerSelector
from pincite.evidence.select import MmrSelector
from pincite.records import Hit, Passage, Question
from pincite.settings import Settings
from pincite.stages import Selector
from pincite.testing.fakes import MemorySources

ORDER = [
    "SupportingSelector",
    "MarginsSelector",
    "ReleasesSelector",
    "RepliesSelector",
    "NumberedPartsSelector",
    "DefinedTermsSelector",
    "RangedRowsSelector",
    "AskedRowsSelector",
    "ListsSelector",
    "NewerSelector",
    "MmrSelector",
]

BEFORE = [
    ("Supporting", "Lists", "a list supports its sentence already"),
    ("Margins", "Releases", "a line at the edge of a page is of no version"),
    ("Margins", "AskedRows", "no row is compared with a line at the edge of a page"),
    ("Releases", "Mmr", "passages of other versions are no candidates"),
    ("NumberedParts", "DefinedTerms", "a clause that is asked for is quoted whole"),
    ("NumberedParts", "AskedRows", "what is lifted last comes first: the row that is asked for"),
    ("DefinedTerms", "AskedRows", "what is lifted last comes first: the row that is asked for"),
    ("RangedRows", "AskedRows", "no row is compared with one for another value"),
    ("Lists", "Newer", "the list is that of the newer version"),
]


def chain(selector: Selector) -> Iterator[str]:
    """The names of what stands around the choice, and of the choice."""
    inside: Selector | None = selector
    while inside is not None:
        yield type(inside).__name__
        inside = getattr(inside, "_selector", None)


def test_hits_pass_them_in_this_order() -> None:
    assert list(chain(quoting_selector(Settings(), MemorySources([])))) == ORDER


@pytest.mark.parametrize(("first", "then", "why"), BEFORE)
def test_each_stands_before_what_needs_its_work(first: str, then: str, why: str) -> None:
    names = [*chain(quoting_selector(Settings(), MemorySources([])))]
    assert names.index(f"{first}Selector") < names.index(f"{then}Selector"), why


GUIDE = "To clean the filter:\nSwitch the pump off.\n{step}\n"


def guide(step: str) -> Document:
    text = GUIDE.format(step=step)
    ends = [place for place, sign in enumerate(text) if sign == "\n"]
    starts = [0, *(end + 1 for end in ends)]
    kinds = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.LIST_ITEM)
    name, digest = document_id(text.encode())
    return Document(
        id=name,
        sha256=digest,
        title="Guide",
        media_type="",
        text=text,
        blocks=tuple(
            Block(start=start, end=end, kind=kind)
            for start, end, kind in zip(starts, ends, kinds, strict=False)
        ),
    )


def hit_of(document: Document, *scores: float) -> Hit:
    sentences = tuple(
        Span(document_id=document.id, start=block.start, end=block.end) for block in document.blocks
    )
    span = Span(document_id=document.id, start=0, end=sentences[-1].end)
    passage = Passage(id=document.id, span=span, section=(), page=None, sentences=sentences)
    return Hit(passage=passage, score=0.9, scores={}, sentence_scores=scores)


def quotes(selector: Selector, question: str, hits: Sequence[Hit]) -> list[str]:
    return [item.quote for item in selector.select(Question(text=question), hits).evidence]


def test_behind_a_newer_version_stands_the_list_of_the_newer_version() -> None:
    old, new = guide("Open the lid."), guide("Push the lever.")
    sources = MemorySources([old, new], {old.id: "guide v1.md", new.id: "guide v2.md"})
    hits = [hit_of(old, 0.9, 0.2, 0.2), hit_of(new, 0.8, 0.2, 0.2)]
    best = MmrSelector(sources, **Settings().evidence.model_dump(exclude={"parts"}))
    asked = "How is the filter cleaned?"
    newer = ["To clean the filter:", "Switch the pump off.", "Push the lever."]
    assert quotes(quoting_selector(Settings(), sources), asked, hits) == newer
    swapped = NewerSelector(ListsSelector(best, sources), sources)
    assert "Open the lid." in quotes(swapped, asked, hits), "the other order has the old list"
