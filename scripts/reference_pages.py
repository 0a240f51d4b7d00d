"""The pages of docs/reference/, generated from the program. `scripts/write_docs` writes them."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import typer
from licences import licence as licence_of

import pincite
from pincite import Library, errors, stages
from pincite.interfaces.cli import output
from pincite.interfaces.cli.app import app as cli_app
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.guards.rights import rule_of
from pincite.interfaces.http.problems import _STATUSES
from pincite.interfaces.http.served import Served
from pincite.interfaces.mcp import Tools
from pincite.interfaces.samples.asked import sample_documents
from pincite.records.formats import FORMATS, FileFormat
from pincite.settings.groups import ServerSettings
from pincite.settings.plugins import KINDS
from pincite.verify.receipts.receipt import answer_form

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
WRITTEN = "Written by `scripts/write_docs`; a test compares this page with the program."


def pages() -> dict[str, str]:
    """Every page by its file name."""
    with tempfile.TemporaryDirectory() as home, Library.open(Path(home) / "library") as library:
        library.ingest([sample_documents()])
        answer = answer_form(library.ask("Which soil pH is best for tomatoes?"))
        http, mcp = _served(library)
    made = {
        "cli.md": cli_page(),
        "http.md": http,
        "mcp.md": mcp,
        "formats.md": formats_page(answer),
        "errors.md": errors_page(),
        "plugins.md": plugins_page(),
        "python.md": python_page(),
    }
    return {name: text.rstrip() + "\n" for name, text in made.items()}


def _served(library: Library) -> tuple[str, str]:
    served = Served(library)
    described = create_app(served, ServerSettings()).openapi()
    return http_page(described), mcp_page(Tools(served))


EXIT_CODES = ("DONE", "ERROR", "USAGE", "ABSTAINED", "VERIFICATION_FAILED", "WORSE", "INTERRUPTED")

# --- Command line -----------------------------------------------------------------------------


def cli_page() -> str:
    """Every command with its arguments and options."""
    root = typer.main.get_command(cli_app)
    codes = {
        code: name.lower().replace("_", " ")
        for name, code in vars(output).items()
        if name in EXIT_CODES
    }
    named = ", ".join(f"{code} {codes[code]}" for code in sorted(codes))
    parts = [
        "# Commands",
        "",
        WRITTEN,
        "",
        f"Exit codes: {named}. 3 means that the documents do not answer, 5 that a run of `eval` is worse than another.",
        "",
        "`pincite COMMAND --help` shows the same on a terminal. `pincite --install-completion` makes your shell",
        "complete commands, options and profiles.",
    ]
    for name, command in _commands(root, "pincite"):
        parts += ["", f"## {name}", "", *_command(command)]
    return "\n".join(parts)


def _commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    for verb, command in group.commands.items():
        if hasattr(command, "commands"):
            yield f"{name} {verb}", command
            yield from _commands(command, f"{name} {verb}")
        else:
            yield f"{name} {verb}", command


def _command(command: Any) -> list[str]:
    # The mark that keeps a paragraph's lines separate on a terminal.
    told = inspect.cleandoc(command.help or "").replace("\b\n", "").strip()
    context = typer.Context(command)
    records = [
        record
        for one in command.params
        if one.name != "help" and (record := one.get_help_record(context)) is not None
    ]
    rows = [f"| `{_cell(names)}` | {_cell(told)} |" for names, told in records]
    return [told, *(["", "| | |", "|---|---|", *rows] if rows else [])]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# --- HTTP and MCP -----------------------------------------------------------------------------


def http_page(described: Mapping[str, Any]) -> str:
    """Every address with its parameters and the scope that it needs."""
    parts = [
        "# HTTP",
        "",
        WRITTEN,
        "",
        "The same as `/openapi.json` of a running server, shorter. [server.md](../server.md) explains how to use it.",
        "*Right* is the scope that a key needs if keys are used ([security.md](../security.md)). Every error is a",
        "problem object ([errors.md](errors.md)). Unknown fields are refused.",
    ]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            parts += [
                "",
                f"## {method.upper()} {path}",
                "",
                *_operation(path, method, operation, described),
            ]
    return "\n".join(parts)


def _operation(
    path: str, method: str, operation: Mapping[str, Any], described: Mapping[str, Any]
) -> list[str]:
    concrete = re.sub(r"\{[^}]*\}", "x", path)
    right = rule_of({"type": "http", "path": concrete, "method": method.upper()}).scope or "none"
    codes = ", ".join(code for code in operation["responses"] if code != "default")
    parts = [
        _cell(operation.get("description", operation["summary"])),
        "",
        f"Right: {right}. Success: {codes}.",
    ]
    rows = [
        f"| `{one['name']}` | {one['in']} | {_type(one['schema'])} | {_cell(one['schema'].get('description', ''))} |"
        for one in operation.get("parameters", ())
    ]
    content = operation.get("requestBody", {}).get("content", {})
    for media in content.values():
        rows += _fields(media["schema"], described)
    if rows:
        parts += ["", "| field | in | type | |", "|---|---|---|---|", *dict.fromkeys(rows)]
    return parts


def _fields(schema: Mapping[str, Any], described: Mapping[str, Any]) -> list[str]:
    if "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return [row for one in schema["anyOf"] for row in _fields(one, described)]
    needed = schema.get("required", ())
    return [
        f"| `{name}`{' (needed)' if name in needed else ''} | body | {_type(field)} | {_cell(field.get('description', ''))} |"
        for name, field in schema.get("properties", {}).items()
    ]


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2]).removesuffix("Body").lower()
    if "anyOf" in schema:
        return " or ".join(
            dict.fromkeys(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
        )
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def mcp_page(tools: Tools) -> str:
    """Every tool with its arguments."""
    parts = [
        "# Tools of the Model Context Protocol",
        "",
        WRITTEN,
        "",
        "All tools are read-only. [clients.md](../clients.md) explains how an assistant starts them.",
    ]
    for tool in tools.all():
        parts += ["", f"## {tool.name}", "", _cell(tool.description or "")]
        rows = [row.replace(" | body |", " |") for row in _fields(tool.parameters, {})]
        if rows:
            parts += ["", "| argument | type | |", "|---|---|---|", *rows]
    return "\n".join(parts)


# --- Files ------------------------------------------------------------------------------------


def _format_row(one: FileFormat) -> str:
    suffixes = ", ".join(f"`{suffix}`" for suffix in one.media_types)
    if not one.library:
        return f"| {one.label} | {one.name} | {suffixes} | Pincite and Python's own modules | | |"
    lines = CONSTRAINTS.read_text("utf-8").lower().split()
    version = dict(line.split("==") for line in lines if "==" in line)[one.library.lower()]
    licence = licence_of(distribution(one.library))
    return f"| {one.label} | {one.name} | {suffixes} | {one.library} | {version} | {licence} |"


def formats_page(answer: Mapping[str, Any]) -> str:
    """File formats read and written, with an example answer field by field."""
    parts = [
        "# File formats",
        "",
        WRITTEN,
        "",
        "## Formats read",
        "",
        "The first bytes of a file determine its format; its name only if they do not.",
        "",
        "| format | kind | suffixes | library | version | licence |",
        "|---|---|---|---|---|---|",
        *map(_format_row, FORMATS),
        "",
        "All that is known of a format is its entry in [formats.py](../../src/pincite/records/formats.py).",
        "",
        "[files.md](../files.md) shows how a hundred difficult files are read.",
        "",
        "## Formats written",
        "",
        "| file | made by | read by |",
        "|---|---|---|",
        "| receipt `.json`, `.html` | `pincite ask --save` | `pincite verify` ([receipts.md](../receipts.md)) |",
        "| report `.md`, `.html`, `.docx`, `.pdf`, `.json` | `pincite report --output` | `pincite verify` (`.json`) ([reports.md](../reports.md)) |",
        "| library export `.tar` | `pincite export` | `pincite import` ([backup.md](../backup.md)) |",
        "| bundle `.tar` | `pincite bundle create` | `pincite bundle verify`, its own installers ([air-gap.md](../air-gap.md)) |",
        "| proof `.json` | `pincite doctor --offline --output` | `pincite ask --attest` |",
        "| settings `settings.toml` | you | every command ([settings.md](../settings.md)) |",
        "",
        "## An answer",
        "",
        "`pincite ask --json`, the server and receipts use one object. Offsets count Unicode code points of the",
        "document's text; ends are exclusive. The values are those of a question about the sample documents.",
        "",
        *_example(answer, skip=("claims", "citations")),
        "",
        "### A statement: `claims[]`",
        "",
        *_example(answer["claims"][0]),
        "",
        "### A citation: `citations[]`",
        "",
        *_example(answer["citations"][0]),
    ]
    return "\n".join(parts)


# Values that differ between machines, runs or versions.
_VARYING = (
    "timings",
    "source",
    "corpus_version",
    "readings",
    "settings_digest",
    "confidence",
    "support",
)
_KINDS = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "list",
    dict: "object",
}


def _example(form: Mapping[str, Any], skip: tuple[str, ...] = ()) -> Iterator[str]:
    yield "| field | type | example |"
    yield "|---|---|---|"
    for name, value in form.items():
        kind = "null" if value is None else _KINDS[type(value)]
        shown = "" if name in _VARYING or name in skip else f"`{_short(value)}`"
        yield f"| `{name}` | {kind} | {_cell(shown)} |"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


# --- Errors -----------------------------------------------------------------------------------


def errors_page() -> str:
    """Every error with its parent, exit code and HTTP status."""
    rows = []
    for name, kind in _error_classes():
        status = next((int(code) for known, code in _STATUSES if issubclass(kind, known)), 500)
        usage = issubclass(kind, (errors.UsageError, errors.SettingsError))
        code = output.USAGE if usage else output.ERROR
        meaning = _cell((kind.__doc__ or "").partition("\n\n")[0])
        parent = f"`{kind.__bases__[0].__name__}`" if kind is not errors.PinciteError else ""
        rows.append(f"| `{name}` | {parent} | {meaning} | {code} | {status} |")
    return "\n".join(
        [
            "# Errors",
            "",
            WRITTEN,
            "",
            "A message says what was found, what was expected and what to do next. Every error raised on",
            "purpose is a `PinciteError`; each class is a name of `pincite.errors`.",
            "The last two columns are the exit code of a command and the status of the server.",
            "",
            "| error | is a | meaning | exit | HTTP |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "A problem object (RFC 9457) has `type` (`urn:pincite:problem:NAME`), `title`, `status`, `detail`, `instance`",
            "and `request_id`; status 422 also has `problems`, one for each field. 503 comes with `Retry-After`.",
        ]
    )


def _error_classes() -> list[tuple[str, type[Exception]]]:
    return [
        (name, kind)
        for name, kind in vars(errors).items()
        if inspect.isclass(kind) and issubclass(kind, errors.PinciteError)
    ]


# --- Python -----------------------------------------------------------------------------------


def plugins_page() -> str:
    """The groups of entry points, and the Protocols that plugins implement."""
    parts = [
        "# Plugins: groups and Protocols",
        "",
        WRITTEN,
        "",
        "[plugins.md](../plugins.md) explains what each can do. The groups of entry points are",
        f"{', '.join(f'`pincite.{kind}`' for kind in KINDS)}.",
        "A plugin provides objects with the methods below; their types are those of `pincite.stages`.",
    ]
    for name, kind in vars(stages).items():
        if (
            inspect.isclass(kind)
            and getattr(kind, "_is_protocol", False)
            and kind.__module__ == stages.__name__
        ):
            parts += ["", f"## {name}", "", _first(kind), *_methods(kind)]
    return "\n".join(parts)


def python_page() -> str:
    """Every public name of the package."""
    parts = [
        "# Python",
        "",
        WRITTEN,
        "",
        "Everything public is in `pincite.__all__`. The examples in the README run as tests.",
    ]
    for name in sorted(pincite.__all__, key=lambda one: (one != "Library", one.lower())):
        value = getattr(pincite, name)
        if inspect.isclass(value) and issubclass(value, errors.PinciteError):
            continue
        if inspect.isclass(value):
            parts += ["", f"## {name}", "", _first(value), *_attributes(value), *_methods(value)]
        elif callable(value):
            parts += ["", f"## {name}{_signature(value)}", "", _first(value)]
    parts += ["", "Errors: [errors.md](errors.md)."]
    return "\n".join(parts)


def _first(value: object) -> str:
    return _cell(inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0])


def _attributes(kind: type) -> list[str]:
    if not dataclasses.is_dataclass(kind):
        return []
    names = ", ".join(
        f"`{field.name}`" for field in dataclasses.fields(kind) if field.name[0] != "_"
    )
    return ["", f"Fields: {names}."]


def _methods(kind: type) -> list[str]:
    rows = [
        f"| `{name}{_call(value)}` | {_first(_function(value))} |"
        for name, value in vars(kind).items()
        if name[0] != "_" and callable(_function(value))
    ]
    return ["", "| | |", "|---|---|", *rows] if rows else []


def _function(value: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(value, "fget", None) or getattr(value, "__func__", value)
    return found


def _call(value: Any) -> str:
    return "" if isinstance(value, property) else _signature(_function(value))


def _signature(function: Callable[..., Any]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    given = [
        one.replace(annotation=inspect.Parameter.empty)
        for name, one in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(
        signature.replace(parameters=given, return_annotation=inspect.Signature.empty)
    ).replace("|", "\\|")
