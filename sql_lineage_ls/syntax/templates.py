"""Hides template tags from the parser without moving a single code point.

Knows Jinja and dbt (`{{ }}`, `{% %}`, `{# #}`), Go templates (`{{.Name}}`, `{{ if }}`), `${name}` and `<% name %>`.
Nothing is rendered or executed: a tag becomes blanks or a name of the same length, so that every offset of the masked
text is an offset of the document, and every line end stays.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum

from msgspec import Struct

from sql_lineage_ls.syntax.tag_places import TagPlace, reads_nothing_yet
from sql_lineage_ls.text.span import Span

# A tag that is longer than this is taken for one that never closes, so that a file of broken tags stays cheap.
_TAG_REACH = 4_000
_CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}", "${": "}", "<%": "%>"}
_TAG_PARTS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|%\}|\{[{%#]|[{}]""", re.DOTALL)
_OPENER = re.compile(r"\{[{%#]|\$\{(?=\s*[\w.:-]+\s*\})|<%(?=\s*[\w.:-]+\s*%>)")
_FIRST_WORD = re.compile(r"[-+~]?\s*(\w+)")
_NOT_A_LINE_END = re.compile(r"[^\r\n]")
_NOT_IN_A_NAME = re.compile(r"[^0-9A-Za-z_]")
_LINE = re.compile(r"[^\r\n]+")
_BLOCK_SET = re.compile(r"[-+]?\s*set\s+\w+\s*(?:\||[-+]?\Z)")
# One round of a loop is read, and the only round is the first and the last.
_OTHER_ROUNDS = re.compile(r"\bnot\s+loop\.(?:last|first)\b|\bloop\.(?:last|first)\s*==\s*(?i:false)\b")
_OTHER_ROUNDS_ONLY = re.compile(r"""[-+]?\s*(?:'[^']*'|"[^"]*")\s+if\s+not\s+loop\.(?:last|first)\b""")
# What an incremental model adds on its later runs is a filter: it changes no columns.
_INCREMENTAL = re.compile(r"[-+]?\s*if\s+is_incremental\s*\(\s*\)\s*[-+]?\Z")
# Calls that leave no SQL behind (dbt).
_SILENT = re.compile(r"[-+]?\s*(?:config|log|print|return|exceptions\.\w+|enable_\w+|set_sql_header)\s*\(")

_QUOTED = r"""(?:'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)")"""
_REF = re.compile(rf"[-+]?\s*ref\s*\(\s*(?:(?:'\w*'|\"\w*\")\s*,\s*)?{_QUOTED}\s*\)\s*[-+]?\Z")
_SOURCE = re.compile(rf"[-+]?\s*source\s*\(\s*{_QUOTED}\s*(,)\s*{_QUOTED}\s*\)\s*[-+]?\Z")
_ANY_QUOTED = r"""(?:'([^'\\]+)'|"([^"\\]+)")"""
_ANY_REF = re.compile(
    rf"[-+]?\s*ref\s*\(\s*(?:(?:'[^']*'|\"[^\"]*\")\s*,\s*)?{_ANY_QUOTED}"
    r"(?:\s*,\s*v(?:ersion)?\s*=\s*['\"]?(?P<version>\w+)['\"]?)?\s*\)\s*[-+]?\Z"
)
_ANY_SOURCE = re.compile(rf"[-+]?\s*source\s*\(\s*{_ANY_QUOTED}\s*,\s*{_ANY_QUOTED}\s*\)\s*[-+]?\Z")
_THIS = re.compile(r"[-+]?\s*this\s*[-+]?\Z")

# How far back a tag looks for what stands before it.
_LOOK_BACK = 600
# What a tag becomes that stands for a type, which every grammar knows, and for a whole query.
UNKNOWN_TYPE = "UNKNOWN"
_QUERY, _ANY_COLUMN = "SELECT", "__"


class RefKind(Enum):
    """What a template tag that names a relation says of it."""

    REF = "ref"
    SOURCE = "source"
    THIS = "this"


class TemplateRef(Struct, frozen=True):
    """A relation named by a tag; `[start, end)` is where its name stands in the masked text.

    `{{ source('raw', 'crates') }}` has the parts `("raw", "crates")`; `{{ this }}` has none.
    """

    start: int
    end: int
    parts: tuple[str, ...]
    kind: RefKind


class Masked(Struct, frozen=True):
    """A text whose tags are hidden.

    `text` is as long as the document and has its line ends. `macros` are the places of names that stand for what
    nobody has read: one name, an expression or a list of columns. `blanks` are tags of that kind where no name could
    stand: they may add anything to what is before them. `types` are tags that became the type `UNKNOWN_TYPE`,
    `choices` those that begin an if or a for, of which one branch and one round is read.
    """

    text: str
    templated: bool = False
    refs: tuple[TemplateRef, ...] = ()
    macros: tuple[Span, ...] = ()
    blanks: tuple[Span, ...] = ()
    types: tuple[Span, ...] = ()
    choices: tuple[Span, ...] = ()


def mask(text: str) -> Masked:
    """Hide the template tags of `text`; a text without any is handed back as the same object.

    `SELECT a FROM {{ ref('crates') }}` becomes `SELECT a FROM         crates    `: a relation's name stays where it
    is written. Any other `{{ x }}` becomes a name of the same length where a name is expected, and blanks elsewhere.
    Comments and statement tags become blanks, and so does every branch of an if but the first, the bodies of macros
    and of block assignments. A tag that never closes is left as it is.
    """
    if "{{" not in text and "{%" not in text and "{#" not in text and "${" not in text and "<%" not in text:
        return Masked(text)
    return _Masker(text).run()


def tag_end(text: str, start: int) -> int:
    """The offset behind the template tag that opens at `start`, -1 where it does not close before the next tag.

    A closing mark inside of a quoted string or of a dictionary does not end a tag: `{{ f('}}', {'a': {}}) }}` is one.
    """
    opener = text[start : start + 2]
    closer = _CLOSERS[opener]
    if opener in ("{{", "{%"):
        end = _quoted_tag_end(text, start + 2, closer)
        if end >= 0:
            return end
        # Its quotes or brackets do not fit together: the first closing mark, unless another tag opens before it.
        end = text.find(closer, start + 2, start + _TAG_REACH)
        if end < 0 or "{{" in text[start + 2 : end] or "{%" in text[start + 2 : end]:
            return -1
        return end + 2
    end = text.find(closer, start + 2)
    return end + len(closer) if end >= 0 else -1


def _quoted_tag_end(text: str, position: int, closer: str) -> int:
    braces = 0
    limit = position + _TAG_REACH
    while True:
        part = _TAG_PARTS.search(text, position, limit)
        if part is None:
            return -1
        sign, position = part[0], part.end()
        if sign == "}" and not braces:
            if closer == "}}" and text.startswith("}", position):
                return position + 1
        elif sign == "}":
            braces -= 1
        elif sign == "{":
            braces += 1
        elif sign == "%}":
            if closer == "%}":
                return position
        elif sign[0] == "{":
            return -1


def _blank(text: str) -> str:
    return _NOT_A_LINE_END.sub(" ", text)


def _condition(content: str) -> str:
    """The test of `- if not is_incremental() -`, with single blanks; '' for one of several parts."""
    test = " ".join(content.strip("-+ \n\t").split()).removeprefix("if").strip()
    return "" if re.search(r"\b(and|or)\b", test) else test


class _Block(Struct):
    """An open `{% if %}`, `{% for %}`, ..; `hidden` while what stands in it is left out, `taken` once a branch was."""

    kind: str
    hidden: bool
    taken: bool
    # The test of an if that has one branch.
    condition: str = ""


class _Masker:
    """The state of one pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[str] = []
        self.before = ""
        self.refs: list[TemplateRef] = []
        self.macros: list[Span] = []
        self.blanks: list[Span] = []
        self.types: list[Span] = []
        self.choices: list[Span] = []
        self.blocks: list[_Block] = []
        # How many blocks of each kind are open.
        self.open: Counter[str] = Counter()
        self.hidden = 0
        # The test of the last if of one branch, whether that is kept, and where the if ends.
        self.ended = ("", False, 0)
        self.unclosed: set[str] = set()
        # A tag right before a dot somewhere is a qualifier, so the same tag behind a table's name is its alias.
        self.qualifiers = set(re.findall(r"\{\{([^{}]*)\}\}\.", text))

    def run(self) -> Masked:
        position, templated = 0, False
        while True:
            opener = _OPENER.search(self.text, position)
            if opener is None:
                break
            start = opener.start()
            self._copy(self.text[position:start])
            end = tag_end(self.text, start) if opener[0] not in self.unclosed else -1
            if end < 0:
                if opener[0] not in ("{{", "{%"):
                    self.unclosed.add(opener[0])
                self._copy(opener[0])
                position = opener.end()
                continue
            templated = True
            self._tag(opener[0], start, end)
            position = end
        self._copy(self.text[position:])
        if not templated:
            return Masked(self.text)
        found = (tuple(self.macros), tuple(self.blanks), tuple(self.types), tuple(self.choices))
        return Masked("".join(self.pieces), True, tuple(self.refs), *found)

    def _copy(self, piece: str) -> None:
        self._put(_blank(piece) if self.hidden else piece)

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.before = (self.before + piece[-_LOOK_BACK:])[-_LOOK_BACK:]

    def _tag(self, opener: str, start: int, end: int) -> None:
        """Mask one tag."""
        tag = self.text[start:end]
        if opener == "{#":
            self._put(_blank(tag))
        elif opener == "{%":
            self._put(_blank(tag))
            self._statement(tag[2:-2], Span(start, end))
        elif opener in ("${", "<%"):
            self._name(tag, start)
        else:
            self._expression(tag, start)

    # {% .. %}

    def _statement(self, content: str, span: Span) -> None:
        """Follow the blocks; what {% raw %} holds is a template of the next stage and masked like any other."""
        first = _FIRST_WORD.match(content)
        word = first[1] if first else ""
        if word in ("if", "for"):
            if not self.hidden and not _INCREMENTAL.match(content):
                self.choices.append(span)
            taken = word == "for" or not _OTHER_ROUNDS.search(content)
            condition = _condition(content) if word == "if" else ""
            if self._is_other_case(condition, span.start):
                taken = not self.ended[1]
            self._open(word, hidden=not taken, condition=condition)
        elif word in ("macro", "call", "materialization", "docs") or (word == "set" and _BLOCK_SET.match(content)):
            self._open(word, hidden=True)
        elif word in ("elif", "else"):
            self._branch()
        elif word.startswith("end"):
            self._close(word[3:], span.end)

    def _is_other_case(self, condition: str, start: int) -> bool:
        """Whether an if tests the opposite of the one that ends right before it: together they are if and else."""
        before, _, end = self.ended
        if not before or not condition or self.text[end:start].strip():
            return False
        return condition == f"not {before}" or before == f"not {condition}"

    def _open(self, kind: str, hidden: bool, condition: str = "") -> None:
        self.blocks.append(_Block(kind, hidden, not hidden, condition))
        self.open[kind] += 1
        self.hidden += hidden

    def _branch(self) -> None:
        """Go from one branch to the next: only the first that can be taken is kept."""
        if not self.blocks:
            return
        block = self.blocks[-1]
        hidden = block.taken
        self.hidden += hidden - block.hidden
        block.hidden = hidden
        block.taken = True
        block.condition = ""

    def _close(self, kind: str, end: int = 0) -> None:
        """Close the innermost block of a kind, and what was left open in it."""
        if not self.open[kind]:
            return
        while True:
            block = self.blocks.pop()
            self.open[block.kind] -= 1
            self.hidden -= block.hidden
            if block.kind == kind:
                self.ended = (block.condition, block.taken, end)
                return

    # {{ .. }}

    def _expression(self, tag: str, start: int) -> None:
        content = tag[2:-2]
        if self._go_action(content) or self.hidden or _SILENT.match(content) or _OTHER_ROUNDS_ONLY.match(content):
            self._put(_blank(tag))
            return
        if not self._relation(tag, content, start):
            self._name(tag, start)

    def _go_action(self, content: str) -> bool:
        """True for a Go template's comment or control; `end` and `else` are names unless something is open."""
        stripped = content.lstrip("- \t\r\n")
        if stripped.startswith("/*"):
            return True
        words = stripped.rstrip("- \t\r\n").split(None, 1)
        word = words[0] if words else ""
        if word in ("if", "range", "with", "block", "define") and len(words) == 2:
            self._open("go", hidden=word == "define")
            return True
        if word == "template" and len(words) == 2:
            return True
        if not (self.blocks and self.blocks[-1].kind == "go"):
            return False
        if word == "else":
            self._branch()
            return True
        if word == "end" and len(words) == 1:
            self._close("go")
            return True
        return False

    def _relation(self, tag: str, content: str, start: int) -> bool:
        """Mask a tag that names a relation; False where it does not."""
        for pattern, kind in ((_REF, RefKind.REF), (_SOURCE, RefKind.SOURCE)):
            match = pattern.match(content)
            if match and not TagPlace(self.text, start, start + len(tag), self.before).touches_a_name():
                self._keep_names(tag, match, start, kind)
                return True
        if _THIS.match(content):
            self._stand_in(tag, start, (), RefKind.THIS)
            return True
        for pattern, kind in ((_ANY_REF, RefKind.REF), (_ANY_SOURCE, RefKind.SOURCE)):
            match = pattern.match(content)
            if match:
                version = match.groupdict().get("version")
                parts = tuple(part for part in match.groups() if part)
                if version:
                    # The name that dbt gives a versioned model unless it is told another.
                    parts = (f"{parts[0]}_v{version}",)
                self._stand_in(tag, start, parts, kind)
                return True
        return False

    def _keep_names(self, tag: str, match: re.Match[str], start: int, kind: RefKind) -> None:
        """Blank all of a tag but the names of the relation, which stay where they are written."""
        masked = list(_blank(tag))
        parts: list[str] = []
        spans: list[tuple[int, int]] = []
        for group in range(1, (match.lastindex or 0) + 1):
            if match[group] is None:
                continue
            first, last = match.start(group) + 2, match.end(group) + 2
            if match[group] == ",":
                masked[first] = "."
                continue
            masked[first:last] = match[group]
            parts.append(match[group])
            spans.append((first, last))
        self.refs.append(TemplateRef(start + spans[0][0], start + spans[-1][1], tuple(parts), kind))
        self._put("".join(masked))

    def _stand_in(self, tag: str, start: int, parts: tuple[str, ...], kind: RefKind) -> None:
        masked, span = _as_name(tag, start)
        self.refs.append(TemplateRef(span.start, span.end, parts, kind))
        self._put(masked)

    def _name(self, tag: str, start: int) -> None:
        """Mask a tag of unknown content: a name where one is expected, else blanks."""
        if self.hidden:
            self._put(_blank(tag))
            return
        place = TagPlace(self.text, start, start + len(tag), self.before)
        whole = Span(place.start, place.end)
        is_query = place.is_inner_query() or (place.may_be_main_query() and reads_nothing_yet("".join(self.pieces)))
        if not (is_query or tag[2:-2] in self.qualifiers or place.expects_name()):
            self.blanks.append(whole)
            self._put(_blank(tag))
            return
        masked, span = _as_name(tag, start)
        name = span.end - span.start
        if name >= len(UNKNOWN_TYPE) and place.is_type():
            at = span.start - start
            self.types.append(whole)
            self._put(masked[:at] + UNKNOWN_TYPE.ljust(name) + masked[at + name :])
            return
        if is_query:
            span = whole
            # From its first code point to its last, so that the whole tag is part of the statement.
            masked = _QUERY + _blank(tag[len(_QUERY) : -len(_ANY_COLUMN)]) + _ANY_COLUMN
        self.macros.append(span)
        self._put(masked)

def _as_name(tag: str, start: int) -> tuple[str, Span]:
    """The tag as a name of its length, on its longest line; what else it holds becomes blanks."""
    line = max(_LINE.finditer(tag), key=lambda match: len(match[0].strip()))
    name = "_" + _NOT_IN_A_NAME.sub("_", line[0])[1:]
    masked = _blank(tag[: line.start()]) + name + _blank(tag[line.end() :])
    return masked, Span(start + line.start(), start + line.end())
