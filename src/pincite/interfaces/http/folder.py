"""Where does a server keep what is its own: keys, logs, kept answers?

Not in the library: that may come from somebody else, and with it keys that open the server.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pincite.errors import SettingsError
from pincite.settings.groups import ServerSettings


def server_folder(library: Path, settings: ServerSettings) -> Path:
    """The folder, made where it is missing, for its owner alone. Raises SettingsError."""
    folder = Path(settings.folder).expanduser() if settings.folder else _default(library)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SettingsError(
            f"{folder}: cannot be made ({error.strerror}); name a folder for the server's keys and "
            "logs with server.folder"
        ) from error
    return folder


def _default(library: Path) -> Path:
    chosen = Path(os.environ.get("XDG_STATE_HOME", ""))
    state = chosen if chosen.is_absolute() else Path.home() / ".local" / "state"
    place = os.path.realpath(library)
    name = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return state / "pincite" / f"{Path(place).name[:40]}-{name}"
