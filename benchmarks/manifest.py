"""Reports how each real document is read: complete, partial or failed, and why.

    python benchmarks/manifest.py                     # prints a Markdown table
    python benchmarks/manifest.py --write docs/files.md

Ingests every file listed in `documents/MANIFEST.tsv` next to the evaluation sets, each once, and
exits with 1 if one of them is neither in the library nor among its failures.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections import Counter
from pathlib import Path

from open_sets import SHARED

from pincite import Library
from pincite.records.library_records import FileEntry

HEAD = """# Real files, and what is made of them

Every file of a collection of difficult documents (damaged, encrypted, scanned, hostile, in many
scripts), as `python benchmarks/manifest.py --write docs/files.md` found it{ocr}. The files themselves
are not part of this project. `characters` are those that can be found and quoted, without blanks.

"""


def manifest() -> list[dict[str, str]]:
    """Rows of the manifest that name a file to read; ground truths and whole folders are left out."""
    path = SHARED / "documents" / "MANIFEST.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [r for r in rows if r["kind"] not in ("ground-truth", "md-bulk")]


def told(entry: FileEntry) -> str:
    """What was reported about a file that is in."""
    found = entry.coverage
    flags = Counter(flag["kind"] for flag in found["flags"])
    counted = [f"{kind} ({count})" for kind, count in flags.items()]
    sure = found["recognition"]
    recognised = [f"recognised from pictures, {sure:.0%} sure"] if sure else []
    return "; ".join([*found["gaps"], *recognised, *counted, *found["warnings"]])


def row(name: str, kind: str, status: str, *cells: object) -> str:
    """A line of the table."""
    text = [str(cell).replace("|", "\\|").replace("\n", " ") for cell in (kind, status, *cells)]
    return f"| `{name}` | {' | '.join(text)} |"


def table(library: Library, rows: list[dict[str, str]]) -> tuple[list[str], Counter[str]]:
    """Lines for all files, and how many there are of each status."""
    entries = {entry.path: entry for entry in library.files()}
    failures = {problem.path: problem.reason for problem in library.stats().failures}
    lines = ["| file | kind | status | pages | characters | tables | what was told |"]
    lines.append("|---|---|---|---:|---:|---:|---|")
    counts: Counter[str] = Counter()
    for item in rows:
        path = str((SHARED / "documents" / item["file"]).resolve())
        name, kind = Path(item["file"]).name, item["kind"]
        if path in entries:
            entry = entries[path]
            found = entry.coverage
            status = str(found["status"])
            numbers = (found["pages"] or "", f"{found['characters']:,}", found["tables"] or "")
            lines.append(row(name, kind, status, *numbers, told(entry)))
        elif path in failures:
            status = "failed"
            lines.append(row(name, kind, status, "", "", "", failures[path]))
        else:
            status = "MISSING"
            lines.append(row(name, kind, status, "", "", "", "neither read nor refused"))
        counts[status] += 1
    return lines, counts


def main() -> None:
    """Ingest, print or write the table, and fail when a file is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="Markdown file to write")
    chosen = parser.parse_args()
    rows = manifest()
    paths = [SHARED / "documents" / item["file"] for item in rows]
    with (
        tempfile.TemporaryDirectory() as home,
        Library.open(Path(home) / "library", overrides={"embedding": {"model": "none"}}) as library,
    ):
        report = library.ingest(paths)
        lines, counts = table(library, rows)
    summary = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{len(rows)} files in {report.seconds:.0f} s: {summary}")
    if chosen.write:
        head = HEAD.format(ocr=", with OCR installed")
        chosen.write.write_text(f"{head}{summary}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    else:
        print("\n".join(lines))
    if counts["MISSING"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
