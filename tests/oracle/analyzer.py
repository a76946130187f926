"""The GoogleSQL analyzer: statements in, resolved trees out.

The package's own interface turns every message into Python objects, both ways, and copies memory byte by byte.
Thousands of queries need less: the catalog is registered once a schema, and a tree is read where it is looked at.
The WebAssembly module takes minutes to compile and is kept in the user's cache folder.
"""

from __future__ import annotations

import ctypes
import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

from tests.oracle.trees import Arr, Rec, Schema, Type

# What GoogleSQL has and BigQuery does not.
_ABSENT = (
    "FEATURE_STRUCT_POSITIONAL_ACCESSOR",
    "FEATURE_SINGLETON_UNNEST_INFERS_ALIAS",
    "FEATURE_SINGLE_TABLE_NAME_ARRAY_PATH",
)


# Where the compiled module is kept: the user's own folder, for tests have one that is empty each time.
_KEPT = Path(platformdirs.user_cache_dir("sql-lineage-ls"))


class Rejected(Exception):
    """The engine does not accept the query."""


class Node:
    """A message of the resolved tree: its attributes are those of its type and of all types above that."""

    __slots__ = ("_message", "kind")

    def __init__(self, message: Any) -> None:
        while message.DESCRIPTOR.name.startswith("Any"):
            message = getattr(message, message.WhichOneof(message.DESCRIPTOR.oneofs[0].name))
        self._message = message
        self.kind = message.DESCRIPTOR.name.removesuffix("Proto")

    def __getattr__(self, name: str) -> Any:
        message = self._message
        while name not in message.DESCRIPTOR.fields_by_name:
            if "parent" not in message.DESCRIPTOR.fields_by_name:
                raise AttributeError(f"{self.kind} has no {name}")
            message = message.parent
        field = message.DESCRIPTOR.fields_by_name[name]
        value = getattr(message, name)
        if field.message_type is not None:
            if field.is_repeated:
                return [Node(item) for item in value]
            return Node(value) if value.ByteSize() else None
        return field.enum_type.values_by_number[value].name if field.enum_type is not None else value


def prepare() -> None:
    """Lets the analyzer's module be compiled once a machine instead of once a process."""
    import wasmtime
    import zetasql.core.wasm_client as client

    load = wasmtime.Module.from_file

    class Kept:
        @staticmethod
        def from_file(engine: Any, path: Any) -> Any:
            key = hashlib.sha256(f"{version('wasmtime')} {version('zetasql')}".encode()).hexdigest()[:16]
            kept = _KEPT / f"googlesql-{key}.bin"
            if kept.exists():
                return wasmtime.Module.deserialize_file(engine, str(kept))
            module = load(engine, path)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(module.serialize())
            return module

    client.Module = Kept


class Analyzer:
    """An analyzer over one schema."""

    def __init__(self, schema: Schema) -> None:
        from zetasql.core.exceptions import ServerError
        from zetasql.core.local_service import ZetaSqlLocalService
        from zetasql.types import AnalyzerOptions
        from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2 as messages

        self._refused = ServerError
        self._messages = messages
        self._client = ZetaSqlLocalService.get_instance().wasm_client
        _copy_at_once(self._client)
        language = _language()
        catalog = messages.RegisterCatalogRequest(simple_catalog=_catalog(schema, language).to_proto())
        self._catalog = self._call("RegisterCatalog", catalog, messages.RegisterResponse).registered_id
        self._request = messages.AnalyzeRequest(
            options=AnalyzerOptions(language_options=language).to_proto(), registered_catalog_id=self._catalog
        )

    def close(self) -> None:
        """Gives the catalog's memory back."""
        from google.protobuf.empty_pb2 import Empty

        gone = self._messages.UnregisterRequest(registered_id=self._catalog)
        self._call("UnregisterCatalog", gone, Empty)

    def analyze(self, sql: str) -> Node:
        """The resolved statement; `Rejected`."""
        self._request.sql_statement = sql
        try:
            answer = self._call("Analyze", self._request, self._messages.AnalyzeResponse)
        except self._refused as error:
            raise Rejected(str(error)) from error
        return Node(answer.resolved_statement)

    def _call(self, name: str, request: Any, answer: Any) -> Any:
        return self._client.call_grpc_func(f"ZetaSqlLocalService_{name}", request, answer)


def _language() -> Any:
    from zetasql.types import LanguageFeature, LanguageOptions, ResolvedNodeKind

    language = LanguageOptions.maximum_features()
    language.supported_statement_kinds = [kind for kind in ResolvedNodeKind if kind.name.endswith("_STMT")]
    absent = {getattr(LanguageFeature, name) for name in _ABSENT}
    language.enabled_language_features = [f for f in language.enabled_language_features if f not in absent]
    return language


def _catalog(schema: Schema, language: Any) -> Any:
    from zetasql.api import CatalogBuilder, TableBuilder, TypeFactory
    from zetasql.types import TypeKind, ZetaSQLBuiltinFunctionOptions

    def made(kind: Type) -> Any:
        if isinstance(kind, Rec):
            return TypeFactory.create_struct_type([(name, made(inner)) for name, inner in kind.fields])
        if isinstance(kind, Arr):
            return TypeFactory.create_array_type(made(kind.element))
        return TypeFactory.create_simple_type(TypeKind.TYPE_STRING)

    functions = ZetaSQLBuiltinFunctionOptions(language_options=language)
    builder = CatalogBuilder("oracle").with_builtin_functions(functions)
    for table in schema:
        one = TableBuilder(table.name)
        for name, kind in table.columns:
            one.add_column(name, made(kind))
        builder.add_table(one.build())
    return builder.build()


def _copy_at_once(client: Any) -> None:
    """The client writes and reads memory byte by byte."""

    def place() -> int:
        return ctypes.addressof(client.memory.data_ptr().contents)

    client.write_bytes = lambda start, data: ctypes.memmove(place() + start, data, len(data))
    client.read_bytes = lambda start, size: ctypes.string_at(place() + start, size)
