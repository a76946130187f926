"""The settings that the VS Code extension offers are those that the server reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from sql_lineage_ls.server.handlers.commands import COMMANDS, REINDEX
from sql_lineage_ls.server.settings import CLIENT_KEYS
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.workspace.config import (
    DIAGNOSTIC_CODES,
    SECTION,
    SEVERITIES,
    CodeLensSettings,
    InlayHintSettings,
    Settings,
    combine,
    read_layer,
    without_defaults,
)

_PACKAGE = Path(__file__).resolve().parents[3] / "editors/vscode/package.json"
_OWN = {"serverPath", "serverArguments", "python"}


def _properties() -> dict[str, Any]:
    package = json.loads(_PACKAGE.read_text(encoding="utf-8"))
    properties = package["contributes"]["configuration"]["properties"]
    return {name.removeprefix(f"{SECTION}."): value for name, value in properties.items()}


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def test_every_setting_is_offered_with_its_default() -> None:
    defaults = json.loads(msgspec.json.encode(Settings()))
    offered = {name: value["default"] for name, value in _properties().items() if name not in _OWN}
    assert offered.keys() == {_camel_case(name) for name in Settings.__struct_fields__}
    # `true` stands for the whole table of defaults.
    tables = [name for name, value in defaults.items() if isinstance(value, dict) and value]
    assert tables == ["code_lens", "inlay_hints"]
    assert all(offered.pop(_camel_case(name)) is True for name in tables)
    assert offered == {_camel_case(name): value for name, value in defaults.items() if name not in tables}


def test_what_is_the_editors_alone_is_no_mistake() -> None:
    assert {re.sub("([A-Z])", r"_\1", name).lower() for name in _OWN} <= CLIENT_KEYS


def test_every_setting_is_described_there_and_in_the_readme() -> None:
    readme = (_PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    for name, value in _properties().items():
        assert value.get("description") or value.get("markdownDescription"), name
        assert f"`{SECTION}.{name}`" in readme


def test_no_command_of_the_extension_is_one_of_the_server() -> None:
    """The language client registers what the server offers, and a command cannot be registered twice."""
    source = "".join(path.read_text(encoding="utf-8") for path in (_PACKAGE.parent / "src").rglob("*.ts"))
    own = set(re.findall(r"registerCommand\(\s*'([\w.]+)'", source))
    assert "sqlLineage.showGraph" in own
    assert own.isdisjoint({*COMMANDS, REINDEX})


def test_dialects_codes_and_severities_are_those_of_the_server() -> None:
    properties = _properties()
    assert properties["dialect"]["enum"] == ["", *sorted(DIALECTS)]
    assert properties["dialects"]["additionalProperties"]["enum"] == sorted(DIALECTS)
    severities = properties["severities"]["properties"]
    assert sorted(severities) == sorted(DIAGNOSTIC_CODES)
    assert all(value["enum"] == list(SEVERITIES) for value in severities.values())
    assert properties["codeLens"]["properties"].keys() == set(CodeLensSettings.__struct_fields__)
    hints = {name: value["default"] for name, value in properties["inlayHints"]["properties"].items()}
    assert hints == msgspec.to_builtins(InlayHintSettings())


def test_settings_that_a_person_left_alone_do_not_hide_the_project_file() -> None:
    sent = {name: value["default"] for name, value in _properties().items() if name not in _OWN}
    editor = without_defaults(read_layer(sent, "editor"))
    assert editor.problems == ()
    file = read_layer({"code_lens": False, "dialect": "trino", "diagnostics": False, "max_file_size": 9}, "file")
    assert combine(file, editor) == combine(file)
