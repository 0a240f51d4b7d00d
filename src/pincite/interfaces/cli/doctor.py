"""`pincite doctor`: checks the installation and a library."""

from __future__ import annotations

import platform
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import pincite
from pincite.errors import LibraryUnreachable, ModelError, PluginError, UsageError
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    ProfileOption,
    how_it_is_named,
)
from pincite.interfaces.cli.output import ERROR, indented, print_json, say
from pincite.interfaces.cli.remedies import remedies

if TYPE_CHECKING:
    from pincite.library.library import Library
    from pincite.settings.plugins import Plugin
    from pincite.store.index.indexes import Indexes

_PACKAGES = (
    "openvino",
    "onnxruntime",
    "faiss-cpu",
    "tantivy",
    "pypdfium2",
    "sqlalchemy",
    "xllamacpp",
)
_PROBLEMS_SHOWN = 10
_ALWAYS_IN_FORCE = ("parsers", "exporters", "commands")
"""Plugins used without a setting: a file's suffix or a command's name selects them."""


def doctor(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            help="Only run everything once without a network, and report attempts to connect.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the result of --offline, for 'ask --attest'."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check catalog, models and index, and compare random quotes with their files.

    Compares 200 random sentences with their files, character by character, and encodes 20 random
    passages again. With --offline, the sample documents are read, searched and asked in a network
    namespace without a route outside, and so is the library, if there is one.

    Exit code 0 when all is well, 1 when something needs attention. Repairs nothing; names the command
    or setting that does.
    """
    if offline:
        from pincite.interfaces.cli.offline import prove_offline

        prove_offline(library, profile, output, as_json=as_json)
        return
    if output is not None:
        raise UsageError("--output writes the result of --offline; add --offline")
    report: dict[str, Any] = {"versions": _versions()}
    with pincite.Library.open(library, create=False, profile=profile) as opened:
        # A damaged catalog is reported alone: the other checks depend on it.
        opened.check_catalog()
        report["catalog"] = "undamaged, every row can be read"
        stats = opened.stats()
        report["documents"] = {"held": stats.documents, "failed": len(stats.failures)}
        report["not_approved"] = list(opened.notices)
        report["model"] = _model(opened)
        report["reranker"] = _reranker(opened)
        report["language_models"] = _language_models(opened)
        report["entailment"] = _entailment(opened)
        report["index"] = _index(opened)
        report["vectors"] = _vectors(opened)
        report["plugins"] = _plugins(opened)
        report["parser_confinement"] = opened.parser_confinement()
        offsets = opened.check_offsets()
    report["offsets"] = {
        "checked": offsets.checked,
        "exact": offsets.exact,
        "problems": list(offsets.problems),
    }
    report["healthy"] = (
        not report["not_approved"]
        and not report["model"]["problem"]
        and not report["reranker"]["problem"]
        and not report["entailment"]["problem"]
        and not report["index"]["problem"]
        and not any(model["problem"] for model in report["language_models"])
        and not report["vectors"]["problems"]
        and not any(plugin["problem"] for plugin in report["plugins"])
        and offsets.exact == offsets.checked
    )
    report["to_do"] = remedies(report, how_it_is_named(library))
    if as_json:
        print_json(report)
    else:
        _print(report)
    if not report["healthy"]:
        raise typer.Exit(ERROR)


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"pincite": pincite.__version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _plugins(library: Library) -> list[dict[str, Any]]:
    """Plugins of other packages, and problems of those that the settings use."""
    from pincite.settings.plugins import all_installed

    named = _named_plugins(library)
    found: list[dict[str, Any]] = [
        {
            "kind": one.kind,
            "name": one.name,
            "package": one.package,
            "in_force": (is_used := one.kind in _ALWAYS_IN_FORCE or (one.kind, one.name) in named),
            "problem": _problem_of(one) if is_used else "",
        }
        for one in all_installed()
    ]
    there = {(one["kind"], one["name"]) for one in found}
    return found + [
        {
            "kind": kind,
            "name": name,
            "package": "",
            "in_force": True,
            "problem": "named in the settings, but not installed",
        }
        for kind, name in sorted(named - there)
    ]


def _named_plugins(library: Library) -> set[tuple[str, str]]:
    from pincite.settings.plugins import plugin_name

    settings = library.settings
    chosen = {
        ("embedders", plugin_name(settings.embedding.model)),
        ("rerankers", plugin_name(settings.rerank.model)),
        ("retrievers", settings.retrieval.plugin),
        ("answerers", settings.generation.plugin),
        *(("verifiers", name) for name in settings.verification.plugins),
        *(("routes", name) for name in settings.server.plugins),
    }
    return {(kind, name) for kind, name in chosen if name}


def _problem_of(plugin: Plugin) -> str:
    try:
        plugin.load()
    except PluginError as error:
        return str(error)
    return ""


def _model(library: Library) -> dict[str, Any]:
    """The encoder in use. Opening it compares its files with those used to encode the library."""
    from pincite.library.encoders import shown_name

    encoder = library.encoder()
    if encoder is None:
        return {"name": "none", "runtime": "none", "problem": library.encoder_problem}
    return {
        "name": shown_name(encoder.name),
        "identity": encoder.name,
        "dimensions": encoder.dimensions,
        "runtime": encoder.runtime,
        "verified": encoder.has_token_states,
        "problem": library.encoder_notice,
    }


def _reranker(library: Library) -> dict[str, Any]:
    """The reranker. A model is tried with a simple question."""
    scorer, problem = library.reranker()
    method = library.settings.rerank.method
    if scorer is None:
        return {"method": method, "name": "none", "problem": problem}
    return {"method": method, "name": scorer.name, "runtime": scorer.runtime, "problem": problem}


def _language_models(library: Library) -> list[dict[str, str]]:
    """The language model of the settings and its fallback; nothing is loaded or generated."""
    from pincite.models.llm.opening import availability

    return [asdict(model) for model in availability(library.settings.generation)]


def _entailment(library: Library) -> dict[str, str]:
    """The model that judges generated statements, unless they are judged by their words."""
    model, problem = library.entailment_model()
    return {"name": model.name if model else "none", "problem": problem}


def _index(library: Library) -> dict[str, Any]:
    generation = library.catalog.generation()
    try:
        indexes, problem = library.index_state()
        problem += "; the next question or ingest rebuilds it"
    except LibraryUnreachable as error:
        indexes, problem = None, str(error)
    if indexes is None:
        return {"generation": None, "catalog_generation": generation, "problem": problem}
    behind = generation - indexes.manifest.generation
    return {
        "generation": indexes.manifest.generation,
        "catalog_generation": generation,
        "vectors": len(indexes.dense),
        "engine": f"{indexes.dense.engine}{_server_of(indexes)}",
        "passages": len(indexes.lexical),
        "problem": f"{behind} changes behind the catalog; the next question or ingest applies them"
        if behind
        else "",
    }


def _server_of(indexes: Indexes) -> str:
    from pincite.store.index.dense_qdrant import QdrantIndex

    return f", {indexes.dense.place}" if isinstance(indexes.dense, QdrantIndex) else ""


def _vectors(library: Library) -> dict[str, Any]:
    """Whether stored vectors match the encoder's; not checked if the encoder has a problem."""
    try:
        return asdict(library.check_vectors())
    except ModelError as error:
        return {"checked": 0, "alike": 0, "problems": [str(error)]}


def _described(model: dict[str, Any]) -> str:
    files = "its files are those used to encode the library"
    checked = files if model["verified"] else "its server cannot prove which files it uses"
    return f"{model['name']}, {model['dimensions']} dimensions, {model['runtime']}; {checked}"


def _print(report: dict[str, Any]) -> None:
    model, index, offsets = report["model"], report["index"], report["offsets"]
    rows = dict(report["versions"])
    rows["model"] = model["problem"] or _described(model)
    reranker = report["reranker"]
    after = f", then {reranker['name']} ({reranker['runtime']})" if "runtime" in reranker else ""
    rows["reranker"] = reranker["problem"] or f"{reranker['method']}{after}"
    for place, language_model in enumerate(report["language_models"]):
        line = language_model["problem"] or language_model["found"]
        rows["fallback" if place else "writes"] = f"{language_model['model']}: {line}"
    judge = report["entailment"]
    if judge["problem"] or judge["name"] != "none":
        rows["entailment"] = judge["problem"] or f"statements are judged by {judge['name']}"
    state = "{passages} passages, {vectors} vectors ({engine})"
    rows["catalog"] = report["catalog"]
    rows["index"] = index["problem"] or state.format_map(index)
    vectors = report["vectors"]
    rows["vectors"] = f"{vectors['alike']} of {vectors['checked']} match the encoder"
    rows["parsers"] = f"confinement: {report['parser_confinement']}"
    rows["offsets"] = f"{offsets['exact']} of {offsets['checked']} sentences exact"
    for name, found in rows.items():
        say(indented(found, first=f"{name:<13}"))
    for plugin in report["plugins"]:
        use = "" if plugin["in_force"] else ", not in use"
        line = (
            plugin["problem"] or f"{plugin['name']} ({plugin['kind']}) of {plugin['package']}{use}"
        )
        say(indented(line, first=f"{'plugin':<13}"))
    for line in report["not_approved"]:
        say(indented(line, first=f"{'settings':<13}"))
    for problem in [*vectors["problems"], *offsets["problems"]][:_PROBLEMS_SHOWN]:
        say(indented(problem, first=" " * 13))
    for remedy in report["to_do"]:
        say(indented(remedy, first=f"{'to do':<13}"))
    say("all is well" if report["healthy"] else "something needs attention")
