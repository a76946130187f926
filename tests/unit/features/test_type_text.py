"""Types as a person reads them."""

from __future__ import annotations

import pytest

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Scalar, Unspecified, Variant
from sql_lineage_ls.features.type_text import MOST_FIELDS, one_line, signature

ADDRESS = RecordType((Field("street", "street", Scalar("STRING")), Field("city", "city", Scalar("STRING"))))
ROW = RecordType((Field("x", "x", Scalar("DOUBLE")),), "ROW")


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (Scalar("NUMERIC(9, 2)"), "NUMERIC(9, 2)"),
        (ADDRESS, "STRUCT<street STRING, city STRING>"),
        (ArrayType(ADDRESS), "ARRAY<STRUCT<street STRING, city STRING>>"),
        (ROW, "ROW(x DOUBLE)"),
        (MapType(Scalar("STRING"), ROW), "MAP<STRING, ROW(x DOUBLE)>"),
        (Variant("SUPER"), "SUPER"),
        (RecordType(ADDRESS.fields, type_name="address_t"), "address_t"),
        (ArrayType(Unspecified()), "ARRAY"),
        (Unspecified(), ""),
        (None, ""),
    ],
)
def test_one_line(data_type: DataType | None, text: str) -> None:
    assert one_line(data_type) == text


def test_depth_cuts_nested_records() -> None:
    outer = RecordType((Field("home", "home", ADDRESS),))
    assert one_line(outer, 1) == "STRUCT<home STRUCT<…>>"


def test_a_name_without_a_known_type_stands_alone() -> None:
    assert signature("t.a", Unspecified()) == "t.a"


def test_a_long_record_lists_its_fields() -> None:
    fields = tuple(Field(f"measurement_{n}", "", Scalar("FLOAT64")) for n in range(4))
    record = RecordType((*fields, Field("at", "at", ADDRESS)))
    assert signature("t.samples", ArrayType(record)).split("\n") == [
        "t.samples : ARRAY<STRUCT<",
        "  measurement_0 FLOAT64,",
        "  measurement_1 FLOAT64,",
        "  measurement_2 FLOAT64,",
        "  measurement_3 FLOAT64,",
        "  at STRUCT<street STRING, city STRING>",
        ">>",
    ]


def test_a_very_long_record_says_what_it_leaves_out() -> None:
    record = RecordType(tuple(Field(f"column_{n}", "", Scalar("STRING")) for n in range(MOST_FIELDS + 5)))
    lines = signature("t.r", record).split("\n")
    assert len(lines) == MOST_FIELDS + 3
    assert lines[-3:] == [f"  column_{MOST_FIELDS - 1} STRING,", "  … 5 more", ">"]
