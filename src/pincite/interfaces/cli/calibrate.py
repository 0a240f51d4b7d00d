"""`pincite calibrate`: fits confidence to labelled questions about one library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.evaluation import questions_bar
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, ProfileOption
from pincite.interfaces.cli.output import notice, print_json, say

if TYPE_CHECKING:
    from pincite.evaluate.calibrate import GradedSet
    from pincite.verify.abstention.calibration import Calibration


def calibrate(
    dataset: Annotated[
        Path | None,
        typer.Argument(
            help="Folder of questions about this library, with answers.", show_default=False
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    risk: Annotated[
        float, typer.Option("--risk", min=0.001, max=0.999, help="Highest share of wrong answers.")
    ] = 0.1,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence", min=0.5, max=0.9999, help="Probability with which the share must hold."
        ),
    ] = 0.9,
    from_feedback: Annotated[
        bool,
        typer.Option("--from-feedback", help="Use what users said of this library's answers."),
    ] = False,
    profile: ProfileOption = "",
    as_json: JsonOption = False,
) -> None:
    """Fit confidence to your own questions, and find the threshold for refusing.

    Asks all questions of a labelled set ('pincite eval label' makes one), or those on which users gave
    feedback, and finds the threshold at
    which at most a share of --risk of the answers given is wrong. The result is stored with the
    library and used as long as settings and encoder stay the same; every answer mentions it. Needs
    100 questions, preferably including some that the documents do not answer.
    """
    from pincite.evaluate.calibrate import calibrate as fitted
    from pincite.evaluate.calibrate import grade
    from pincite.evaluate.datasets import load_dataset
    from pincite.evaluate.feedback import grade_feedback

    if (dataset is None) != from_feedback:
        raise UsageError("give either a folder of questions or --from-feedback")
    data = load_dataset(dataset) if dataset else None
    with pincite.Library.open(library, create=False, profile=profile) as opened:
        with questions_bar() as progress:
            found = grade(opened, data, progress) if data else grade_feedback(opened, progress)
        for note in found.notes:
            notice(note)
        made = fitted(
            found.graded,
            made_for=found.basis,
            corpus_version=found.corpus_version,
            risk=risk,
            sureness=confidence,
        )
        kept = opened.keep_calibration(made)
    form = _form(made, found, risk, confidence)
    if as_json:
        print_json({**form, "kept": str(kept)})
    else:
        _print(form)


def _form(made: Calibration, found: GradedSet, risk: float, sureness: float) -> dict[str, Any]:
    bound = made.bound
    return {
        "questions": made.questions,
        "right": sum(one.right for one in found.graded),
        "without_answer": found.refused,
        "method": made.method,
        "calibration_error": made.error,
        "risk": risk,
        "sureness": sureness,
        "threshold": bound.threshold if bound else None,
        "answered": bound.answered if bound else None,
        "wrong": bound.wrong if bound else None,
        "told": made.message(made.corpus_version),
    }


def _print(form: dict[str, Any]) -> None:
    say(
        f"questions          {form['questions']} with an answer ({form['right']} right), "
        f"{form['without_answer']} without"
    )
    say(
        f"confidence         {form['method']}, calibration error {form['calibration_error']:.3f} "
        "(cross-validated)"
    )
    wanted = f"at most {form['risk']:.0%} wrong, {form['sureness']:.0%} sure"
    if form["threshold"] is None:
        say(
            f"no threshold keeps '{wanted}': confidence is calibrated, and the setting "
            "verification.abstain_below decides. A greater --risk or more questions may help",
            fg="yellow",
        )
        return
    say(
        f"threshold          {wanted}: {form['answered']} of {form['questions']} would be shown, "
        f"{form['wrong']} of them wrong"
    )
    say(f"answers now say    {form['told']}")
