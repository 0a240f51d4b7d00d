"""The commands of `pincite`, each imported when it is used, then those that plugins add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from pincite.errors import PinciteError, PluginError
from pincite.interfaces.cli.options import QuestionCommand

if TYPE_CHECKING:
    from pincite.settings.plugins import Plugin

BUILT_IN = {
    "init": ("init.init", "Create a library and show the files it could ingest."),
    "ingest": ("ingest.ingest", "Add files and folders to a library."),
    "sync": ("sync.sync", "Keep a library in step with folders."),
    "search": ("search.search", "Find passages, best first."),
    "ask": ("ask.ask", "Answer with exact quotes, or refuse and say why."),
    "chat": ("chat.chat", "Ask a series of questions that follow each other."),
    "compare": ("compare.compare", "Show what differs between two files or two folders."),
    "check": ("check.check", "Check a text of yours against the documents, for and against."),
    "table": ("sheet.table", "Ask the same questions of every document: one row each."),
    "timeline": ("timeline.timeline", "List the dated statements of the documents in order."),
    "brief": ("brief.brief", "Summarise a document in its own sentences."),
    "count": ("count.count", "Count the occurrences of words in all documents."),
    "batch": ("batch.batch", "Answer a file of questions."),
    "report": ("report.report", "Ask all questions of a template, for one cited document."),
    "calibrate": ("calibrate.calibrate", "Fit confidence to your own questions."),
    "tune": ("tune.tune", "Fit the order of hits to the feedback on a library's answers."),
    "verify": ("verify.verify", "Check a saved answer, count or report against its files."),
    "keys": ("verify.keys", "Make a key pair to sign saved answers with."),
    "ls": ("files.ls", "List the files a library holds."),
    "reindex": ("ingest.reindex", "Encode the library with the encoder named in the settings."),
    "worker": ("worker.worker", "Read queued files into a library in a database."),
    "remove": ("files.remove", "Forget files."),
    "stats": ("files.stats", "Show what a library holds and the problems reported."),
    "doctor": ("doctor.doctor", "Check catalog, models, index and random quotes."),
    "bench": ("bench.bench", "Measure how quick Pincite is on this machine."),
    "serve": ("serve.serve", "Serve one library over HTTP: a page and an API."),
    "demo": ("demo.demo", "Ask five questions about the sample documents."),
    "mcp": ("serve.mcp", "Serve tools to an assistant (Model Context Protocol)."),
    "export": ("carry.export", "Write a library into one file."),
    "import": ("carry.import_", "Make a new library from a file written by 'export'."),
    "migrate": ("migrate.migrate", "Copy a library from a folder into a database, or back."),
    "eval": ("evaluation.app", "Measure how well documents are found, questions answered."),
    "config": ("config.app", "Show settings, and approve those of others."),
    "bundle": ("carry.app", "Carry Pincite to a machine without a network."),
    "models": ("models.app", "Encoders and language models on this machine."),
    "history": ("history.app", "Show the kept answers; without a verb, list them."),
    "access": ("access.app", "Manage who may use the server of a library."),
}
"""For each command: where it is defined, below this package, and its line in the list."""

_ASKS = ("search", "ask", "count")
"""Their arguments are a question, which may begin with a dash."""


class _BuiltIn(Mapping[str, Any]):
    """The commands of this package by name: a module is imported when its command is used."""

    def __getitem__(self, name: str) -> Any:
        """The command. Raises KeyError if there is none of this name."""
        return _built(name, BUILT_IN[name][0])

    def __contains__(self, name: object) -> bool:
        """Whether there is one; imports nothing."""
        return name in BUILT_IN

    def __iter__(self) -> Iterator[str]:
        """Their names, in the order of the list."""
        return iter(BUILT_IN)

    def __len__(self) -> int:
        """How many there are."""
        return len(BUILT_IN)


@cache
def _built(name: str, defined_in: str) -> Any:
    module, _, attribute = defined_in.partition(".")
    offered = getattr(import_module(f"pincite.interfaces.cli.{module}"), attribute)
    if isinstance(offered, typer.Typer):
        command: Any = typer.main.get_group(offered)
    else:
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        app.command(name, cls=QuestionCommand if name in _ASKS else None)(offered)
        command = typer.main.get_command(app)
    command.name = name
    return command


class CommandsAndPlugins(TyperGroup):
    """The commands of this package, then those of plugins. Help loads neither."""

    def __init__(self, **given: Any) -> None:
        """`given` is what Typer passes; it knows of no commands."""
        super().__init__(**given)
        self.commands = _BuiltIn()  # type: ignore[assignment]  # Nothing is added to it.

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with this name; None if there is none."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        from pincite.settings.plugins import installed

        plugin = next((one for one in installed("commands") if one.name == cmd_name), None)
        return _command(plugin) if plugin else None

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """List them."""
        from pincite.settings.plugins import installed

        with formatter.section("Commands"):
            formatter.write_dl([(name, told) for name, (_, told) in BUILT_IN.items()])
        added = [one for one in installed("commands") if one.name not in self.commands]
        if added:
            with formatter.section("Added by plugins"):
                formatter.write_dl([(one.name, one.package) for one in added])


def _command(plugin: Plugin) -> Any:
    """The plugin's command: made from a Typer app, a command, or a function."""
    offered = plugin.load()
    if isinstance(offered, (TyperCommand, TyperGroup)):
        command: Any = offered
    else:
        app = offered
        if not isinstance(offered, typer.Typer):
            app = typer.Typer(rich_markup_mode=None, add_completion=False)
            app.command(plugin.name)(offered)
        command = typer.main.get_command(app)
    command.invoke = _blaming(plugin, command.invoke)
    return command


def _blaming(plugin: Plugin, invoke: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; unexpected errors are reported as the plugin's."""

    @wraps(invoke)
    def call(ctx: Any) -> Any:
        try:
            return invoke(ctx)
        except (PinciteError, OSError, typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "exit_code"):  # A wrong option, reported by Typer.
                raise
            raise PluginError(f"{plugin} failed ({type(error).__name__}: {error})") from error

    return call
