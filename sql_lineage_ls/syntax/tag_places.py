"""Where in a statement a template tag stands: what the SQL around it expects there.

Looks at a few hundred code points of text, and never parses.
"""

from __future__ import annotations

import re

from msgspec import Struct

# How far back the bracket around a tag is looked for.
_REACH = 4_000
_COMMENT = re.compile(r"--[^\r\n]*|/\*[^*]{0,400}\*/")
_LAST_WORD = re.compile(r"(\w+)\Z")
# Room for SELECT at the start of a tag, and for a column at its end.
_ROOM_FOR_QUERY = re.compile(r"[^\r\n]{6}(?s:.+)[^\r\n]{2}\Z")
_BEFORE_QUERY = re.compile(r"\b(?:AS|FROM|JOIN)\s*\(\s*\Z", re.IGNORECASE)
# A closing bracket; the tag may be all there is in one branch of an if.
_BRANCHES = r"(?:\{%[-+]?\s*(?:elif|else)\b[\s\S]{0,4000}?)?\{%[-+]?\s*endif\s*[-+]?%\}"
_CLOSED = re.compile(rf"\s*(?:{_BRANCHES}\s*)?\)")
_END = re.compile(r"[\s;]*\Z")
_QUERY_SIGN = re.compile(r"[();]|\b(?:WITH|SELECT|FROM|INSERT|MERGE|UPDATE|DELETE)\b", re.IGNORECASE)
_AS = re.compile(r"\bAS\Z", re.IGNORECASE)
_CAST = re.compile(r"\b(?:TRY_|SAFE_)?CAST\s*\Z", re.IGNORECASE)

# After these words, and after any sign but a closing one, a name is expected.
_EXPECT_NAME = frozenset(
    {"SELECT", "DISTINCT", "ALL", "FROM", "JOIN", "BY", "WHERE", "AND", "OR", "ON", "AS", "IN", "THEN", "ELSE", "WHEN",
     "CASE", "NOT", "INTO", "OVERWRITE", "TABLE", "VIEW", "UPDATE", "SET", "LIKE", "ILIKE", "RLIKE", "BETWEEN",
     "LIMIT", "OFFSET", "USING", "INTERVAL", "HAVING", "QUALIFY", "EXISTS", "WITH", "RECURSIVE", "IS", "DATE",
     "TIMESTAMP", "TOP", "MERGE", "DELETE", "CALL", "SCHEMA", "DATABASE", "FUNCTION", "PROCEDURE", "COLUMN", "TO",
     "USE", "TRUNCATE", "DESCRIBE", "VALUES", "LATERAL", "UNNEST", "OVER", "DIV", "MOD", "ANY", "SOME", "EXCEPT",
     "IF", "WINDOW", "ESCAPE", "LOCATION", "ROLE", "WAREHOUSE"}
)
_CLOSING = frozenset(")]}'\"`;")


class TagPlace(Struct, frozen=True):
    """The tag at `start`..`end` of `text`; `before` is the end of what stands before it, with its tags masked."""

    text: str
    start: int
    end: int
    before: str

    def touches_a_name(self) -> bool:
        """True where the tag is part of a longer name or of a quoted one."""
        around = self.text[max(self.start - 1, 0) : self.start] + self.text[self.end : self.end + 1]
        return any(sign.isalnum() or sign in "_`\"'{}$" for sign in around)

    def expects_name(self) -> bool:
        """False where a name would read as an alias of what stands before, or as a statement of its own."""
        if self.touches_a_name():
            return True
        before = self._before()
        if not before:
            return False
        word = _LAST_WORD.search(before)
        if word:
            return word[1].upper() in _EXPECT_NAME
        return before[-1] not in _CLOSING

    def is_type(self) -> bool:
        """True where the tag alone is the type of a cast: `CAST(x AS {{ string() }})`, `x::{{ string() }}`."""
        if self.touches_a_name():
            return False
        before = self._before()
        if before.endswith("::"):
            return True
        if _AS.search(before) is None or _CLOSED.match(self.text, self.end) is None:
            return False
        around = self.text[max(self.start - _REACH, 0) : self.start]
        return _CAST.search(around[: _opening(around)]) is not None

    def is_inner_query(self) -> bool:
        """True where the tag alone is a CTE or a derived table: `WITH x AS ({{ union_of(..) }})`."""
        if not (self._has_room_for_query() and _CLOSED.match(self.text, self.end)):
            return False
        return _BEFORE_QUERY.search(self._before()) is not None

    def may_be_main_query(self) -> bool:
        """True where the tag ends the text behind a bracket, as in `WITH x AS (..) {{ as_json('x') }}`."""
        if not (self._has_room_for_query() and _END.match(self.text, self.end)):
            return False
        return self._before().endswith(")")

    def _before(self) -> str:
        return _COMMENT.sub(" ", self.before).rstrip()

    def _has_room_for_query(self) -> bool:
        return _ROOM_FOR_QUERY.match(self.text, self.start, self.end) is not None


def reads_nothing_yet(masked: str) -> bool:
    """True where a text ends with a WITH clause that no query follows."""
    depth, word = 0, ""
    for found in _QUERY_SIGN.finditer(_COMMENT.sub(" ", masked)):
        sign = found[0].upper()
        if sign in "()":
            depth += 1 if sign == "(" else -1
        elif not depth:
            word = "" if sign == ";" else sign
    return word == "WITH" and not depth


def _opening(text: str) -> int:
    """The place of the innermost bracket that `text` leaves open, 0 where there is none."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] == ")":
            depth += 1
        elif text[at] == "(":
            if not depth:
                return at
            depth -= 1
    return 0
