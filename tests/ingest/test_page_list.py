from __future__ import annotations

from pincite.ingest.page_list import page_list


def test_one_page_is_named_and_runs_are_shortened() -> None:
    assert page_list([3], 9) == "page 3"
    assert page_list([9, 3, 4, 5, 4], 12) == "pages 3-5, 9 of 12"
