"""Cases made from public bug reports: the direct sources of every target that a case names, exactly.

A case may `accept` another right answer for a target. `KNOWN` lists what is not right yet, with the reason; a case of
the list that passes is a failure, so that the list only holds what is true.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sql_lineage_ls.workspace.config import DIAGNOSTIC_CODES
from tests.support.reference import ABSENT, Case, Outcome, analyse, load

_CASES = [case for case in load("user_cases.jsonl") if "edges" in case["expected"]]

pytestmark = pytest.mark.skipif(not _CASES, reason=ABSENT)

KNOWN: dict[str, str] = {
    "S19": "not a failure of ours: GROUP BY sym decides over every column too, which the case leaves out",
}

_CODES = {"syntax-error": "unparsed-statement"}
_UPPER = frozenset({"snowflake", "oracle"})


def _normal(node: str, dialect: str) -> str:
    """A node for comparison: the cases write unquoted names as the database stores them, we as they are declared."""
    if dialect not in _UPPER:
        return node
    relation, column, *below = node.split(".")
    names = (name if name.startswith('"') else name.upper() for name in (relation, column))
    return ".".join((*names, *below))


def _as_view(target: str) -> str:
    """The cases call the result of a bare query `v`, of a dbt model `<model>`."""
    return target.replace("RS-1.", "v.", 1) if target.startswith("RS-1.") else target


def _by_target(edges: Mapping[str, frozenset[str]], dialect: str) -> dict[str, set[str]]:
    return {
        _normal(_as_view(target), dialect): {_normal(source, dialect) for source in sources}
        for target, sources in edges.items()
    }


def _failures(case: Case, outcome: Outcome) -> list[str]:
    """What is wrong: direct sources, indirect sources where the case names them, and messages."""
    return [*_direct_failures(case, outcome), *_indirect_failures(case, outcome), *_message_failures(case, outcome)]


def _indirect_failures(case: Case, outcome: Outcome) -> list[str]:
    direct = _by_target(outcome.direct, case["dialect"])
    actual = _by_target(outcome.indirect, case["dialect"])
    # A condition (CASE WHEN) is a direct source here; the cases leave open which it is.
    return [
        f"{target} <~ {sorted(actual.get(target, set()))}, not {sources}"
        for target, sources in case["expected"].get("indirect", [])
        if actual.get(target, set()) != set(sources) - direct.get(target, set())
    ]


def _message_failures(case: Case, outcome: Outcome) -> list[str]:
    """Messages beyond those that the case expects are false alarms, and so are missing ones that have a code here."""
    wanted = [_CODES.get(found["kind"], found["kind"]) for found in case["expected"].get("diagnostics", [])]
    expected = sorted(code for code in wanted if code in DIAGNOSTIC_CODES)
    actual = sorted(code for code, _ in outcome.messages)
    return [] if actual == expected else [f"messages {outcome.messages}, not {expected}"]


def _direct_failures(case: Case, outcome: Outcome) -> list[str]:
    dialect = case["dialect"]
    actual = _by_target(outcome.direct, dialect)
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
