"""How a data type is written for a person: on one line where it fits, else one line a field."""

from __future__ import annotations

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Unspecified

LINE_WIDTH = 72
MOST_FIELDS = 24
DEEPEST = 6


def one_line(data_type: DataType | None, depth: int = DEEPEST) -> str:
    """`STRUCT<name STRING, tags ARRAY<STRING>>`; records below `depth` are shown as `STRUCT<…>`; '' if unknown."""
    if data_type is None or isinstance(data_type, Unspecified):
        return data_type.text if data_type is not None else ""
    if isinstance(data_type, RecordType):
        name, opening, closing = _brackets(data_type.text)
        if data_type.type_name:
            return data_type.type_name
        if depth <= 0:
            return f"{name}{opening}…{closing}"
        fields = ", ".join(_declaration(field, depth - 1) for field in data_type.fields)
        return f"{name}{opening}{fields}{closing}"
    if isinstance(data_type, ArrayType):
        return f"ARRAY<{one_line(data_type.element, depth)}>" if one_line(data_type.element, 0) else "ARRAY"
    if isinstance(data_type, MapType):
        return f"MAP<{one_line(data_type.key, depth)}, {one_line(data_type.value, depth)}>"
    return data_type.text


def signature(name: str, data_type: DataType | None) -> str:
    """`orders_raw.items[*].qty : INT64`; a record that is too long for a line lists its fields below."""
    line = one_line(data_type)
    if not line:
        return name
    if len(name) + len(line) + 3 <= LINE_WIDTH:
        return f"{name} : {line}"
    record, wrapping = _innermost_record(data_type)
    if record is None:
        return f"{name} : {one_line(data_type, 1)}"
    head, opening, closing = _brackets(record.text)
    head = record.type_name or head
    rows = field_rows(record.fields)
    return "\n".join((f"{name} : {'ARRAY<' * wrapping}{head}{opening}", *rows, closing + ">" * wrapping))


def field_rows(fields: tuple[Field, ...]) -> list[str]:
    """One indented line a field, nested records cut short, and how many were left out."""
    shown = fields[:MOST_FIELDS]
    rows = [f"  {_short_declaration(field)}" for field in shown]
    rows = [row + "," for row in rows[:-1]] + rows[-1:]
    if len(fields) > len(shown):
        rows[-1] += ","
        rows.append(f"  … {len(fields) - len(shown)} more")
    return rows


def _short_declaration(field: Field) -> str:
    whole = _declaration(field, DEEPEST)
    return whole if len(whole) <= LINE_WIDTH - 3 else _declaration(field, 0)


def _declaration(field: Field, depth: int) -> str:
    return f"{field.name} {one_line(field.type, depth)}".strip()


def _innermost_record(data_type: DataType | None) -> tuple[RecordType | None, int]:
    wrapping = 0
    while isinstance(data_type, ArrayType):
        data_type, wrapping = data_type.element, wrapping + 1
    return (data_type, wrapping) if isinstance(data_type, RecordType) else (None, 0)


def _brackets(text: str) -> tuple[str, str, str]:
    """The word of a record type and its brackets: `ROW(..)`, `Tuple(..)`, else `STRUCT<..>`."""
    word = text.split("<")[0].split("(")[0].strip() or "STRUCT"
    return (word, "<", ">") if word.upper() == "STRUCT" else (word, "(", ")")
