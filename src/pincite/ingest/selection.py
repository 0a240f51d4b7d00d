"""Which files below a folder are wanted: patterns in the style of `.gitignore`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from pincite.errors import UsageError
from pincite.regular_files import open_regular

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
