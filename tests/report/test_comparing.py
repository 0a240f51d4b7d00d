"""What differs between two documents is named, quoted from both, and nothing else is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ReadError, UsageError
from pincite.ingest.readers import FileReader
from pincite.records.comparisons import ChangeKind, Comparison, Difference
from pincite.records.document import Document
from pincite.report.comparing.files import compare_paths
from pincite.verify.comparing.changes import compare


def document(text: str, name: str = "a.md") -> Document:
    return FileReader().read_content(Path(name), text.encode())


def compared(before: str, after: str) -> Comparison:
    return compare(document(before), document(after, "b.md"))


BEFORE = """# Leave policy

## 1. Notice

Employees may take leave after six months. Notice must be given 30 days before.

## 2. Pay

Leave is paid. Sick leave is not counted. Old texts stay in force for one year.

The policy was approved by Anna Berg on 3 May 2022. The manager decides within a week.
"""


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("30 days", "14 days", Difference.NUMBER),
        ("30 days", "30 hours", Difference.NUMBER),
        ("may take", "must take", Difference.DUTY),
        ("Leave is paid", "Leave is not paid", Difference.NEGATION),
        ("is not counted", "is counted", Difference.NEGATION),
        ("3 May 2022", "4 May 2022", Difference.DATE),
        ("Anna Berg", "Carl Lind", Difference.NAME),
        ("decides within", "answers within", Difference.WORDING),
    ],
)
def test_a_changed_statement_is_quoted_from_both_sides(
    old: str, new: str, difference: Difference
) -> None:
    found = compared(BEFORE, BEFORE.replace(old, new))
    (change,) = found.changes
    assert change.differences == (difference,)
    is_wording = difference is Difference.WORDING
    assert change.kind is (ChangeKind.REWORDED if is_wording else ChangeKind.CHANGED)
    assert change.before
    assert change.after
    assert old in change.before.text
    assert new in change.after.text
    assert BEFORE[change.before.start : change.before.end] == change.before.text
    words = [change.after.text[start:end] for start, end in change.after.differing]
    assert set(" ".join(words).split()) <= set(new.split())


def test_what_is_added_removed_and_moved_is_told_as_that() -> None:
    after = BEFORE.replace(" Sick leave is not counted.", "").replace(
        "Employees may", "Old texts stay in force for one year. Employees may"
    )
    after = after.replace(" Old texts stay in force for one year.\n\nThe", "\n\nThe")
    after += "\nEvery site keeps a copy.\n"
    found = compared(BEFORE, after)
    assert {change.kind: (change.after or change.before).text for change in found.changes} == {  # type: ignore[union-attr]
        ChangeKind.REMOVED: "Sick leave is not counted.",
        ChangeKind.ADDED: "Every site keeps a copy.",
        ChangeKind.MOVED: "Old texts stay in force for one year.",
    }


def test_line_breaks_numbers_of_headings_and_formats_are_no_differences() -> None:
    after = BEFORE.replace("## 1. Notice", "## 3. Notice").replace("six months. ", "six\nmonths. ")
    assert compared(BEFORE, after).changes == ()
    html = (
        "<h1>Leave policy</h1><h2>Notice</h2><p>Employees may take leave after six months. Notice "
        "must be given 30 days before.</p><h2>Pay</h2><p>Leave is paid. Sick leave is not counted. "
        "Old texts stay in force for one year.</p><p>The policy was approved by Anna Berg on "
        "3 May 2022. The manager decides within a week.</p>"
    )
    assert compare(document(BEFORE), document(html, "a.html")).changes == ()


TABLE = "| Grade | Days | Bonus |\n|---|---|---|\n| A | 20 | 100 |\n| B | 24 | 150 |\n"


def test_tables_are_compared_cell_by_cell() -> None:
    after = TABLE.replace("24", "25") + "| C | 30 | 200 |\n"
    changed, added = compared(TABLE, after).changes
    assert [(cell.row, cell.head, cell.before, cell.after) for cell in changed.cells] == [
        ("B", "Days", "24", "25")
    ]
    assert added.kind is ChangeKind.ADDED


def test_the_weightiest_differences_come_first() -> None:
    after = BEFORE.replace("decides", "answers").replace("30 days", "14 days")
    after = after.replace("Leave is paid", "Leave is not paid") + "\nNew words stand here.\n"
    kinds = [change.differences or (change.kind,) for change in compared(BEFORE, after).changes]
    assert kinds == [
        (Difference.NEGATION,),
        (Difference.NUMBER,),
        (Difference.WORDING,),
        (ChangeKind.ADDED,),
    ]


def test_many_equal_lines_are_compared_in_linear_time() -> None:
    lines = "\n\n".join(f"Row {n % 7} is checked daily." for n in range(9_000))
    found = compared(lines, lines + "\n\nThe last row is new.\n")
    assert found.unchanged + len(found.changes) >= 9_000


def test_folders_are_compared_file_by_file(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, text in ((old, BEFORE), (new, BEFORE.replace("30 days", "14 days"))):
        (folder / "in").mkdir(parents=True)
        (folder / "in" / "leave.md").write_text(text)
        (folder / "same.md").write_text("# Same\n\nNothing changes here.\n")
    (old / "gone.md").write_text("# Gone\n")
    (new / "come.md").write_text("# Come\n")
    (old / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (new / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    found = compare_paths(old, new)
    counts = {(one.before, one.after): len(one.changes) for one in found.files}
    assert counts == {
        (str(old / name), str(new / name)): count
        for name, count in (("in/leave.md", 1), ("same.md", 0))
    }
    assert (found.only_before, found.only_after) == (("gone.md",), ("come.md",))
    (problem,) = found.problems
    assert problem.startswith("broken.pdf: ")
    assert not found.is_same


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(BEFORE)
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    with pytest.raises(UsageError, match="does not exist"):
        compare_paths(tmp_path / "a.md", tmp_path / "nowhere.md")
    with pytest.raises(UsageError, match="a file and a folder"):
        compare_paths(tmp_path / "a.md", tmp_path)
    with pytest.raises(ReadError):
        compare_paths(tmp_path / "a.md", tmp_path / "b.pdf")


def test_cells_below_heads_of_one_name_are_told_apart() -> None:
    table = "| Year | Sales | Sales |\n|---|---|---|\n| 2022 | 10 | 20 |\n"
    (change,) = compared(table, table.replace("10", "11").replace("20 |", "25 |")).changes
    assert [(cell.before, cell.after) for cell in change.cells] == [("10", "11"), ("20", "25")]
