"""Mermaid flowcharts: labels that Mermaid would read as markup, line styles, and arrows that lead nowhere."""

from __future__ import annotations

from sql_lineage_ls.exporters.mermaid import Arrow, Box, to_mermaid


def test_labels_hold_any_name() -> None:
    text = to_mermaid([Box("t", 'a"b', (("c", "x<y>#1"), ("d", "two\nlines")))], [])
    assert text == """\
flowchart LR
  subgraph r0["a#quot;b"]
    r0f0["x#lt;y#gt;#35;1"]
    r0f1["two lines"]
  end
"""


def test_lines_tell_roles() -> None:
    boxes = [Box("a", "a"), Box("b", "b")]
    roles = ("value", "condition", "membership", "window")
    text = to_mermaid(boxes, [Arrow("a", "b", role) for role in roles])
    assert text.splitlines()[3:] == [
        "  r0 -->|condition| r1",
        "  r0 -.->|membership| r1",
        "  r0 --> r1",
        "  r0 -.->|window| r1",
    ]


def test_an_arrow_to_nothing_is_left_out() -> None:
    assert to_mermaid([Box("a", "a")], [Arrow("a", "gone", "value")]).count("-->") == 0
