"""Check the quotes of a saved answer with nothing but Python: the file's SHA-256, and the quoted bytes.

    pincite ask "Which soil pH is best for tomatoes?" --save answer.json
    python quote_check.py answer.json

A check for those who do not trust Pincite. It covers text files in UTF-8; `pincite verify` covers
all formats, numbers, boxes on pages and signatures. Exit code 0 when every quote holds, 1 when one does not.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any


def problem(citation: dict[str, Any]) -> str:
    """The problem of a citation; empty if it holds."""
    try:
        content = Path(citation["source"]).read_bytes()
    except OSError as error:
        return f"cannot be opened: {error.strerror}"
    if hashlib.sha256(content).hexdigest() != citation["sha256"]:
        return "the file has changed since the answer was saved"
    if citation["start_byte"] is None:
        return "no text file: use 'pincite verify'"
    quoted = content[citation["start_byte"] : citation["end_byte"]].decode("utf-8", "replace")
    return "" if quoted == citation["cited_text"] else f"holds {quoted[:60]!r} at this place"


def main(receipt: Path) -> int:
    """Check every citation and print the results."""
    answer = json.loads(receipt.read_text(encoding="utf-8"))
    found = [(one, problem(one)) for one in answer["citations"]]
    for number, (citation, wrong) in enumerate(found, start=1):
        print(f"[{number}] {Path(citation['source']).name}: {wrong or 'holds'}")
    return 1 if any(wrong for _, wrong in found) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: quote_check.py ANSWER.json")
    sys.exit(main(Path(sys.argv[1])))
