"""Several quotes are wanted: related ones are added, unrelated ones never."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.library.library import Library
from pincite.records.flow import Answer

LEAVE = """# Leave

Parental leave lasts up to 36 months. Requests must be filed seven weeks before the leave begins.
The café on the ground floor is closed in August.

# Parking

The gate opens at 6 in the morning.
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("PINCITE_PROFILE", "evidence")
    (tmp_path / "leave.md").write_text(LEAVE, encoding="utf-8")
    (tmp_path / "hours.md").write_text("# Hours\n\nParental leave is recorded in the calendar.\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "leave.md", tmp_path / "hours.md"])
        return library.ask("How long is parental leave?")


def test_what_goes_on_or_has_the_words_supports_and_nothing_else(asked: Answer) -> None:
    quotes = [citation.quote for citation in asked.citations]
    assert quotes[0].startswith("Parental leave lasts up to 36 months. Requests must be filed")
    assert len(quotes) == 2
    assert "Parental leave is recorded in the calendar." in quotes[1]


def test_a_single_fact_is_answered_with_the_quotes_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_PROFILE", "evidence")
    (tmp_path / "pump.md").write_text("# Pump\n\nThe relief valve opens at 6.5 bar.\n")
    (tmp_path / "gate.md").write_text("# Parking\n\nThe gate is closed on Sundays.\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "pump.md", tmp_path / "gate.md"])
        found = library.ask("When does the relief valve open?")
    assert [citation.quote for citation in found.citations] == [
        "The relief valve opens at 6.5 bar."
    ]
    assert "1 quote, 3 needed, but it contains most of what is asked for" in found.reasons
