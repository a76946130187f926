"""BigQuery: the GoogleSQL analyzer resolves a statement, and the values are followed through its resolved tree.

Every node of the resolved tree knows its columns by number, so no name is looked up here: name resolution is the
analyzer's alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.oracle.analyzer import Analyzer, Node, Rejected, prepare
from tests.oracle.trees import Items, Row, Schema, Tree, merged, stored, tags

__all__ = ["GoogleSql", "Rejected", "Untraced", "prepare"]


class Untraced(Exception):
    """The resolved tree has a node that this module does not follow."""


class GoogleSql:
    """The answers of one schema's analyzer."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._analyzer = Analyzer(schema)
        self.close = self._analyzer.close

    def run(self, query: str) -> list[tuple[str, Tree]]:
        """The output columns with where each leaf comes from, of a query, view or CTAS; `Rejected`, `Untraced`."""
        statement = self._analyzer.analyze(query)
        trace = _Trace(self._schema)
        trace.scan(statement.query)
        return [(out.name, trace.columns.get(out.column.column_id)) for out in statement.output_column_list]

    def writes(self, statement: str) -> list[tuple[str, Tree]]:
        """The nodes that DML writes, as paths below the target table, with where their values come from."""
        node = self._analyzer.analyze(statement)
        return list(_Trace(self._schema).written(node))


_SAME = {"any_value", "max", "min", "first_value", "last_value", "nth_value", "max_by", "min_by", "array_concat_agg",
         "nullif", "lag", "lead", "array_filter", "array_reverse", "array_slice", "array_first", "array_last"}
_ELEMENT = ("$array_at", "$safe_array_at", "$subscript", "array_first", "array_last")


class _Trace:
    """Values by column number."""

    def __init__(self, schema: Schema) -> None:
        self.tables = {table.name: dict(table.columns) for table in schema}
        self.columns: dict[int, Tree] = {}
        self.ctes: dict[str, list[Any]] = {}
        self.recursive: list[list[Tree]] = []

    def scan(self, node: Any) -> None:
        follow = getattr(self, node.kind, None)
        if follow is not None:
            follow(node)
            return
        if node.kind not in _PASSING:
            raise Untraced(node.kind)
        self.scan(node.input_scan)

    def _computed(self, columns: Iterable[Any]) -> None:
        for computed in columns:
            self.columns[computed.column.column_id] = self.value(computed.expr)

    def _column(self, column: Any) -> Tree:
        return self.columns.get(column.column_id)

    # ------------------------------------------------------------ scans

    def ResolvedSingleRowScan(self, node: Any) -> None:
        """No columns."""

    def ResolvedTableScan(self, node: Any) -> None:
        for column in node.column_list:
            kind = self.tables[node.table.name][column.name]
            self.columns[column.column_id] = stored(f"{node.table.name}.{column.name}", kind)

    def ResolvedProjectScan(self, node: Any) -> None:
        self.scan(node.input_scan)
        self._computed(node.expr_list)

    def ResolvedJoinScan(self, node: Any) -> None:
        self.scan(node.left_scan)
        self.scan(node.right_scan)

    def ResolvedArrayScan(self, node: Any) -> None:
        if node.input_scan is not None:
            self.scan(node.input_scan)
        for array, column in zip(node.array_expr_list, node.element_column_list, strict=True):
            self.columns[column.column_id] = _element(self.value(array))

    def ResolvedAggregateScan(self, node: Any) -> None:
        self.scan(node.input_scan)
        self._computed(node.group_by_list)
        self._computed(node.aggregate_list)

    def ResolvedAnalyticScan(self, node: Any) -> None:
        self.scan(node.input_scan)
        for group in node.function_group_list:
            self._computed(group.analytic_function_list)

    def ResolvedSetOperationScan(self, node: Any) -> None:
        for item in node.input_item_list:
            self.scan(item.scan)
        # EXCEPT and INTERSECT give rows of the first query.
        items = node.input_item_list if node.op_type.startswith("UNION") else node.input_item_list[:1]
        for position, column in enumerate(node.column_list):
            branches = [self._column(item.output_column_list[position]) for item in items]
            self.columns[column.column_id] = merged(branches)

    def ResolvedWithScan(self, node: Any) -> None:
        for entry in node.with_entry_list:
            self.scan(entry.with_subquery)
            self.ctes[entry.with_query_name.lower()] = entry.with_subquery.column_list
        self.scan(node.query)

    def ResolvedWithRefScan(self, node: Any) -> None:
        inner = self.ctes[node.with_query_name.lower()]
        for column, source in zip(node.column_list, inner, strict=True):
            self.columns[column.column_id] = self._column(source)

    def ResolvedRecursiveScan(self, node: Any) -> None:
        """The recursive term is followed until it adds nothing."""
        first, again = node.non_recursive_term, node.recursive_term
        self.scan(first.scan)
        values = [self._column(column) for column in first.output_column_list]
        for _ in range(20):
            self.recursive.append(values)
            self.scan(again.scan)
            self.recursive.pop()
            more = [self._column(column) for column in again.output_column_list]
            grown = [merged(pair) for pair in zip(values, more, strict=True)]
            if grown == values:
                break
            values = grown
        for column, value in zip(node.column_list, values, strict=True):
            self.columns[column.column_id] = value

    def ResolvedRecursiveRefScan(self, node: Any) -> None:
        for column, value in zip(node.column_list, self.recursive[-1], strict=True):
            self.columns[column.column_id] = value

    def ResolvedPivotScan(self, node: Any) -> None:
        _apart(node.input_scan)
        self.scan(node.input_scan)
        self._computed(node.group_by_list)
        for made in node.pivot_column_list:
            value = self.value(node.pivot_expr_list[made.pivot_expr_index])
            self.columns[made.column.column_id] = value

    def ResolvedUnpivotScan(self, node: Any) -> None:
        _apart(node.input_scan)
        self.scan(node.input_scan)
        self._computed(node.projected_input_column_list)
        for position, column in enumerate(node.value_column_list):
            values = [self.value(arg.column_list[position]) for arg in node.unpivot_arg_list]
            self.columns[column.column_id] = merged(values)

    # ------------------------------------------------------------ expressions

    def value(self, node: Any) -> Tree:
        name = node.kind
        if name == "ResolvedColumnRef":
            return self._column(node.column)
        if name in ("ResolvedLiteral", "ResolvedParameter", "ResolvedConstant", "ResolvedDMLDefault"):
            return None
        if name == "ResolvedCast":
            return _renamed(self.value(node.expr), node.type)
        if name == "ResolvedGetStructField":
            return _field(self.value(node.expr), node.field_idx)
        if name == "ResolvedMakeStruct":
            names = [f.field_name for f in node.type.struct_type.field]
            return Row(tuple(zip(names, map(self.value, node.field_list), strict=True)))
        if name == "ResolvedSubqueryExpr":
            return self._subquery(node)
        if name in ("ResolvedFunctionCall", "ResolvedAggregateFunctionCall", "ResolvedAnalyticFunctionCall"):
            called = node.function.name.split(":")[-1]
            if node.generic_argument_list:
                return self._higher_order(called, node.generic_argument_list)
            return self._call(called, [self.value(arg) for arg in node.argument_list])
        raise Untraced(name)

    def _subquery(self, node: Any) -> Tree:
        self.scan(node.subquery)
        value = self._column(node.subquery.column_list[0])
        kind = node.subquery_type
        if kind == "ARRAY":
            return Items(value)
        return value if kind == "SCALAR" else None

    def _higher_order(self, name: str, arguments: Sequence[Any]) -> Tree:
        """A function of an array and a lambda: its parameters are columns of their own."""
        array = self.value(arguments[0].expr)
        body = arguments[1].inline_lambda
        if body is None:
            raise Untraced(name)
        for position, column in enumerate(body.argument_list):
            self.columns[column.column_id] = _element(array) if position == 0 else None
        value = self.value(body.body)
        return Items(value) if name == "array_transform" else array

    def _call(self, name: str, args: Sequence[Tree]) -> Tree:
        if name.startswith(_ELEMENT):
            if isinstance(args[0], Row):
                raise Untraced("a record's field by position, which BigQuery does not have")
            return _element(args[0])
        if name in _SAME:
            return args[0]
        if name == "array_agg":
            return Items(args[0])
        if name == "$make_array":
            return Items(merged(args))
        if name == "if":
            return merged(args[1:])
        if name == "$case_no_value":
            return merged([*args[1:-1:2], args[-1]] if len(args) % 2 else args[1::2])
        if name == "$case_with_value":
            return merged([*args[2:-1:2], args[-1]] if len(args) % 2 == 0 else args[2::2])
        if name in ("coalesce", "ifnull", "array_concat"):
            return merged(args)
        if name in ("count", "$count_star", "$exists", "$grouping", "grouping"):
            return frozenset(tag for arg in args for tag in tags(arg)) if name == "count" else None
        return frozenset(tag for arg in args for tag in tags(arg)) if args else None

    # ------------------------------------------------------------ statements that write

    def written(self, node: Any) -> Iterable[tuple[str, Tree]]:
        """(path, value) of what INSERT, UPDATE and MERGE write."""
        if node.kind == "ResolvedInsertStmt":
            yield from self._inserted(node)
        elif node.kind == "ResolvedUpdateStmt":
            self.scan(node.table_scan)
            if node.from_scan is not None:
                self.scan(node.from_scan)
            for item in node.update_item_list:
                yield self._updated(item)
        elif node.kind == "ResolvedMergeStmt":
            self.scan(node.table_scan)
            self.scan(node.from_scan)
            for branch in node.when_clause_list:
                for item in branch.update_item_list:
                    yield self._updated(item)
                if branch.insert_row is not None:
                    values = branch.insert_row.value_list
                    for column, value in zip(branch.insert_column_list, values, strict=True):
                        yield column.name, _renamed(self.value(value.value), column.type)
        else:
            raise Untraced(node.kind)

    def _inserted(self, node: Any) -> Iterable[tuple[str, Tree]]:
        if node.query is not None:
            self.scan(node.query)
            for column, made in zip(node.insert_column_list, node.query_output_column_list, strict=True):
                yield column.name, _renamed(self._column(made), column.type)
        rows = [[self.value(cell.value) for cell in row.value_list] for row in node.row_list]
        for position, column in enumerate(node.insert_column_list if rows else ()):
            yield column.name, _renamed(merged(row[position] for row in rows), column.type)

    def _updated(self, item: Any) -> tuple[str, Tree]:
        path: list[str] = []
        target = item.target
        while target.kind == "ResolvedGetStructField":
            path.insert(0, target.expr.type.struct_type.field[target.field_idx].field_name)
            target = target.expr
        if item.set_value is None:
            raise Untraced("an update of an array's elements")
        path.insert(0, target.column.name)
        return ".".join(path), _renamed(self.value(item.set_value.value), item.target.type)


# Scans that hand on the columns of their input.
_PASSING = frozenset({
    "ResolvedFilterScan", "ResolvedOrderByScan", "ResolvedLimitOffsetScan", "ResolvedSampleScan",
    "ResolvedBarrierScan",
})


def _apart(scan: Any) -> None:
    """GoogleSQL takes two columns of a pivot's input that are copies of one for the same column."""
    known = [column.column_id for column in scan.column_list]
    if len(set(known)) < len(known):
        raise Untraced("a pivot of two copies of one column")


def _element(tree: Tree) -> Tree:
    return tree.element if isinstance(tree, Items) else tree


def _field(tree: Tree, position: int) -> Tree:
    return tree.fields[position][1] if isinstance(tree, Row) else tree


def _renamed(tree: Tree, kind: Node) -> Tree:
    """A cast of a record renames its fields by position."""
    if isinstance(tree, Row) and kind.struct_type is not None:
        fields = kind.struct_type.field
        pairs = zip(fields, tree.fields, strict=True)
        return Row(tuple((field.field_name, _renamed(inner, field.field_type)) for field, (_, inner) in pairs))
    if isinstance(tree, Items) and kind.array_type is not None:
        return Items(_renamed(tree.element, kind.array_type.element_type))
    return tree
