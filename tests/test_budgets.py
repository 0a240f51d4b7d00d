"""What keeps the house easy to live in: how many rooms, how large, and how long the first page is.

The lines of the package are to become fewer: whoever adds takes away, or lowers the number once more.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "pincite"
NOT_ROOMS = {"__init__.py", "__main__.py", "py.typed", "__pycache__"}

MOST_ROOMS = 20
MOST_SOURCE_LINES = 92_802
LONGEST_FUNCTION_LINES = 80
MOST_LINES = 660
README_WORDS = 700


def test_the_package_has_few_rooms() -> None:
    rooms = {path.name for path in PACKAGE.iterdir()} - NOT_ROOMS
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)


def test_there_are_no_more_lines_than_agreed() -> None:
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    assert sum(text.count("\n") for text in texts) <= MOST_SOURCE_LINES


def test_no_file_and_no_function_is_too_long() -> None:
    too_long = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MOST_LINES:
            too_long.append(path.name)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION_LINES:
                    too_long.append(f"{path.name}: {node.name}")
    assert not too_long


def test_the_readme_can_be_read_in_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= README_WORDS
