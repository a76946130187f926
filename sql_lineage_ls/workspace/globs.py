"""Globs over file names, read as in `.gitignore`: `etl/**/*.sql`, `*.tmp.sql`, `build/`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from pathspec import GitIgnoreSpec


class Glob:
    """One or more globs, matched against paths relative to the folder that they belong to, with `/` between parts."""

    __slots__ = ("_spec",)

    def __init__(self, spec: GitIgnoreSpec) -> None:
        self._spec = spec

    @classmethod
    def parse(cls, *globs: str) -> Glob | None:
        """The globs, or None where one of them cannot be read."""
        return _parse(globs)

    @classmethod
    def parse_lines(cls, lines: Iterable[str]) -> Glob:
        """The lines of an ignore file; those that cannot be read are left out."""
        return cls(GitIgnoreSpec.from_lines(line for line in lines if _parse((line,)) is not None))

    def matches(self, path: str) -> bool:
        """Whether a path matches; a folder's path ends with `/`."""
        return bool(self._spec.match_file(path))

    def decides(self, path: str) -> bool | None:
        """True where a path is matched, False where `!` takes it out again, None where no glob speaks of it."""
        return self._spec.check_file(path).include


@lru_cache(maxsize=256)
def _parse(globs: tuple[str, ...]) -> Glob | None:
    try:
        return Glob(GitIgnoreSpec.from_lines(globs))
    except (ValueError, TypeError):
        return None
