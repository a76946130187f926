"""Settings: one typed model, three places to write it, and a message for everything that is wrong.

A setting can stand, later ones winning key by key, in

1. `[tool.sql-lineage]` of `pyproject.toml` in a workspace folder,
2. `sql-lineage.toml` in a workspace folder,
3. the editor's settings, section `sqlLineage`.

Keys may be written in any of `max_file_size`, `max-file-size` and `maxFileSize`. A wrong key or value becomes a
`ConfigProblem`; everything else applies. Nothing here raises on what a person wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Union

import msgspec
from msgspec import Struct
from rapidfuzz import process

from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect, find_dialect
from sql_lineage_ls.workspace.globs import Glob

SECTION = "sqlLineage"
DIAGNOSTIC_CODES = (
    "ambiguous-column",
    "ambiguous-field",
    "column-count-mismatch",
    "duplicate-column",
    "field-of-array",
    "orphan-column",
    "redefined-relation",
    "undeclared-column",
    "undeclared-field",
    "unexpanded-star",
    "unknown-code",
    "unknown-relation",
    "unparsed-statement",
    "unused-cte",
    "unused-column",
)
SEVERITIES = ("error", "warning", "information", "hint", "off")

_Settings = TypeVar("_Settings", bound=Struct)


class CodeLensSettings(Struct, frozen=True, kw_only=True):
    """`code_lens`: `true` or `false`, or a table of the keys below.

    `enabled` (default true): show downstream uses above declarations. `fields` (default true): above nested fields
    too, not only above tables, views and columns.
    """

    enabled: bool = True
    fields: bool = True


class InlayHintSettings(Struct, frozen=True, kw_only=True):
    """`inlay_hints`: `true` or `false`, or a table of the keys below.

    `enabled` (default true): show hints at all. `stars` (default true): the columns that a `*` stands for. `sources`
    (default true): where a select item comes from, where it does not spell that itself. `types` (default false): the
    type of each select item. `inserts` (default true): the column that each value of an INSERT comes to.
    """

    enabled: bool = True
    stars: bool = True
    sources: bool = True
    types: bool = False
    inserts: bool = True


class Settings(Struct, frozen=True, kw_only=True):
    """What can be set, for one workspace folder.

    `dialect` (default: told from each file): the SQL dialect of the folder, `bigquery`, `trino`, `spark`, ..

    `dialects` (default none): a dialect for each glob, `{"etl/**/*.sql" = "spark"}`; the first that matches a file
    decides, before anything that the file says itself.

    `catalog`, `schema` (default ''): what unqualified table names are looked up in, until a `USE` statement.

    `exclude` (default none): globs of files and folders to leave out, next to what `.gitignore` leaves out.

    `max_file_size` (default 2,000,000): files of more bytes are not read.

    `severities` (default none): a severity for each diagnostic code, `{orphan-column = "information"}`; `off` is
    silence. The severities are error, warning, information, hint, off.

    `diagnostics` (default true): report problems at all.

    `code_lens`: see `CodeLensSettings`.

    `inlay_hints`: see `InlayHintSettings`.

    `workspace_diagnostics` (default true): where the editor asks for the diagnostics of the whole workspace, tell them;
    else those of open documents only.

    `reusable_column_aliases` (default false): a select item may name an earlier item's alias where the database has
    that as an option (BigQuery).

    `models` (default: the model folders of a dbt project): whether the query of a file `x.sql` is the relation `x`;
    true or false for all files, or the globs of those files.

    `complete` (default false): the workspace declares every relation there is, so that any other is reported
    (`unknown-relation`).
    """

    dialect: str = ""
    dialects: dict[str, str] = msgspec.field(default_factory=dict)
    catalog: str = ""
    schema: str = ""
    exclude: tuple[str, ...] = ()
    max_file_size: int = 2_000_000
    severities: dict[str, str] = msgspec.field(default_factory=dict)
    diagnostics: bool = True
    code_lens: CodeLensSettings = CodeLensSettings()
    inlay_hints: InlayHintSettings = InlayHintSettings()
    workspace_diagnostics: bool = True
    reusable_column_aliases: bool = False
    models: Union[bool, tuple[str, ...], None] = None
    complete: bool = False

    def rules(self, dialect: Dialect) -> Dialect:
        """The rules of a dialect as this folder has set its options."""
        if self.reusable_column_aliases and dialect.optional_lateral_alias is not None:
            return msgspec.structs.replace(dialect, lateral_alias=dialect.optional_lateral_alias)
        return dialect


class ConfigProblem(Struct, frozen=True, order=True):
    """A setting that does not apply: which key, where it stands, what is wrong, and how to mend it."""

    source: str
    key: str
    message: str
    help: str = ""

    def __str__(self) -> str:
        ending = f" {self.help}" if self.help else ""
        return f"{self.source}: `{self.key}` {self.message}.{ending}" if self.key else f"{self.source}: {self.message}."


class Layer(Struct, frozen=True):
    """What one place sets: the values that are right, by key, and the problems of the others."""

    values: Mapping[str, Any] = msgspec.field(default_factory=dict)
    problems: tuple[ConfigProblem, ...] = ()


def combine(*layers: Layer) -> Settings:
    """The settings of all layers, a later one winning key by key; tables are merged."""
    values: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.values.items():
            known = values.get(key)
            values[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return msgspec.convert(values, Settings)


def without_defaults(layer: Layer) -> Layer:
    """The layer without values that are the defaults.

    Editors send the default of every setting that a person left alone, which must not hide what a file of the project
    says.
    """
    defaults = msgspec.to_builtins(Settings())
    values = {}
    for key, value in layer.values.items():
        default = defaults[key]
        if isinstance(value, dict) and default:
            # `code_lens: true` sets one key of a table; the others are left alone.
            value = {name: part for name, part in value.items() if part != default[name]}
            default = {}
        if value != default:
            values[key] = value
    return Layer(values, layer.problems)


def read_layer(data: object, source: str, foreign: frozenset[str] = frozenset()) -> Layer:
    """The settings in `data`, which JSON or TOML gave; `source` is how problems name the place.

    `foreign` are keys that belong to somebody else, as an editor's own settings in the same section.

    `read_layer({"maxFileSize": "big", "dialect": "BigQuery"}, "sql-lineage.toml")` sets the dialect and has one
    problem: `max_file_size` expects a whole number.
    """
    if data is None:
        return Layer()
    if not isinstance(data, Mapping):
        return Layer(problems=(ConfigProblem(source, "", "the settings are not a table of keys and values"),))
    values: dict[str, Any] = {}
    problems: list[ConfigProblem] = []
    for raw_key, raw_value in data.items():
        key = _snake_case(str(raw_key))
        read = _READERS.get(key)
        if key in foreign:
            continue
        if read is None:
            problems.append(_unknown_key(str(raw_key), source, _READERS))
        elif raw_value is not None:
            values[key] = read(raw_value, _Place(source, key, problems))
    return Layer({key: value for key, value in values.items() if value is not None}, tuple(problems))


class _Place(Struct):
    """Where a value stands, and the list that its problems go to."""

    source: str
    key: str
    problems: list[ConfigProblem]

    def report(self, message: str, help: str = "", part: str = "") -> None:
        self.problems.append(ConfigProblem(self.source, f"{self.key}{part}", message, help))


_Read = Callable[[Any, _Place], Any]


def _read_text(value: Any, place: _Place) -> str | None:
    if isinstance(value, str):
        return value.strip()
    place.report(f"is {_shown(value)}, not text", 'Write it in quotes: "name".')
    return None


def _read_switch(value: Any, place: _Place) -> bool | None:
    if isinstance(value, bool):
        return value
    place.report(f"is {_shown(value)}, neither true nor false", "Write true or false, without quotes.")
    return None


def _read_size(value: Any, place: _Place) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    place.report(f"is {_shown(value)}, not a whole number above zero", "Write a number of bytes: 2000000.")
    return None


def _read_dialect(value: Any, place: _Place) -> str | None:
    if value == "":
        return None
    return _dialect_name(value, place)


def _dialect_name(value: Any, place: _Place, part: str = "") -> str | None:
    dialect = find_dialect(value) if isinstance(value, str) else None
    if dialect is not None:
        return dialect.name
    near = _nearest(str(value), DIALECTS)
    known = f"Did you mean {near}?" if near else f"Dialects are {', '.join(sorted(DIALECTS))}."
    place.report(f"is {_shown(value)}, which is no dialect", known, part)
    return None


def _read_dialects(value: Any, place: _Place) -> dict[str, str] | None:
    if not isinstance(value, Mapping):
        place.report(f"is {_shown(value)}, not a table", 'Write a dialect for each glob: {"etl/*.sql" = "spark"}.')
        return None
    names = {
        str(glob): _dialect_name(name, place, f'."{glob}"')
        for glob, name in value.items()
        if _is_glob(str(glob), place)
    }
    return {glob: name for glob, name in names.items() if name is not None}


def _read_globs(value: Any, place: _Place) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(glob, str) for glob in value):
        place.report(f"is {_shown(value)}, not a list of globs", 'Write a list: ["build/**", "*.tmp.sql"].')
        return None
    return tuple(glob for glob in value if _is_glob(glob, place))


def _read_models(value: Any, place: _Place) -> bool | tuple[str, ...] | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, (list, tuple)):
        return _read_globs(value, place)
    place.report(f"is {_shown(value)}, neither true nor false nor a list of globs", 'Write a list: ["models/**"].')
    return None


def _is_glob(glob: str, place: _Place) -> bool:
    if Glob.parse(glob) is not None:
        return True
    place.report("is no glob that can be read", "Write it as in .gitignore: `build/**`.", f'."{glob}"')
    return False


def _read_severities(value: Any, place: _Place) -> dict[str, str] | None:
    if not isinstance(value, Mapping):
        place.report(f"is {_shown(value)}, not a table", 'Write a severity for each code: {orphan-column = "hint"}.')
        return None
    severities = {}
    for raw_code, severity in value.items():
        code = _kebab_case(str(raw_code))
        if code not in DIAGNOSTIC_CODES:
            near = _nearest(code, DIAGNOSTIC_CODES)
            known = f"Did you mean {near}?" if near else f"Codes are {', '.join(DIAGNOSTIC_CODES)}."
            place.report("is no diagnostic code", known, f".{raw_code}")
        elif severity not in SEVERITIES:
            near = _nearest(str(severity), SEVERITIES)
            known = f"Did you mean {near}?" if near else f"Severities are {', '.join(SEVERITIES)}."
            place.report(f"is {_shown(severity)}, which is no severity", known, f".{raw_code}")
        else:
            severities[code] = severity
    return severities


def _read_code_lens(value: Any, place: _Place) -> dict[str, bool] | None:
    return _read_switches(value, place, CodeLensSettings.__struct_fields__)


def _read_inlay_hints(value: Any, place: _Place) -> dict[str, bool] | None:
    return _read_switches(value, place, InlayHintSettings.__struct_fields__)


def _read_switches(value: Any, place: _Place, keys: tuple[str, ...]) -> dict[str, bool] | None:
    if isinstance(value, bool):
        return {"enabled": value}
    if not isinstance(value, Mapping):
        place.report(f"is {_shown(value)}, neither true nor false nor a table", "Write true or false.")
        return None
    switches = {}
    for raw_key, raw_value in value.items():
        key = _snake_case(str(raw_key))
        inner = _Place(place.source, f"{place.key}.{raw_key}", place.problems)
        if key not in keys:
            place.problems.append(_unknown_key(f"{place.key}.{raw_key}", place.source, keys, key))
        elif (switch := _read_switch(raw_value, inner)) is not None:
            switches[key] = switch
    return switches


_READERS: dict[str, _Read] = {
    "dialect": _read_dialect,
    "dialects": _read_dialects,
    "catalog": _read_text,
    "schema": _read_text,
    "exclude": _read_globs,
    "max_file_size": _read_size,
    "severities": _read_severities,
    "diagnostics": _read_switch,
    "code_lens": _read_code_lens,
    "inlay_hints": _read_inlay_hints,
    "workspace_diagnostics": _read_switch,
    "reusable_column_aliases": _read_switch,
    "models": _read_models,
    "complete": _read_switch,
}


def _unknown_key(
    written: str, source: str, known: Mapping[str, Any] | tuple[str, ...], key: str | None = None
) -> ConfigProblem:
    near = _nearest(key or _snake_case(written), known)
    help = f"Did you mean {near}?" if near else f"Settings are {', '.join(sorted(known))}."
    return ConfigProblem(source, written, "is no setting", help)


def _nearest(word: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    found = process.extractOne(word.lower(), list(known), score_cutoff=70)
    return found[0] if found else ""


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).replace("-", "_").lower()


def _kebab_case(code: str) -> str:
    return _snake_case(code).replace("_", "-")


def _shown(value: object) -> str:
    """A value as a person wrote it, shortened."""
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return text if len(text) <= 60 else text[:57] + ".."
