"""Measures whether the verifier catches wrong numbers and accepts right ones.

    python benchmarks/changed_numbers.py --seeds 1 2 3

Claims are made from the questions and gold answers of tatqa-open (annual reports: tables with prose).
Each report is read as an HTML page, so that rows are quoted with their headers as in a library. A
claim cites the rows and paragraphs with the numbers of its gold answer (or the operands, if the
answer was computed), and the paragraph with the scale of the table, if there is one. Then one thing
is changed in each claim: a digit, the unit, the scale, the sign, or the period.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from open_sets import SHARED

from pincite.ingest.readers import FileReader
from pincite.records.document import Block, BlockKind, Document
from pincite.records.flow import Citation
from pincite.verify.numbers.figures import check_figures
from pincite.verify.receipts.receipt import located

_YEAR = re.compile(r"(?<![\d,.])(?:19|20)\d\d(?!\d|[,.]\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_REMARK = re.compile(
    r"\bin (?:\w+ )?(?:thousands?|millions?|billions?)|"
    r"(?:[$€£]|USD|RMB)\s?['’]?(?:000|m\b|bn\b|million)",
    re.IGNORECASE,
)
_SIGNLESS = re.compile(
    r"decreas|loss|declin|expens|cost|paid|payment|charge|reduc|difference|deduct|outflow|allowance|"
    r"impairment|dividend|purchase|dispos|benefit|tax|liabilit|amorti|depreciation|written|drop|used|"
    r"forfeit|exercis|granted|vested|lapsed|cancel|obligation",
    re.IGNORECASE,
)
_WORDED = re.compile(r"\b(?:two|three|four|five|six|one year|third|fourth)\b")
_DATA_CELL = re.compile(r"[$€£¥(−-]*\s?[$€£¥(−-]*\s?\d[\d,.]*\s?[)%]*|[-—–]")
_YEARS_CELL = re.compile(r"(?:19|20)\d\d(?:\s?[-–/]\s?\d{2,4})?(?:\s?\(\d\))?")
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = re.compile(rf"{_MONTH} \d\d?\b|\b\d\d? {_MONTH}(?: (?:19|20)\d\d)?")
_SCALED = re.compile(r"(?<=\d)[\s)]*(?:thousand|million|billion)s?\b", re.IGNORECASE)
_FACTORS = ("100", "2", "3")
"""Of percentages and means; no operands unless the report holds them."""
_ROUNDED = 1.01
"""In steps of the last digit: gold answers are rounded or cut off."""

Form = dict[str, Any]
"""A line of the set: a question with its gold answer, or a report."""


@dataclass(frozen=True)
class Claim:
    """A statement with its quotes; `answer` is the part of `text` that may be changed."""

    question: str
    lead: str
    answer: str
    kind: str
    cited: tuple[Citation, ...]

    @property
    def text(self) -> str:
        """The whole statement."""
        return f"{self.lead}: {self.answer}"


def page(text: str) -> str:
    """The report as HTML: lines of cells as tables, the rest as paragraphs."""
    parts: list[str] = []
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if line.startswith("|"):
            row = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if _begins_another(row, rows):
                parts.append(_table(rows))
                rows = []
            rows.append(row)
            continue
        if rows:
            parts.append(_table(rows))
            rows = []
        if line.strip():
            parts.append(f"<p>{html.escape(line)}</p>")
    return f"<html><body>{''.join(parts)}</body></html>"


def _begins_another(row: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether below rows of numbers headers come again: two tables stand one above the other."""
    is_header = any(row[1:]) and not any(map(_is_data, row[1:]))
    has_period = any(_YEAR.search(cell) for cell in row[1:])
    return is_header and has_period and any(any(map(_is_data, other[1:])) for other in rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    heads = 0
    while heads < min(5, len(rows) - 1) and not any(map(_is_data, rows[heads][1:])):
        if heads and rows[heads][0] and not any(rows[heads][1:]):
            break
        heads += 1
    head = "".join(_header_row(row) for row in rows[:heads])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[heads:]
    )
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _is_data(cell: str) -> bool:
    return bool(_DATA_CELL.fullmatch(cell)) and not _YEARS_CELL.fullmatch(cell)


def _header_row(row: Sequence[str]) -> str:
    """Empty cells belong to the cell before them; a lone cell stands over all columns."""
    filled = [cell for cell in row[1:] if cell]
    if len(filled) == 1:
        spans = [(filled[0], len(row) - 1)]
    else:
        spans = []
        for cell in row[1:]:
            if cell or not spans:
                spans.append((cell, 1))
            else:
                spans[-1] = (spans[-1][0], spans[-1][1] + 1)
    cells = "".join(f'<th colspan="{n}">{html.escape(cell)}</th>' for cell, n in spans)
    return f"<tr><th>{html.escape(row[0])}</th>{cells}</tr>"


def claims(folder: Path, most: int) -> Iterator[Claim]:
    """A claim for each question with a number in its answer, if its evidence can be found."""
    data = SHARED / "data/tatqa-open"
    texts = {form["id"]: form["text"] for form in _lines(data / "corpus.jsonl")}
    pairs = [line.split("\t") for line in (data / "qrels.tsv").read_text().splitlines()[1:]]
    document_of = {query: document for query, document, _ in pairs}
    documents: dict[str, Document] = {}
    questions = [form for form in _lines(data / "queries.jsonl") if _is_numeric(form)]
    for form in questions[: most or None]:
        name = document_of[form["id"]]
        if name not in documents:
            path = folder / f"{name}.html"
            path.write_text(page(texts[name]), encoding="utf-8")
            documents[name] = FileReader().read(path)
        if not gives_its_answer(form):
            continue
        yield Claim(
            question=form["id"],
            lead=form["text"].strip().rstrip("?").strip(),
            answer=_answer(form),
            kind=_kind(form),
            cited=evidence(documents[name], form),
        )


def _kind(form: Form) -> str:
    """How the answer was made; "several steps" is more than the verifier wants to accept."""
    derivation = re.sub(r"[\s$€£%]|(?<=\d),(?=\d)", "", form["meta"]["derivation"])
    if not derivation:
        return str(form["meta"]["answer_type"])
    n = r"[-–−]?\(?[-–−]?[\d.]+\)?"
    simple = (
        rf"\(*{n}(?:[-–−]{n})\)*",
        rf"\(*{n}(?:\+{n})+\)*",
        rf"\(*{n}/{n}\)*(?:[*x]100)?(?:-1)?",
        rf"[(\[]*{n}[-–−]{n}[)\]]*/{n}\)*(?:[*x]100)?",
        rf"[(\[]*{n}(?:\+{n})+[)\]]*/\d\)*",
    )
    return "one step" if any(re.fullmatch(form, derivation) for form in simple) else "several steps"


def gives_its_answer(form: Form) -> bool:
    """Whether the derivation of a computed gold answer gives that answer; True where none is told.

    Some gold answers are wrong by their own derivation: "0.08 percent" of 3,313 / 39,784.
    """
    meta, given = form["meta"], _NUMBER.findall(" ".join(form["answers"]))
    told = re.sub(r"[\s$€£,]", "", meta["derivation"]).translate(str.maketrans("–−[]x", "--()*"))
    if not told or len(given) != 1 or re.search(r"[^\d.+*/()%-]", told):
        return True
    is_share = "/" in told and not re.search(r"%|\*100|\+.*/(?:\d|\(2019.*)\)*$", told)
    factor = 100 if meta["scale"] == "percent" and is_share else 1
    percent = r"\1" if meta["scale"] == "percent" else r"(\1/100)"
    plain = re.sub(r"([\d.]+)%", percent, told)
    results = [_result(plain), _result(re.sub(r"\(([\d.]+)\)", r"(-\1)", plain))]
    step = 10 ** -len(given[0].partition(".")[2])
    answer = float(given[0].replace(",", ""))
    return None in results or any(
        abs(abs(result) * factor - answer) <= _ROUNDED * step
        for result in results
        if result is not None
    )


def _result(expression: str) -> float | None:
    """The value of digits, operators and brackets; None for what cannot be computed."""
    try:
        return float(eval(expression))
    except (SyntaxError, ZeroDivisionError, TypeError):
        return None


def _lines(path: Path) -> list[Form]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _is_numeric(form: Form) -> bool:
    kind = form["meta"]["answer_type"]
    return kind != "count" and all(
        re.search(r"\d", answer) and len(answer) < 40 for answer in form["answers"]
    )


def _answer(form: Form) -> str:
    """The gold answer with its scale, written as a person would."""
    scale = form["meta"]["scale"]
    written = []
    for answer in form["answers"]:
        text = answer.strip()
        if scale == "percent" and "%" not in text:
            text = f"{text}%"
        elif scale in ("thousand", "million", "billion") and scale not in text.lower():
            text = f"{text} {scale}"
        written.append(text)
    return " and ".join(written)


def evidence(document: Document, form: Form) -> tuple[Citation, ...]:
    """The fewest rows and paragraphs that hold what the claim says; none where they do not.

    First those with the numbers of the answer or of its derivation, then the first paragraphs that
    tell the scale of the table and the periods that the question names.
    """
    report = _Report(document)
    meta, answers, question = form["meta"], " ".join(form["answers"]), form["text"]
    computed = meta["derivation"]
    chosen = report.with_numbers(computed or answers, question, computed=bool(computed))
    if chosen is None:
        return ()
    scale = meta["scale"] if meta["scale"] not in ("", "percent") else ""
    if scale and scale not in answers and not _tells(report.told(chosen), scale):
        chosen += report.prose(_REMARK.search)
    periods = [*_YEAR.findall(question), *_DATE.findall(question)]
    for period in periods:
        if period not in report.told(chosen):
            chosen += report.prose(re.compile(re.escape(period)).search)
    told = report.told(chosen)
    percent = meta["scale"] == "percent" and not re.search(r"[/%]", meta["derivation"] + answers)
    numbers = {_plain(number) for number in _NUMBER.findall(told)}
    is_told = (
        not (scale and scale not in answers and not _tells(told, scale))
        and not _leaves_out_scale(list(map(report.cited, chosen)), form)
        and not (percent and not re.search(r"%|\bper ?cent", told, re.IGNORECASE))
        and all(period in told for period in periods)
        and all(_plain(number) in numbers for number in _NUMBER.findall(question))
        and all(word in told.lower() for word in _WORDED.findall(question.lower()))
    )
    return tuple(map(report.cited, dict.fromkeys(chosen))) if is_told else ()


def _leaves_out_scale(cited: Sequence[Citation], form: Form) -> bool:
    """Whether the gold answer is a bare number of cells whose header says "in thousands"."""
    meta, numbers = form["meta"], set(map(_plain, _NUMBER.findall(" ".join(form["answers"]))))
    if meta["scale"] or meta["derivation"] or _SCALED.search(" ".join(form["answers"])):
        return False
    told = [
        label.text
        for citation in cited
        if any(_plain(n) in numbers for c in citation.cells for n in _NUMBER.findall(c.text))
        for label in [label for cell in citation.cells for label in cell.columns]
    ]
    return any(re.search(r"\bin thousand", text) and "except" not in text for text in told)


def _tells(text: str, scale: str) -> bool:
    """Whether it says so of a table, and not of a number such as "4.4 million" alone."""
    apart = _SCALED.sub("", text).lower()
    if scale in apart:
        return True
    others = {"thousand", "million", "billion"} - {scale}
    return bool(_REMARK.search(apart)) and not any(other in apart for other in others)


class _Report:
    """The blocks of a document, to choose quotes from."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._blocks = [b for b in document.blocks if b.kind is not BlockKind.HEADING]
        self._texts = [document.text[block.start : block.end] for block in self._blocks]
        self._held = [Counter(map(_plain, _NUMBER.findall(text))) for text in self._texts]
        self._cells = [self._operands(block) for block in self._blocks]

    def _operands(self, block: Block) -> Counter[str]:
        """The numbers that can be reckoned with: of a table row those that fill a cell."""
        if block.kind is not BlockKind.TABLE_ROW:
            return Counter(
                map(_plain, _NUMBER.findall(self._document.text[block.start : block.end]))
            )
        cells = [self._document.text[cell.start : cell.end].strip() for cell in block.cells]
        numbers = [_NUMBER.findall(cell) for cell in cells if _is_data(cell)]
        return Counter(_plain(found[0]) for found in numbers if found)

    def with_numbers(self, told: str, question: str, *, computed: bool) -> list[int] | None:
        """Blocks that hold all numbers together, those nearest to the question; None: not all.

        Operands that occur twice are looked for in two places, unless there is only one.
        """
        held = self._cells if computed else self._held
        found = sum(held, Counter[str]())
        wanted = Counter(map(_plain, _NUMBER.findall(told)))
        if wanted - Counter(_FACTORS):
            wanted = Counter({n: k for n, k in wanted.items() if n in found or n not in _FACTORS})
        missing = Counter({n: min(k, max(1, found[n])) for n, k in wanted.items()})
        asked = set(re.findall(r"\w{3,}", question.lower()))
        alike = [len(asked & set(re.findall(r"\w{3,}", t.lower()))) for t in self._texts]
        chosen: list[int] = []
        while missing:
            shared = [(numbers & missing).total() for numbers in held]
            left = [row for row in range(len(held)) if row not in chosen]
            best = max(left, key=lambda row: (shared[row], alike[row]), default=0)
            if not left or not shared[best]:
                return None
            chosen.append(best)
            missing -= held[best]
        return chosen

    def prose(self, wanted: Callable[[str], object]) -> list[int]:
        """The first paragraph of this kind, if there is one."""
        rows = (
            row
            for row, block in enumerate(self._blocks)
            if block.kind is not BlockKind.TABLE_ROW and wanted(self._texts[row])
        )
        return list(islice(rows, 1))

    def cited(self, row: int) -> Citation:
        """A block as a citation."""
        block = self._blocks[row]
        return located(self._document, block.start, block.end, path=self._document.name, sha256="")

    def told(self, rows: Sequence[int]) -> str:
        """Everything that blocks and their headers say."""
        return " ".join(_all_text(self.cited(row)) for row in rows)


def _plain(number: str) -> str:
    plain = number.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


# --- What is changed --------------------------------------------------------------------------


def other_digit(claim: Claim, chance: random.Random) -> str | None:
    """One digit of the answer, so that the number stands nowhere in the quotes."""
    places = [i for i, c in enumerate(claim.answer) if c.isdigit()]
    place = chance.choice(places)
    first = not claim.answer[place - 1 : place].isdigit() if place else True
    digits = [d for d in "0123456789" if d != claim.answer[place] and not (first and d == "0")]
    answer = claim.answer[:place] + chance.choice(digits) + claim.answer[place + 1 :]
    return f"{claim.lead}: {answer}"


def other_unit(claim: Claim, chance: random.Random) -> str | None:
    """Another currency, another measure, or a measure where there was none."""
    for sign in "$€£":
        if sign in claim.answer:
            other = chance.choice([s for s in "$€£¥" if s != sign])
            return f"{claim.lead}: {claim.answer.replace(sign, other)}"
    if "%" in claim.answer:
        return f"{claim.lead}: {claim.answer.replace('%', chance.choice([' bps', ' ‰', ' years']))}"
    if re.search(r"\d$", claim.answer) and not _YEAR.search(claim.answer):
        return f"{claim.lead}: {claim.answer}{chance.choice(['%', ' kg', ' hours', ' km'])}"
    for unit, other in (("years", "months"), ("months", "years"), ("days", "weeks")):
        if unit in claim.answer:
            return f"{claim.lead}: {claim.answer.replace(unit, other)}"
    return None


def other_scale(claim: Claim, chance: random.Random) -> str | None:
    """Another scale word; a number without one gets one. Nothing has no scale."""
    scales = ("thousand", "million", "billion")
    if not re.search(r"[1-9]", claim.answer):
        return None
    for scale in scales:
        if scale in claim.answer:
            other = chance.choice([s for s in scales if s != scale])
            return f"{claim.lead}: {claim.answer.replace(scale, other)}"
    if re.search(r"\d$", claim.answer) and not _YEAR.search(claim.answer):
        return f"{claim.lead}: {claim.answer} {chance.choice(scales)}"
    return None


def other_sign(claim: Claim, chance: random.Random) -> str | None:  # noqa: ARG001
    """The other sign; not where words say the sign, or where a difference has none."""
    found = re.match(r"[($€£-]*\d", claim.answer)
    if found is None or _YEAR.search(claim.answer) or " and " in claim.answer:
        return None
    if not re.search(r"[1-9]", claim.answer):
        return None
    if _SIGNLESS.search(claim.lead) or any(_SIGNLESS.search(_all_text(c)) for c in claim.cited):
        return None
    before = claim.answer[: found.end() - 1]
    if "(" in before or "-" in before:
        return f"{claim.lead}: {re.sub(r'[()-]', '', claim.answer)}"
    return f"{claim.lead}: -{claim.answer}"


def other_period(claim: Claim, chance: random.Random) -> str | None:
    """Another year in the question; half of them are years that stand in the quotes."""
    years = _YEAR.findall(claim.lead)
    if not years:
        return None
    year = chance.choice(years)
    near = {y for c in claim.cited for y in _YEAR.findall(_all_text(c))} - set(years)
    far = {str(int(year) + step) for step in (-3, -2, -1, 1, 2, 3)} - set(years)
    other = chance.choice(sorted(near if near and chance.random() < 0.5 else far))
    place = chance.choice([m.start() for m in re.finditer(year, claim.lead)])
    return f"{claim.lead[:place]}{other}{claim.lead[place + 4 :]}: {claim.answer}"


def _all_text(citation: Citation) -> str:
    labels = [label.text for cell in citation.cells for label in (*cell.columns, *cell.rows)]
    return " ".join([citation.quote, *labels])


CHANGES: dict[str, Callable[[Claim, random.Random], str | None]] = {
    "digit": other_digit,
    "unit": other_unit,
    "scale": other_scale,
    "sign": other_sign,
    "period": other_period,
}


def is_caught(text: str, claim: Claim) -> bool:
    """Whether the verifier would leave the statement out."""
    return bool(check_figures(text, claim.cited).faults)


def still_true(name: str, text: str, claim: Claim) -> bool:
    """Whether what was changed stands in the quotes all the same, so that nobody could tell.

    Another period: the numbers stand in cells of that year too.
    """
    numbers = {_plain(number) for number in _NUMBER.findall(text.rpartition(": ")[2])}
    if name == "digit":
        return numbers <= {
            _plain(n) for citation in claim.cited for n in _NUMBER.findall(_all_text(citation))
        }
    if name != "period":
        return False
    years = set(_YEAR.findall(text)) - set(_YEAR.findall(claim.text))
    cells = [cell for citation in claim.cited for cell in citation.cells]
    of_years = [
        {_plain(number) for number in _NUMBER.findall(cell.text)}
        for cell in cells
        if years & set(_YEAR.findall(" ".join(label.text for label in (*cell.columns, *cell.rows))))
    ]
    return bool(years) and numbers <= set().union(*of_years)


def main() -> None:
    """Print false alarms, then what is caught of the changes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--questions", type=int, default=0, help="0: all")
    parser.add_argument("--show", type=int, default=0, help="examples of mistakes to print")
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = list(claims(Path(folder), chosen.questions))
    made = [claim for claim in found if claim.cited]
    untold = len(found) - len(made)
    print(f"{untold} of {len(found)} are left out: their report does not tell scale or period")
    started = time.perf_counter()
    alarms = [claim for claim in made if is_caught(claim.text, claim)]
    seconds = time.perf_counter() - started
    print(f"{len(made)} claims, {1000 * seconds / len(made):.2f} ms each")
    counts, wrong = Counter(c.kind for c in made), Counter(c.kind for c in alarms)
    for kind, total in sorted(counts.items()):
        print(f"  false alarms, {kind}: {wrong[kind]} of {total} ({wrong[kind] / total:.1%})")
    simple = [c for c in made if c.kind != "several steps"]
    told = sum(claim.kind != "several steps" for claim in alarms)
    print(
        f"  false alarms without several steps: {told} of {len(simple)} ({told / len(simple):.1%})"
    )
    print(f"  false alarms: {len(alarms)} of {len(made)} ({len(alarms) / len(made):.1%})")
    for claim in random.Random(0).sample(alarms, min(chosen.show, len(alarms))):
        _show(claim.text, claim)
    good = [claim for claim in made if not is_caught(claim.text, claim)]
    for seed in chosen.seeds:
        _perturb(good, seed, chosen.show)


def _perturb(made: Sequence[Claim], seed: int, shown: int) -> None:
    chance = random.Random(seed)
    caught, total = Counter[str](), Counter[str]()
    missed: list[tuple[str, str, Claim]] = []
    for claim in made:
        for name, change in CHANGES.items():
            text = change(claim, chance)
            if text is None or still_true(name, text, claim):
                continue
            total[name] += 1
            if is_caught(text, claim):
                caught[name] += 1
            else:
                missed.append((name, text, claim))
    rows = ", ".join(f"{n} {caught[n]}/{total[n]} ({caught[n] / total[n]:.1%})" for n in CHANGES)
    everything = sum(caught.values()) / sum(total.values())
    print(f"seed {seed}: caught {everything:.2%} of {sum(total.values())}: {rows}")
    for name, text, claim in random.Random(0).sample(missed, min(shown, len(missed))):
        print(f"  missed {name}, {claim.kind}:")
        _show(text, claim)


def _show(text: str, claim: Claim) -> None:
    print(f"    {text}   [gold: {claim.answer}]")
    for citation in claim.cited:
        print(f"      > {citation.quote[:200]!r}")
        for cell in citation.cells[:3]:
            print(f"          {cell.text!r}: {[label.text for label in cell.columns]}")
    for fault in check_figures(text, claim.cited).faults:
        print(f"      = {fault.written}: {fault.verdict}")


if __name__ == "__main__":
    main()
