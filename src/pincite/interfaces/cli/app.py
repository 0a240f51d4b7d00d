"""The `pincite` command, and the mapping from failures to exit codes."""

from __future__ import annotations

import gc
import os
import sys

import typer

from pincite.errors import PinciteError, SettingsError, UsageError
from pincite.interfaces.cli.options import for_any_command
from pincite.interfaces.cli.output import ERROR, USAGE, say_error
from pincite.interfaces.cli.plugin_commands import CommandsAndPlugins

app = typer.Typer(
    name="pincite",
    cls=CommandsAndPlugins,
    help="Ask your own documents. Every answer is made of exact, checked quotes, or is refused.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: importing the code for boxes would add 0.2 s to every start.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 answered or done, 1 error, 2 usage, 3 no answer, 4 verification failed, "
    "5 worse than the run before, 6 different.",
)
app.callback()(for_any_command)


_NEW_OBJECTS_BEFORE_A_LOOK = 20_000
"""Allocations before Python's garbage collection runs. At its default of 700, a short command
would spend much of its time rescanning objects that its imports made and that stay alive."""


def for_imports() -> None:
    """Make imports quicker; call it before the packages are loaded."""
    gc.set_threshold(_NEW_OBJECTS_BEFORE_A_LOOK)
    # Pydantic would search all installed packages for plugins; none of them checks our settings.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # numpy's products are small here: where the cores are busy, as during an ingest, several threads
    # only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Run the command line. Every failure is one clear message and a defined exit code."""
    for_imports()
    # Documents may contain characters that the terminal's encoding cannot represent.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Also for `python -m pincite`: usage lines and shell completion must name the command.
        app(prog_name="pincite")
    except (UsageError, SettingsError) as error:
        _fail(str(error), USAGE)
    except PinciteError as error:
        _fail(str(error), ERROR)
    except BrokenPipeError:
        # The reader of our output (head, less) has exited. Keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ERROR)
    except OSError as error:
        _fail(f"{error.filename or 'the system'}: {error.strerror or error}", ERROR)
    except Exception as error:
        if os.environ.get("PINCITE_DEBUG"):
            raise
        _fail(
            f"unexpected {type(error).__name__}: {error}. This is a bug in Pincite; set "
            "PINCITE_DEBUG=1 to see where it happened, and please report it",
            ERROR,
        )


def _fail(message: str, code: int) -> None:
    say_error(message)
    sys.exit(code)
