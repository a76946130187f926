"""What features answer: frozen records of spans and words. No protocol type, no line, no character is in them.

A `Span` lies in the document that was asked about, a `FileSpan` names its document. The server makes protocol
messages of both, and the links of a hover from `FileSpan`s with the function that it hands to `HoverInfo.present`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, Union

from msgspec import Struct

from sql_lineage_ls.lineage.model import Node, Path
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import FileSpan

Format = Literal["markdown", "plaintext"]
MakeLink = Callable[[FileSpan], str]


class Words(Struct, frozen=True, gc=False, tag=True):
    """A piece of plain prose."""

    text: str


class Code(Struct, frozen=True, gc=False, tag=True):
    """A piece of SQL or a field path; it links to `target` where that is known."""

    text: str
    target: FileSpan | None = None


Piece = Union[Words, Code]
Line = tuple[Piece, ...]


class HoverInfo(Struct, frozen=True):
    """What a hover says of the token at `span`.

    `signature` is SQL (`orders_raw.items[*].qty : INT64`); every other line is prose with pieces of code.
    """

    span: Span
    signature: str
    lines: tuple[Line, ...] = ()

    def present(self, format: Format = "markdown", link: MakeLink | None = None) -> str:
        """The hover as text: the signature, then one line each.

        In Markdown, code that knows its place is a link to what `link` makes of the place; without `link`, and in
        plain text, nothing links.
        """
        if format == "plaintext":
            lines = ("".join(piece.text for piece in line) for line in self.lines)
            return "\n".join((self.signature, *lines))
        fence = _fence(self.signature, 3)
        block = f"{fence}sql\n{self.signature}\n{fence}"
        if not self.lines:
            return block
        # Two blanks at a line's end are Markdown's line break.
        return block + "\n\n" + "  \n".join("".join(_markdown(piece, link) for piece in line) for line in self.lines)


class NavigationTarget(Struct, frozen=True):
    """Where a jump goes: `focus` is the name's own token, `full` what it stands in, `origin` the token jumped from."""

    focus: FileSpan
    full: FileSpan
    origin: Span


class Reference(Struct, frozen=True):
    """A place that uses what was asked for.

    `usage` is `read`, `write`, `star`, `contained` (a record around it is read) or `declaration`.
    """

    span: FileSpan
    usage: str


class Highlight(Struct, frozen=True):
    """A token of the document that means what the token under the cursor means; `written` where it gets a value."""

    span: FileSpan
    written: bool


class SemanticToken(Struct, frozen=True, gc=False):
    """A name and what it means.

    `kind` is `namespace`, `relation`, `cte`, `alias`, `column`, `field`, `function`, `parameter` or `type`;
    `modifiers` are of `declaration`, `written` and `unresolved`.
    """

    span: Span
    kind: str
    modifiers: tuple[str, ...] = ()


class Fold(Struct, frozen=True):
    """A part of a document that can be folded. `kind` is `code`, `comment` or `region`."""

    span: Span
    kind: str


class FoundSymbol(Struct, frozen=True):
    """A name of the workspace. `kind` is that of a `Symbol`, `container` what it belongs to: `shop.orders.customer`."""

    name: str
    kind: str
    container: str
    span: FileSpan


class Link(Struct, frozen=True):
    """A part of a document that leads elsewhere: to a `place` of the workspace, or to an `address`."""

    span: Span
    tooltip: str
    place: FileSpan | None = None
    address: str = ""


class LineageItem(Struct, frozen=True):
    """A node of the lineage tree, as a call hierarchy shows it.

    `kind` is `table`, `view`, `column`, `field` or, for a query that stores nothing, `statement`. `focus` is its name's
    token, `full` what that stands in. `node` and `behind` are what a client hands back to go on: the node, None for
    a query, and those that the tree came by on its `way`, `down` or `up`. An item that it came by before ends it:
    `circle`.
    """

    name: str
    kind: str
    detail: str
    focus: FileSpan
    full: FileSpan
    node: Node | None
    behind: tuple[Node, ...] = ()
    circle: bool = False
    way: str = ""


class LineageStep(Struct, frozen=True):
    """A step of the lineage tree: the item that it leads to, and the tokens that take it."""

    item: LineageItem
    places: tuple[FileSpan, ...]


class Lens(Struct, frozen=True):
    """A line above the declaration at `span`: how often it is used, and the `places` that its command shows."""

    span: Span
    title: str
    places: tuple[FileSpan, ...] = ()


class Related(Struct, frozen=True):
    """A place that explains a diagnostic."""

    span: FileSpan
    message: str


class Diagnostic(Struct, frozen=True):
    """A finding. `severity` is `error`, `warning`, `information` or `hint`; `href` is the page that explains it.

    `suggestion` is the name that was probably meant, '' where there is none. `owners` are the sources that were
    searched for a name, `node` is the relation or record that lacks it, where one is known.
    """

    code: str
    severity: str
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    tags: tuple[str, ...] = ()
    href: str = ""
    suggestion: str = ""
    owners: tuple[str, ...] = ()
    node: Node | None = None


class Symbol(Struct, frozen=True):
    """An entry of the outline. `kind` is `table`, `view`, `column`, `field`, `cte`, `type` or `statement`.

    `span` is the name's token, `full` everything that belongs to it.
    """

    name: str
    kind: str
    detail: str
    span: Span
    full: Span
    children: tuple[Symbol, ...] = ()


def _fence(text: str, least: int) -> str:
    """Enough backticks to hold `text` as code."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def _markdown(piece: Piece, link: MakeLink | None) -> str:
    if isinstance(piece, Words):
        return re.sub(r"([\\`*_\[\]<>#|~&])", r"\\\1", piece.text)
    text = " ".join(piece.text.split())
    fence = _fence(text, 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    code = f"{fence}{padding}{text}{padding}{fence}"
    if piece.target is None or link is None:
        return code
    return f"[{code}]({link(piece.target)})"


class Completion(Struct, frozen=True):
    """One proposal: what is listed, what is written, its type, and where it comes from.

    `kind` is `column`, `field`, `output`, `parameter`, `alias`, `cte`, `table`, `view`, `model`, `location`,
    `function`, `condition` or `keyword`; `nodes` are what more can be told of.
    """

    label: str
    kind: str
    text: str
    detail: str = ""
    source: str = ""
    nodes: tuple[Node, ...] = ()


class Completions(Struct, frozen=True):
    """The proposals for the word at `span`, best first; `more` where some were left out."""

    span: Span = Span(0, 0)
    items: tuple[Completion, ...] = ()
    more: bool = False


class Signature(Struct, frozen=True):
    """A function and its parameters as they are declared, and which of them is being written (from 0)."""

    label: str
    parameters: tuple[str, ...]
    active: int
    text: str = ""


class TextChange(Struct, frozen=True, order=True):
    """The code points at `span` become `text`."""

    span: FileSpan
    text: str


class Renaming(Struct, frozen=True):
    """All changes of a rename, sorted by document and place."""

    changes: tuple[TextChange, ...]


class Refusal(Struct, frozen=True):
    """Why something cannot be done, said for a person."""

    reason: str


class GraphRow(Struct, frozen=True):
    """A field path of a relation in the lineage graph, below the rows of the records around it.

    `label` is what it adds to the row above it (`city`, `items[*]`), `depth` how deep it lies, `type` its data type or
    ''. `used` is False where it only leads to the rows below. `up` and `down` tell that more can be shown that way.
    """

    path: Path
    label: str
    depth: int
    type: str
    place: FileSpan | None
    used: bool
    up: bool
    down: bool


class GraphRelation(Struct, frozen=True):
    """A relation in the lineage graph; `kind` is `table`, `view`, `location`, .. or `query` for one without a name."""

    id: str
    name: str
    kind: str
    place: FileSpan | None
    rows: tuple[GraphRow, ...]
    up: bool
    down: bool


class GraphEdge(Struct, frozen=True):
    """`target <- source` with its role and transform; the path `()` is the whole relation, whose rows are decided."""

    source: Node
    target: Node
    role: str
    transform: str


class LineageGraph(Struct, frozen=True):
    """The lineage around the nodes in `focus`; `truncated` where there are more edges than a picture holds."""

    focus: tuple[Node, ...]
    relations: tuple[GraphRelation, ...]
    edges: tuple[GraphEdge, ...]
    truncated: bool = False


class Action(Struct, frozen=True):
    """Something that can be done with the text at a place.

    `kind` is `quickfix` or `refactor.rewrite`. `creates` is the address of a new file that `changes` fill, '' for none;
    `diagnostics` are what it mends. `preferred` marks the one that is most likely wanted. A `deferred` action gets its
    changes when it is chosen.
    """

    title: str
    kind: str
    changes: tuple[TextChange, ...] = ()
    creates: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    preferred: bool = False
    deferred: bool = False


class Hint(Struct, frozen=True):
    """A note shown at `offset`: `star`, `source` or `type` behind what it is about, `insert` before.

    `nodes` are what more can be told of.
    """

    offset: int
    label: str
    kind: str
    nodes: tuple[Node, ...] = ()


class ImpactGroup(Struct, frozen=True):
    """Uses that go into one relation, declared at `place`, or, where `name` is '', into the queries of one document."""

    name: str
    place: FileSpan | None
    uses: tuple[Reference, ...]


class Impact(Struct, frozen=True):
    """Who is touched by a change of the nodes called `names`, in groups: relations by name, then queries."""

    names: tuple[str, ...]
    groups: tuple[ImpactGroup, ...]
