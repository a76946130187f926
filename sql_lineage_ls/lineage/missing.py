"""What the kinds of gaps have in common: the fact that would close each of them."""

from __future__ import annotations

NEEDED = {
    "alias-binding-missing": "a source with this name in FROM",
    "ambiguous": "a qualifier that says which relation is meant",
    "ambiguous-field": "field names that are different",
    "columns-unknown": "the columns that the function or pivot gives, by a list of column aliases",
    "dynamic-name": "the value of the variable that names the column",
    "dynamic-sql": "the text that is run",
    "element-type-unknown": "the type of the array's elements, by DDL of its column",
    "expression-unresolved": "the array that the function is applied to",
    "failed": "an analysis of the statement; please report it",
    "field-name-unknown": "names for the record's fields",
    "field-of-array": "one element of the array, by UNNEST or a subscript",
    "foreign-body": "what the code in another language reads and writes",
    "no-source": "a FROM clause",
    "owner-unproved": "the columns of these relations, by DDL or a schema file, or a qualifier",
    "table-name-unbound": "the value of the variable that names the table",
    "target-columns-unknown": "the target's columns, by DDL, a schema file or a column list",
    "template": "the text that the template tag stands for",
    "too-many": "a smaller statement",
    "undeclared-column": "a declaration of the column",
    "undeclared-field": "a declaration of the field",
    "wildcard-unexpanded": "the columns behind the *, by DDL or a schema file",
}
"""The fact that is needed, by the kind of the gap (docs/model.md, "Gaps and warnings")."""
