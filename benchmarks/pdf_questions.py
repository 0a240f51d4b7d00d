"""Evaluates questions about real PDF files, from the file to the cited page.

    python benchmarks/pdf_questions.py

Ingests the PDF files of the set `pdfqa-open` unchanged and asks its questions. Prints how often a
gold page is the page of the first passage, and of one of the first five and ten; how often a citation
is on a gold page; and how many answerable and unanswerable questions are answered.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import mean

from open_sets import SHARED, load

from pincite import Library

DEPTHS = (1, 5, 10)


def main() -> None:
    """Ingest, ask, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="print a line for every question")
    chosen = parser.parse_args()
    data = load("pdfqa-open")
    with tempfile.TemporaryDirectory() as home, Library.open(Path(home) / "library") as library:
        report = library.ingest([SHARED / "documents" / "pdfqa-open"])
        names = {d: Path(p).name for p, d in library.catalog.paths("default").items()}
        found: dict[int, list[bool]] = {depth: [] for depth in DEPTHS}
        cited, answered, wrongly = [], [], []
        for question in data.questions:
            gold = set(question.relevant)
            answer = library.ask(question.text)
            if not gold:
                wrongly.append(answer.status == "answered")
                continue
            hits = library.search(question.text, limit=max(DEPTHS)).hits
            pages = [f"{names[h.passage.span.document_id]}#p{h.passage.page}" for h in hits]
            for depth in DEPTHS:
                found[depth].append(bool(gold & set(pages[:depth])))
            answered.append(answer.status == "answered")
            on = {f"{Path(c.source).name}#p{c.page}" for c in answer.citations}
            cited.append(bool(gold & on))
            if chosen.show:
                print(f"{found[1][-1]:d}{found[5][-1]:d}{cited[-1]:d}  {question.text[:90]}")
    print(f"{report.documents} files, {report.pages} pages, {report.passages} passages")
    for depth in DEPTHS:
        print(f"gold page among the first {depth:>2}: {mean(found[depth]):.3f}")
    print(f"a citation on a gold page:   {mean(cited):.3f}")
    print(f"answerable answered:         {mean(answered):.3f}")
    print(f"unanswerable answered:       {mean(wrongly):.3f}")


if __name__ == "__main__":
    main()
