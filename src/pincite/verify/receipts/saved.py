"""Writes answers, counts and reports to files, reads them back and checks them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pincite.errors import ReceiptError, UsageError
from pincite.records.files import MEBIBYTE, read_regular, strict_json
from pincite.records.flow import Answer
from pincite.stages import Reader, Sources
from pincite.verify.receipts.cited_files import DEFAULT_SECONDS, CitedFiles, Units, no_units
from pincite.verify.receipts.comparisons import (
    check_comparison,
    is_comparison,
    require_comparison,
)
from pincite.verify.receipts.page import CONTEXTS, context_findings, context_forms
from pincite.verify.receipts.receipt import (
    ReceiptCheck,
    answer_form,
    as_read_here,
    check_answer,
    require_answer,
)
from pincite.verify.receipts.reports import check_report, is_report, require_report
from pincite.verify.receipts.signing import seal_problems, sealed, signer

FORMATS = (".json", ".html")
_LARGEST_BYTES = 200_000_000
_ODD_FORM = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


def saved_answer(
    answer: Answer,
    sources: Sources,
    path: Path,
    key: Path | None = None,
    *,
    air_gap: Path | None = None,
) -> bytes:
    """The bytes to write to `path`: JSON, or a page if its name ends in .html.

    `key` is the file of the private key to sign with, `air_gap` that of a trial without a network.
    Raises UsageError for another ending.
    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UsageError(f"{path}: an answer is saved as {' or '.join(FORMATS)}")
    form = answer_form(answer)
    if air_gap is not None:
        form[AIR_GAP] = attestation(air_gap, answer)
    if ending == ".json":
        text = json.dumps(sealed(form, key), ensure_ascii=False, indent=2)
        return f"{text}\n".encode("utf-8", "backslashreplace")
    from pincite.verify.receipts.page import receipt_page

    return receipt_page(sealed({**form, CONTEXTS: context_forms(answer, sources)}, key))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        # The message should have the name that the user gave.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        draft.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The form of an answer or report in a file, and problems of the file itself."""

    form: Mapping[str, Any]
    problems: tuple[str, ...] = ()


def load_saved(path: Path) -> Saved:
    """Read a saved answer, page, report or comparison. Raises ReceiptError if it is none of these."""
    try:
        content = read_regular(path, most_bytes=_LARGEST_BYTES)
    except OSError as error:
        raise ReceiptError(f"{path}: cannot be read: {error.strerror}") from error
    problems: tuple[str, ...] = ()
    if content.lstrip()[:1] == b"<":
        from pincite.verify.receipts.page import form_of_page, page_problems

        form: Any = form_of_page(content, path)
        require_form(form, str(path))
        problems = tuple(page_problems(form, content))
    else:
        form = _json(content, path)
        require_form(form, str(path))
    return Saved(form=form, problems=problems)


def require_form(form: Any, name: str) -> None:
    """Raises ReceiptError, which names `name`, unless this is an answer, a report or a comparison."""
    if is_report(form):
        require_report(form, name)
    elif is_comparison(form):
        require_comparison(form, name)
    else:
        require_answer(form, name)


def check_saved(
    saved: Saved,
    reader: Reader,
    *,
    root: Path | None = None,
    public_key: Path | None = None,
    most_bytes: int = 512 * MEBIBYTE,
    seconds: float = DEFAULT_SECONDS,
    units: Units = no_units,
) -> ReceiptCheck:
    """Check every quote against its file, statements against quotes, the digest and the signature.

    With `root`, files are looked for below that folder, by the longest part of their path that
    exists there. With `public_key` (a file), the form must be signed by it. After `seconds` no
    further file is read. `units` are the sentences and headings of a document that a count scans.
    """
    files = CitedFiles(reader, root, most_bytes=most_bytes, seconds=seconds, units=units)
    return check_against(saved, files, public_key=public_key)


def check_against(
    saved: Saved, files: CitedFiles, *, public_key: Path | None = None
) -> ReceiptCheck:
    """Like `check_saved`, with other means of finding files."""
    form = saved.form
    problems = [
        *saved.problems,
        *seal_problems(form, public_key),
        *attestation_problems(form),
    ]
    try:
        check = _check(form, files)
        if CONTEXTS in form and not (is_report(form) or is_comparison(form)):
            here = as_read_here(form["citations"], check.citations)
            found = [*context_findings(form, here, files)]
            problems += [one.text for one in found if one.is_fault]
            notes = tuple(one.text for one in found if not one.is_fault)
            check = replace(check, notes=(*check.notes, *notes))
    except _ODD_FORM as error:
        # A tampered form may contain anything; one that the checks cannot handle is wrong.
        check = ReceiptCheck(citations=(), problems=(f"it cannot be checked: {error!r}",))
    return replace(check, problems=(*problems, *check.problems), signed_by=signer(form))


def _check(form: Mapping[str, Any], files: CitedFiles) -> ReceiptCheck:
    if is_report(form):
        return check_report(form, files)
    return check_comparison(form, files) if is_comparison(form) else check_answer(form, files)


def _json(content: bytes, path: Path) -> Any:
    try:
        return strict_json(content, object_pairs_hook=_without_twins)
    except ValueError as error:
        raise ReceiptError(f"{path}: is not JSON ({error}); expected a saved answer") from error


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated names, which other readers could resolve to another value."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name appears twice in one object")
    return found


# Attaches the result of `pincite doctor --offline` to a receipt.

AIR_GAP = "air_gap"
_FIELDS = {"version", "checked_at", "settings_digest", "holds", "not_fenced", "elsewhere"}
_ATTESTATION_LARGEST_BYTES = 1_000_000


def attestation(path: Path, answer: Answer) -> dict[str, Any]:
    """The result in a file that `doctor --offline --output` wrote.

    Raises ReceiptError if it reports a connection, or was made with other settings or models than
    the answer.
    """
    try:
        found = strict_json(read_regular(path, most_bytes=_ATTESTATION_LARGEST_BYTES))
    except (OSError, ValueError) as error:
        raise ReceiptError(f"{path}: cannot be read ({error}); {_EXPECTED}") from error
    problems = _problems(found, answer.settings_digest)
    if problems:
        raise ReceiptError(f"{path}: {problems[0]}")
    return dict(found)


def attestation_problems(form: Mapping[str, Any]) -> list[str]:
    """Problems of the result in a receipt; empty if it has none."""
    if AIR_GAP not in form:
        return []
    return _problems(form[AIR_GAP], form.get("settings_digest"))


_EXPECTED = "expected what 'pincite doctor --offline --output FILE' writes"


def _problems(found: Any, settings_digest: Any) -> list[str]:
    if not isinstance(found, dict) or not found.keys() >= _FIELDS:
        return [f"not the result of a trial without a network; {_EXPECTED}"]
    problems = []
    if found["holds"] is not True or found["elsewhere"]:
        problems.append("the trial without a network did not hold")
    if found["settings_digest"] != settings_digest:
        problems.append(
            "the trial without a network was made with other settings or models than the answer: "
            "run 'pincite doctor --offline' again"
        )
    return problems
