"""What nobody writes ends in time, and says that it is not all."""

from __future__ import annotations

import time

from sql_lineage_ls.lineage.edges import MOST_INFLUENCES
from tests.support import product

URI = "file:///w/query.sql"


def _edges(sql: str) -> dict[str, list[str]]:
    """The gaps of each target of the last statement."""
    document = product.open_files({URI: sql}, "postgres").document(URI)
    assert document is not None
    return {edge.path[0]: [gap.kind for gap in edge.gaps] for edge in document.statements[-1].lineage.edges}


def test_columns_that_change_places_in_a_recursion_of_three_hundred() -> None:
    names = [f"c{n}" for n in range(300)]
    turned = ", ".join(names[1:] + names[:1])
    table = ", ".join(f"{name} int" for name in names)
    listed = ", ".join(names)
    began = time.process_time()
    found = _edges(
        f"CREATE TABLE t ({table}); WITH RECURSIVE r AS (SELECT {listed} FROM t UNION ALL SELECT {turned} FROM r)"
        f" SELECT c0, c1 FROM r")
    assert time.process_time() - began < 20
    assert found == {"c0": ["too-many"], "c1": ["too-many"]}


def test_three_columns_that_change_places_are_followed_to_the_end() -> None:
    found = _edges("CREATE TABLE t (a int, b int, c int); WITH RECURSIVE r AS (SELECT a, b, c FROM t UNION ALL"
                   " SELECT b, c, a FROM r) SELECT a FROM r")
    assert found == {"a": []}


def test_thousands_of_columns_that_group() -> None:
    names = ", ".join(f"c{n}" for n in range(MOST_INFLUENCES + 200))
    began = time.process_time()
    found = _edges(f"SELECT {names} FROM t GROUP BY {names}")
    assert time.process_time() - began < 20
    assert len(found) == MOST_INFLUENCES + 200
    assert found["c0"] == ["too-many"]
