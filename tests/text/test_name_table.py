from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.flow import NamedFile
from pincite.text import document_names
from pincite.text.document_names import PAIR, SECOND_NAME, YEAR, NameTable, hashed

NAMES = st.lists(st.sampled_from("oslo rome Bonn 2018 report 3M act §".split()), max_size=4)
FILES = st.lists(st.tuples(NAMES.map(" ".join), NAMES.map(" ".join)), max_size=8)


def files(*names: tuple[str, str]) -> list[NamedFile]:
    return [
        NamedFile(document_id=f"d{n % 5}", path=f"/{n}/{name}.txt", title=title)
        for n, (name, title) in enumerate(names)
    ]


@given(FILES, FILES)
def test_what_is_known_and_the_order_change_nothing(
    before: list[tuple[str, str]],
    after: list[tuple[str, str]],
) -> None:
    held = files(*after)
    made = NameTable.from_files(held)
    assert NameTable.from_files(held, NameTable.from_files(files(*before))) == made
    assert NameTable.from_files(held, NameTable.from_files(held)) == made
    assert NameTable.from_files(held[::-1]) == made


@given(FILES, st.integers(0, 8))
def test_a_part_is_the_table_of_that_part(names: list[tuple[str, str]], count: int) -> None:
    held = files(*names)
    assert NameTable.from_files(held).only(held[:count]) == NameTable.from_files(held[:count])


def test_names_that_are_known_are_not_taken_apart_again(monkeypatch: pytest.MonkeyPatch) -> None:
    held = files(("Oslo 2018", "Annual Report"), ("Rome", ""))
    known = NameTable.from_files(held[:1])
    seen: list[str] = []

    def watched(name: str) -> tuple[()]:
        seen.append(name)
        return ()

    monkeypatch.setattr(document_names, "name_words", watched)
    NameTable.from_files(held, known)
    assert seen == ["Rome"]


def test_what_is_known_of_a_word() -> None:
    table = NameTable.from_files(files(("Oslo 2018", "Annual Report")))
    kinds = dict(zip(table.words.tolist(), table.kinds.tolist(), strict=True))
    assert kinds[hashed("oslo")] == 0
    assert kinds[hashed("2018")] == YEAR
    assert kinds[hashed("oslo2018")] == PAIR
    assert kinds[hashed("annual")] == SECOND_NAME
    assert kinds[hashed("annualreport")] == SECOND_NAME | PAIR
