"""Finds the files to read below the paths someone named."""

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

# Which files below a folder are wanted: patterns in the style of `.gitignore`.

IGNORE_FILE = ".pinciteignore"
_LONGEST_IGNORE_FILE_BYTES = 1_000_000


class Selection:
    """Patterns given by the user: with `include`, only what one of them matches; never `exclude`."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._include = _spec(include, "--include") if include else None
        self._exclude = _spec(exclude, "--exclude")
        self.leaves_out_nothing = not include and not exclude

    def wants(self, path: PurePosixPath) -> bool:
        """Whether a file is wanted; the path is relative to the folder that was named."""
        name = str(path)
        if self._exclude.match_file(name):
            return False
        return self._include is None or self._include.match_file(name)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files from the folder that was named down to some folder below it.

    A deeper file has the last word, and a later line in one file over an earlier one.
    """

    specs: tuple[tuple[PurePosixPath, GitIgnoreSpec], ...] = ()

    def below(self, folder: Path, relative: PurePosixPath) -> IgnoreRules:
        """The rules inside a folder, with those of its own ignore file if it has one."""
        lines = _ignore_lines(folder / IGNORE_FILE)
        if not lines:
            return self
        spec = _spec(lines, str(folder / IGNORE_FILE))
        return IgnoreRules((*self.specs, (relative, spec)))

    def ignores(self, path: PurePosixPath, *, is_folder: bool) -> bool:
        """Whether a file or folder is to be left alone."""
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
            f"{origin}: a pattern makes no sense ({error}); "
            "expected patterns as in a .gitignore file, such as '*.pdf' or 'drafts/'"
        ) from error


_NOT_UTF8 = "its name is not UTF-8, so it could not be stored or cited; rename it"
_TOLD_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What was found: files to read, paths that are wrong, and files of other kinds."""

    files: tuple[Path, ...]
    problems: tuple[FileProblem, ...]
    skipped: tuple[FileProblem, ...] = ()
    ignored: frozenset[str] = frozenset()
    """Files and folders left alone because of an ignore file."""
    folders: frozenset[str] = frozenset()
    """Folders that were looked through, with links resolved."""
    unseen: frozenset[str] = frozenset()
    """The paths of the problems."""

    def ignores(self, path: str) -> bool:
        """Whether an ignore file leaves this file out, or a folder it is in."""
        return path in self.ignored or any(
            str(parent) in self.ignored for parent in PurePath(path).parents
        )

    def is_out_of_sight(self, path: str) -> bool:
        """Whether this file lies below a folder that could not be looked into."""
        return any(str(parent) in self.unseen for parent in PurePath(path).parents)


def discover(paths: Sequence[Path], selection: Selection | None = None) -> Discovery:
    """All readable files named or below the folders named, each once, in order of their paths.

    Inside a folder, hidden files and folders are left out, and so is what a `.pinciteignore` file
    or the selection leaves out, and what a library keeps in its folder; a file named itself is
    always taken.
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
        self._looked_through: set[Path] = set()

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
            elif real.is_file():
                self._take(_to_read(path, real))
            else:
                self._problem(path, f"{special_file(real)}; save what it holds as a file")

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
                # `~$name.docx` is the lock file Word leaves beside an open document.
                if not entry.name.startswith((".", "~$")) and entry.name not in left_out:
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
        elif is_file and is_readable(_to_read(path, real).suffix):
            if self._selection.wants(relative):
                self._take(_to_read(path, real))
        else:
            kind = path.suffix or "no ending"
            other = f"not a kind of file Pincite reads ({kind})"
            reason = other if is_file else special_file(real)
            self._skipped[real] = FileProblem(path=_readable(str(path)), reason=reason)
        return []

    def _take(self, path: Path) -> None:
        if _is_text(path):
            self._files.setdefault(path)
        else:
            self._problem(path, _NOT_UTF8)

    def _problem(self, path: Path, reason: str) -> None:
        # abspath, not resolve: the reader of the message should see the name they typed.
        self._problems.append(FileProblem(path=_readable(os.path.abspath(path)), reason=reason))


def special_file(path: Path) -> str:
    """What a path is that is neither a file nor a folder, in words."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return f"it cannot be opened ({_plain(error)})"
    found = next((kind for is_one, kind in _SPECIAL if is_one(mode)), "of a special kind")
    return f"it is {found}, not a file"


def disk_names(path: str) -> tuple[str | bytes, ...]:
    """A path as it was told, and as it is on the disk if it was told with `\\xff` for its bytes."""
    raw = _TOLD_BYTE.sub(lambda found: bytes([int(found[1], 16)]), path.encode())
    return (path,) if raw == path.encode() else (path, raw)


def _to_read(path: Path, real: Path) -> Path:
    """What a link leads to, or the link itself where only its own name tells the kind."""
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
    """A path with `\\xff` for bytes that are no UTF-8: it is stored and shown."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _plain(error: OSError | RuntimeError) -> str:
    strerror = getattr(error, "strerror", None)
    return strerror.lower() if strerror else str(error)
