"""`pincite ask`: an answer made of checked quotes, or a refusal with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

import pincite
from pincite.interfaces.cli.count import print_count
from pincite.interfaces.cli.exits import ABSTAINED
from pincite.interfaces.cli.explain import Account
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    BudgetOption,
    CollectionOption,
    DocumentFilter,
    ExplainOption,
    JsonOption,
    KeepOption,
    LibraryOption,
    ModelOption,
    ModeOption,
    ProfileOption,
    QuestionArgument,
    RawOption,
    SaveOption,
    SectionFilter,
    SignOption,
    SinceFilter,
    TagFilter,
    UntilFilter,
    WhyOption,
    budget_ms,
    generation,
    keeping,
    question_text,
)
from pincite.interfaces.cli.output import indented, print_json, say, short_path
from pincite.interfaces.cli.progress import while_writing
from pincite.interfaces.cli.saving import check_outputs, check_saving, save_answer, tell_saved
from pincite.places import announcing_lines, as_shown, cell_lines, on_one_line, place

if TYPE_CHECKING:
    from pincite.records import Answer, Citation, Claim


def ask(
    question: QuestionArgument = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    mode: ModeOption = "",
    model: ModelOption = "",
    collection: CollectionOption = None,
    document: DocumentFilter = None,
    tag: TagFilter = None,
    section: SectionFilter = None,
    since: SinceFilter = "",
    until: UntilFilter = "",
    save: SaveOption = None,
    sign: SignOption = None,
    keep: KeepOption = False,
    explain: ExplainOption = False,
    why: WhyOption = None,
    budget: BudgetOption = "",
    is_raw: RawOption = False,
    as_json: JsonOption = False,
) -> None:
    """Answer with exact quotes, or refuse and say why.

    Exit code 0 when answered, 3 when the documents do not answer.
    """
    text = question_text(question)
    check_saving(save, sign)
    filters = pincite.Filters.of(
        documents=document, tags=tag, sections=section, since=since, until=until
    )
    with pincite.Library.open(
        library,
        create=False,
        profile=profile,
        overrides={**generation(mode, model), **keeping(keep=keep)},
    ) as opened:
        check_outputs(opened, save)
        with while_writing(opened.settings.generation) as watch:
            answer = opened.ask(
                text,
                collection=collection,
                filters=filters,
                explain=explain,
                budget_ms=budget_ms(budget),
                watch=watch,
            )
        save_answer(answer, opened, save, sign)
        fates = (
            opened.why(text, why, collection=collection, filters=filters) if why is not None else ()
        )
        account = Account.of(answer, opened, explain=explain, fates=fates)
    if as_json:
        from pincite.verify.receipt import answer_form
        from pincite.verify.sealing import sealed

        print_json(sealed({**answer_form(answer), **account.form()}))
    else:
        print_answer(answer, is_raw=is_raw)
        account.show()
        tell_saved(save)
    if answer.status == "abstained":
        raise typer.Exit(ABSTAINED)


def print_answer(answer: Answer, *, is_raw: bool = False) -> None:
    """The statements with their quotes, where each stands, and what else must be told.

    Quotes are shown as a reader sees them, or with all marks of their files.
    """
    if answer.survey is not None:
        print_count(answer)
        return
    if not answer.citations:
        say("No answer in these documents.", bold=True)
    elif answer.mode == "generated":
        say(indented(" ".join(map(_marked, answer.claims))))
    else:
        _print_quotes(answer, is_raw=is_raw)
    say()
    for number, citation in enumerate(answer.citations, start=1):
        mark = f"[{number}]"
        if answer.mode == "generated":
            # The quote itself has not been printed yet; its place stands below it.
            _print_quote(citation, mark, is_raw=is_raw)
            mark = " " * len(mark)
        say(indented(_whereabouts(citation), first=f"  {mark} "), dim=True)
    for reason in answer.reasons:
        say(indented(reason, first="  - "), fg="yellow")
    if answer.citations:
        say(f"  confidence {answer.confidence:.2f} ({answer.calibration})", dim=True)
    if answer.model:
        say(indented(f"language model: {answer.model}", first="  "), dim=True)
    if answer.citations and answer.judged_by:
        say(f"  statements judged by {answer.judged_by}", dim=True)


def _marked(claim: Claim) -> str:
    """A statement and the numbers of its quotes: `It opens at 6.5 bar. [1][2]`."""
    return f"{on_one_line(claim.text)} {''.join(f'[{number}]' for number in claim.citations)}"


def _print_quote(citation: Citation, mark: str, *, is_raw: bool) -> None:
    say(indented(f'"{as_shown(citation, is_raw=is_raw)}"', first=f"  {mark} "))
    for line in announcing_lines(citation):
        say(indented(line, first="      "))


def _whereabouts(citation: Citation) -> str:
    span = f"characters {citation.start}-{citation.end}"
    parts = (short_path(citation.source), place(citation), span)
    return "; ".join(part for part in parts if part)


def _print_quotes(answer: Answer, *, is_raw: bool) -> None:
    before: Citation | None = None
    for number, citation in enumerate(answer.citations, start=1):
        for line in announcing_lines(citation, before):
            say(indented(line, first="    "))
        say(indented(f"{as_shown(citation, is_raw=is_raw)} [{number}]"))
        before = citation
        for line in cell_lines(citation):
            say(indented(line, first="    "))
