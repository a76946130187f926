"""A statement's model as one short line, for tests that compare whole models.

Names are written as they stand; one whose span does not spell it is marked: `~x` has no span, `?x` a wrong one.
`<..>` around a select item is the text of its span, left out where it is only the name. The line is
lossless for what lineage needs; default values are left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from sql_lineage_ls.syntax import query_model as q


class ModelText:
    """Writes the records of one statement."""

    def __init__(self, text: str) -> None:
        self.text = text

    # ------------------------------------------------------------ names

    def name(self, name: q.Name) -> str:
        if name.start < 0:
            return "~" + name.text
        raw = self.text[name.start : name.end]
        if raw == name.text and not name.quoted:
            return name.text
        if name.quoted and (raw == name.text or (raw[:1] in "\"`['" and raw[1:-1].replace("''", "'") == name.text)):
            return f"'{name.text}'"
        return f"?{name.text}<{raw}>"

    def path(self, names: Iterable[q.Name]) -> str:
        return ".".join(self.name(name) for name in names)

    def alias(self, source: object) -> str:
        alias = getattr(source, "alias", None)
        columns = getattr(source, "column_aliases", ())
        text = f" as {self.name(alias)}" if alias is not None else ""
        return text + (f"({', '.join(self.name(c) for c in columns)})" if columns else "")

    # ------------------------------------------------------------ expressions

    def expr(self, e: q.Expr) -> str:
        method = getattr(self, "_" + type(e).__name__.lower())
        result: str = method(e)
        return result

    def exprs(self, items: Iterable[q.Expr]) -> str:
        return ", ".join(self.expr(item) for item in items)

    def _columnref(self, e: q.ColumnRef) -> str:
        return self.path(e.parts)

    def _fieldaccess(self, e: q.FieldAccess) -> str:
        return f"{self.expr(e.base)}{':' if e.exact else '->'}{self.name(e.name)}"

    def _elementaccess(self, e: q.ElementAccess) -> str:
        if e.key is not None:
            return f"{self.expr(e.base)}['{e.key}']"
        return f"{self.expr(e.base)}[{'*' if e.index is None else self.expr(e.index)}]"

    def _star(self, e: q.Star) -> str:
        text = f"{self.expr(e.qualifier)}.*" if e.qualifier is not None else "*"
        if e.value:
            text = f"({self.expr(e.qualifier)}).*" if e.qualifier is not None else text
        for word, part in (("except", e.except_), ("replace", e.replace), ("rename", e.rename)):
            if part:
                shown = [self.item(p) if isinstance(p, q.Projection) else self.expr(p) for p in part]
                text += f" {word}({', '.join(shown)})"
        return text + (f" names '{e.names}'" if e.names is not None else "")

    def _columnspattern(self, e: q.ColumnsPattern) -> str:
        star = f"{self.expr(e.star)}, " if e.star is not None else ""
        return f"{'unpacked ' if e.unpack else ''}columns({star}'{e.pattern}')"

    def _literal(self, e: q.Literal) -> str:
        return f"'{e.text}'" if e.kind == "string" else e.text

    def _parameter(self, e: q.Parameter) -> str:
        return f"param({e.text})"

    def _call(self, e: q.Call) -> str:
        names = e.named or (None,) * len(e.args)
        args = [(f"{n} => " if n else "") + self.expr(a) for n, a in zip(names, e.args, strict=True)]
        text = f"{e.name}{'!' if e.aggregate else ''}({', '.join(args)})"
        text += f" order({self.exprs(e.order_by)})" if e.order_by else ""
        return text + (f" filter({self.expr(e.filter)})" if e.filter is not None else "")

    def _recordexpr(self, e: q.RecordExpr) -> str:
        fields = [(f"{self.name(f.name)}=" if f.name is not None else "") + self.expr(f.value) for f in e.fields]
        return f"{e.kind}{{{', '.join(fields)}}}"

    def _arrayexpr(self, e: q.ArrayExpr) -> str:
        return f"array[{self.exprs(e.items)}]"

    def _mapexpr(self, e: q.MapExpr) -> str:
        pairs = [f"{self.expr(k)}: {self.expr(v)}" for k, v in zip(e.keys, e.values, strict=True)]
        return f"map{{{', '.join(pairs)}}}"

    def _case(self, e: q.Case) -> str:
        text = "case" + (f" {self.expr(e.operand)}" if e.operand is not None else "")
        text += "".join(f" when {self.expr(c)} then {self.expr(v)}" for c, v in e.whens)
        return text + (f" else {self.expr(e.default)}" if e.default is not None else "") + " end"

    def _cast(self, e: q.Cast) -> str:
        return f"cast({self.expr(e.value)} as {self.type(e.type)})"

    def _lambda(self, e: q.Lambda) -> str:
        return f"({', '.join(self.name(p) for p in e.params)}) -> {self.expr(e.body)}"

    def _subqueryexpr(self, e: q.SubqueryExpr) -> str:
        operand = f"{self.expr(e.operand)} " if e.operand is not None else ""
        return f"{operand}{e.kind}({self.query(e.query)})"

    def _window(self, e: q.Window) -> str:
        parts = [f"window {self.name(e.window)}"] if e.window is not None else []
        parts += [f"partition {self.exprs(e.partition_by)}"] if e.partition_by else []
        parts += [f"order {self.exprs(e.order_by)}"] if e.order_by else []
        return f"{self.expr(e.value)} over({' '.join(parts)})"

    def _operation(self, e: q.Operation) -> str:
        return f"({e.operator} {' '.join(self.expr(o) for o in e.operands)})"

    def type(self, spec: q.TypeSpec) -> str:
        if spec.kind == "record":
            fields = [(f"{self.name(f.name)} " if f.name else "") + self.type(f.type) for f in spec.fields]
            return f"record<{', '.join(fields)}>"
        if spec.kind == "array" and spec.element is not None:
            return f"array<{self.type(spec.element)}>"
        if spec.kind == "map" and spec.key is not None and spec.value is not None:
            return f"map<{self.type(spec.key)}, {self.type(spec.value)}>"
        return f"{spec.kind} {self.path(spec.name)}" if spec.kind == "named" else spec.text

    # ------------------------------------------------------------ queries

    def item(self, p: q.Projection) -> str:
        text = self.expr(p.value) + (f" as {self.name(p.alias)}" if p.alias is not None else "")
        text += f" as ({', '.join(self.name(a) for a in p.aliases)})" if p.aliases else ""
        return text

    def query(self, query: q.Query) -> str:
        ctes = "".join(
            f"{self.name(c.name)}{'(' + ', '.join(self.name(n) for n in c.columns) + ')' if c.columns else ''} = "
            f"({self.query(c.query)}) "
            for c in query.ctes
        )
        head = f"with{' recursive' if getattr(query, 'recursive', False) else ''} {ctes}" if ctes else ""
        if isinstance(query, q.ValuesQuery):
            return head + "values " + ", ".join(f"({self.exprs(row)})" for row in query.rows)
        if isinstance(query, q.SetOperation):
            word = (
                query.operator.lower() + (" distinct" if query.distinct else "") + (" by name" if query.by_name else "")
            )
            order = f" order {self.exprs(query.order_by)}" if query.order_by else ""
            return f"{head}({self.query(query.left)}) {word} ({self.query(query.right)}){order}"
        return head + self.select(query)

    def select(self, s: q.Select) -> str:
        text = "keep " if s.keeps else ""
        text += f"select {s.row + ' ' if s.row else ''}" + ", ".join(self.item(p) for p in s.projections)
        if s.distinct:
            text += f" distinct({self.exprs(s.distinct_on)})"
        if s.lets:
            text += " let " + ", ".join(self.item(p) for p in s.lets)
        if s.sources:
            text += " from " + " ".join(self.from_item(i) for i in s.sources)
        for word, value in (("where", s.where), ("having", s.having), ("qualify", s.qualify)):
            text += f" {word} {self.expr(value)}" if value is not None else ""
        for word, values in (("group", s.group_by), ("order", s.order_by), ("connect", s.connect_by)):
            text += f" {word} {self.exprs(values)}" if values else ""
        text += " group all" if s.group_by_all else ""
        for w in s.windows:
            base = f"{self.name(w.base)} " if w.base is not None else ""
            text += f" window {self.name(w.name)}({base}{self.exprs(w.partition_by)}; {self.exprs(w.order_by)})"
        return text

    def from_item(self, item: q.FromItem) -> str:
        text = f"{item.join.lower()} {'natural ' if item.natural else ''}".lstrip() if item.join else ""
        text += self.source(item.source)
        text += f" on {self.expr(item.on)}" if item.on is not None else ""
        return text + (f" using({', '.join(self.name(n) for n in item.using)})" if item.using else "")

    def source(self, s: q.TableSource) -> str:
        method = getattr(self, "_from_" + type(s).__name__.lower())
        text: str = method(s) + self.alias(s)
        position = getattr(s, "position", None)
        if position is not None or getattr(s, "with_position", False):
            text += f" at {self.name(position) if position is not None else '?'}"
        for pivot in getattr(s, "pivots", ()):
            text += " " + (self.pivot(pivot) if isinstance(pivot, q.Pivot) else self.unpivot(pivot))
        return text

    def _from_tableref(self, s: q.TableRef) -> str:
        return f"file '{s.location}'" if s.location is not None else self.path(s.parts)

    def _from_derivedtable(self, s: q.DerivedTable) -> str:
        return f"{'lateral ' if s.lateral else ''}({self.query(s.query)})"

    def _from_unnest(self, s: q.Unnest) -> str:
        return f"unnest({self.exprs(s.arrays)})"

    def _from_tablefunction(self, s: q.TableFunction) -> str:
        columns = ", ".join(self.name(c.name) + (f" {self.type(c.type)}" if c.type else "") for c in s.columns)
        words = ("view " if s.view else "") + ("outer " if s.outer else "")
        return f"{words}table {self.expr(s.call)}" + (f" {{{columns}}}" if columns else "")

    def _from_arrayjoin(self, s: q.ArrayJoin) -> str:
        return f"{'left ' if s.left else ''}array join {', '.join(self.item(p) for p in s.items)}"

    def _from_nestedjoin(self, s: q.NestedJoin) -> str:
        return f"[{' '.join(self.from_item(i) for i in s.items)}]"

    def pivot(self, p: q.Pivot) -> str:
        axes = "; ".join(f"{self.exprs(a.columns)} in {', '.join(self.item(v) for v in a.values)}" for a in p.axes)
        text = f"pivot({', '.join(self.item(a) for a in p.aggregates)} for {axes}{' any' if p.any_values else ''}"
        return text + (f" group {self.exprs(p.group_by)}" if p.group_by else "") + ")" + self.alias(p)

    def unpivot(self, p: q.Unpivot) -> str:
        inputs = ", ".join(
            f"({self.exprs(i.columns)})" + (f" = {self.expr(i.label)}" if i.label is not None else "") for i in p.inputs
        )
        values = ", ".join(self.name(n) for n in p.value_columns)
        return f"unpivot({values} for {self.name(p.name_column)} in {inputs})" + self.alias(p)

    # ------------------------------------------------------------ statements

    def statement(self, s: q.Statement | None) -> str:
        if s is None:
            return "-"
        method = getattr(self, "_do_" + type(s).__name__.lower())
        result: str = method(s)
        return result

    def _do_querystatement(self, s: q.QueryStatement) -> str:
        into = f" into {'temp ' if s.temporary else ''}{self.path(s.into)}" if s.into else ""
        return self.query(s.query) + into

    def _do_insert(self, s: q.Insert) -> str:
        text = f"insert{' overwrite' if s.overwrite else ''}{' by name' if s.by_name else ''} "
        text += f"'{s.location}'" if s.location is not None else self.path(s.target)
        text += f"({', '.join(self.expr(c) for c in s.columns)})" if s.columns else ""
        for part in s.partition:
            text += f" [{self.name(part.name)}{' = ' + self.expr(part.value) if part.value is not None else ''}]"
        text += f" <- {self.query(s.query)}" if s.query is not None else ""
        return text + (f" conflict {self.assignments(s.conflict.assignments)}" if s.conflict else "")

    def _do_multiinsert(self, s: q.MultiInsert) -> str:
        return " | ".join(self._do_insert(i) for i in s.inserts)

    def assignments(self, items: Iterable[q.Assignment]) -> str:
        return ", ".join(f"{self.expr(a.target)} := {self.expr(a.value)}" for a in items)

    def _with(self, ctes: tuple[q.Cte, ...]) -> str:
        return "".join(f"with {self.name(c.name)} = ({self.query(c.query)}) " for c in ctes)

    def _do_update(self, s: q.Update) -> str:
        text = f"{self._with(s.ctes)}update {self.source(s.target)} set {self.assignments(s.assignments)}"
        text += " from " + " ".join(self.from_item(i) for i in s.sources) if s.sources else ""
        return text + (f" where {self.expr(s.where)}" if s.where is not None else "")

    def _do_delete(self, s: q.Delete) -> str:
        text = f"{self._with(s.ctes)}delete {self.source(s.target)}"
        text += " using " + " ".join(self.from_item(i) for i in s.sources) if s.sources else ""
        return text + (f" where {self.expr(s.where)}" if s.where is not None else "")

    def _do_merge(self, s: q.Merge) -> str:
        on = self.expr(s.on) if s.on is not None else ""
        text = f"{self._with(s.ctes)}merge {self.source(s.target)} using {self.source(s.source)} on {on}"
        return text + "".join(f" | {self.branch(b)}" for b in s.branches)

    def branch(self, b: q.MergeBranch) -> str:
        text = b.matched + (f" and {self.expr(b.condition)}" if b.condition is not None else "") + f" {b.action}"
        text += f" {self.assignments(b.assignments)}" if b.assignments else ""
        text += f" ({', '.join(self.expr(c) for c in b.columns)})" if b.columns else ""
        text += f" ({self.exprs(b.values)})" if b.values else ""
        return text + (" *" if b.star else "") + (" row" if b.row else "")

    def _do_truncate(self, s: q.Truncate) -> str:
        return f"truncate {self.path(s.target)}"

    def _do_declare(self, s: q.Declare) -> str:
        return f"declare {', '.join(self.name(n) for n in s.names)} = {self.exprs(s.values)}" + (
            f" rows {self.query(s.query)}" if s.query is not None else ""
        )

    def _do_callroutine(self, s: q.CallRoutine) -> str:
        return f"call {self.path(s.name)}({self.exprs(s.args)})"

    def _do_dynamicsql(self, s: q.DynamicSql) -> str:
        return f"dynamic {', '.join(self.name(n) for n in s.names)} {self.text[s.start : s.end]}"

    def _do_otherstatement(self, s: q.OtherStatement) -> str:
        return f"other {s.keyword}"

    def _do_createtable(self, s: q.CreateTable) -> str:
        columns = ", ".join(self.name(c.name) + (f" {self.type(c.type)}" if c.type else "") for c in s.columns)
        query = f" <- {self.query(s.query)}" if s.query is not None else ""
        return f"create {'temp ' if s.temporary else ''}{self.path(s.name)}({columns}){query}"

    def _do_createfunction(self, s: q.CreateFunction) -> str:
        columns = [[self.name(c.name) + (f" {self.type(c.type)}" if c.type else "") for c in part]
                   for part in (s.params, s.returns)]  # fmt: skip
        text = f"function {self.path(s.name)}({', '.join(columns[0])})"
        text += f" returns ({', '.join(columns[1])})" if columns[1] else ""
        text += f" = {self.expr(s.body)}" if s.body is not None else ""
        return text + (f" <- {self.query(s.query)}" if s.query is not None else "")


def model_text(text: str, model: q.StatementModel) -> str:
    """The model of the statement `text` as a line; `partial` and the issues follow in brackets."""
    line = ModelText(text).statement(model.statement)
    if model.partial:
        line += " [partial]"
    for issue in model.issues:
        line += f" [{issue.message} @{text[issue.start : issue.end]}]"
    return line
