"""Finds the files to read under the given paths."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from pathspec import GitIgnoreSpec

from pincite.errors import UsageError
from pincite.ingest.detect import is_readable, readable_list
from pincite.records.files import open_regular
from pincite.records.library_records import CATALOG_FILE, PARTS_OF_A_LIBRARY, FileProblem

# Selects files under a folder with `.gitignore` patterns.

IGNORE_FILE = ".pinciteignore"
_LONGEST_IGNORE_FILE_BYTES = 1_000_000


class Selection:
    """The user's patterns: a file must match `include`, if given, and must not match `exclude`."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._include = _spec(include, "--include") if include else None
        self._exclude = _spec(exclude, "--exclude")
        self.leaves_out_nothing = not include and not exclude

    def wants(self, path: PurePosixPath) -> bool:
        """Whether a file is selected; the path is relative to the folder that was given."""
        name = str(path)
        if self._exclude.match_file(name):
            return False
        return self._include is None or self._include.match_file(name)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files from the given folder down to one of its subfolders.

    A deeper file overrides a shallower one, and a later line in a file overrides an earlier one.
    """

    specs: tuple[tuple[PurePosixPath, GitIgnoreSpec], ...] = ()

    def below(self, folder: Path, relative: PurePosixPath) -> IgnoreRules:
        """The rules inside a subfolder, including those of its own ignore file."""
        lines = _ignore_lines(folder / IGNORE_FILE)
        if not lines:
            return self
        spec = _spec(lines, str(folder / IGNORE_FILE))
        return IgnoreRules((*self.specs, (relative, spec)))

    def ignores(self, path: PurePosixPath, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored."""
        for base, spec in reversed(self.specs):
            inner = str(path.relative_to(base)) + ("/" if is_folder else "")
            verdict = spec.check_file(inner).include
            if verdict is not None:
                return verdict
        return False


def _ignore_lines(path: Path) -> list[str]:
    try:
        with open_regular(path) as file:
            return file.read(_LONGEST_IGNORE_FILE_BYTES).decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return []


def _spec(patterns: Sequence[str], origin: str) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise UsageError(
            f"{origin}: invalid pattern ({error}); "
            "expected patterns as in a .gitignore file, such as '*.pdf' or 'drafts/'"
        ) from error


_NOT_UTF8 = "its name is not valid UTF-8, so it cannot be stored or cited; rename it"
_TOLD_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """The result of a search: files to read, paths with problems, and files of other types."""

    files: tuple[Path, ...]
    problems: tuple[FileProblem, ...]
    skipped: tuple[FileProblem, ...] = ()
    ignored: frozenset[str] = frozenset()
    """Files and folders excluded by an ignore file."""
    folders: frozenset[str] = frozenset()
    """Folders that were searched, with links resolved."""
    unseen: frozenset[str] = frozenset()
    """The paths of the problems."""

    def ignores(self, path: str) -> bool:
        """Whether an ignore file excludes this file or a folder that contains it."""
        return path in self.ignored or any(
            str(parent) in self.ignored for parent in PurePath(path).parents
        )

    def is_out_of_sight(self, path: str) -> bool:
        """Whether this file is under a folder that could not be searched."""
        return any(str(parent) in self.unseen for parent in PurePath(path).parents)


def discover(paths: Sequence[Path], selection: Selection | None = None) -> Discovery:
    """All readable files among the paths or under the folders given, each once, sorted by path.

    Inside a folder, hidden files and folders are skipped, as is everything excluded by a
    `.pinciteignore` file or the selection, and the files a library keeps in its folder. A file
    given by its own path is always included.
    """
    search = _Search(selection or Selection())
    for path in paths:
        search.visit(path)
    return search.result()


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to search: its path, its path relative to the given folder, and its ignore rules."""

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
        self._looked_through: set[Path] = set()

    def visit(self, path: Path) -> None:
        """Add a given file, or everything under a given folder."""
        try:
            real = path.resolve(strict=True)
        except FileNotFoundError:
            self._problem(path, "no such file or folder; check the spelling")
        except (OSError, RuntimeError) as error:
            self._problem(path, f"cannot be opened ({_plain(error)})")
        else:
            if real.is_dir():
                self._named_folder(path, real)
            elif real.is_file():
                self._take(_to_read(path, real))
            else:
                self._problem(path, f"{special_file(real)}; save its contents as a file")

    def result(self) -> Discovery:
        """Everything found, in a fixed order."""
        return Discovery(
            files=tuple(sorted(self._files)),
            problems=tuple(dict.fromkeys(self._problems)),
            skipped=tuple(self._skipped[path] for path in sorted(self._skipped)),
            ignored=frozenset(self._ignored - set(map(str, self._files))),
            folders=frozenset(map(str, self._looked_through)),
            unseen=frozenset(problem.path for problem in self._problems),
        )

    def _named_folder(self, path: Path, real: Path) -> None:
        known = len(self._folders), len(self._files), len(self._problems)
        self._walk(real)
        if (len(self._folders), len(self._files), len(self._problems)) == known:
            return  # it is under another folder that was given
        if known[1:] == (len(self._files), len(self._problems)):
            self._problem(path, f"the folder has no files Pincite reads ({readable_list()})")

    def _walk(self, top: Path) -> None:
        """Search a folder tree; a folder reached twice through links is searched once."""
        waiting = [_Folder(top, PurePosixPath(), IgnoreRules())]
        while waiting:
            folder = waiting.pop()
            if folder.path in self._folders:
                continue
            self._folders.add(folder.path)
            if not _is_text(folder.path):
                self._problem(folder.path, _NOT_UTF8)
                continue
            try:
                entries = sorted(os.scandir(folder.path), key=lambda entry: entry.name)
            except OSError as error:
                self._problem(folder.path, f"the folder cannot be opened ({_plain(error)})")
                continue
            self._looked_through.add(folder.path)
            rules = folder.rules.below(folder.path, folder.relative)
            is_library = any(entry.name == CATALOG_FILE for entry in entries)
            left_out = PARTS_OF_A_LIBRARY if is_library else frozenset()
            for entry in entries:
                # `~$name.docx` is the lock file of a document that is open in Word.
                if not entry.name.startswith((".", "~$")) and entry.name not in left_out:
                    waiting.extend(self._entry(entry, folder.relative / entry.name, rules))

    def _entry(
        self, entry: os.DirEntry[str], relative: PurePosixPath, rules: IgnoreRules
    ) -> list[_Folder]:
        """Record a file; returns the folder to search if the entry is a folder."""
        path = Path(entry.path)
        try:
            # Its folder is already resolved; resolving every file would take most of the time spent
            # on a large folder.
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
        elif is_file and is_readable(_to_read(path, real).suffix):
            if self._selection.wants(relative):
                self._take(_to_read(path, real))
        else:
            kind = path.suffix or "no extension"
            other = f"Pincite does not read this file type ({kind})"
            reason = other if is_file else special_file(real)
            self._skipped[real] = FileProblem(path=_readable(str(path)), reason=reason)
        return []

    def _take(self, path: Path) -> None:
        if _is_text(path):
            self._files.setdefault(path)
        else:
            self._problem(path, _NOT_UTF8)

    def _problem(self, path: Path, reason: str) -> None:
        # abspath, not resolve: the message should show the name that the user typed.
        self._problems.append(FileProblem(path=_readable(os.path.abspath(path)), reason=reason))


def special_file(path: Path) -> str:
    """Describes a path that is neither a file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return f"it cannot be opened ({_plain(error)})"
    found = next((kind for is_one, kind in _SPECIAL if is_one(mode)), "a special file")
    return f"it is {found}, not a regular file"


def disk_names(path: str) -> tuple[str | bytes, ...]:
    """A path as given, and as it is on disk if it was given with `\\xff` in place of its bytes."""
    raw = _TOLD_BYTE.sub(lambda found: bytes([int(found[1], 16)]), path.encode())
    return (path,) if raw == path.encode() else (path, raw)


def _to_read(path: Path, real: Path) -> Path:
    """The target of a link, or the link itself if only its own name shows the file type."""
    if is_readable(real.suffix) or not is_readable(path.suffix):
        return real
    return path.parent.resolve() / path.name


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _readable(path: str) -> str:
    """The path as stored and shown, with `\\xff` escapes for bytes that are not valid UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _plain(error: OSError | RuntimeError) -> str:
    strerror = getattr(error, "strerror", None)
    return strerror.lower() if strerror else str(error)
