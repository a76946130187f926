"""Document links: files and addresses in quotes, files that client commands run, the models of `ref` and `source`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from sql_lineage_ls.features.results import Link
from sql_lineage_ls.syntax.pieces import QUOTED, pieces_of
from sql_lineage_ls.syntax.templates import RefKind, mask
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot
from sql_lineage_ls.workspace.uris import normal_uri, path_from_uri, uri_from_path

Exists = Callable[[str], bool]

# Where a browser shows the files behind an address: `{bucket}` and `{folder}` are its parts.
_CONSOLES = {
    "gs": "https://console.cloud.google.com/storage/browser/{bucket}/{folder}",
    "s3": "https://console.aws.amazon.com/s3/buckets/{bucket}?prefix={folder}",
    "s3a": "https://console.aws.amazon.com/s3/buckets/{bucket}?prefix={folder}",
}
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*)://([^\s/?#]+)(/[^\s]*)?\Z")
_OPENER = re.compile(r"""[A-Za-z]{0,2}(\"{3}|'{3}|['"])""")
_FILE = re.compile(r"[^\s*?<>|:;{}$]+\.\w{1,10}\Z")
# psql `\i file`, SQL*Plus `@file`, MySQL and SnowSQL `source file`, `!source file`, sqlite and DuckDB `.read file`.
_COMMAND = re.compile(
    r"^[ \t]*(?:\\ir?\s+|@@?[ \t]*|!?source\s+|\.read\s+)['\"]?(?P<file>[^\s'\";]+)", re.MULTILINE | re.IGNORECASE
)
_SHOWN = {RefKind.REF: "model", RefKind.SOURCE: "source"}


def document_links(snapshot: Snapshot, uri: str, exists: Exists, folders: Sequence[str] = ()) -> tuple[Link, ...]:
    """The links of a document, sorted by place.

    `'data/x.csv'` links to the file, below the document's folder or one of the workspace `folders`, where `exists`
    says that it is there; `'s3://bucket/raw/'` to the page that shows the bucket; `{{ ref('orders') }}` to the model.
    """
    document = snapshot.document(uri)
    if document is None:
        return ()
    found = {link.span: link for link in _quoted(document, exists, folders)}
    for link in (*_commands(document, exists, folders), *_references(snapshot, document)):
        found[link.span] = link
    return tuple(found[span] for span in sorted(found))


def _quoted(document: DocumentView, exists: Exists, folders: Sequence[str]) -> Iterator[Link]:
    text = document.text
    for piece in pieces_of(text, document.dialect):
        if piece.kind != QUOTED or text[piece.end - 1] not in "'\"":
            continue
        opener = _OPENER.match(text, piece.start)
        span = Span(opener.end() if opener else piece.start, piece.end - len(opener[1] if opener else ""))
        content = text[span.start : span.end]
        address = _ADDRESS.match(content)
        if address is not None:
            target = _browsed(address)
            if target:
                yield Link(span, "Open in the browser", address=target)
        elif _FILE.match(content):
            yield from _file(document, span, content, exists, folders)


def _browsed(address: re.Match[str]) -> str:
    """Where a browser shows an address, '' where none does."""
    scheme, host, path = address[1].lower(), address[2], address[3] or ""
    if "{" in address[0] or "$" in address[0]:
        return ""
    if scheme in ("http", "https"):
        return address[0]
    if scheme == "file":
        return normal_uri(address[0])
    # The folder of a pattern: `raw/2026-*/x.csv` is shown from `raw/` on.
    folder = re.split(r"[^/]*[*?\[]", path, maxsplit=1)[0].lstrip("/")
    return _CONSOLES.get(scheme, "").format(bucket=quote(host), folder=quote(folder))


def _commands(document: DocumentView, exists: Exists, folders: Sequence[str]) -> Iterator[Link]:
    for command in _COMMAND.finditer(document.text):
        file = command["file"]
        for name in (file, f"{file}.sql"):
            links = list(_file(document, Span(*command.span("file")), name, exists, folders))
            if links:
                yield from links
                break


def _file(
    document: DocumentView, span: Span, name: str, exists: Exists, folders: Sequence[str]
) -> Iterator[Link]:
    """The link to a file: as seen from the document, then from the workspace folders."""
    path = path_from_uri(document.uri)
    bases = [*([path.parent] if path is not None else []), *(Path(folder) for folder in folders)]
    for base in bases:
        target = uri_from_path(Path(os.path.normpath(base / name)))
        if target != document.uri and exists(target):
            yield Link(span, "Open the file", address=target)
            return


def _references(snapshot: Snapshot, document: DocumentView) -> Iterator[Link]:
    """The tags that name a relation, where the workspace declares it."""
    for ref in mask(document.text).refs:
        shown = _SHOWN.get(ref.kind)
        statement = document.statement_at(ref.start)
        if shown is None or statement is None:
            continue
        start, end = ref.start - statement.start, ref.end - statement.start
        relation = next(
            (
                one.relation
                for one in snapshot.occurrences(document, statement)
                if one.kind == "relation" and one.start < end and start < one.end
            ),
            "",
        )
        place = snapshot.relation_declaration(relation) if relation else None
        if place is not None and not _is_same(place, document.uri, ref.start):
            yield Link(Span(ref.start, ref.end), f"Go to the {shown} {'.'.join(ref.parts)}", place=place)


def _is_same(place: FileSpan, uri: str, start: int) -> bool:
    return place.uri == uri and place.start <= start < place.end
