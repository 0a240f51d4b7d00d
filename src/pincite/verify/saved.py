"""Reads what was saved, an answer or a report, and checks it against the files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.stages import Reader
from pincite.verify.receipt import (
    CitedFiles,
    ReceiptCheck,
    check_answer,
    read_form,
    require_answer,
)
from pincite.verify.reports import check_report, is_report, require_report


def load_saved(path: Path) -> dict[str, Any]:
    """Read a saved answer or report. Raises ReceiptError when it is neither."""
    form = read_form(path)
    return require_report(form, str(path)) if is_report(form) else require_answer(form, str(path))


def check_saved(
    form: Mapping[str, Any], reader: Reader, *, root: Path | None = None
) -> ReceiptCheck:
    """Check every quote against its file, and what is said against the quotes.

    With `root`, files are looked for below that folder, by as much of their path as is there.
    """
    files = CitedFiles(reader, root)
    return check_report(form, files) if is_report(form) else check_answer(form, files)
