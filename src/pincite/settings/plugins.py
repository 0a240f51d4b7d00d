"""Finds and loads plugins: parts that other installed packages add to this one.

A plugin is a named entry point of another installed package, in a group such as
`pincite.rerankers`. Its code runs with the rights of the user, who installed it; but its results are
checked like everything else. Searching all installed packages takes time, so that is done only for
a name that is not built in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pincite.errors import PinciteError, PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

KINDS = (
    "parsers",
    "embedders",
    "retrievers",
    "rerankers",
    "answerers",
    "verifiers",
    "exporters",
    "commands",
    "routes",
)
"""Kinds of plugins; the groups of entry points are `pincite.parsers` and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plugin of an installed package; `target` is `module:object`."""

    kind: str
    name: str
    package: str
    target: str

    def __str__(self) -> str:
        return f"plugin '{self.name}' ({self.kind}) of {self.package}"

    def load(self) -> Any:
        """The object that the entry point names. Raises PluginError if it cannot be imported."""
        try:
            return _imported(self.target)
        except Exception as error:
            raise PluginError(_message(self, "loaded", error)) from error

    def called(self, *given: Any) -> Any:
        """The plugin's result for these arguments. Raises PluginError if it fails."""
        function = self.load()
        try:
            return function(*given)
        except PinciteError:
            raise
        except Exception as error:
            raise PluginError(_message(self, "started", error)) from error

    def made(self, *given: Any, fails_as: type[PinciteError] = PluginError) -> Any:
        """The object that the plugin creates; errors of its methods are raised as `fails_as`.

        Raises PluginError if the plugin cannot create it.
        """
        return _Guarded(self, self.called(*given), fails_as)


class Hook:
    """The parts of one kind: this package's own by name, and those that plugins add.

    Built-in parts are given as entry points are (`module:object`), or as the objects themselves.
    Plugins cannot replace them.
    """

    def __init__(self, kind: str, built_in: Mapping[str, Any] | None = None) -> None:
        self.kind = kind
        self._built_in = built_in or {}

    def built_in(self, name: str) -> Any:
        """The built-in part with this name; None if there is none."""
        found = self._built_in.get(name)
        return _imported(found) if isinstance(found, str) else found

    def plugin(self, name: str) -> Plugin:
        """The plugin with this name. Raises PluginError if there is none, or more than one."""
        found = [one for one in installed(self.kind) if one.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            packages = ", ".join(one.package for one in found)
            raise PluginError(
                f"several packages have a plugin '{name}' ({self.kind}): {packages}; remove all but one"
            )
        there_are = ", ".join(one.name for one in installed(self.kind)) or "none"
        raise PluginError(
            f"there is no plugin '{name}' ({self.kind}); installed are: {there_are}; "
            "'pincite doctor' lists all plugins"
        )

    def added(self) -> tuple[Plugin, ...]:
        """The plugins whose names are not those of built-in parts."""
        return tuple(one for one in installed(self.kind) if one.name not in self._built_in)


def installed(kind: str) -> tuple[Plugin, ...]:
    """The plugins of a kind, sorted by name."""
    return tuple(one for one in all_installed() if one.kind == kind)


@cache
def all_installed() -> tuple[Plugin, ...]:
    """All plugins. Searches all installed packages, once."""
    # Imported here: it takes a hundredth of a second, and few commands need it.
    from importlib.metadata import entry_points

    every = entry_points()  # Each call reads a file of every installed package.
    found = [
        Plugin(kind=kind, name=point.name, package=_package(point), target=point.value)
        for kind in KINDS
        for point in every.select(group=f"pincite.{kind}")
    ]
    # A package found twice on the path counts once.
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.kind, one.name, one.package)))


def plugin_name(chosen: str) -> str:
    """The NAME in `plugin:NAME`; empty for anything else."""
    kind, separator, name = chosen.partition(":")
    return name if separator and kind == "plugin" else ""


class _Guarded:
    """An object of a plugin: errors of its methods are raised as errors of the plugin."""

    def __init__(self, plugin: Plugin, made: Any, fails_as: type[PinciteError]) -> None:
        self._plugin = plugin
        self._made = made
        self._fails_as = fails_as

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(self._made, name)
        except AttributeError as error:
            if name.startswith("__"):
                raise
            message = f"{self._plugin} has no '{name}'; see docs/plugins.md"
            raise self._fails_as(message) from error
        return self._guarded(found) if callable(found) else found

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._guarded(self._made)(*given, **named)

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            try:
                result = function(*given, **named)
            except PinciteError:
                raise
            except Exception as error:
                raise self._fails_as(_message(self._plugin, "used", error)) from error
            return self._iterated(result) if isinstance(result, Iterator) else result

        return call

    def _iterated(self, items: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from items
        except PinciteError:
            raise
        except Exception as error:
            raise self._fails_as(_message(self._plugin, "used", error)) from error


def _message(plugin: Plugin, what: str, error: Exception) -> str:
    why = f"{type(error).__name__}: {error}"
    return f"{plugin} could not be {what} ({why}); repair or remove the package"


def _imported(target: str) -> Any:
    module, _, path = target.partition(":")
    found: Any = import_module(module)
    for name in filter(None, path.split(".")):
        found = getattr(found, name)
    return found


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"
