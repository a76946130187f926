"""What databases say in MERGE beside the standard, in words that sqlglot's parser reads.

| written | read as | by |
|---|---|---|
| `MERGE WITH SCHEMA EVOLUTION INTO t` | `MERGE INTO t` | Databricks "MERGE INTO" |
| `UPDATE ALL BY NAME`, `INSERT BY NAME` | `UPDATE *`, `INSERT *` | Snowflake "MERGE", DuckDB "MERGE INTO" |
| `INSERT (a, b) ROW` | `INSERT (a, b) VALUES (ROW)` | GoogleSQL "MERGE statement" |
| `INSERT VALUES (x)` | `INSERT () VALUES (x)` | Redshift "MERGE" |
| `INSERT DEFAULT VALUES` | `INSERT () VALUES ()` | PostgreSQL "MERGE" |
| `REMOVE DUPLICATES` | `WHEN NOT MATCHED THEN INSERT ROW` | Redshift "MERGE" |
| `UPDATE SET .. DELETE WHERE c` | `.. WHEN MATCHED AND c THEN DELETE` | Oracle "MERGE" |
"""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

T = TokenType


def rewrite_merge(tokens: list[Token]) -> None:
    """Rewrites the tokens of one MERGE in place."""
    _drop_evolution(tokens)
    index = 0
    while index < len(tokens):
        word = tokens[index].text.upper()
        if word in ("UPDATE", "INSERT") and tokens[index - 1].text.upper() == "THEN":
            _branch(tokens, index)
        elif word == "REMOVE" and _words(tokens, index, 2) == ["REMOVE", "DUPLICATES"]:
            tokens[index : index + 2] = _like(tokens[index], "WHEN NOT MATCHED THEN INSERT ROW")
        elif word == "DELETE" and _words(tokens, index, 2) == ["DELETE", "WHERE"]:
            _delete_branch(tokens, index)
        index += 1


def _words(tokens: list[Token], index: int, count: int) -> list[str]:
    return [token.text.upper() for token in tokens[index : index + count]]


def _drop_evolution(tokens: list[Token]) -> None:
    if _words(tokens, 1, 3) == ["WITH", "SCHEMA", "EVOLUTION"]:
        del tokens[1:4]


def _branch(tokens: list[Token], index: int) -> None:
    """The action at `index`, which is UPDATE or INSERT."""
    words = _words(tokens, index + 1, 3)
    if words == ["ALL", "BY", "NAME"]:
        tokens[index + 1 : index + 4] = _like(tokens[index + 1], "*")
    elif words[:2] == ["BY", "NAME"]:
        tokens[index + 1 : index + 3] = _like(tokens[index + 1], "*")
    elif words[:2] == ["BY", "POSITION"]:
        del tokens[index + 1 : index + 3]
    elif words[:2] == ["DEFAULT", "VALUES"]:
        tokens[index + 1 : index + 3] = _like(tokens[index + 1], "( ) VALUES ( )")
    elif words[:1] == ["VALUES"]:
        tokens[index + 1 : index + 1] = _like(tokens[index + 1], "( )")
    elif words[:1] == ["("]:
        stop = next((i for i in range(index, len(tokens)) if tokens[i].token_type is T.R_PAREN), len(tokens))
        if _words(tokens, stop + 1, 1) == ["ROW"]:
            tokens[stop + 1 : stop + 2] = _like(tokens[stop + 1], "VALUES ( ROW )")


def _delete_branch(tokens: list[Token], index: int) -> None:
    stop = index + 2
    while stop < len(tokens) and tokens[stop].token_type is not T.WHEN:
        stop += 1
    delete = tokens[index]
    tokens[stop:stop] = [*_like(delete, "THEN"), delete]
    tokens[index : index + 2] = _like(delete, "WHEN MATCHED AND")


_KINDS = {
    "WHEN": T.WHEN, "THEN": T.THEN, "AND": T.AND, "NOT": T.NOT, "INSERT": T.INSERT, "VALUES": T.VALUES, "*": T.STAR,
    "(": T.L_PAREN, ")": T.R_PAREN,
}  # fmt: skip


def _like(token: Token, text: str) -> list[Token]:
    """The words of `text` as tokens that stand where `token` does."""
    return [
        Token(_KINDS.get(word, T.VAR), word, token.line, token.col, token.start, token.end) for word in text.split()
    ]
