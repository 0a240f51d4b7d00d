"""Everything Pincite raises on purpose.

    PinciteError
    ├── UsageError            the request itself cannot be carried out as written
    ├── SettingsError         a setting has a value that makes no sense
    ├── ReadError             one file cannot be read; the others go on
    ├── LibraryError          the library folder cannot be used
    │   ├── LibraryBusy       another process is writing to it
    │   ├── LibraryReadOnly   it is in a place where nothing can be written
    │   ├── LibraryUnreachable  the server of its database or vectors does not respond, or refuses
    │   ├── LibraryDamaged    its catalog is empty, cut off or overwritten
    │   ├── NotStorable       the content of one file cannot be stored; the others go on
    │   ├── DocumentGone      a document was removed after it was found
    │   └── LibraryTooNew     it was written by a newer version
    ├── ModelError            a model is missing, damaged or cannot run here
    │   └── ModelUnreachable  its server does not respond, is too slow, or fails
    ├── PluginError           a part that another package adds is missing or broken
    ├── DatasetError          a labelled set or a saved run is not in a format Pincite reads
    ├── BundleError           a bundle cannot be made, or was changed since
    └── ReceiptError          a saved answer is not in the format Pincite writes

A message says what was found, what was expected and what to do next, in that order.
"""

from __future__ import annotations


class PinciteError(Exception):
    """Root of the tree: catch this to catch everything Pincite raises on purpose."""


class UsageError(PinciteError):
    """The request itself cannot be carried out as written (an empty question, an unknown name)."""


class SettingsError(PinciteError):
    """A setting is unknown or has a value outside its range."""


class ReadError(PinciteError):
    """One file cannot be read. The message is the reason shown to the user, in plain words."""


class LibraryError(PinciteError):
    """The library folder cannot be used: not a library, not writable, disk full, damaged."""


class LibraryBusy(LibraryError):
    """Another process is writing to the library."""


class LibraryReadOnly(LibraryError):
    """The library is in a place where nothing can be written; it can still be searched."""


class LibraryUnreachable(LibraryError):
    """The server of the library's database or vectors does not respond, or refuses the connection."""


class LibraryDamaged(LibraryError):
    """The library's catalog is empty, cut off or overwritten."""


class NotStorable(LibraryError):
    """The content of a file cannot be stored. The message is the reason; other files can be stored."""


class DocumentGone(LibraryError):
    """A document was removed from the library after it was found there."""


class LibraryTooNew(LibraryError):
    """The library was written by a newer version of Pincite."""


class ModelError(PinciteError):
    """A model is missing, does not match its checksum, or cannot run on this machine."""


class ModelUnreachable(ModelError):
    """The server of a model does not respond, is too slow, or fails (5xx)."""


class PluginError(PinciteError):
    """A plugin is not installed, or it cannot be loaded, or it failed. The message names it."""


class DatasetError(PinciteError):
    """A labelled set for evaluation, or a saved run, cannot be read."""


class ReceiptError(PinciteError):
    """A saved answer cannot be read back."""


class BundleError(PinciteError):
    """A bundle for a machine without a network cannot be made, or was changed since."""
