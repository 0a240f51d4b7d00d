"""Commands that plugins add: `pincite NAME`, where NAME is not a built-in one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from pincite.errors import PinciteError, PluginError
from pincite.settings.plugins import Plugin, installed


class CommandsAndPlugins(TyperGroup):
    """The commands of this package, then those of plugins. Help does not load plugins."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with this name; None if there is none."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        plugin = next((one for one in installed("commands") if one.name == cmd_name), None)
        return _command(plugin) if plugin else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List them."""
        super().format_commands(ctx, formatter)
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
