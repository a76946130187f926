"""Document addresses in one normal form.

Editors spell the same file differently (`file:///c%3A/x.sql`, `file:///C:/x.sql`); everything in the program
compares the normal form, and only the server remembers how its client writes it. Schemes other than `file` stay as
they are: what stands behind them is the client's business.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from urllib.parse import quote, unquote, urlsplit

_DRIVE = re.compile(r"^/([A-Za-z]):(?=/|$)")
# RFC 3986 path characters that need no escape; the colon of a drive letter is written out in the normal form.
_SAFE = "/:@!$&'()*+,;=~-._"


def normal_uri(uri: str) -> str:
    """The normal form of an address: `file:///c%3A/a%20b.sql` is `file:///C:/a%20b.sql`.

    A scheme other than `file`, and text that is no address at all, is returned unchanged.
    """
    scheme, separator, rest = uri.partition(":")
    if not separator or scheme.lower() != "file" or not rest.startswith("/"):
        return uri
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    # A `?` or `#` that was not escaped belongs to the file's name: files have no query and no fragment.
    tail = uri[uri.index(parts.path, len(scheme) + 1) + len(parts.path) :] if parts.path else ""
    path = unquote(parts.path + tail)
    path = _DRIVE.sub(lambda drive: f"/{drive.group(1).upper()}:", path)
    host = "" if parts.netloc.lower() == "localhost" else parts.netloc
    return f"file://{host}{quote(path, safe=_SAFE)}"


def path_from_uri(uri: str) -> Path | None:
    """The file behind an address, None where it is not a file of this machine: `untitled:Untitled-1` is None."""
    normal = normal_uri(uri)
    if not normal.startswith("file://"):
        return None
    parts = urlsplit(normal)
    path = unquote(parts.path)
    if "\0" in path:
        return None
    if parts.netloc:
        return Path(f"//{parts.netloc}{path}")
    if _DRIVE.match(path):
        return Path(path[1:])
    return Path(path) if path else None


def uri_from_path(path: PurePath) -> str:
    """The normal form of a file's address: `/w/a b.sql` is `file:///w/a%20b.sql`, `C:\\a.sql` is `file:///C:/a.sql`."""
    text = path.as_posix()
    if text.startswith("//"):
        return normal_uri("file:" + quote(text, safe=_SAFE))
    if not text.startswith("/"):
        text = "/" + text
    return normal_uri("file://" + quote(text, safe=_SAFE))


def is_below(uri: str, folder: str) -> bool:
    """Whether a document lies in a folder; both are normal forms."""
    return uri == folder or uri.startswith(folder.rstrip("/") + "/")
