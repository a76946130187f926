"""What an editor is sent of semantic tokens: legends, edits and the memory of answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.server.handlers.tokens import LEGEND, token_edits
from sql_lineage_ls.server.token_memory import TokenMemory

_TOKEN = st.tuples(*[st.integers(0, 2)] * 5)
_TOKENS = st.lists(_TOKEN, max_size=8).map(lambda tokens: [number for token in tokens for number in token])


@given(_TOKENS, _TOKENS)
def test_edits_make_the_new_of_the_old(before: list[int], after: list[int]) -> None:
    made = list(before)
    for edit in token_edits(before, after):
        assert edit.start % 5 == edit.delete_count % 5 == 0
        made[edit.start : edit.start + edit.delete_count] = edit.data or ()
    assert made == after


def test_an_edit_sends_only_what_has_changed() -> None:
    (edit,) = token_edits([0, 0, 1, 1, 0, 0, 2, 1, 1, 0, 0, 2, 1, 1, 0], [0, 0, 1, 1, 0, 0, 2, 9, 1, 0, 0, 2, 1, 1, 0])
    assert (edit.start, edit.delete_count, list(edit.data or ())) == (5, 5, [0, 2, 9, 1, 0])


def test_the_memory_knows_the_last_answer_of_each_document() -> None:
    memory = TokenMemory()
    assert not memory.asked
    first = memory.remember("a", [1])
    second = memory.remember("a", [2])
    assert memory.asked
    assert memory.recall("a", first) is None
    assert memory.recall("a", second) == [2]
    for number in range(100):
        memory.remember(f"other{number}", [])
    assert memory.recall("a", second) is None


def test_the_legend_is_of_standard_types() -> None:
    assert set(LEGEND.token_types) <= {
        "namespace", "class", "interface", "variable", "property", "function", "parameter", "type"
    }  # fmt: skip
