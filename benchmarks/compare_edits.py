"""Measures whether edits made by program in real documents are found and named rightly.

    python benchmarks/compare_edits.py [DOCUMENTS] [--edits 500] [--seed 1] [--show]

DOCUMENTS is a folder of text files (default: documents/bulk-18f-handbook in the folder PINCITE_SHARED
names); the longest 40 Markdown files are used, each with about the same number of edits: another
number, day, negation or duty, a sentence removed, added, moved or reworded, another table cell. An
edit is right if the comparison has the very statement with the right kind of change; a false alarm is
a change of a statement that was not edited, told for 1,000 statements that were left alone. Beside it:
`git diff --no-index`, of whose changed lines those are counted that hold no edited statement.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pincite.ingest.readers import FileReader
from pincite.records.comparisons import Change, ChangeKind, Difference
from pincite.records.document import BlockKind, Document
from pincite.verify.comparing.changes import compare
from pincite.verify.comparing.units import Unit, units_of

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).parents[2] / "shared"))
_FILES = 40
FEWEST_WORDS = 6
_NUMBER = re.compile(r"(?<![\w.,/-])\d{1,3}(?![\w.,/-])")
_DAY = re.compile(r"\b(January|March|May|July|August|October|December) (\d{1,2}), (\d{4})\b")
_VERB = re.compile(r"\b(is|are|was|were|will|can|should|must|may)\b(?! not|’)")
_DUTY = {"may": "must", "can": "must", "must": "may", "should": "may", "shall": "may"}
ADDED = "Every pelican on the {} shelf keeps {} copper thimbles for the auditors."
_CELL = "every quarter"
_SAME = {"use": "employ", "help": "assist", "need": "require", "make": "create", "also": "likewise"}


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit: its kind, the statement before and after, empty for what is added or removed."""

    kind: str
    before: str
    after: str


def _number(text: str, _: random.Random) -> str:
    return _NUMBER.sub(lambda found: str(int(found[0]) + 3), text, count=1)


def _day(text: str, _: random.Random) -> str:
    return _DAY.sub(lambda found: f"{found[1]} {found[2]}, {int(found[3]) + 1}", text, count=1)


def _negation(text: str, _: random.Random) -> str:
    return _VERB.sub(r"\1 not", text, count=1)


def _duty(text: str, _: random.Random) -> str:
    return re.sub(rf"\b({'|'.join(_DUTY)})\b(?!’)", lambda found: _DUTY[found[1]], text, count=1)


def _rewording(text: str, _: random.Random) -> str:
    return re.sub(rf"\b({'|'.join(_SAME)})\b", lambda found: _SAME[found[1]], text, count=1)


CHANGES: dict[str, tuple[Callable[[str, random.Random], str], Difference]] = {
    "number": (_number, Difference.NUMBER),
    "date": (_day, Difference.DATE),
    "negation": (_negation, Difference.NEGATION),
    "duty": (_duty, Difference.DUTY),
    "rewording": (_rewording, Difference.WORDING),
}
_KINDS = (*CHANGES, "removal", "addition", "move", "cell")


def edited(document: Document, most: int, order: random.Random) -> tuple[str, list[Edit]]:
    """The text with edits in different statements, and the edits."""
    units = [*units_of(document)]
    counts = Counter(unit.key for unit in units)
    left = [unit for unit in units if counts[unit.key] == 1]
    order.shuffle(left)
    edits: list[tuple[int, int, str]] = []
    made: list[Edit] = []
    for kind in [*_KINDS] * (most // len(_KINDS) + 1):
        for unit in left:
            found = _edit(kind, unit, order)
            if found is None:
                continue
            left.remove(unit)
            edit, changed = found
            edits.append((unit.start, unit.end, changed))
            made.append(edit)
            if kind == "move":
                ends = [one for one in left if _is_last(one)]
                far = max(ends, key=lambda one: abs(one.start - unit.start), default=None)
                if far is None:
                    edits.pop(), made.pop()
                    break
                left.remove(far)
                edits.append((far.end, far.end, f"\n\n{unit.text}\n\n"))
            break
        if len(made) >= most:
            break
    text = document.text
    for start, end, changed in sorted(edits, reverse=True):
        text = text[:start] + changed + text[end:]
    return text, made


def _is_last(unit: Unit) -> bool:
    """Whether a paragraph ends with this statement, so that another one can follow."""
    blocks = unit.document.blocks_in(unit.start, unit.end)
    return unit.kind is BlockKind.PARAGRAPH and blocks[0].end - unit.end < len("..")


def _edit(kind: str, unit: Unit, order: random.Random) -> tuple[Edit, str] | None:
    is_sentence = unit.kind in {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM}
    is_long = len(unit.text.split()) >= FEWEST_WORDS and "\n" not in unit.text
    if kind == "cell":
        if unit.kind is not BlockKind.TABLE_ROW or len(unit.cells) < 2 or not is_long:
            return None
        cell = unit.cells[-1]
        changed = (
            unit.text[: cell.start - unit.start]
            + "every quarter"
            + unit.text[cell.end - unit.start :]
        )
        return Edit(kind, unit.text, changed), changed
    if not (is_sentence and is_long and unit.text.endswith((".", "!"))) or "](" in unit.text:
        return None
    if kind == "removal":
        return Edit(kind, unit.text, ""), ""
    if kind == "move":
        whole = unit.document.blocks_in(unit.start, unit.end)[0]
        is_whole = unit.kind is BlockKind.PARAGRAPH and whole.end - whole.start == len(unit.text)
        return (Edit(kind, unit.text, unit.text), "") if is_whole else None
    if kind == "addition":
        added = ADDED.format(order.choice(("upper", "lower", "blue")), order.randint(2, 90))
        return Edit(kind, "", added), f"{unit.text} {added}"
    change, _ = CHANGES[kind]
    changed = change(unit.text, order)
    return (Edit(kind, unit.text, changed), changed) if changed != unit.text else None


def is_named(edit: Edit, change: Change) -> bool:
    """Whether a change is that of an edit, with the right kind."""
    before = change.before.text if change.before else ""
    after = change.after.text if change.after else ""
    if (before, after) != (edit.before, edit.after):
        return False
    if edit.kind in CHANGES:
        return CHANGES[edit.kind][1] in change.differences
    if edit.kind == "cell":
        return any(cell.after == _CELL for cell in change.cells)
    kinds = {"removal": ChangeKind.REMOVED, "addition": ChangeKind.ADDED, "move": ChangeKind.MOVED}
    return change.kind is kinds[edit.kind]


def _false_lines(before: Path, after: Path, edits: list[Edit]) -> int:
    """The lines that git shows as removed or added without any edited statement in them."""
    command = ["git", "diff", "--no-index", "--unified=0", str(before), str(after)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    texts = [text for edit in edits for text in (edit.before, edit.after) if text]
    lines = [line[1:] for line in shown.splitlines()[4:] if line[:1] in "+-" and line[1:].strip()]
    return sum(not any(text in line or line in text for text in texts) for line in lines)


def main() -> None:
    """Print for each kind of edit how many were found and named, and the false alarms."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("documents", nargs="?", type=Path)
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what is missed or false")
    given = parser.parse_args()
    folder = given.documents or SHARED / "documents" / "bulk-18f-handbook"
    files = sorted(folder.rglob("*.md"), key=lambda path: -path.stat().st_size)[:_FILES]
    order = random.Random(given.seed)
    made, right = Counter[str](), Counter[str]()
    alone = alarms = git_lines = 0
    seconds = 0.0
    for path in files:
        document = FileReader().read_content(path, path.read_bytes())
        text, edits = edited(document, round(given.edits / len(files)), order)
        other = FileReader().read_content(path, text.encode())
        began = time.perf_counter()
        changes = list(compare(document, other).changes)
        seconds += time.perf_counter() - began
        alone += len(units_of(document)) - len(edits)
        for edit in edits:
            made[edit.kind] += 1
            found = next((one for one in changes if is_named(edit, one)), None)
            if found is not None:
                right[edit.kind] += 1
                changes.remove(found)
            elif given.show:
                print(
                    f"missed {edit.kind} in {path.name}: {edit.before[:90]!r} {edit.after[:90]!r}"
                )
        for change in changes:
            sides = [side.text for side in (change.before, change.after) if side]
            is_edited = any(
                one and one in sides for edit in edits for one in (edit.before, edit.after)
            )
            alarms += not is_edited
            if given.show:
                print(f"left {change.kind} {is_edited}: {[side[:90] for side in sides]}")
        with tempfile.TemporaryDirectory() as work:
            changed = Path(work, path.name)
            changed.write_text(text, "utf-8")
            git_lines += _false_lines(path, changed, edits)
    for kind in _KINDS:
        print(f"{kind:10} {right[kind]:4} of {made[kind]:4}")
    total = sum(made.values())
    print(
        f"all: {sum(right.values())} of {total} ({sum(right.values()) / total:.3f}) in {len(files)} "
        f"documents; false alarms for 1,000 statements left alone: {1000 * alarms / alone:.2f}; "
        f"{1000 * seconds / len(files):.0f} ms a pair; lines of git diff without an edited statement: "
        f"{git_lines}"
    )


if __name__ == "__main__":
    main()
