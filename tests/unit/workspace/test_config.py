from __future__ import annotations

from pathlib import Path

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS, LateralAlias
from sql_lineage_ls.workspace.config import (
    CodeLensSettings,
    ConfigProblem,
    Layer,
    Settings,
    combine,
    read_layer,
)
from sql_lineage_ls.workspace.config_files import read_folder


def problem_texts(layer: Layer) -> list[str]:
    return [str(problem) for problem in layer.problems]


def test_every_key_is_read_in_three_spellings() -> None:
    expected = Settings(
        dialect="postgres",
        dialects={"lake/**": "trino"},
        catalog="hall",
        schema="desk",
        exclude=("old/**",),
        max_file_size=500,
        severities={"orphan-column": "hint"},
        diagnostics=False,
        code_lens=CodeLensSettings(enabled=True, fields=False),
        reusable_column_aliases=True,
        models=("models/**",),
    )
    for size, lens, aliases in (
        ("max_file_size", "code_lens", "reusable_column_aliases"),
        ("max-file-size", "code-lens", "reusable-column-aliases"),
        ("maxFileSize", "codeLens", "reusableColumnAliases"),
    ):
        layer = read_layer(
            {
                "dialect": "PostgreSQL",
                "dialects": {"lake/**": "prestosql"},
                "catalog": "hall",
                "schema": "desk",
                "exclude": ["old/**"],
                size: 500,
                "severities": {"orphanColumn": "hint"},
                "diagnostics": False,
                lens: {"fields": False},
                aliases: True,
                "models": ["models/**"],
            },
            "x",
        )
        assert layer.problems == ()
        assert combine(layer) == expected


def test_a_wrong_value_is_named_and_the_rest_applies() -> None:
    layer = read_layer({"maxFileSize": "big", "dialect": "bigquerry", "schema": "desk"}, "s.toml")
    assert layer.values == {"schema": "desk"}
    assert problem_texts(layer) == [
        's.toml: `max_file_size` is "big", not a whole number above zero. Write a number of bytes: 2000000.',
        's.toml: `dialect` is "bigquerry", which is no dialect. Did you mean bigquery?',
    ]


def test_an_unknown_key_suggests_the_near_one() -> None:
    layer = read_layer({"dialct": "trino"}, "s.toml")
    assert layer.problems == (ConfigProblem("s.toml", "dialct", "is no setting", "Did you mean dialect?"),)


def test_an_unknown_key_near_to_nothing_lists_the_settings() -> None:
    (problem,) = read_layer({"zzz": 1}, "s.toml").problems
    assert problem.help.startswith("Settings are catalog, code_lens, complete, diagnostics, dialect, ")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"severities": {"orphan-colum": "off"}}, "is no diagnostic code. Did you mean orphan-column?"),
        ({"severities": {"orphan-column": "warn"}}, 'is "warn", which is no severity. Did you mean warning?'),
        ({"severities": "off"}, 'is "off", not a table'),
        ({"dialects": {"*.sql": "bogus"}}, '`dialects."*.sql"` is "bogus", which is no dialect. Dialects are ansi, '),
        ({"dialects": ["x"]}, 'is ["x"], not a table'),
        ({"exclude": "old"}, 'is "old", not a list of globs'),
        ({"exclude": ["!"]}, "is no glob that can be read"),
        ({"models": "models"}, 'is "models", neither true nor false nor a list of globs'),
        ({"diagnostics": "yes"}, 'is "yes", neither true nor false'),
        ({"code_lens": 3}, "is 3, neither true nor false nor a table"),
        ({"code_lens": {"feilds": True}}, "`code_lens.feilds` is no setting. Did you mean fields?"),
        ({"code_lens": {"fields": 1}}, "`code_lens.fields` is 1, neither true nor false"),
        ({"max_file_size": True}, "is true, not a whole number above zero"),
        ({"max_file_size": 0}, "is 0, not a whole number above zero"),
        ({"catalog": 5}, "is 5, not text"),
        ("text", "the settings are not a table"),
    ],
)
def test_wrong_settings(data: object, text: str) -> None:
    layer = read_layer(data, "s")
    assert len(layer.problems) == 1
    assert text in str(layer.problems[0])


def test_code_lens_can_be_a_switch() -> None:
    assert combine(read_layer({"code_lens": False}, "s")).code_lens == CodeLensSettings(enabled=False)


def test_later_layers_win_key_by_key_and_tables_merge() -> None:
    settings = combine(
        read_layer({"schema": "a", "catalog": "c", "severities": {"orphan-column": "off"}}, "1"),
        read_layer({"schema": "b", "severities": {"undeclared-field": "hint"}}, "2"),
    )
    assert (settings.catalog, settings.schema) == ("c", "b")
    assert settings.severities == {"orphan-column": "off", "undeclared-field": "hint"}


def test_files_of_a_folder_own_file_over_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.sql-lineage]\nschema = "p"\ncatalog = "c"\n')
    (tmp_path / "sql-lineage.toml").write_bytes(b'\xef\xbb\xbfschema = "own"\n')
    settings = combine(*read_folder(tmp_path))
    assert (settings.catalog, settings.schema) == ("c", "own")


def test_no_files_set_nothing(tmp_path: Path) -> None:
    assert combine(*read_folder(tmp_path)) == Settings()


def test_broken_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "sql-lineage.toml").write_text("schema = \n")
    (tmp_path / "pyproject.toml").write_text("[tool.sql-lineage\n")
    project, own = read_folder(tmp_path)
    assert str(own.problems[0]).startswith(f"{tmp_path / 'sql-lineage.toml'}: the file is not valid TOML: ")
    assert str(project.problems[0]).startswith(f"{tmp_path / 'pyproject.toml'}: the file is not valid TOML: ")


def test_a_broken_pyproject_without_our_section_is_not_our_concern(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other\n")
    assert all(layer == Layer() for layer in read_folder(tmp_path))


def test_reusable_aliases_change_only_dialects_that_have_the_option() -> None:
    settings = Settings(reusable_column_aliases=True)
    assert settings.rules(DIALECTS["bigquery"]).lateral_alias is LateralAlias.FALLBACK
    assert settings.rules(DIALECTS["postgres"]) is DIALECTS["postgres"]
    assert Settings().rules(DIALECTS["bigquery"]) is DIALECTS["bigquery"]
