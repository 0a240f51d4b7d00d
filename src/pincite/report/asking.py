"""Asks the questions of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pincite.errors import UsageError
from pincite.library.library import Library
from pincite.records.flow import Answer, Citation, Status
from pincite.report.template import Section, Template
from pincite.settings.loading import Layer, Settings, changed_settings, without_wishes
from pincite.settings.trust import Approvals
from pincite.verify.receipts.receipt import located

_NEAREST = 2
"""Number of passages shown for a question without an answer."""

Progress = Callable[[int, int, str], None]
"""Called before each question with the number done, the total, and the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and its result.

    `nearest` are the nearest passages for an unanswered question. If the question could not be asked,
    there is no answer, and `problem` says why.
    """

    question: str
    answer: Answer | None = None
    nearest: tuple[Citation, ...] = ()
    problem: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer to show."""
        return self.answer is not None and self.answer.status is Status.ANSWERED


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedSection:
    """A section with its answers."""

    section: Section
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The content of a finished report. It has no timestamp, so that it is reproducible."""

    title: str
    template: str
    collection: str
    corpus_version: str
    sections: tuple[FinishedSection, ...]

    @property
    def asked(self) -> tuple[Asked, ...]:
        """All questions, in order."""
        return tuple(item for section in self.sections for item in section.asked)


def make_report(
    library: Library,
    template: Template,
    *,
    collection: str | None = None,
    overrides: Layer | None = None,
    progress: Progress | None = None,
) -> Report:
    """Ask all questions of a template.

    The template's settings override the library's, a section's override the template's, and
    `overrides` come last. Settings for models, servers and files in a user's own template apply only
    once approved; until then each answer has a notice about them. Raises UsageError for an unknown
    collection.
    """
    library.check_collection(collection)
    writer = _Writer(library, template, collection, overrides or {}, progress)
    sections = tuple(writer.sections())
    return Report(
        title=template.title,
        template=template.name,
        collection=collection or "",
        corpus_version=library.catalog.meta("corpus_version"),
        sections=sections,
    )


class _Writer:
    def __init__(
        self,
        library: Library,
        template: Template,
        collection: str | None,
        overrides: Layer,
        progress: Progress | None,
    ) -> None:
        self._library = library
        self._template = template
        self._collection = collection
        self._overrides = overrides
        self._progress = progress or (lambda *_: None)
        self._done = 0
        wish = template.wish()
        self._is_withheld = wish is not None and not Approvals().cover(wish)
        self._notices = (wish.notice,) if wish and self._is_withheld else ()

    def sections(self) -> Iterator[FinishedSection]:
        # Check all settings before the first question.
        chosen = [self._settings(section) for section in self._template.sections]
        for section, settings in zip(self._template.sections, chosen, strict=True):
            asked = tuple(self._ask(text, section, settings) for text in section.questions)
            yield FinishedSection(section=section, asked=asked)

    def _settings(self, section: Section) -> Settings:
        settings = self._library.settings
        of_template = [
            (f"template {self._template.name}", self._template.settings),
            (f"section {section.name}", section.layer()),
        ]
        if self._is_withheld:
            of_template = [(origin, without_wishes(layer)) for origin, layer in of_template]
        for origin, layer in [*of_template, ("command line", self._overrides)]:
            settings = changed_settings(settings, layer, origin=origin)
        return settings

    def _ask(self, question: str, section: Section, settings: Settings) -> Asked:
        total = sum(len(one.questions) for one in self._template.sections)
        self._progress(self._done, total, question)
        self._done += 1
        try:
            answer = self._library.ask(
                question, collection=self._collection, filters=section.filters, settings=settings
            )
            answer = replace(answer, reasons=(*answer.reasons, *self._notices))
        except (
            UsageError
        ) as error:  # A filter that matches nothing; continue with the other sections.
            return Asked(question=question, problem=str(error))
        is_answered = answer.status is Status.ANSWERED
        nearest = () if is_answered else tuple(self._nearest(question, section))
        return Asked(question=question, answer=answer, nearest=nearest)

    def _nearest(self, question: str, section: Section) -> Iterator[Citation]:
        catalog = self._library.catalog
        found = self._library.search(
            question, limit=_NEAREST, collection=self._collection, filters=section.filters
        )
        for hit in found.hits:
            span = hit.passage.span
            source = catalog.source(span.document_id, self._collection)
            document = catalog.document(span.document_id)
            yield located(document, span.start, span.end, path=source.path, sha256=source.sha256)
