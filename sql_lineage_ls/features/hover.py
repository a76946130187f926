"""What a hover tells about a name: its type, where its value comes from, and who uses it.

`SELECT customer.address.city AS city FROM orders_raw`, on `city` behind AS, in the view `v`:

    v.city : STRING
    from orders_raw.customer.address.city
    used in 2 places

Nothing is said that the analysis does not prove; where something is missing, the reason is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sql_lineage_ls.features.locate import Found, find, is_templated
from sql_lineage_ls.features.navigate import declaration_of, origins_of, relations_read_by
from sql_lineage_ls.features.results import Code, HoverInfo, Line, Piece, Words
from sql_lineage_ls.features.type_text import field_rows, one_line, signature
from sql_lineage_ls.features.uses import downstream, sentence
from sql_lineage_ls.lineage.attention import cautions_of
from sql_lineage_ls.lineage.expression_text import without_alias
from sql_lineage_ls.lineage.model import (
    CONDITION,
    DIRECT_ROLES,
    GROUPING,
    MEMBERSHIP,
    ORDERING,
    ROWS,
    VALUE,
    WINDOW,
    ColumnFact,
    Edge,
    GeneratedSource,
    Node,
    Occurrence,
    path_text,
)
from sql_lineage_ls.workspace.snapshot import Snapshot

_ROLE_WORDS = (
    (frozenset({CONDITION}), "chosen by"),
    (frozenset({MEMBERSHIP}), "rows limited by"),
    (frozenset({GROUPING}), "grouped by"),
    (frozenset({WINDOW, ORDERING}), "ordered or windowed by"),
)

# Transforms whose expression says no more than the source does.
_PLAIN = frozenset({"", "IDENTITY", "RENAME", "UNNEST", "CONSTANT"})

_GENERATED_WORDS = {"system": "made by", "ordinal": "a number that counts rows or elements:"}

_TRANSFORM_WORDS = {"AGGREGATE": "an aggregate", "CASE": "a choice", "EXPRESSION": "an expression", "CAST": "a cast",
                    "STRUCT": "a constructor", "WINDOW": "a window function", "UNION": "a set operation",
                    "PIVOT": "a pivot"}  # fmt: skip


# Warnings about an expression; those about whole queries stand in the exports.
_LOOKED_AT = frozenset({"conditional-aggregate"})

# From a qualifier to its alias, from the alias to its WITH.
_CTE_HOPS = 2


class HoverOptions(Struct, frozen=True, gc=False):
    """How much a hover shows: `most_sources` and `most_columns` bound its lists, `widest_expression` its SQL."""

    most_sources: int = 8
    most_columns: int = 20
    widest_expression: int = 120


def hover(snapshot: Snapshot, uri: str, offset: int, options: HoverOptions | None = None) -> HoverInfo | None:
    """The hover of the token at `offset` (code points) of the document, None where nothing is known of it."""
    found = find(snapshot, uri, offset)
    if found is None:
        return None
    writer = _Writer(snapshot, found, options or HoverOptions())
    heading, lines = writer.describe()
    if not heading:
        return None
    if found.statement.stale:
        lines = [*lines, (Words("as of the last text that could be read"),)]
    return HoverInfo(found.span, heading, tuple(lines))


class _Writer(Struct, frozen=True):
    snapshot: Snapshot
    found: Found
    options: HoverOptions

    def describe(self) -> tuple[str, list[Line]]:
        occurrence = self.found.occurrence
        if occurrence.kind in ("relation", "cte", "alias"):
            return self.range_variable(occurrence)
        token = self.found.text(occurrence.start, occurrence.end)
        if is_templated(token):
            return token, [(Words("a template decides what stands here"),)]
        if occurrence.kind == "star":
            return self.star(occurrence)
        if occurrence.kind == "type":
            return signature(f"type {occurrence.name}", occurrence.type), self.reason(occurrence)
        if occurrence.kind == "parameter":
            outside = not occurrence.name.isidentifier()
            words = "a value from outside the statement" if outside else "a parameter or variable"
            return signature(occurrence.name, occurrence.type), [(Words(words),), *self.reason(occurrence)]
        if occurrence.kind == "output" or self.is_written(occurrence):
            heading, lines = self.output(occurrence)
        else:
            heading, lines = self.value(occurrence)
        # `SELECT city FROM t` of a view: the token also names the view's column, whose users are worth telling.
        for other in self.found.occurrences[1:]:
            if other.kind == "output" and occurrence.kind != "output":
                lines += self.output_users(other)
        return heading, lines

    # ------------------------------------------------------------ relations

    def range_variable(self, occurrence: Occurrence) -> tuple[str, list[Line]]:
        """A relation, a CTE, or an alias of a relation, of an array's element or of a query."""
        if occurrence.relation:
            return self.relation(occurrence)
        if not occurrence.nodes and not occurrence.columns:
            occurrence = self.named_at(occurrence.definitions[:1]) or occurrence
        if occurrence.kind == "alias" and occurrence.nodes:
            return self.value(occurrence)
        cte = self.cte_behind(occurrence)
        if not cte:
            return self.listed(occurrence.name, occurrence)
        renamed = occurrence.name.casefold() != cte.casefold()
        return self.listed(f"cte {cte} AS {occurrence.name}" if renamed else f"cte {cte}", occurrence)

    def cte_behind(self, occurrence: Occurrence) -> str:
        """The name of the CTE that `occurrence` is, or is an alias of, as its WITH spells it; '' where it is none.

        `flat` for each `f` in `WITH flat AS (..) SELECT f.id FROM flat AS f`.
        """
        for _ in range(_CTE_HOPS):
            occurrence = self.named_at(occurrence.definitions[:1]) or occurrence
        return occurrence.name if occurrence.kind == "cte" else ""

    def named_at(self, spans: tuple[tuple[int, int], ...]) -> Occurrence | None:
        """The CTE or alias whose token stands at one of `spans` of the statement."""
        for known in self.snapshot.occurrences(self.found.document, self.found.statement):
            if known.kind in ("cte", "alias") and (known.start, known.end) in spans:
                return known
        return None

    def relation(self, occurrence: Occurrence) -> tuple[str, list[Line]]:
        relation = self.snapshot.relation(occurrence.relation)
        name = self.name(occurrence.relation)
        heading = f"{relation.kind} {name}" if relation is not None else name
        if occurrence.kind == "alias" and occurrence.name != name:
            heading += f" AS {occurrence.name}"
        lines: list[Line] = []
        if relation is None:
            lines.append((Words("no DDL in the workspace declares it"),))
        elif relation.columns:
            heading = "\n".join((f"{heading} (", *field_rows(relation.columns), ")"))
            if relation.open:
                lines.append((Words("may have more columns than these"),))
        if relation is not None:
            read = relations_read_by(self.snapshot, relation)
            lines += [(Words("reads "), *self.nodes(read))] if read else []
        lines += self.reason(occurrence)
        lines.append((Words(self.users(Node(occurrence.relation, ()))),))
        return heading, lines

    def star(self, occurrence: Occurrence) -> tuple[str, list[Line]]:
        heading, lines = self.listed("*", occurrence)
        return heading, lines or [(Words("its columns are not known"),)]

    def listed(self, name: str, occurrence: Occurrence) -> tuple[str, list[Line]]:
        """What consists of columns that have sources of their own: a star, a CTE, a derived table."""
        count = len(occurrence.columns)
        heading = f"{name} : {count} column{'s' if count > 1 else ''}" if count else name
        return heading, [*self.column_lines(occurrence.columns), *self.reason(occurrence)]

    def column_lines(self, columns: tuple[ColumnFact, ...]) -> list[Line]:
        lines: list[Line] = []
        for column in columns[: self.options.most_columns]:
            type_name = one_line(column.type, 1)
            pieces: list[Piece] = [Code(f"{column.name} {type_name}".strip())]
            if column.nodes:
                pieces += [Words(" from "), *self.nodes(column.nodes)]
            lines.append(tuple(pieces))
        left = len(columns) - self.options.most_columns
        if left > 0:
            lines.append((Words(f"… {left} more"),))
        return lines

    # ------------------------------------------------------------ values

    def value(self, occurrence: Occurrence) -> tuple[str, list[Line]]:
        """A column or field that is read, or declared by DDL."""
        own = Node(occurrence.relation, occurrence.path) if occurrence.relation and occurrence.path else None
        nodes = occurrence.nodes or ((own,) if own is not None else ())
        is_declaration = own is not None and self.is_here(own)
        lines: list[Line] = []
        if nodes and not is_declaration:
            lines.append((Words("from "), *self.nodes(nodes)))
        lines += self.computed(occurrence.transform, occurrence.expression, occurrence.name)
        lines += self.generated(occurrence.generated)
        lines += self.origins(nodes)
        lines += self.reason(occurrence)
        if own is not None:
            lines.append((Words(self.users(own)),))
        name = path_text(occurrence.path) or occurrence.name
        if own is not None and is_declaration:
            name = self.node_text(own)
        return signature(name, occurrence.type), lines

    def output(self, occurrence: Occurrence) -> tuple[str, list[Line]]:
        """A column of the result of this statement, or of a scope inside it."""
        own = Node(occurrence.relation, occurrence.path)
        stored = bool(occurrence.relation and occurrence.path)
        edge = self.edge(own) if stored else self.edge_of_result(occurrence)
        name = self.node_text(own) if stored else occurrence.name
        lines: list[Line] = []
        nodes = _values(edge) if edge is not None else tuple(node for node in occurrence.nodes if node != own)
        if nodes:
            lines.append((Words("from "), *self.nodes(nodes)))
        transform = edge.transform if edge is not None else occurrence.transform
        expression = occurrence.expression
        if edge is not None and len(own.path) == 1:
            # The text of an edge to a field is that of the whole column.
            expression = (edge.start, edge.end)
        computed: list[Line] = []
        if nodes or expression[0] >= 0:
            computed = self.computed(transform, expression, occurrence.name)
            lines += computed
        said = {piece.text.upper() for line in computed for piece in line}
        generated = edge.generated if edge is not None else occurrence.generated
        lines += self.generated(source for source in generated if source.text.upper() not in said)
        if edge is not None:
            lines += self.roles(edge)
        lines += self.origins(nodes)
        lines += self.incomplete(edge, occurrence)
        if edge is not None:
            lines += self.warnings(edge)
        if stored:
            lines.append((Words(self.users(own)),))
        return signature(name, occurrence.type), lines

    def output_users(self, occurrence: Occurrence) -> list[Line]:
        own = Node(occurrence.relation, occurrence.path)
        if not own.relation or not own.path:
            return []
        users = self.users(own)
        return [(Words("becomes "), Code(self.node_text(own)), Words(f", {users}"))]

    # ------------------------------------------------------------ lines

    def computed(self, transform: str, span: tuple[int, int], name: str) -> list[Line]:
        if transform in _PLAIN:
            return []
        if span[0] < 0:
            return [(Words(f"by {_TRANSFORM_WORDS.get(transform, transform.lower())}"),)]
        text = " ".join(without_alias(self.found.text(*span), name).split())
        if len(text) > self.options.widest_expression:
            text = text[: self.options.widest_expression - 1] + "…"
        return [(Words("as "), Code(text), Words(f" ({transform.lower()})"))]

    def users(self, node: Node) -> str:
        """Who uses a node, with a word of caution while documents are still to be analysed."""
        so_far = "" if self.snapshot.complete else " so far"
        return sentence(downstream(self.snapshot, (node,))) + so_far

    @staticmethod
    def generated(generated: Iterable[GeneratedSource]) -> list[Line]:
        return [
            (Words(_GENERATED_WORDS.get(source.kind, source.kind) + " "), Code(source.text)) for source in generated
        ]

    def roles(self, edge: Edge) -> Iterator[Line]:
        """What decides over the value without being part of it."""
        for roles, words in _ROLE_WORDS:
            nodes = tuple(dict.fromkeys(source.node for source in edge.sources if source.role in roles))
            counted = [node for node in nodes if node.path == ROWS]
            named = [node for node in nodes if node.path != ROWS]
            if counted:
                yield (Words("depends on "), *self.nodes(counted))
            if named:
                yield (Words(words + " "), *self.nodes(named))

    def origins(self, nodes: tuple[Node, ...]) -> list[Line]:
        """The far end of the chain, where the nearest sources are views or copies themselves."""
        origins = origins_of(self.snapshot, nodes)
        if not origins or set(origins) <= set(nodes):
            return []
        return [(Words("end to end from "), *self.nodes(origins))]

    def reason(self, occurrence: Occurrence) -> list[Line]:
        return [(Words(f"not proved: {occurrence.reason}"),)] if occurrence.reason else []

    def incomplete(self, edge: Edge | None, occurrence: Occurrence) -> list[Line]:
        """Which facts are missing: those of the value, and the first of those that decide over it."""
        gaps = edge.gaps if edge is not None else ()
        texts = dict.fromkeys(gap.text for gap in gaps if gap.role in DIRECT_ROLES)
        if occurrence.reason:
            texts.setdefault(occurrence.reason)
        lines: list[Line] = [(Words(f"not complete: {text}"),) for text in texts]
        others = tuple(dict.fromkeys(gap.text for gap in gaps if gap.text not in texts))
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            lines.append((Words(f"what decides over it is not complete: {others[0]}{more}"),))
        return lines

    def warnings(self, edge: Edge) -> list[Line]:
        """What is worth a look in the expression of an edge, though its sources are proved."""
        statement = self.found.statement
        found = [
            caution for caution in cautions_of(statement.model, statement.lineage)
            if edge.start <= caution.start and caution.end <= edge.end and caution.kind in _LOOKED_AT
        ]
        return [(Words(f"worth a look: {text}"),) for text in dict.fromkeys(caution.text for caution in found)]

    # ------------------------------------------------------------ pieces

    def nodes(self, nodes: Iterable[Node]) -> list[Piece]:
        shown = tuple(dict.fromkeys(nodes))
        pieces: list[Piece] = []
        for node in shown[: self.options.most_sources]:
            pieces += [Words(", "), Code(self.node_text(node), declaration_of(self.snapshot, node))]
        left = len(shown) - self.options.most_sources
        if left > 0:
            pieces.append(Words(f" and {left} more"))
        return pieces[1:]

    def name(self, relation_id: str) -> str:
        """A relation's name, as this statement spells it where no DDL does."""
        if self.snapshot.relation(relation_id) is None:
            for known, name, _ in self.found.statement.lineage.relations:
                if known == relation_id:
                    return name
        return self.snapshot.relation_name(relation_id)

    def node_text(self, node: Node) -> str:
        relation = self.name(node.relation)
        if node.path == ROWS:
            return f"the rows of {relation}"
        return f"{relation}.{path_text(node.path)}" if node.path else relation

    def is_written(self, occurrence: Occurrence) -> bool:
        """True for the target of an assignment or of an INSERT's column list."""
        if not occurrence.relation or not occurrence.path:
            return False
        return any(
            read.start == occurrence.start and read.usage == "write" and read.path == occurrence.path
            for read in self.found.statement.lineage.reads
        )

    def is_here(self, node: Node) -> bool:
        """True where the token is the one that declares the node."""
        occurrence = self.found.occurrence
        return self.snapshot.declaration(node) == self.found.file_span(occurrence.start, occurrence.end)

    def edge(self, node: Node) -> Edge | None:
        for edge in self.found.statement.lineage.edges:
            if edge.relation == node.relation and edge.path == node.path:
                return edge
        return None

    def edge_of_result(self, occurrence: Occurrence) -> Edge | None:
        """The edge to a column of a bare query's result, which no relation holds."""
        path, expression = (occurrence.name,), occurrence.expression
        for edge in self.found.statement.lineage.edges:
            if not edge.relation and edge.path == path and (edge.start, edge.end) == expression:
                return edge
        return None


def _values(edge: Edge) -> tuple[Node, ...]:
    return tuple(dict.fromkeys(source.node for source in edge.sources if source.role == VALUE))
