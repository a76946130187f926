"""Reads ALTER TABLE / VIEW / TYPE and RENAME TABLE: what they do to columns, nested fields and names."""

from __future__ import annotations

from sql_lineage_ls.syntax.ddl.builtin_types import COMPOSITES, SCALARS, VARIANTS
from sql_lineage_ls.syntax.ddl.columns import is_constraint, read_elements, type_or_none
from sql_lineage_ls.syntax.ddl.cursor import Cursor, keywords
from sql_lineage_ls.syntax.ddl.names import column_name, dotted_name, relation_name
from sql_lineage_ls.syntax.query_model import (
    AddColumn,
    AlterAction,
    AlterTable,
    ChangeType,
    ColumnDef,
    DropColumn,
    MoveRows,
    Name,
    RenameColumn,
    RenameTable,
    ReplaceColumns,
    SwapTable,
)

_TYPE_WORDS = SCALARS | VARIANTS | COMPOSITES - {"ROW"}
_COLUMN_WORDS = frozenset({"COLUMN", "COLUMNS", "ATTRIBUTE", "FIELD"})
_ACTIONS = keywords(
    "ADD DROP RENAME ALTER MODIFY CHANGE REPLACE SET SWAP UNSET COMMENT EXCHANGE SWITCH APPEND MOVE ATTACH"
)
# ADD / DROP / RENAME of these is no matter of columns.
_NOT_COLUMNS = keywords(
    "CONSTRAINT PRIMARY FOREIGN UNIQUE CHECK INDEX KEY PARTITION PARTITIONS PROJECTION STATISTICS ROW SEARCH TAG "
    "FEATURE CLUSTERING EXPECTATION FULLTEXT SPATIAL VALUE MASKING SUPPLEMENTAL OVERLAP PERIOD SYSTEM MEMBER STATIC "
    "MAP TEMPORARY STORAGE DETACHED PART EXCLUDE"
)
# What follows a column's name in ALTER / MODIFY COLUMN where its type stays.
_NOT_TYPES = keywords(
    "SET DROP ADD COMMENT NOT NULL DEFAULT FIRST AFTER VISIBLE INVISIBLE RESTART REMOVE UNSET SYNC MASKED CODEC TTL "
    "MATERIALIZED ALIAS ENCODE OPTIONS TO RESET MODIFY GENERATED"
)
# MODIFY / ALTER of these is no matter of columns.
_NOT_MODIFIED = keywords(
    "TTL ORDER SETTING QUERY COMMENT SAMPLE CONSTRAINT INDEX PARTITION SORTKEY DISTKEY DISTSTYLE REFRESH"
)


def read_alter(cursor: Cursor, name: tuple[Name, ...], kind: str) -> AlterTable:
    """The actions behind `ALTER TABLE name`. What changes no column, type or name gives no action."""
    actions: list[AlterAction] = []
    if cursor.accept("ON", "CLUSTER"):
        cursor.advance()
    if cursor.at("PARTITION"):  # Hive: ALTER TABLE t PARTITION (..) RENAME TO PARTITION ..
        cursor.advance(len(cursor.words))
    verb = ""
    while not cursor.done:
        before = cursor.position
        verb = cursor.accept_any(_ACTIONS) or verb
        actions.extend(_action(cursor, verb))
        cursor.skip_to(",")
        cursor.accept(",")
        if cursor.position == before:
            cursor.advance()
    return AlterTable(name, tuple(actions), kind)


def read_rename_table(cursor: Cursor) -> AlterTable:
    """`RENAME TABLE a TO b, c TO d`, from behind TABLE."""
    first: tuple[Name, ...] = ()
    actions: list[AlterAction] = []
    while (old := relation_name(cursor)) != ():
        if not cursor.accept("TO"):
            break
        new = relation_name(cursor)
        if new:
            actions.append(RenameTable(new, old if actions else ()))
            first = first or old
        cursor.skip_to(",")
        cursor.accept(",")
    return AlterTable(first, tuple(actions))


def _action(cursor: Cursor, verb: str) -> list[AlterAction]:
    """The action whose verb was read; an item behind a comma goes on with the verb before it."""
    reader = _READERS.get(verb)
    return reader(cursor) if reader is not None else []


def _guard(cursor: Cursor) -> bool:
    """Steps over `IF [NOT] EXISTS`; True if it was there."""
    return cursor.accept("IF", "NOT", "EXISTS") or cursor.accept("IF", "EXISTS")


def _is_other(cursor: Cursor, words: frozenset[str], adding: bool = False) -> bool:
    """Whether an object of `words` is meant and not a column of that name.

    `DROP INDEX i` is, `DROP index` is not; `ADD TAG t` is, `ADD tag VARCHAR(9)` is not (`adding`).
    """
    if is_constraint(cursor):
        return True
    following = cursor.peek(1)
    if cursor.upper() not in words or following is None or following.upper in (",", "TO", "AS", "CASCADE", "RESTRICT"):
        return False
    return not (adding and following.upper in _TYPE_WORDS)


def _add(cursor: Cursor) -> list[AlterAction]:
    explicit = cursor.accept_any(_COLUMN_WORDS) != ""
    guarded = _guard(cursor)
    if cursor.at("("):
        return [AddColumn(_path_of(column), column.type, guarded) for column in read_elements(cursor).columns]
    if not explicit and _is_other(cursor, _NOT_COLUMNS, adding=True):
        return []
    path = dotted_name(cursor)
    if not path:
        return []
    cursor.accept(":")
    spec = type_or_none(cursor)
    if spec is None and not explicit and not cursor.dialect.types_optional:
        return []
    first, after = _placement(cursor)
    return [AddColumn(path, spec, guarded, first, after)]


def _path_of(column: ColumnDef) -> tuple[Name, ...]:
    """The parts of a nested field in a column list: Spark's `ADD COLUMNS (customer.age INT)`."""
    name = column.name
    parts = name.text.split(".")
    if name.quoted or len(parts) == 1:
        return (name,)
    names, at = [], name.start
    for part in parts:
        names.append(Name(part, at, at + len(part)))
        at += len(part) + 1
    return tuple(names)


def _placement(cursor: Cursor) -> tuple[bool, Name | None]:
    """`FIRST` or `AFTER column` in the rest of the item."""
    while not cursor.done and not cursor.at(","):
        if cursor.accept("FIRST"):
            return True, None
        if cursor.accept("AFTER"):
            path = dotted_name(cursor)
            return False, path[-1] if path else None
        cursor.skip_group() if cursor.at("(") else cursor.advance()
    return False, None


def _drop(cursor: Cursor) -> list[AlterAction]:
    explicit = cursor.accept_any(_COLUMN_WORDS) != ""
    guarded = _guard(cursor)
    if cursor.accept("("):
        dropped: list[AlterAction] = []
        while path := dotted_name(cursor):
            dropped.append(DropColumn(path, guarded))
            if not cursor.accept(","):
                break
        cursor.skip_to(")")
        cursor.accept(")")
        return dropped
    if not explicit and _is_other(cursor, _NOT_COLUMNS):
        return []
    path = dotted_name(cursor)
    return [DropColumn(path, guarded)] if path else []


def _rename(cursor: Cursor) -> list[AlterAction]:
    if cursor.accept("TO") or cursor.accept("AS"):
        new = relation_name(cursor)
        return [RenameTable(new)] if new else []
    explicit = cursor.accept_any(_COLUMN_WORDS) != ""
    guarded = _guard(cursor)
    if not explicit and not guarded and _is_other(cursor, _NOT_COLUMNS):
        return []
    start = cursor.position
    path = dotted_name(cursor)
    if path and (cursor.accept("TO") or cursor.accept("AS")):
        new_name = column_name(cursor)
        while new_name is not None and cursor.accept("."):  # ClickHouse and DuckDB repeat the path
            new_name = column_name(cursor) or new_name
        return [RenameColumn(path, new_name)] if new_name is not None else []
    if explicit or not path:
        return []
    cursor.position = start
    return [RenameTable(relation_name(cursor))]


def _change(cursor: Cursor) -> list[AlterAction]:
    """Hive and MySQL `CHANGE old new type`; Spark's `CHANGE COLUMN a TYPE t` and `CHANGE a COMMENT '..'`."""
    cursor.accept_any(_COLUMN_WORDS)
    _guard(cursor)
    path = dotted_name(cursor)
    if not path:
        return []
    if cursor.accept("TYPE"):
        spec = type_or_none(cursor)
        return [ChangeType(path, spec)] if spec is not None else []
    following = cursor.peek(1)
    if cursor.upper() in _NOT_TYPES and (following is None or following.kind != "word"):
        return []
    new = column_name(cursor)
    spec = type_or_none(cursor)
    if new is None or spec is None:
        return []
    actions: list[AlterAction] = [ChangeType(path, spec)]
    if new.text != path[-1].text:
        actions.append(RenameColumn(path, new))
    return actions


def _alter(cursor: Cursor) -> list[AlterAction]:
    explicit = cursor.accept_any(_COLUMN_WORDS) != ""
    _guard(cursor)
    if cursor.at("("):
        return [
            ChangeType(_path_of(column), column.type)
            for column in read_elements(cursor).columns
            if column.type is not None
        ]
    if not explicit and cursor.upper() in _NOT_MODIFIED | _NOT_COLUMNS:
        return []
    path = dotted_name(cursor)
    if not path:
        return []
    if cursor.accept("RENAME", "TO"):
        new = column_name(cursor)
        return [RenameColumn(path, new)] if new is not None else []
    typed = cursor.accept("SET", "DATA", "TYPE") or cursor.accept("TYPE")
    if not typed and cursor.upper() in _NOT_TYPES:
        return []
    spec = type_or_none(cursor)
    return [ChangeType(path, spec)] if spec is not None else []


def _replace(cursor: Cursor) -> list[AlterAction]:
    if cursor.at("PARTITION"):
        return _attach(cursor)
    if cursor.accept_any(_COLUMN_WORDS) and cursor.at("("):
        return [ReplaceColumns(read_elements(cursor).columns)]
    return []


def _set(cursor: Cursor) -> list[AlterAction]:
    """Oracle's SET UNUSED drops columns; every other SET leaves them."""
    if not cursor.accept("UNUSED"):
        return []
    return _drop(cursor)


def _swap(cursor: Cursor) -> list[AlterAction]:
    if not cursor.accept("WITH"):
        return []
    other = relation_name(cursor)
    return [SwapTable(other)] if other else []


def _exchange(cursor: Cursor) -> list[AlterAction]:
    """`EXCHANGE PARTITION p WITH TABLE u` swaps rows (MySQL, Oracle); Hive moves those of `u` here."""
    other = _table_behind(cursor, "WITH", "TABLE")
    return [MoveRows(other, True, not cursor.dialect.exchange_takes_only)] if other else []


def _switch(cursor: Cursor) -> list[AlterAction]:
    """T-SQL `SWITCH [PARTITION n] TO u`: all rows go to `u`."""
    other = _table_behind(cursor, "TO")
    return [MoveRows(other, False, True)] if other else []


def _move(cursor: Cursor) -> list[AlterAction]:
    """ClickHouse `MOVE PARTITION p TO TABLE u`; TO DISK and TO VOLUME move no rows between tables."""
    other = _table_behind(cursor, "TO", "TABLE")
    return [MoveRows(other, False, True)] if other else []


def _attach(cursor: Cursor) -> list[AlterAction]:
    """ClickHouse `ATTACH PARTITION p FROM u`, `REPLACE PARTITION p FROM u`; Redshift `APPEND FROM u`."""
    other = _table_behind(cursor, "FROM")
    return [MoveRows(other, True, False)] if other else []


def _table_behind(cursor: Cursor, *words: str) -> tuple[Name, ...]:
    """The table named behind these words in the rest of the item, () where they are not there."""
    while not cursor.done and not cursor.at(","):
        if cursor.accept(words[0], *words[1:]):
            return relation_name(cursor)
        cursor.skip_group() if cursor.at("(") else cursor.advance()
    return ()


_READERS = {
    "EXCHANGE": _exchange,
    "SWITCH": _switch,
    "MOVE": _move,
    "ATTACH": _attach,
    "APPEND": _attach,
    "ADD": _add,
    "DROP": _drop,
    "RENAME": _rename,
    "CHANGE": _change,
    "ALTER": _alter,
    "MODIFY": _alter,
    "REPLACE": _replace,
    "SET": _set,
    "SWAP": _swap,
}
