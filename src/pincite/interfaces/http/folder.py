"""Locates the server's own folder, for keys, logs and cached answers.

It is not inside the library: a library may come from someone else and bring keys to this server.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pincite.errors import SettingsError
from pincite.library.library import Library
from pincite.settings.groups import ServerSettings


def server_folder(library: Path, settings: ServerSettings) -> Path:
    """The folder, created if missing with access for its owner only. Raises SettingsError."""
    folder = Path(settings.folder).expanduser() if settings.folder else _default(library)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SettingsError(
            f"{folder}: cannot be created ({error.strerror}); set server.folder to a folder for the "
            "server's keys and logs"
        ) from error
    return folder


def files_folder(library: Library) -> Path:
    """The folder for uploaded files: in the library, or in the server's own folder.

    Servers of a library in a database must share it: set server.folder to a shared folder.
    """
    if library.home.holds_files:
        return library.path
    return server_folder(library.path, library.settings.server)


def _default(library: Path) -> Path:
    chosen = Path(os.environ.get("XDG_STATE_HOME", ""))
    state = chosen if chosen.is_absolute() else Path.home() / ".local" / "state"
    place = os.path.realpath(library)
    name = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return state / "pincite" / f"{Path(place).name[:40]}-{name}"
