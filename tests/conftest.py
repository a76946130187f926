"""Options of the test run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# CI repeats the same examples, so that a run tells about the change and not about the day; other runs try new ones.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session", autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Servers that tests start keep nothing in the folders of the person who runs the tests."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-fixtures",
        action="store_true",
        help="rewrite the texts and golden sections of tests/fixtures that differ; review the diff before committing",
    )
    parser.addoption("--editors", action="store_true", help="run the tests that need VS Code, Neovim and a browser")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Real editors are no part of `make test`: `make editors` installs and drives them."""
    folder = config.rootpath / "tests" / "editors"
    return True if collection_path == folder and not config.getoption("--editors") else None
