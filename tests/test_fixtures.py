"""Every annotated-SQL fixture of `tests/fixtures`, see `tests/support/fixture.py` for the format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checks import check_fixture, updated
from tests.support.fixture import read_fixture

_FOLDER = Path(__file__).parent / "fixtures"
_FIXTURES = sorted(_FOLDER.rglob("*.sql"))


@pytest.mark.parametrize("path", _FIXTURES, ids=[path.relative_to(_FOLDER).as_posix() for path in _FIXTURES])
def test_fixture(path: Path, pytestconfig: pytest.Config) -> None:
    fixture = read_fixture(path)
    failures = check_fixture(fixture)
    if failures and pytestconfig.getoption("--update-fixtures"):
        path.write_text(updated(fixture, failures), encoding="utf-8")
        failures = check_fixture(read_fixture(path))
    if failures:
        pytest.fail("\n".join(failure.message for failure in failures), pytrace=False)
