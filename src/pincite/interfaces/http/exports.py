"""Exports an answer with its references as Markdown, Word, PDF or a verifiable receipt."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Literal

from fastapi import APIRouter, Response

from pincite.interfaces.http.asked import Asked, Library, MaySee
from pincite.interfaces.http.problems import Refused
from pincite.interfaces.http.served import Served
from pincite.interfaces.http.telling import Names
from pincite.records.flow import Answer
from pincite.report import asking
from pincite.report.template import Section
from pincite.verify.receipts.page import CONTEXTS, context_forms
from pincite.verify.receipts.permalinks import Permalink
from pincite.verify.receipts.receipt import answer_form
from pincite.verify.receipts.signing import sealed

router = APIRouter(prefix="/v1", tags=["ask"])

_KINDS = {
    "md": "text/markdown; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
}
_TITLE = "Answer"


class ExportBody(Asked):
    """An answer to export: its question and the ids of the citations it was shown with."""

    format: Literal["md", "docx", "pdf", "html", "json"]
    citations: list[str] | None = None


@router.post(
    "/exports",
    response_class=Response,
    responses={
        200: {"description": "the document", "content": {kind: {} for kind in _KINDS.values()}}
    },
)
def export(body: ExportBody, served: Library, allowed: MaySee) -> Response:
    """Export the answer to a file.

    The question is asked and the answer checked again: client input is never exported as checked.
    With `citations`, the export is refused if the documents now give a different answer.
    """
    collection = served.scope(body.collection, allowed)
    answer = served.library.ask(
        body.question, collection=collection, filters=body.filters.filters()
    )
    if body.citations is not None:
        _require_same(answer, body.citations)
    content = _written(served, answer, body.format, collection, served.telling.to(allowed))
    headers = {
        "Content-Disposition": f'attachment; filename="answer.{body.format}"',
        # A receipt is a separate page with a stricter policy; the browser must not sniff its type.
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, media_type=_KINDS[body.format], headers=headers)


def _require_same(answer: Answer, citations: list[str]) -> None:
    now = [Permalink.of(c).id for c in answer.citations]
    if now != citations:
        raise Refused(
            HTTPStatus.CONFLICT,
            "the documents now give a different answer from the one shown; ask again, then export",
        )


def _written(
    served: Served, answer: Answer, ending: str, collection: str | None, names: Names
) -> bytes:
    if ending in ("html", "json"):
        return _receipt(served, answer, ending, names)
    from pincite.report.writing import check_format, rendered

    check_format(f".{ending}", "the export")
    content, _ = rendered(_report(names.answer(answer), collection), f".{ending}")
    return content


def _receipt(served: Served, answer: Answer, ending: str, names: Names) -> bytes:
    """The receipt that `pincite ask --save` writes, with file names instead of paths."""
    form = answer_form(answer)
    if ending == "json":
        whole = sealed(names.hidden(form))
        return json.dumps(whole, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace")
    from pincite.verify.receipts.page import receipt_page

    with_contexts = {**form, CONTEXTS: context_forms(answer, served.library.catalog)}
    return receipt_page(sealed(names.hidden(with_contexts)))


def _report(answer: Answer, collection: str | None) -> asking.Report:
    section = Section(name="answer", title=_TITLE, questions=(answer.question,))
    asked = asking.Asked(question=answer.question, answer=answer)
    return asking.Report(
        title=_TITLE,
        template="answer",
        collection=collection or "",
        corpus_version=answer.corpus_version,
        sections=(asking.FinishedSection(section=section, asked=(asked,)),),
    )
