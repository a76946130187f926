"""Views in a circle: nothing loops, and the answer does not depend on which of them is asked for first."""

from __future__ import annotations

from itertools import permutations

import pytest

from sql_lineage_ls.catalog.catalog import Catalog, Definition, Namespace
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.packed import outline_of
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot

POSTGRES = DIALECTS["postgres"]
CIRCLES = {
    "two": ["CREATE VIEW a AS SELECT b.x, b.* FROM b", "CREATE VIEW b AS SELECT a.x, t.y FROM a, t",
            "CREATE VIEW r AS SELECT * FROM b"],
    "eight": ["CREATE VIEW a AS SELECT b.x, c.* FROM b, c", "CREATE VIEW b AS SELECT a.* FROM a",
              "CREATE VIEW c AS SELECT * FROM b", "CREATE VIEW r AS SELECT a.*, c.x FROM a JOIN c ON a.x = c.x"],
    "three": ["CREATE VIEW a AS SELECT x FROM b", "CREATE VIEW b AS SELECT * FROM c",
              "CREATE VIEW c AS SELECT * FROM a",
              "CREATE VIEW r AS SELECT x FROM c"],
}  # fmt: skip


@pytest.mark.parametrize("name", CIRCLES)
@pytest.mark.parametrize("outlined", [False, True])
def test_the_order_of_questions_changes_nothing(name: str, outlined: bool) -> None:
    texts = CIRCLES[name]
    models = [parse_statement(text, POSTGRES) for text in texts]
    statements = {("f", at): ParsedStatement(text, model, POSTGRES) for at, (text, model) in
                  enumerate(zip(texts, models, strict=True))}
    definitions = [
        Definition("f", at, statement, POSTGRES, Namespace())
        for at, model in enumerate(models)
        if (statement := outline_of(model) if outlined else model.statement) is not None
    ]
    catalog = Catalog().replace_file("f", tuple(definitions))
    answers = set()
    for order in permutations(range(len(texts))):
        analysis = Analysis(catalog, statements)
        for at in order:
            analysis.lineage("f", at)
        answers.add(tuple(tuple(analysis.lineage("f", at).edges) for at in range(len(texts))))
    assert len(answers) == 1


def engine_of(text: str) -> Snapshot:
    engine = Engine(start=lambda _: None)
    engine.configure((), Settings(dialect="postgres"))
    engine.open("file:///w/v.sql", text)
    engine.rescan()
    return engine.finish()


def columns_of(snapshot: Snapshot, at: int) -> tuple[str, list[str], list[str]]:
    """The kind of a statement, its columns, and the sources of its first."""
    document = snapshot.document("file:///w/v.sql")
    assert document is not None
    lineage = document.statements[at].lineage
    return lineage.kind, [field.name for field in lineage.outputs], [one.path[0] for one in lineage.edges[0].sources]


def test_a_thousand_views_one_above_the_other_the_highest_first() -> None:
    """What is asked first needs all the others: no recursion is that deep."""
    count = 1_000
    views = [f"CREATE VIEW v{at} AS SELECT * FROM v{at + 1};" for at in range(count)]
    views += [f"CREATE VIEW v{count} AS SELECT mast, keel.oak FROM hull;", "CREATE TABLE hull (mast INT);"]
    snapshot = engine_of("\n".join(views))
    for at in (0, 1, count // 2, count - 1):
        assert columns_of(snapshot, at) == ("view", ["mast", "oak"], ["mast"])


def test_a_circle_of_hundreds_of_views_and_a_chain_that_leads_to_it() -> None:
    count = 400
    views = [f"CREATE VIEW c{at} AS SELECT x FROM c{(at + 1) % count};" for at in range(count)]
    views += [f"CREATE VIEW v{at} AS SELECT x FROM v{at + 1};" for at in range(count)]
    snapshot = engine_of("\n".join([*views, f"CREATE VIEW v{count} AS SELECT x FROM c7;"]))
    for at in (0, 200, count, count + 200, 2 * count):
        assert columns_of(snapshot, at) == ("view", ["x"], ["x"])
