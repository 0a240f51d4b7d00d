"""Suggests a remedy for each problem found by `pincite doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def remedies(report: dict[str, Any], library: str) -> list[str]:
    """One sentence with a command or a setting for each kind of problem in doctor's report.

    `library` is the option that commands need: empty, or ` --library FOLDER`.
    """
    return list(_remedies(report, library))


def _remedies(report: dict[str, Any], library: str) -> Iterator[str]:
    is_empty = not report["documents"]["held"]
    if is_empty:
        yield f"the library is empty: add documents with 'pincite ingest PATH{library}'"
    if report["documents"]["failed"]:
        yield (
            f"files could not be read: 'pincite stats --coverage{library}' names them and the "
            "reasons; fix them and ingest again"
        )
    if report["not_approved"]:
        yield "settings are ignored: if you trust their author, run 'pincite config trust'"
    yield from _of_models(report, library)
    if report["index"]["problem"] and not is_empty:  # An empty library needs no index.
        yield (
            "the index: nothing is lost, it is rebuilt from the catalog by the next question, "
            f"for instance 'pincite search test{library}'"
        )
    if report["vectors"]["problems"]:
        yield (
            f"vectors differ: 'pincite remove FILE{library}' and 'pincite ingest FILE{library}' "
            "for each file listed"
        )
    if report["offsets"]["problems"]:
        yield (
            "files have changed since they were ingested: 'pincite ingest' with their folders "
            f"{'(' + library.strip() + ') ' if library else ''}reads them again"
        )
    for plugin in report["plugins"]:
        if plugin["problem"]:
            yield (
                f"plugin {plugin['name']}: install or upgrade its package with pip, or remove the "
                "name from the settings ('pincite config show --origin' shows where it is set)"
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
            "without it, passages are still found and ordered"
        )
    if any(model["problem"] for model in report["language_models"]):
        yield (
            "the language model: 'pincite models list' shows the available ones, 'pincite models add "
            'FILE.gguf\' adds one; with generation.model = "none" answers are made of quotes'
        )
    if report["entailment"]["problem"]:
        yield (
            "the entailment model: install what the message names, or set "
            'verification.nli_model = "none"; words are compared instead'
        )
