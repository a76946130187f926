"""What the demo shows of the bundled examples: places that are worth a look, in an order that tells a story."""

from __future__ import annotations

from typing import NamedTuple


class Scene(NamedTuple):
    """A place in a file, and what to ask there.

    `around` is a piece of the line that occurs once in the file, `at` the word in it, `asks` any of `hover`,
    `definition`, `declaration`. Without `at` the scene shows the diagnostics of the line; with the ask `lens` the
    lenses from the line to the next blank line.
    """

    title: str
    file: str
    around: str
    at: str = ""
    asks: tuple[str, ...] = ("hover",)


SCENES = (
    Scene(
        "Above each declared table, column and field: who uses it",
        "bigquery/tables.sql",
        "CREATE TABLE shop.orders_raw (",
        asks=("lens",),
    ),
    Scene(
        "A field knows its own source, whatever the depth",
        "bigquery/order_lines.sql",
        "o.customer.address.city AS city",
        "city",
        ("hover", "definition"),
    ),
    Scene("An UNNEST gives elements: items[*]", "bigquery/order_lines.sql", "i.qty,", "qty", ("hover", "definition")),
    Scene(
        "Past views and a STRUCT that one of them builds",
        "bigquery/city_revenue.sql",
        "buyer.name AS buyer_name",
        "name",
        ("hover", "definition", "declaration"),
    ),
    Scene(
        "An aggregate over a CTE over a view",
        "bigquery/city_revenue.sql",
        "SUM(amount) AS revenue",
        "revenue",
        ("hover", "declaration"),
    ),
    Scene("Which table owns the column? Nobody can tell", "bigquery/campaigns.sql", "c.campaign_id, channel"),
    Scene("A field that the DDL does not declare", "trino/alerts.sql", "payload.site.floor AS floor"),
    Scene("Trino: a ROW inside an array", "trino/samples.sql", "s.level,", "level", ("hover", "definition")),
    Scene(
        "Spark: maps and lambdas",
        "spark/listening.sql",
        "tags['mood'].label AS mood",
        "label",
        ("hover", "definition"),
    ),
    Scene(
        "Spark: the parameter of a lambda is an element", "spark/listening.sql", "x -> x.seconds", "seconds", ("hover",)
    ),
)
