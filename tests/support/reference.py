"""The reference cases next to the repository, and the lineage of a case in their terms.

The cases are not part of the repository: `../shared/cases` holds them where it exists, and the tests that read them
are skipped elsewhere.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import product

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
ABSENT = "the reference cases (../shared/cases) are not here"

_FILE_LINE = re.compile(r"^-- file (\S+)\n", re.MULTILINE)

Case = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What the product says of a case. Targets without direct sources have an empty set."""

    nodes: dict[str, frozenset[str]]
    kinds: dict[str, str]
    direct: dict[str, frozenset[str]]
    indirect: dict[str, frozenset[str]]
    messages: tuple[tuple[str, str], ...]
    """(code, `file:line:column`)"""


def load(name: str) -> list[Case]:
    """The cases of a file, none where it is not here."""
    path = CASES / name
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def analyse(case: Case) -> Outcome:
    """The lineage of a case: its DDL as one file, its query as another; that of a dbt case is the model `v`."""
    models = case.get("area") == "dbt"
    texts = {"ddl.sql": case["ddl"], **_query_files(case["sql"], "v.sql" if models else "query.sql")}
    texts = {name: text for name, text in texts.items() if text}
    names = {f"file:///case/{name}": name for name in texts}
    dialect = {"any": "ansi"}.get(case["dialect"], case["dialect"])
    snapshot = product.open_files({uri: texts[name] for uri, name in names.items()}, dialect, models)
    report = product.lineage_report(snapshot, names, indirect=True)
    direct: dict[str, frozenset[str]] = {}
    indirect: dict[str, frozenset[str]] = {}
    for edge in report.edges:
        values = frozenset(source.text for source in edge.sources if source.direct)
        others = frozenset(source.text for source in edge.sources if not source.direct)
        direct[edge.text] = direct.get(edge.text, frozenset()) | values
        indirect[edge.text] = indirect.get(edge.text, frozenset()) | others
    return Outcome(
        nodes={row.name: frozenset(row.nodes) for row in report.relations},
        kinds={row.name: row.kind for row in report.relations},
        direct=direct,
        indirect=indirect,
        messages=tuple(
            (message.code, f"{message.place.file}:{message.place.line}:{message.place.column}")
            for message in report.messages
            if not message.is_advice
        ),
    )


def _query_files(text: str, name: str) -> dict[str, str]:
    """The files of a case: one, or those that lines `-- file mid.sql` begin."""
    before, *parts = _FILE_LINE.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True)) if parts else {name: before}


def prefixes(node: str) -> list[str]:
    """A node's path and every path above it: `items[*].qty` gives `items`, `items[*]`, `items[*].qty`."""
    found: list[str] = []
    path = ""
    for part in node.split("."):
        path = f"{path}.{part}" if path else part
        if part.endswith("[*]"):
            found.append(path.removesuffix("[*]"))
        found.append(path)
    return found
