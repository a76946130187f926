"""Views in a circle: nothing loops, and the answer does not depend on which of them is asked for first."""

from __future__ import annotations

from itertools import permutations

import pytest

from sql_lineage_ls.catalog.catalog import Catalog, Definition, Namespace
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement

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
def test_the_order_of_questions_changes_nothing(name: str) -> None:
    texts = CIRCLES[name]
    models = [parse_statement(text, POSTGRES) for text in texts]
    statements = {("f", at): ParsedStatement(text, model, POSTGRES) for at, (text, model) in
                  enumerate(zip(texts, models, strict=True))}
    definitions = [
        Definition("f", at, model.statement, POSTGRES, Namespace())
        for at, model in enumerate(models) if model.statement is not None
    ]
    catalog = Catalog().replace_file("f", tuple(definitions))
    answers = set()
    for order in permutations(range(len(texts))):
        analysis = Analysis(catalog, statements)
        for at in order:
            analysis.lineage("f", at)
        answers.add(tuple(tuple(analysis.lineage("f", at).edges) for at in range(len(texts))))
    assert len(answers) == 1
