"""Measures how much of the known text of real files our readers find, and in what order.

    PYTHONPATH=src python benchmarks/recovery.py [DOCUMENTS]

DOCUMENTS is the folder with MANIFEST.tsv (default: documents/ in the folder PINCITE_SHARED names).
Every file with ground truth in open/ground_truth is read. Recall and precision count all occurrences
of words, weighted by their letters; order is the longest common subsequence of the words found, as a
share of them. Pages without text (scans) count as they are. For eu-005 the cells of its tables are
compared with cells marked by people: a cell counts as found when the same text is one cell. Ground
truth from other projects (all but eu-005 and the articles) has errors of its own.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import etree
from rapidfuzz.distance import LCSseq
from selectolax.lexbor import LexborHTMLParser

from pincite.ingest.readers import FileReader
from pincite.records.document import Document

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
_CELL_TRUTH = "eu-005"
# Signs that Markdown puts around text, and comments in it.
_MARKDOWN = re.compile(r"<!--.*?-->|^#{1,6} |^```\w*|\|[ :|-]*-[ :|-]*\||[*_`|\\]", re.M | re.S)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*(?:\s\"[^\"]*\")?\)")
# A word, or a single sign of scripts that are written without spaces.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


def truths(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file that has a truth, with the text it must hold."""
    for truth in sorted((folder / "ground_truth").iterdir()):
        if truth.suffix == ".md":
            name = truth.stem if Path(truth.stem).suffix else f"{truth.stem}.pdf"
            yield folder / name, from_markdown(truth.read_text(encoding="utf-8"))
        elif truth.suffix == ".html":
            name = truth.name.replace(".expected", "")
            text = LexborHTMLParser(truth.read_bytes()).body
            yield folder / name, text.text(separator=" ") if text else ""
    articles = json.loads((folder / "ground_truth/articles.json").read_text(encoding="utf-8"))
    for name, body in sorted(articles.items()):
        yield folder / name, body


def from_markdown(text: str) -> str:
    """The words of a Markdown text, without its signs."""
    return html.unescape(_MARKDOWN.sub(" ", _LINK.sub(r"\1", text)))


def words_of(text: str) -> list[str]:
    """Comparable words: compatibility forms and case folded, words cut at line ends put together."""
    joined = re.sub(r"(?<=\w)-\n(?=[a-z])", "", unicodedata.normalize("NFKC", text))
    return _WORD.findall(joined.casefold())


def compare(found: list[str], expected: list[str]) -> tuple[float, float, float]:
    """Recall and precision by letters, and the share of common words that are in order."""
    here, there = Counter(found), Counter(expected)
    common = here & there
    letters = _letters(common)
    in_order = LCSseq.similarity(found, expected) / max(1, common.total())
    return letters / max(1, _letters(there)), letters / max(1, _letters(here)), in_order


def _letters(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items())


def compare_cells(document: Document, truth: Path) -> tuple[float, float]:
    """Recall and precision of the texts of cells."""
    marked = Counter(_bare(cell.findtext("content") or "") for cell in _marked_cells(truth))
    found = Counter(
        _bare(document.text[cell.start : cell.end])
        for block in document.blocks
        for cell in block.cells
    )
    common = (found & marked).total()
    return common / max(1, marked.total()), common / max(1, found.total())


def _marked_cells(truth: Path) -> Iterator[etree._Element]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    yield from etree.parse(truth, parser).iter("cell")


def _bare(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def main() -> None:
    """Print one line for each file, and the mean of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", nargs="?", type=Path, default=SHARED / "documents")
    folder = parser.parse_args().documents / "open"
    rows = []
    print(f"{'file':<44} {'recall':>7} {'precis.':>7} {'order':>7}")
    for file, expected in truths(folder):
        document = FileReader().read(file)
        rows.append(compare(words_of(document.text), words_of(expected)))
        print(f"{file.name:<44} " + " ".join(f"{value:7.4f}" for value in rows[-1]))
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    print(f"{'mean of ' + str(len(rows)):<44} " + " ".join(f"{value:7.4f}" for value in means))
    document = FileReader().read(folder / f"{_CELL_TRUTH}.pdf")
    recall, precision = compare_cells(document, folder / f"ground_truth/{_CELL_TRUTH}-str.xml")
    print(f"\ncells of {_CELL_TRUTH}.pdf: recall {recall:.4f}, precision {precision:.4f}")


if __name__ == "__main__":
    main()
