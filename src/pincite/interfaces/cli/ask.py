"""`pincite ask`: an answer made of checked quotes, or a refusal with reasons."""

from __future__ import annotations

import typer

import pincite
from pincite.interfaces.cli.answer import print_answer
from pincite.interfaces.cli.explain import Account
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    NO_FILTERS,
    AllOption,
    AttestOption,
    BudgetOption,
    CollectionOption,
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
    ShortOption,
    SignOption,
    StanceOption,
    WhyOption,
    budget_ms,
    generation,
    judging,
    keeping,
    question_text,
    with_filters,
)
from pincite.interfaces.cli.output import ABSTAINED, print_json
from pincite.interfaces.cli.progress import while_writing
from pincite.interfaces.cli.saving import check_outputs, check_saving, print_saved, save_answer


@with_filters
def ask(
    question: QuestionArgument = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    mode: ModeOption = "",
    model: ModelOption = "",
    stance: StanceOption = "",
    collection: CollectionOption = None,
    filters: pincite.Filters = NO_FILTERS,
    save: SaveOption = None,
    sign: SignOption = None,
    attest: AttestOption = None,
    keep: KeepOption = False,
    everything: AllOption = False,
    short: ShortOption = False,
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
    check_saving(save, sign, attest)
    with pincite.Library.open(
        library,
        create=False,
        profile=profile,
        overrides={**generation(mode, model), **judging(stance), **keeping(keep=keep)},
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
        save_answer(answer, opened, save, sign, attest)
        fates = (
            opened.why(text, why, collection=collection, filters=filters) if why is not None else ()
        )
        account = Account.of(answer, opened, explain=explain, fates=fates, collection=collection)
    if as_json:
        from pincite.verify.receipts.receipt import answer_form
        from pincite.verify.receipts.signing import sealed

        print_json(sealed({**answer_form(answer), **account.form()}))
    else:
        print_answer(answer, everything=everything, short=short, is_raw=is_raw)
        account.show()
        print_saved(save)
    if answer.status == "abstained":
        raise typer.Exit(ABSTAINED)
