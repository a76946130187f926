"""Cases made from public bug reports: the direct sources of every target that a case names, exactly.

A case may `accept` another right answer for a target. `KNOWN` lists what is not right yet, with the reason; a case of
the list that passes is a failure, so that the list only holds what is true.
"""

from __future__ import annotations

import pytest

from tests.support.reference import ABSENT, Case, Outcome, analyse, load

_CASES = [case for case in load("user_cases.jsonl") if "edges" in case["expected"]]

pytestmark = pytest.mark.skipif(not _CASES, reason=ABSENT)

KNOWN: dict[str, str] = {}

_UPPER = frozenset({"snowflake", "oracle"})


def _normal(node: str, dialect: str) -> str:
    """A node for comparison: the cases write unquoted names as the database stores them, we as they are declared."""
    if dialect not in _UPPER:
        return node
    relation, column, *below = node.split(".")
    return ".".join((relation.upper(), column.upper(), *below))


def _as_view(target: str) -> str:
    """The cases call the result of a bare query `v`, of a dbt model `<model>`."""
    return target.replace("RS-1.", "v.", 1) if target.startswith("RS-1.") else target


def _failures(case: Case, outcome: Outcome) -> list[str]:
    dialect = case["dialect"]
    actual = {
        _normal(_as_view(target), dialect): {_normal(source, dialect) for source in sources}
        for target, sources in outcome.direct.items()
    }
    accepted = [(target, set(sources)) for target, sources in case["expected"].get("accept", [])]
    failures = []
    for wanted_target, sources in case["expected"]["edges"]:
        target = wanted_target.replace("<model>.", "V." if dialect in _UPPER else "v.")
        if actual.get(target, set()) == set(sources):
            continue
        others = [wanted for other, wanted in accepted if other == target or target.startswith(other + ".")]
        at = [other for other, _ in accepted if other == target or target.startswith(other + ".")]
        if any(actual.get(other, set()) == wanted for other, wanted in zip(at, others, strict=True)):
            continue
        failures.append(f"{target} <- {sorted(actual.get(target, set()))}, not {sources}")
    return failures


def test_known_failures_are_cases() -> None:
    assert KNOWN.keys() <= {case["id"] for case in _CASES}


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_user_case(case: Case) -> None:
    failures = _failures(case, analyse(case))
    if case["id"] in KNOWN:
        assert failures, f"passes now; take it out of KNOWN ({KNOWN[case['id']]})"
        return
    assert not failures, f"{case['symptom']}\n{case['ddl']}\n{case['sql']}\n" + "\n".join(failures)
