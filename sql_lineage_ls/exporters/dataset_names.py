"""Relations as other catalogues name datasets: the parts of a table's name, the address of files.

Names are those that the database compares, with the defaults that the configuration fills in: `Orders` in Postgres
under the schema `shop` is `shop.orders`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.catalog.names import SEPARATOR, is_location

_SESSION = re.compile(r"[a-z][a-z0-9+.-]*:")
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>.*)", re.DOTALL)
# Other spellings of a scheme that mean the same store.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs", "gcs": "gs"}


class Address(Struct, frozen=True, gc=False):
    """Where files are. `scheme` is '' for a stage or a name that only the database knows, and `file` for a local path.

    `s3a://lake/sales/` is `Address("s3", "lake", "/sales")`.
    """

    scheme: str
    authority: str
    path: str


def dataset_name(relation_id: str) -> str:
    """The dotted name of a stored relation; temporary tables go by their own name, without their session."""
    parts = relation_id.split(SEPARATOR)[1:]
    if len(parts) > 1 and _SESSION.match(parts[0]):
        parts = parts[1:]
    return ".".join(parts) or relation_id


def address_of(relation_id: str) -> Address | None:
    """The address of an external location, None for any other relation."""
    if not is_location(relation_id):
        return None
    text = relation_id.split(SEPARATOR, 1)[1]
    found = _ADDRESS.match(text)
    if found is not None:
        scheme = found["scheme"].lower()
        return Address(_SCHEMES.get(scheme, scheme), found["authority"], found["path"].rstrip("/"))
    return Address("" if text.startswith("@") else "file", "", text)
