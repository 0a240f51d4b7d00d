"""Finds the files to read below the paths someone named."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from pincite.holdings import FileProblem
from pincite.ingest.detect import READABLE_SUFFIXES, readable_list
from pincite.ingest.selection import IgnoreRules, Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What was found: files to read, paths that are wrong, and files of other kinds."""

    files: tuple[Path, ...]
    problems: tuple[FileProblem, ...]
    skipped: tuple[FileProblem, ...] = ()
    ignored: frozenset[str] = frozenset()
    """Files and folders left alone because of an ignore file."""

    def ignores(self, path: str) -> bool:
        """Whether an ignore file leaves this file out, or a folder it is in."""
        return path in self.ignored or any(
            str(parent) in self.ignored for parent in PurePath(path).parents
        )


def discover(paths: Sequence[Path], selection: Selection | None = None) -> Discovery:
    """All readable files named or below the folders named, each once, in order of their paths.

    Inside a folder, hidden files and folders are left out, and so is what a `.pinciteignore` file
    or the selection leaves out; a file named itself is always taken.
    """
    search = _Search(selection or Selection())
    for path in paths:
        search.visit(path)
    return search.result()


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to enter: where it is, below the folder that was named, and what is ignored."""

    path: Path
    relative: PurePosixPath
    rules: IgnoreRules


class _Search:
    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._ignored: set[str] = set()
        self._files: dict[Path, None] = {}
        self._problems: list[FileProblem] = []
        self._skipped: dict[Path, FileProblem] = {}
        self._folders: set[Path] = set()

    def visit(self, path: Path) -> None:
        """Take a named file, or everything below a named folder."""
        try:
            real = path.resolve(strict=True)
        except FileNotFoundError:
            self._problem(path, "no such file or folder; check the spelling")
        except (OSError, RuntimeError) as error:
            self._problem(path, f"cannot be opened ({_plain(error)})")
        else:
            if real.is_dir():
                self._named_folder(path, real)
            else:
                self._files.setdefault(real)

    def result(self) -> Discovery:
        """Everything found, in a fixed order."""
        return Discovery(
            files=tuple(sorted(self._files)),
            problems=tuple(self._problems),
            skipped=tuple(self._skipped[path] for path in sorted(self._skipped)),
            ignored=frozenset(self._ignored - set(map(str, self._files))),
        )

    def _named_folder(self, path: Path, real: Path) -> None:
        known = len(self._folders), len(self._files), len(self._problems)
        self._walk(real)
        if (len(self._folders), len(self._files), len(self._problems)) == known:
            return  # it lies below another named folder
        if known[1:] == (len(self._files), len(self._problems)):
            self._problem(path, f"the folder has no files Pincite reads ({readable_list()})")

    def _walk(self, top: Path) -> None:
        """Go through a folder tree; a folder reached twice by way of links is entered once."""
        waiting = [_Folder(top, PurePosixPath(), IgnoreRules())]
        while waiting:
            folder = waiting.pop()
            if folder.path in self._folders:
                continue
            self._folders.add(folder.path)
            try:
                entries = sorted(os.scandir(folder.path), key=lambda entry: entry.name)
            except OSError as error:
                self._problem(folder.path, f"the folder cannot be opened ({_plain(error)})")
                continue
            rules = folder.rules.below(folder.path, folder.relative)
            for entry in entries:
                # `~$name.docx` is the lock file Word leaves beside an open document.
                if not entry.name.startswith((".", "~$")):
                    waiting.extend(self._entry(entry, folder.relative / entry.name, rules))

    def _entry(
        self, entry: os.DirEntry[str], relative: PurePosixPath, rules: IgnoreRules
    ) -> list[_Folder]:
        """Note a file; returns the folder to enter if it is one."""
        path = Path(entry.path)
        try:
            # The folder it stands in is resolved; doing that for every file would take most of the
            # time in which a large folder is looked through.
            real = path.resolve(strict=True) if entry.is_symlink() else path
            is_folder = entry.is_dir()
            is_file = entry.is_file()
        except (OSError, RuntimeError) as error:
            self._problem(path, f"cannot be opened ({_plain(error)})")
            return []
        if rules.ignores(relative, is_folder=is_folder):
            self._ignored.add(str(real))
        elif is_folder:
            return [_Folder(real, relative, rules)]
        elif is_file and real.suffix.lower() in READABLE_SUFFIXES:
            if self._selection.wants(relative):
                self._files.setdefault(real)
        else:
            kind = path.suffix or "no ending"
            reason = f"not a kind of file Pincite reads ({kind})"
            self._skipped[real] = FileProblem(path=str(path), reason=reason)
        return []

    def _problem(self, path: Path, reason: str) -> None:
        # abspath, not resolve: the reader of the message should see the name they typed.
        self._problems.append(FileProblem(path=os.path.abspath(path), reason=reason))


def _plain(error: OSError | RuntimeError) -> str:
    strerror = getattr(error, "strerror", None)
    return strerror.lower() if strerror else str(error)
