"""BigQuery: the GoogleSQL analyzer resolves a query, and the values are followed through its resolved tree.

Every node of the resolved tree knows its columns by number, so no name is looked up here: name resolution is the
analyzer's alone. The WebAssembly module takes minutes to compile and is kept in the user's cache folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

from tests.oracle.trees import Arr, Items, Rec, Row, Schema, Tree, Type, merged, stored, tags


class Rejected(Exception):
    """The engine does not accept the query."""


class Untraced(Exception):
    """The resolved tree has a node that this module does not follow."""


def prepare() -> None:
    """Lets the analyzer's module be compiled once a machine instead of once a process."""
    import wasmtime
    import zetasql.core.wasm_client as client

    load = wasmtime.Module.from_file

    class Kept:
        @staticmethod
        def from_file(engine: Any, path: Any) -> Any:
            key = hashlib.sha256(f"{version('wasmtime')} {version('zetasql')}".encode()).hexdigest()[:16]
            kept = Path(platformdirs.user_cache_dir("sql-lineage-ls")) / f"googlesql-{key}.bin"
            if kept.exists():
                return wasmtime.Module.deserialize_file(engine, str(kept))
            module = load(engine, path)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(module.serialize())
            return module

    client.Module = Kept


# What GoogleSQL has and BigQuery does not.
_ABSENT = (
    "FEATURE_STRUCT_POSITIONAL_ACCESSOR",
    "FEATURE_SINGLETON_UNNEST_INFERS_ALIAS",
    "FEATURE_SINGLE_TABLE_NAME_ARRAY_PATH",
)


class GoogleSql:
    """An analyzer over one schema."""

    def __init__(self, schema: Schema) -> None:
        from zetasql.api import Analyzer, CatalogBuilder, TableBuilder, TypeFactory
        from zetasql.types import (
            AnalyzerOptions,
            LanguageFeature,
            LanguageOptions,
            TypeKind,
            ZetaSQLBuiltinFunctionOptions,
        )

        def made(kind: Type) -> Any:
            if isinstance(kind, Rec):
                return TypeFactory.create_struct_type([(name, made(inner)) for name, inner in kind.fields])
            if isinstance(kind, Arr):
                return TypeFactory.create_array_type(made(kind.element))
            return TypeFactory.create_simple_type(TypeKind.TYPE_STRING)

        language = LanguageOptions.maximum_features()
        for name in _ABSENT:
            feature = getattr(LanguageFeature, name)
            language.enabled_language_features = [f for f in language.enabled_language_features if f != feature]
        functions = ZetaSQLBuiltinFunctionOptions(language_options=language)
        builder = CatalogBuilder("oracle").with_builtin_functions(functions)
        for table in schema:
            one = TableBuilder(table.name)
            for name, kind in table.columns:
                one.add_column(name, made(kind))
            builder.add_table(one.build())
        self._schema = schema
        self._analyzer = Analyzer(AnalyzerOptions(language_options=language), builder.build())

    def run(self, query: str) -> list[tuple[str, Tree]]:
        """The output columns with where each leaf comes from; `Rejected`, `Untraced`."""
        try:
            statement = self._analyzer.analyze_statement(query)
        except Exception as error:
            raise Rejected(str(error)) from error
        trace = _Trace(self._schema)
        trace.scan(statement.query)
        return [(out.name, trace.columns.get(out.column.column_id)) for out in statement.output_column_list]


_SAME = {"any_value", "max", "min", "first_value", "last_value", "nth_value", "max_by", "min_by", "array_concat_agg",
         "nullif", "lag", "lead"}
_ELEMENT = ("$array_at", "$safe_array_at", "$subscript")


class _Trace:
    """Values by column number."""

    def __init__(self, schema: Schema) -> None:
        self.tables = {table.name: dict(table.columns) for table in schema}
        self.columns: dict[int, Tree] = {}
        self.ctes: dict[str, list[Any]] = {}

    def scan(self, node: Any) -> None:
        follow = getattr(self, type(node).__name__, None)
        if follow is not None:
            follow(node)
            return
        inner = getattr(node, "input_scan", None)
        if inner is None:
            raise Untraced(type(node).__name__)
        self.scan(inner)

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
        for position, column in enumerate(node.column_list):
            branches = [self._column(item.output_column_list[position]) for item in node.input_item_list]
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

    def ResolvedPivotScan(self, node: Any) -> None:
        self.scan(node.input_scan)
        self._computed(node.group_by_list)
        for made in node.pivot_column_list:
            value = self.value(node.pivot_expr_list[made.pivot_expr_index])
            self.columns[made.column.column_id] = value

    def ResolvedUnpivotScan(self, node: Any) -> None:
        self.scan(node.input_scan)
        self._computed(node.projected_input_column_list)
        for position, column in enumerate(node.value_column_list):
            values = [self.value(arg.column_list[position]) for arg in node.unpivot_arg_list]
            self.columns[column.column_id] = merged(values)

    # ------------------------------------------------------------ expressions

    def value(self, node: Any) -> Tree:
        name = type(node).__name__
        if name == "ResolvedColumnRef":
            return self._column(node.column)
        if name in ("ResolvedLiteral", "ResolvedParameter", "ResolvedConstant"):
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
            return self._call(node.function.name.split(":")[-1], [self.value(arg) for arg in node.argument_list])
        raise Untraced(name)

    def _subquery(self, node: Any) -> Tree:
        self.scan(node.subquery)
        value = self._column(node.subquery.column_list[0])
        kind = node.subquery_type.name
        if kind == "ARRAY":
            return Items(value)
        return value if kind == "SCALAR" else None

    def _call(self, name: str, args: Sequence[Tree]) -> Tree:
        if name in _SAME:
            return args[0]
        if name.startswith(_ELEMENT):
            if isinstance(args[0], Row):
                raise Untraced("a record's field by position, which BigQuery does not have")
            return _element(args[0])
        if name == "array_agg":
            return Items(args[0])
        if name == "$make_array":
            return Items(merged(args))
        if name == "if":
            return merged(args[1:])
        if name == "$case_no_value":
            return merged([*args[1:-1:2], args[-1]])
        if name in ("coalesce", "ifnull", "array_concat"):
            return merged(args)
        return frozenset(tag for arg in args for tag in tags(arg)) if args else None


def _element(tree: Tree) -> Tree:
    return tree.element if isinstance(tree, Items) else tree


def _field(tree: Tree, position: int) -> Tree:
    return tree.fields[position][1] if isinstance(tree, Row) else tree


def _renamed(tree: Tree, kind: Any) -> Tree:
    """A cast of a record renames its fields by position."""
    if isinstance(tree, Row) and kind.struct_type is not None:
        fields = kind.struct_type.field
        pairs = zip(fields, tree.fields, strict=True)
        return Row(tuple((field.field_name, _renamed(inner, field.field_type)) for field, (_, inner) in pairs))
    if isinstance(tree, Items) and kind.array_type is not None:
        return Items(_renamed(tree.element, kind.array_type.element_type))
    return tree
