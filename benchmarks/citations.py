"""Asks many questions about real documents and checks every citation against the files.

    python benchmarks/citations.py --questions 500

The library contains the real documents of the shared folder. Questions: those of the set pdfqa-open,
then random sentences of the library. Every answer is turned into a receipt and checked as
`pincite verify` does; then one character of a cited text file is changed, 100 times, and each change
must be detected.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from open_sets import SHARED, WORK, load

from pincite import Library
from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.verify.receipts.receipt import answer_form, check_receipt

FOLDERS = ("open", "pdfqa-open", "bulk-18f-handbook")
EDITS = 100


class CachingReader:
    """Reads each file once, since many answers cite the same."""

    def __init__(self) -> None:
        self.read = cache(self._read)

    def _read(self, path: Path) -> Document:
        return FileReader().read(path)


def questions(opened: Library, most: int, chance: random.Random) -> list[str]:
    """Questions people asked about some of the files, then sentences of the library itself."""
    asked = [question.text for question in load("pdfqa-open").questions][:most]
    keys = opened.catalog.passage_keys()
    while len(asked) < most:
        (passage,) = opened.catalog.passages([chance.choice(keys)]).values()
        asked.append(opened.catalog.text_of(chance.choice(passage.sentences))[:300])
    return [text for text in asked if text.strip()]


def edited_is_caught(form: dict[str, Any], chance: random.Random) -> bool:
    """Whether a one-character edit of the first cited text file makes the receipt fail."""
    receipt = json.loads(json.dumps(form))
    citation = next(c for c in receipt["citations"] if c["start_byte"] is not None)
    content = bytearray(Path(citation["source"]).read_bytes())
    place = chance.randrange(len(content))
    content[place] = (content[place] + chance.randrange(1, 256)) % 256
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / Path(citation["source"]).name
        copy.write_bytes(bytes(content))
        receipt["citations"] = [
            c for c in receipt["citations"] if c["source"] == citation["source"]
        ]
        return any(
            check.problems
            for check in check_receipt(receipt, FileReader(), root=Path(folder)).citations
        )


def main() -> None:
    """Print counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=500)
    most = parser.parse_args().questions
    chance = random.Random(20261121)
    with Library.open(WORK / "libraries" / "documents") as opened:
        report = opened.ingest([SHARED / "documents" / name for name in FOLDERS])
        print(
            f"{report.documents} files, {report.passages} passages, {len(report.failed)} failed, "
            f"{report.seconds:.1f} s"
        )
        forms = [answer_form(opened.ask(text)) for text in questions(opened, most, chance)]
    reader = CachingReader()
    checks = [check_receipt(form, reader) for form in forms]
    citations = [citation for check in checks for citation in check.citations]
    good = sum(not citation.problems for citation in citations)
    print(f"{len(forms)} answers, {sum(form['status'] == 'answered' for form in forms)} answered")
    print(
        f"{good} of {len(citations)} citations hold; {sum(c.holds for c in checks)} receipts hold"
    )
    for citation in citations:
        if citation.problems:
            print(f"  {citation.source}: {citation.problems}")
    textual = [f for f in forms if any(c["start_byte"] is not None for c in f["citations"])]
    caught = sum(edited_is_caught(chance.choice(textual), chance) for _ in range(EDITS))
    print(f"{caught} of {EDITS} one-character edits caught")


if __name__ == "__main__":
    main()
