"""Checks saved answers where there is no library, only the files that they cite."""

from __future__ import annotations

import os
from pathlib import Path

from pincite.arguments import checked_path
from pincite.assemble.files import open_reader
from pincite.settings import load_settings
from pincite.verify.receipt import ReceiptCheck
from pincite.verify.saved import check_saved, load_saved


def verify_receipt(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    public_key: str | os.PathLike[str] | None = None,
) -> ReceiptCheck:
    """Check a saved answer or report against the files it cites. Needs no library.

    With `public_key`, the file of one, it must be signed by that key. Raises ReceiptError when the
    file is neither an answer nor a report.
    """
    saved = load_saved(checked_path(path))
    settings, _ = load_settings()
    with open_reader(settings) as reader:
        return check_saved(
            saved,
            reader,
            root=Path(root) if root else None,
            public_key=Path(public_key) if public_key else None,
        )
