"""Routes for reports: a list of questions answered in one document, with every sentence cited."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from pincite.errors import UsageError
from pincite.interfaces.http.asked import Body, Library, MaySee, Reply
from pincite.interfaces.http.telling import Names
from pincite.report.asking import Asked, FinishedSection, Report, make_report
from pincite.report.template import Section, Template, load_template, template_names
from pincite.report.writing import check_format, rendered

router = APIRouter(prefix="/v1/reports", tags=["reports"])

_KINDS = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "json": "application/json",
}
Question = Annotated[str, Field(min_length=1, max_length=2_000)]


class ReportBody(Body):
    """A built-in template, or the client's own questions."""

    template: str = Field(default="", description="a name that GET /v1/reports lists")
    title: Annotated[str, Field(max_length=200)] = "Report"
    questions: Annotated[tuple[Question, ...], Field(max_length=100)] = ()
    format: Literal["md", "html", "docx", "pdf", "json"] = "md"
    collection: str | None = None


_FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "the report", "content": {kind: {} for kind in _KINDS.values()}}
}


@router.get("")
def templates() -> Reply:
    """The built-in templates."""
    found = [load_template(name) for name in template_names()]
    return {
        "templates": [
            {
                "name": one.name,
                "title": one.title,
                "description": one.description,
                "sections": [section.title for section in one.sections],
                "questions": sum(len(section.questions) for section in one.sections),
            }
            for one in found
        ]
    }


@router.post("", response_class=Response, responses=_FILE)
def report(body: ReportBody, served: Library, allowed: MaySee) -> Response:
    """Ask all questions and return one document."""
    check_format(f".{body.format}", "the report")
    collection = served.scope(body.collection, allowed)
    made = make_report(served.library, _template(body), collection=collection)
    content, _ = rendered(named(made, served.telling.to(allowed)), f".{body.format}")
    headers = {"Content-Disposition": f'attachment; filename="report.{body.format}"'}
    return Response(content, media_type=_KINDS[body.format], headers=headers)


def _template(body: ReportBody) -> Template:
    if bool(body.template) == bool(body.questions):
        raise UsageError("give either a 'template' or 'questions'")
    if not body.template:
        section = Section(name="questions", title=body.title, questions=body.questions)
        return Template(
            name="questions", title=body.title, description="", settings={}, sections=(section,)
        )
    # Built-in ones only: any other name would be a file on the server.
    if body.template not in template_names():
        raise UsageError(
            f"there is no template '{body.template[:80]}'; there are: {', '.join(template_names())}"
        )
    return load_template(body.template)


def named(made: Report, names: Names) -> Report:
    """A report with file names instead of paths."""

    def asked(one: Asked) -> Asked:
        nearest = tuple(replace(cited, source=names(cited.source)) for cited in one.nearest)
        answer = None if one.answer is None else names.answer(one.answer)
        return replace(one, answer=answer, nearest=nearest)

    def section(one: FinishedSection) -> FinishedSection:
        return replace(one, asked=tuple(map(asked, one.asked)))

    return replace(made, sections=tuple(map(section, made.sections)))
