"""Code lenses: downstream uses above declarations."""

from __future__ import annotations

from lsprotocol import types

from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.workspace.config import CodeLensSettings
from sql_lineage_ls.workspace.uris import normal_uri


def code_lens(
    convert: Converter, params: types.CodeLensParams, settings: CodeLensSettings
) -> list[types.CodeLens] | None:
    """The lenses of a document, complete: a lens that comes later would move the text under the reader."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None or not settings.enabled:
        return None
    return [
        convert.to_code_lens(document, lens)
        for lens in code_lenses(convert.snapshot, uri, fields=settings.fields)
    ]
