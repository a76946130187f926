"""Template tags inside a statement's model: what a masked name stands for.

`templates.mask` puts a name of the same length where a tag stood. Here the model gets what the tag says instead:
the relation of a `ref`, the text of the tag in a name (`{{ db }}.orders`), a parameter where a value stands, and a star
over unknown columns where a select list may become longer. A statement with such tags says what it says, but may say
more when it is rendered, so nothing is concluded from what it lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Union

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.syntax.query_model import (
    Assignment,
    ColumnRef,
    CreateTable,
    ElementAccess,
    FieldAccess,
    Insert,
    Literal,
    MergeBranch,
    Name,
    Parameter,
    Projection,
    Select,
    Star,
    StatementModel,
    TableRef,
    TypeSpec,
)
from sql_lineage_ls.syntax.templates import UNKNOWN_TYPE, Masked, RefKind, TemplateRef
from sql_lineage_ls.text.span import Span

# Fields whose column names are targets, not values: there a name stays a name.
_TARGETS = frozenset({(Star, "except_"), (Assignment, "target"), (Insert, "columns"), (MergeBranch, "columns")})
# Lists of columns that are matched to others by position: a tag in them hides how many there are.
_POSITIONAL = (Insert, MergeBranch)
_NOT_RENDERED = "The statement cannot be read without rendering its template."
_TAG = re.compile(r"(\{\{|\$\{|<%)[-+~]?\s*(.*?)\s*[-+~]?(\}\}|\}|%>)", re.DOTALL)

_Found = Union[TemplateRef, Span]


class Tags(Struct, frozen=True):
    """The template tags of one statement, by places in it.

    `text` is the statement with its tags, `masked` without them; `names` and `blanks` are the places of those that
    became a name or blanks; `types` tells whether some became a type, `choices` whether one branch of several is
    read. `this` is the name that `{{ this }}` stands for, '' where nothing tells.
    """

    text: str
    masked: str
    names: tuple[_Found, ...] = ()
    blanks: tuple[Span, ...] = ()
    this: str = ""
    types: bool = False
    choices: bool = False

    def at(self, start: int, end: int) -> _Found | None:
        """The tag in a token, None where the token is as it was written."""
        if start < 0:
            return None
        return next((tag for tag in self.names if tag.start < end and start < tag.end), None)

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The place of a token and of all of the tags that it is in."""
        tags = [tag for tag in self.names if tag.start < end and start < tag.end]
        return min([start, *(tag.start for tag in tags)]), max([end, *(tag.end for tag in tags)])

    def shown(self, start: int, end: int) -> str:
        """The text of a token with its tags, in one spelling: `{{db}}` and `{{  db }}` are `{{ db }}`.

        Of a tag that spans lines, one of which is the token, the whole tag: `{{ star( from=ref('x') ) }}`.
        """
        opened = self.text.rfind("{{", 0, end)
        closed = self.text.find("}}", opened) + 2 if opened >= 0 else -1
        if opened < start < closed or opened < end < closed:
            tag = " ".join(self.text[opened:closed].split())
            return self.text[start : max(start, opened)] + _TAG.sub(_one_spelling, tag) + self.text[closed:end]
        return _TAG.sub(_one_spelling, self.text[start:end])


def tags_within(masked: Masked, text: str, start: int, end: int, this: str = "") -> Tags | None:
    """The tags of the statement at `start`..`end` of a document, None where it has none that matter."""
    if not masked.templated:
        return None
    names: list[_Found] = [
        TemplateRef(ref.start - start, ref.end - start, ref.parts, ref.kind)
        for ref in masked.refs
        if start <= ref.start and ref.end <= end and not _is_kept(masked.text[ref.start : ref.end], ref)
    ]
    names += _inside(masked.macros, start, end)
    blanks = tuple(_inside(masked.blanks, start, end))
    types, choices = (any(_inside(spans, start, end)) for spans in (masked.types, masked.choices))
    if not (names or blanks or types or choices):
        return None
    return Tags(text[start:end], masked.text[start:end], tuple(names), blanks, this, types, choices)


def with_tags(model: StatementModel, tags: Tags) -> StatementModel:
    """The model of a masked statement with what its tags stand for.

    `SELECT a, {{ more }} FROM {{ db }}.t WHERE d = {{ day }}` reads the column a of `{{ db }}.t`, a star over columns
    that nobody knows, and the parameter `{{ day }}`. A model that is nested too deeply to be walked is partial.
    """
    rewriter = _Rewriter(tags)
    try:
        statement, partial = rewriter.rewritten(model.statement), rewriter.partial
    except RecursionError:
        statement, partial = model.statement, model.statement is not None
    issues = tuple(
        replace(issue, message=_NOT_RENDERED) if isinstance(tags.at(issue.start, issue.end), Span) else issue
        for issue in model.issues
    )
    unknown = bool(tags.blanks) or tags.choices or any(isinstance(tag, Span) for tag in tags.names)
    return replace(
        model, statement=statement, issues=issues, partial=model.partial or partial,
        templated=model.templated or (unknown and statement is not None),
    )


class _Rewriter:
    """One walk over a model. `partial` is set where a tag hides which column is written from which."""

    def __init__(self, tags: Tags) -> None:
        self.tags = tags
        self.partial = False

    def rewritten(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return self._items(value)
        if not isinstance(value, Struct):
            return value
        special = _SPECIAL.get(type(value))
        if special is not None:
            return special(self, value)
        return self._fields(value)

    def _fields(self, value: Struct) -> Any:
        changes = {}
        for name in value.__struct_fields__:
            old = getattr(value, name)
            if isinstance(old, (Struct, tuple)):
                new = self._target(value, old) if (type(value), name) in _TARGETS else self.rewritten(old)
                if new is not old:
                    changes[name] = new
        return replace(value, **changes) if changes else value

    def _items(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        if items and all(isinstance(item, Name) for item in items):
            return self._names(items)
        new = tuple(self.rewritten(item) for item in items)
        return new if any(one is not other for one, other in zip(new, items, strict=True)) else items

    def _names(self, names: tuple[Name, ...]) -> tuple[Name, ...]:
        """A dotted name: a tag that names a relation may have several parts."""
        found: list[Name] = []
        for name in names:
            tag = self.tags.at(name.start, name.end)
            parts = self._parts(tag)
            if parts:
                found += (Name(part, name.start, name.end, name.quoted) for part in parts)
            else:
                found.append(self._name(name))
        return tuple(found) if any(one is not other for one, other in zip(found, names, strict=False)) else names

    def _parts(self, tag: _Found | None) -> tuple[str, ...]:
        if not isinstance(tag, TemplateRef):
            return ()
        if tag.kind is RefKind.THIS:
            return (self.tags.this,) if self.tags.this else ()
        return tag.parts

    def _name(self, name: Name) -> Name:
        tag = self.tags.at(name.start, name.end)
        if tag is None:
            return name
        parts = self._parts(tag)
        if parts:
            return replace(name, text=parts[-1])
        shown = self.tags.shown(name.start, name.end)
        return replace(name, text=shown[1:-1] if name.quoted and shown[:1] in _QUOTES else shown)

    def _target(self, owner: Struct, value: Any) -> Any:
        """Names that are written to keep their place; of a list with a tag nobody knows the length."""
        if isinstance(owner, _POSITIONAL) and any(self._is_macro(ref.parts[-1]) for ref in value):
            self.partial = True
        if isinstance(value, ColumnRef):
            return replace(value, parts=self._names(value.parts))
        return tuple(replace(ref, parts=self._names(ref.parts)) for ref in value)

    def _is_macro(self, part: Name) -> bool:
        return isinstance(self.tags.at(part.start, part.end), Span)

    # ---------------------------------------------------------------- values

    def _column(self, column: ColumnRef) -> Any:
        if not self._is_macro(column.parts[-1]):
            parts = self._names(column.parts)
            return column if parts is column.parts else ColumnRef(parts)
        return self._parameter(column.parts[0].start, column.parts[-1].end)

    def _parameter(self, start: int, end: int, template: bool = True) -> Parameter:
        start, end = self.tags.whole(start, end)
        return Parameter(self.tags.shown(start, end), start, end, template)

    def _literal(self, literal: Literal) -> Any:
        """A text with a tag in it is a text all the same."""
        if self.tags.at(literal.start, literal.end) is None:
            return literal
        return self._parameter(literal.start, literal.end, template=False)

    def _field(self, access: FieldAccess) -> Any:
        if self._is_macro(access.name):
            return self._parameter(access.name.start, access.name.end)
        return self._fields(access)

    def _element(self, access: ElementAccess) -> Any:
        found = self._fields(access)
        return replace(found, key=None) if self.tags.at(access.start, access.end) is not None else found

    def _star(self, star: Star) -> Any:
        """A tag in EXCEPT, REPLACE or RENAME hides which columns the star leaves."""
        renamed = (item.alias for item in (*star.replace, *star.rename) if item.alias is not None)
        if any(self._is_macro(name) for name in (*(ref.parts[-1] for ref in star.except_), *renamed)):
            return replace(star, qualifier=self._parameter(star.start, star.end), except_=(), replace=(), rename=())
        return self._fields(star)

    # ---------------------------------------------------------------- lists

    def _select(self, select: Select) -> Any:
        """A query block: a tag in the select list may be any number of columns."""
        found: Select = self._fields(select)
        projections: list[Projection] = []
        for item in found.projections:
            value = item.value
            if isinstance(value, Parameter) and value.template and item.alias is None:
                item = replace(item, value=Star(value, start=value.start, end=value.end))
            projections.append(item)
            if item.alias is not None and self._is_macro(item.alias):
                projections.append(self._unknown(Span(item.alias.start, item.alias.end)))
            projections += (self._unknown(blank) for blank in self._blanks_behind(item.end))
        if len(projections) == len(found.projections) and all(
            one is other for one, other in zip(projections, found.projections, strict=True)
        ):
            return found
        return replace(found, projections=tuple(projections))

    def _unknown(self, span: Span) -> Projection:
        return Projection(Star(self._parameter(span.start, span.end), start=span.start, end=span.end),
                          start=span.start, end=span.end)

    def _blanks_behind(self, end: int) -> list[Span]:
        """The tags that stand right behind a select item."""
        if end < 0:
            return []
        behind = (blank for blank in self.tags.blanks if blank.start >= end)
        return [blank for blank in behind if not self.tags.masked[end : blank.start].strip()]

    def _create(self, create: CreateTable) -> Any:
        """A table: a tag between the brackets may be more columns, and one alone is no column."""
        found: CreateTable = self._fields(create)
        columns = tuple(
            new for old, new in zip(create.columns, found.columns, strict=True)
            if new.type is not None or not self._is_macro(old.name)
        )
        more = len(columns) < len(create.columns) or any(self._is_macro(column.name) for column in create.columns)
        for blank in self.tags.blanks:
            before = self.tags.masked[: blank.start]
            more = more or before.count("(") > before.count(")")
        return replace(found, columns=columns, open=found.open or more) if more else found

    def _type(self, spec: TypeSpec) -> Any:
        if self.tags.types and spec.text == UNKNOWN_TYPE:
            return TypeSpec("named", "")
        found: TypeSpec = self._fields(spec)
        return replace(found, text=".".join(part.text for part in found.name)) if found.name is not spec.name else found

    def _table(self, table: TableRef) -> Any:
        found: TableRef = self._fields(table)
        if found.location is None or self.tags.at(table.start, table.end) is None:
            return found
        shown = self.tags.shown(table.start, table.end)
        return replace(found, location=shown[1:-1] if shown[:1] in _QUOTES else shown)


_QUOTES = frozenset("\"'`[")
_SPECIAL: dict[type, Callable[[_Rewriter, Any], Any]] = {
    Name: _Rewriter._name,
    ColumnRef: _Rewriter._column,
    Literal: _Rewriter._literal,
    FieldAccess: _Rewriter._field,
    ElementAccess: _Rewriter._element,
    Star: _Rewriter._star,
    Select: _Rewriter._select,
    CreateTable: _Rewriter._create,
    TypeSpec: _Rewriter._type,
    TableRef: _Rewriter._table,
}


def _inside(spans: Iterable[Span], start: int, end: int) -> Iterator[Span]:
    """The spans in a statement, counted from its start."""
    return (span.shifted(-start) for span in spans if start <= span.start < end)


def _is_kept(name: str, ref: TemplateRef) -> bool:
    """Whether the masked text has the relation's name as it is: `raw .  crates`."""
    return tuple(part.strip() for part in name.split(".")) == ref.parts


def _one_spelling(tag: re.Match[str]) -> str:
    opener, content, closer = tag.groups()
    inner = " ".join(content.split())
    return f"{opener}{inner}{closer}" if opener == "${" else f"{opener} {inner} {closer}"
