"""`python -m training.documents FOLDER...`: questions made from the structure of real documentation.

The package reads the files and cuts the passages, as it does for a library; the structure says what
answers: the steps below a heading that names a task, the text below a heading that is a question, the
definition of a term or an option, the row of a table. Sentences of a few forms answer what they turn
into: "To export a page, choose File" says how to export a page. For each there is a passage of the same
document that does not answer it, the likest by words. English only. Needs the package, not PyTorch.

`training/model_card.md` names the packages of documentation and their licences.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from random import Random

from pincite.assemble.files import chunker
from pincite.errors import PinciteError
from pincite.ingest.readers import FileReader
from pincite.records.document import Block, BlockKind, Document, Range
from pincite.records.flow import Passage
from pincite.settings.groups import ChunkingSettings
from pincite.text.languages import sure_language
from pincite.text.terms import terms
from training.rows import Row, row_of, write_rows

OF_A_DOCUMENT = 16
OF_A_FOLDER = 6_000
SUFFIXES = (".html", ".htm", ".md")

_NUMBER = re.compile(r"^\s*(?:chapter\s+)?(?:[\dA-Z]{1,3}\.)+(?:\d+\.?)*\s+", re.IGNORECASE)
_GERUND = re.compile(r"^(?P<verb>[A-Z][a-z]{2,}ing)\s+(?P<rest>\S.*)$")
_ABOUT = ("Understanding", "During", "Nothing", "Something", "Everything", "Existing", "Missing")
_NO_NAME = re.compile(
    r"\W*\.\. |[^A-Za-z]*$|Copyright|Note\b|Tip\b|Warning\b|See also", re.IGNORECASE
)
_LONGEST_HEADING, _LONGEST_TERM, _LONGEST_HEAD = 80, 60, 40
_TASKS = (
    "How do I {}?",
    "How can I {}?",
    "How to {}",
    "How do you {}?",
    "What are the steps to {}?",
)
_TERMS = (
    "What is {}?",
    "What does {} do?",
    "What does {} mean?",
    "What is {} for?",
    "{}",
    "Explain {}",
    "What is the purpose of {}?",
)
_ROWS = ("What is the {head} of {key}?", "What does {key} mean?", "{key} {head}", "What is {key}?")

_HOW = ("How do I {}?", "How can I {}?", "How do you {}?", "What do I do to {}?", "how to {}")
_IF = ("What happens if {}?", "What should I do if {}?", "What if {}?")
_SENTENCES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"To (?P<it>[a-z]{2,}\b[^,.;:()]{8,70}), "), _HOW),
    (re.compile(r"If you (?:want|need|wish|would like) to (?P<it>[a-z][^,.;:()]{8,70}), "), _HOW),
    (re.compile(r"If (?P<it>(?:you|the|your|a|an|no|it|there)\b[^,.;:()]{8,70}), "), _IF),
    (
        re.compile(r"You can (?P<it>[a-z][^,.;:()]{8,60}?) (?:by|using|with|from|in|via) "),
        ("How can I {}?", "Can I {}?", "How do I {}?", "Is it possible to {}?"),
    ),
    (
        re.compile(
            r"(?P<it>(?:The|A|An) (?:[\w-]+ ){1,4}?[\w-]+) (?:is|are) (?:an?|the|\d|called|used|how)\b"
        ),
        ("What is {}?", "Tell me about {}", "Which is {}?"),
    ),
    (
        re.compile(
            r"(?!It|They|This|There|We|Note|That|Otherwise|To|If|Which)"
            r"(?P<who>(?:The|A|An|Your|All|Every|These|This)? ?(?:[\w-]+ ){0,3}?[\w-]+) "
            r"(?P<may>must|may|can|should|cannot)(?: not)? (?P<it>[a-z][^,.;:()]{8,70})[.,;]"
        ),
        ("{may} {who} {}?",),
    ),
    (
        re.compile(r"(?P<it>[A-Z][\w ,'-]{12,80}) because "),
        ("Why is it that {}?", "What is the reason that {}?"),
    ),
)
_OWN = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself"}
_LANGUAGE_CHARS = 4_000
_OF_SENTENCES = 8
"""Of a document."""
_DROPPED = 0.25
"""Share of the questions from which a word is left out: people seldom write what a document does."""
_LEAST_WORDS_LEFT = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the ranges of its document that answer it."""

    question: str
    answers: tuple[Range, ...]


def questions_of(document: Document, verbs: Counter[str], random: Random) -> Iterator[Asked]:
    """What the structure of a document answers."""
    for section, group in groupby(document.blocks, lambda block: block.section):
        blocks = [block for block in group if block.kind is not BlockKind.HEADING]
        if not section or not blocks:
            continue
        heading = _NUMBER.sub("", section[-1]).strip().replace("\xa0", " ").rstrip("\u00b6 ")
        if asked := _of_heading(heading, blocks, verbs, random):
            yield asked
    for block in document.blocks:
        text = document.text[block.start : block.end]
        if block.kind in {BlockKind.LIST_ITEM, BlockKind.PARAGRAPH}:
            term, line, meaning = text.partition("\n")
            is_name = len(term) <= _LONGEST_TERM and not _NO_NAME.match(term)
            if line and is_name and len(meaning.split()) >= 4:
                name = term.strip().rstrip(":")
                start = block.start + len(term) + 1
                yield Asked(random.choice(_TERMS).format(name), ((start, block.end),))
        elif block.kind is BlockKind.TABLE_ROW and len(block.cells) >= 2:
            yield from _of_row(document, block, random)


def questions_of_sentences(
    document: Document, passages: Sequence[Passage], random: Random
) -> Iterator[Asked]:
    """What single sentences of running text answer."""
    for passage in passages:
        for span in passage.sentences:
            text = " ".join(document.text[span.start : span.end].split())
            for pattern, forms in _SENTENCES:
                if found := pattern.match(text):
                    yield Asked(_worded(found, forms, random), ((span.start, span.end),))
                    break


def _worded(found: re.Match[str], forms: Sequence[str], random: Random) -> str:
    """A question in the words of a person who asks for themselves."""
    named = {name: _own(text) for name, text in found.groupdict().items() if text}
    may = {"cannot": "can"}.get(named.get("may", ""), named.get("may", ""))
    form = random.choice(forms)
    asked = form.format(named["it"], may=may.capitalize(), who=named.get("who", ""))
    words = asked.split()
    if random.random() < _DROPPED and len(words) > _LEAST_WORDS_LEFT + 3:
        del words[random.randrange(_LEAST_WORDS_LEFT, len(words) - 1)]
    return " ".join(words)


def _own(text: str) -> str:
    words = [_OWN.get(word.casefold(), word) for word in text.split()]
    first = words[0]
    words[0] = first if first == "I" or first[1:].casefold() != first[1:] else first.casefold()
    return " ".join(words).replace("I are", "I am")


def _of_heading(
    heading: str, blocks: Sequence[Block], verbs: Counter[str], random: Random
) -> Asked | None:
    if len(heading) > _LONGEST_HEADING:
        return None
    items = [block for block in blocks if block.kind is BlockKind.LIST_ITEM]
    answers = tuple((block.start, block.end) for block in (items or blocks[:3]))
    if heading.endswith("?"):
        return Asked(heading, tuple((block.start, block.end) for block in blocks[:3]))
    task = _GERUND.match(heading)
    if task and task["verb"] not in _ABOUT and (len(items) >= 2 or len(blocks) <= 3):
        verb = infinitive(task["verb"].casefold(), verbs)
        rest = task["rest"][:1].casefold() + task["rest"][1:]
        if verb:
            return Asked(random.choice(_TASKS).format(f"{verb} {rest}"), answers)
    return None


def infinitive(gerund: str, words: Counter[str]) -> str:
    """The form without -ing that is the most frequent among `words`; empty if none occurs."""
    stem = gerund.removesuffix("ing")
    forms = [stem, f"{stem}e"]
    if len(stem) > 2 and stem[-1] == stem[-2]:
        forms.append(stem[:-1])
    best = max(forms, key=lambda form: words[form])
    return best if words[best] else ""


def _of_row(document: Document, row: Block, random: Random) -> Iterator[Asked]:
    key = document.text[row.cells[0].start : row.cells[0].end].strip()
    cell = random.choice(row.cells[1:])
    value = document.text[cell.start : cell.end].strip()
    heads = [document.text[start:end].strip() for start, end in cell.column_headers]
    is_name = 0 < len(key) <= _LONGEST_TERM and not _NO_NAME.match(key)
    if not is_name or not value or not heads or len(heads[-1]) > _LONGEST_HEAD:
        return
    form = random.choice(_ROWS)
    yield Asked(form.format(key=key, head=heads[-1].casefold()), ((row.start, row.end),))


def rows_from(
    name: str, document: Document, passages: Sequence[Passage], asked: Sequence[Asked]
) -> Iterator[Row]:
    """For each question the first passage that holds an answer, and the likest that holds none."""
    words = [set(terms(_text(document, passage), "en")) for passage in passages]
    for number, one in enumerate(asked):
        holding = [
            any(_overlap((p.span.start, p.span.end), answer) for answer in one.answers)
            for p in passages
        ]
        if not any(holding):
            continue
        own = passages[holding.index(True)]
        yield _row(f"documents/{name}/{number}", one, document, own)
        wanted = set(terms(one.question, "en"))
        others = [n for n, holds in enumerate(holding) if not holds and words[n]]
        if others:
            likest = max(others, key=lambda n: (len(wanted & words[n]), -n))
            yield _row(f"documents/{name}/{number}/none", one, document, passages[likest])


def _text(document: Document, passage: Passage) -> str:
    return document.text[passage.span.start : passage.span.end]


def _row(name: str, asked: Asked, document: Document, passage: Passage) -> Row:
    shift, length = passage.span.start, passage.span.end - passage.span.start
    inside = [
        (max(0, start - shift), min(length, end - shift))
        for start, end in asked.answers
        if start - shift < length and end > shift
    ]
    row = row_of(name, asked.question, passage.context, _text(document, passage), inside)
    return {**row, "units": [(s.start - shift, s.end - shift) for s in passage.sentences]}


def _overlap(one: Range, other: Range) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _read(path: Path) -> tuple[Document, tuple[Passage, ...]] | None:
    try:
        document = FileReader(max_file_bytes=2_000_000).read(path)
    except PinciteError:
        return None
    passages = chunker(ChunkingSettings()).chunk(document)
    return (document, passages) if sure_language(document.text[:_LANGUAGE_CHARS]) == "en" else None


def folder_rows(folder: Path) -> list[Row]:
    """The rows of one folder of documentation, up to `OF_A_FOLDER`."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    # Started anew: a copy of this process may hold a lock of a thread that it has not.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        read = list(pool.map(_read, paths, chunksize=8))
    found = [(path, one) for path, one in zip(paths, read, strict=True) if one]
    verbs = Counter(word for _, (document, _) in found for word in document.text.casefold().split())
    rows: list[Row] = []
    for path, (document, passages) in found:
        random = Random(f"{path.name} {document.id}")
        asked = list(questions_of(document, verbs, random))
        some = random.sample(asked, min(OF_A_DOCUMENT, len(asked)))
        said = list(questions_of_sentences(document, passages, random))
        some += random.sample(said, min(_OF_SENTENCES, len(said)))
        rows += rows_from(f"{folder.name}/{path.stem}", document, passages, some)
    pairs = [rows[first : first + 2] for first in range(0, len(rows), 2)]
    Random(folder.name).shuffle(pairs)
    return [row for pair in pairs for row in pair][:OF_A_FOLDER]


def main() -> None:
    """Write `documents.jsonl`."""
    parser = argparse.ArgumentParser(prog="python -m training.documents", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="each one package of documentation")
    parser.add_argument("--output", type=Path, default=Path("build/mined"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [row for folder in options.folders for row in folder_rows(folder)]
    write_rows(options.output / "documents.jsonl", rows)


if __name__ == "__main__":
    main()
