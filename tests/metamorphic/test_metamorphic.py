"""Lineage does not change under what changes no meaning: DDL, aliases, blanks, comments, quotes, case, files, order,
and whether a part of a query is a CTE, a derived table or a view."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metamorphic.cases import CASES, Case
from tests.metamorphic.facts import Facts, edges, origins, snapshot_of, targets
from tests.metamorphic.rewriting import (
    ORDER,
    REWRITINGS,
    TARGET,
    with_ctes,
    with_derived_tables,
    with_models,
    with_views,
)

BY_NAME = {str(case): case for case in CASES}
every_case = pytest.mark.parametrize("case", CASES, ids=str)
in_parts = pytest.mark.parametrize("case", [case for case in CASES if case.parts], ids=str)


def files_of(case: Case, query: str) -> dict[str, str]:
    return {"ddl.sql": ";\n".join(case.ddl), "result.sql": f"CREATE VIEW {TARGET} AS {query}"}


def as_written(case: Case) -> Facts:
    return edges_of(str(case))


@cache
def edges_of(name: str) -> Facts:
    case = BY_NAME[name]
    found = edges(files_of(case, with_ctes(case)), case.dialect)
    assert any(source.startswith("value zoo.") for sources in found.values() for source in sources)
    return found


def end_to_end(case: Case, files: dict[str, str] | None = None, name: str = TARGET) -> Facts:
    """Where the result of the case comes from, in other files or as it is written; their models where it is one."""
    written = files_of(case, with_ctes(case))
    paths = targets(written, case.dialect, TARGET)
    assert paths
    return origins(snapshot_of(files or written, case.dialect, models=name != TARGET), name, paths)


@every_case
@pytest.mark.parametrize("rewriting", REWRITINGS)
def test_the_writing_does_not_matter(case: Case, rewriting: str) -> None:
    for seed in range(2):
        query = REWRITINGS[rewriting](with_ctes(case), case, random.Random(seed))
        assert edges(files_of(case, query), case.dialect) == as_written(case), query


@given(st.sampled_from(CASES), st.sets(st.sampled_from(ORDER), min_size=2), st.integers(0, 10_000))
def test_several_rewritings_at_once_do_not_matter(case: Case, chosen: set[str], seed: int) -> None:
    query, chance = with_ctes(case), random.Random(seed)
    for name in ORDER:
        if name in chosen:
            query = REWRITINGS[name](query, case, chance)
    assert edges(files_of(case, query), case.dialect) == as_written(case), query


@pytest.mark.parametrize("case", [case for case in CASES if not case.needs_ddl], ids=str)
def test_ddl_adds_no_edge_and_takes_none(case: Case) -> None:
    files = files_of(case, with_ctes(case))
    del files["ddl.sql"]
    assert edges(files, case.dialect) == as_written(case)


@in_parts
def test_a_cte_is_a_derived_table(case: Case) -> None:
    assert edges(files_of(case, with_derived_tables(case)), case.dialect) == as_written(case)


@in_parts
def test_a_cte_is_a_view_in_another_file(case: Case) -> None:
    views = {"ddl.sql": ";\n".join(case.ddl), **with_views(case)}
    assert end_to_end(case, views) == end_to_end(case)


@every_case
def test_a_view_is_a_model(case: Case) -> None:
    models = {"ddl.sql": ";\n".join(case.ddl), **with_models(case)}
    assert end_to_end(case, models, "result") == end_to_end(case)


@every_case
def test_files_and_order_do_not_matter(case: Case) -> None:
    views = {"ddl.sql": ";\n".join(case.ddl), **with_views(case)}
    whole = edges(views, case.dialect)
    statements = [*case.ddl, *list(views.values())[1:]]
    assert edges({f"{at}.sql": text for at, text in enumerate(statements)}, case.dialect) == whole
    assert edges({f"{at}.sql": text for at, text in enumerate(reversed(statements))}, case.dialect) == whole
    assert edges({"all.sql": ";\n".join(statements)}, case.dialect) == whole
    assert edges({"all.sql": ";\n".join(reversed(statements))}, case.dialect) == whole
