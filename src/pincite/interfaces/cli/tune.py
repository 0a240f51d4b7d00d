"""`pincite tune`: fits the order of hits to what users said of one library's answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.evaluation import questions_bar
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, ProfileOption
from pincite.interfaces.cli.output import print_json, say

if TYPE_CHECKING:
    from pincite.evaluate.tune import Tuned
    from pincite.library.library import Library


def tune(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    try_only: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Fit the order of hits to the feedback on this library's answers.

    Tries other weights of words against meaning, and of the reranker, on the questions whose answer is
    known: quotes of answers that helped, and corrections. Each question is judged with weights that
    were chosen without it. They are written to the library's settings only if that shows a gain.
    Needs 30 such questions.
    """
    from pincite.evaluate.feedback import told
    from pincite.evaluate.tune import labels_of
    from pincite.evaluate.tune import tune as fitted

    with pincite.Library.open(library, create=False, profile=profile) as opened:
        with questions_bar() as progress:
            found = fitted(opened, labels_of(opened, told(opened)), progress)
        is_written = found.helps and not try_only
        if is_written:
            _write(opened, found)
    if as_json:
        print_json({**asdict(found), "helps": found.helps, "written": is_written})
    else:
        _print(found, is_written=is_written)


def _write(library: Library, found: Tuned) -> None:
    from pincite.records.files import read_regular_text
    from pincite.settings.loading import SETTINGS_FILE
    from pincite.settings.toml_files import with_value

    file = library.path / SETTINGS_FILE
    content = read_regular_text(file) if file.exists() else ""
    content = with_value(content, "retrieval", "alpha", found.best.alpha)
    content = with_value(content, "rerank", "weight", found.best.rerank)
    library.keep_settings(content.encode())


def _print(found: Tuned, *, is_written: bool) -> None:
    say(f"questions   {found.questions} whose answer is known")
    say(f"now         mean reciprocal rank {found.before:.3f}")
    say(
        f"tuned       {found.held_out:.3f}, each question with weights chosen without it "
        f"(gain at least {found.least_gain:+.3f}, 95 % sure)"
    )
    best = f"retrieval.alpha {found.best.alpha}, rerank.weight {found.best.rerank}"
    if is_written:
        say(f"written     {best} into the library's settings.toml")
    elif found.helps:
        say(f"would be    {best}")
    else:
        say("no gain is certain: the settings stay as they are", fg="yellow")
