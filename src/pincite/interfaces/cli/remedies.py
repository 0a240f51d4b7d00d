"""What to do about each problem that `pincite doctor` has found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def remedies(report: dict[str, Any], library: str) -> list[str]:
    """One sentence with a command or a setting for each kind of problem in a report of doctor.

    `library` is what commands need to find the library: empty, or ` --library FOLDER`.
    """
    return list(_remedies(report, library))


def _remedies(report: dict[str, Any], library: str) -> Iterator[str]:
    is_empty = not report["documents"]["held"]
    if is_empty:
        yield f"the library is empty: take documents in with 'pincite ingest PATH{library}'"
    if report["documents"]["failed"]:
        yield (
            f"files could not be read: 'pincite stats --coverage{library}' names them and the "
            "reasons; mend them and ingest again"
        )
    if report["not_approved"]:
        yield "settings do not count yet: if you trust who wrote them, run 'pincite config trust'"
    yield from _of_models(report, library)
    if report["index"]["problem"] and not is_empty:  # Of nothing there need be no index.
        yield (
            "the index: nothing is lost, it is made from the catalog; the next question mends it, "
            f"for instance 'pincite search test{library}'"
        )
    if report["vectors"]["problems"]:
        yield (
            f"vectors differ: 'pincite remove FILE{library}' and 'pincite ingest FILE{library}' "
            "for each file that is named"
        )
    if report["offsets"]["problems"]:
        yield (
            "files are not as they were ingested: 'pincite ingest' with their folders "
            f"{'(' + library.strip() + ') ' if library else ''}reads them again"
        )
    for plugin in report["plugins"]:
        if plugin["problem"]:
            yield (
                f"plugin {plugin['name']}: install or upgrade its package with pip, or take the "
                "name out of the settings ('pincite config show --origin' says where it stands)"
            )


def _of_models(report: dict[str, Any], library: str) -> Iterator[str]:
    if report["model"]["problem"]:
        yield (
            "the encoder: 'pincite models list' shows what is installed; name one in "
            f"embedding.model, then 'pincite reindex{library}'"
        )
    if report["reranker"]["problem"]:
        yield (
            'the reranker: install what the message names, or set rerank.model = "none"; '
            "without it passages are still found and ordered"
        )
    if any(model["problem"] for model in report["language_models"]):
        yield (
            "the language model: 'pincite models list' shows what is there, 'pincite models add "
            'FILE.gguf\' adds one; with generation.model = "none" answers are made of quotes'
        )
    if report["entailment"]["problem"]:
        yield (
            "the entailment model: install what the message names, or set "
            'verification.nli_model = "none"; words are compared instead'
        )
