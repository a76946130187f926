"""Laws of the algebra of values, for random trees of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, RecordType, Scalar
from sql_lineage_ls.lineage.model import MEMBERSHIP, GeneratedSource, Source, Step
from sql_lineage_ls.lineage.values import (
    ELEMENT,
    ArrayOf,
    Generated,
    Key,
    OneOf,
    Record,
    RecordItem,
    Ref,
    Refuted,
    Traced,
    Value,
    build_record,
    by_names,
    derived,
    element,
    field,
    fields,
    flatten,
    one_of,
    traced,
    type_of,
)

NAMES = ("crew", "deck", "mast")
TEXT = Scalar("VARCHAR")

types: st.SearchStrategy[DataType] = st.recursive(
    st.just(TEXT),
    lambda inner: st.one_of(
        inner.map(ArrayType),
        st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3).map(
            lambda found: RecordType(tuple(Field(name, name, kind) for name, kind in found.items()))
        ),
    ),
    max_leaves=6,
)
refs = st.builds(Ref, st.sampled_from(("ships", "ports")), st.tuples(st.sampled_from(NAMES)), types)
sources = st.builds(Source, st.just("ports"), st.tuples(st.sampled_from(NAMES)), st.just(MEMBERSHIP))
steps = st.builds(Step, st.sampled_from(("a", "b")), st.just("IDENTITY"))


def _compound(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    records = st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3).map(
        lambda found: build_record(tuple(RecordItem(name, name, value) for name, value in found.items()))
    )
    return st.one_of(
        records,
        inner.map(ArrayOf),
        st.lists(inner, min_size=1, max_size=3).map(one_of),
        st.builds(lambda value, s, t: traced(value, s, t), inner, st.lists(sources, max_size=2),
                  st.lists(steps, max_size=2)),
        st.lists(inner, min_size=1, max_size=2).map(derived),
    )


constants = st.just(Generated(GeneratedSource("constant", "1")))
values: st.SearchStrategy[Value] = st.recursive(st.one_of(refs, constants), _compound, max_leaves=8)
keys = st.sampled_from(NAMES).map(lambda name: Key(name, name))


def _parts(value: Value) -> list[Value]:
    """The value and everything in it."""
    inner: tuple[Value, ...] = ()
    if isinstance(value, Traced | ArrayOf):
        inner = (value.value,)
    elif isinstance(value, OneOf):
        inner = value.values
    elif isinstance(value, Record):
        inner = tuple(item.value for item in value.items)
    return [value, *(part for child in inner for part in _parts(child))]


def _nodes(value: Value) -> set[tuple[str, tuple[str, ...]]]:
    return {(source.relation, source.path) for source in flatten(value).sources if source.role == "value"}


@given(values)
def test_a_flow_has_no_repeats(value: Value) -> None:
    flow = flatten(value)
    told = [(source.relation, source.path, source.role) for source in flow.sources]
    assert len(told) == len(set(told))
    assert len(flow.generated) == len(set(flow.generated))
    assert len(flow.steps) == len(set(flow.steps))


@given(values, st.lists(sources, max_size=2), st.lists(steps, max_size=2))
def test_traces_and_choices_never_nest(value: Value, influences: list[Source], came_by: list[Step]) -> None:
    for part in _parts(traced(value, influences, came_by)):
        if isinstance(part, Traced):
            assert not isinstance(part.value, Traced)
        if isinstance(part, OneOf):
            assert not any(isinstance(choice, OneOf | Traced) for choice in part.values)
            assert len(part.values) == len(set(part.values)) > 1


@given(values)
def test_a_choice_of_one_value_is_that_value(value: Value) -> None:
    assert _nodes(one_of([value])) == _nodes(value)
    assert one_of([value, value]) == one_of([value])


@given(st.lists(values, min_size=1, max_size=3))
def test_a_choice_of_a_choice_is_that_choice(parts: list[Value]) -> None:
    choice = one_of(parts)
    assert _nodes(one_of([choice, *parts])) == _nodes(choice)


@given(values)
def test_an_element_of_an_array_is_what_it_was_made_of(value: Value) -> None:
    assert element(ArrayOf(value)) == value


@given(refs)
def test_an_element_of_a_stored_array_is_its_element_node(ref: Ref) -> None:
    found = element(ref)
    if isinstance(ref.type, ArrayType):
        assert found == Ref(ref.relation, (*ref.path, ELEMENT), ref.type.element)
    else:
        assert _nodes(found) == {(ref.relation, ref.path)}


@given(st.lists(st.tuples(values, values), min_size=1, max_size=3), st.booleans())
def test_a_field_of_a_choice_is_the_choice_of_the_fields(pairs: list[tuple[Value, Value]], named: bool) -> None:
    """Records of one shape: what a field reads is what it reads of each of them."""
    records = [build_record((RecordItem("crew", "crew", a), RecordItem("deck", "deck", b))) for a, b in pairs]
    choice = one_of(records)
    found = field(by_names(choice) if named else choice, Key("deck", "deck"))
    assert not isinstance(found, Refuted)
    assert _nodes(found) == {node for _, b in pairs for node in _nodes(b)}


@given(values, values, values, values)
def test_position_or_name_decides_where_branches_name_their_fields_in_another_order(
    a: Value, b: Value, c: Value, d: Value
) -> None:
    one = build_record((RecordItem("crew", "crew", a), RecordItem("deck", "deck", b)))
    other = build_record((RecordItem("deck", "deck", c), RecordItem("crew", "crew", d)))
    choice = one_of([one, other])
    assert isinstance(choice, OneOf)
    by_position = field(choice, Key("crew", "crew"))
    by_name = field(by_names(choice), Key("crew", "crew"))
    assert not isinstance(by_position, Refuted)
    assert not isinstance(by_name, Refuted)
    assert _nodes(by_position) == _nodes(a) | _nodes(c)
    assert _nodes(by_name) == _nodes(a) | _nodes(d)


@given(values, keys)
def test_a_field_keeps_what_the_record_depends_on(value: Value, key: Key) -> None:
    influence = Source("ports", ("open",), MEMBERSHIP)
    found = field(traced(value, [influence]), key)
    if not isinstance(found, Refuted):
        assert influence in flatten(found).sources


@given(values, keys)
def test_a_field_is_one_of_the_fields_that_are_told(value: Value, key: Key) -> None:
    told = fields(value)
    found = field(value, key)
    if told is None:
        return
    same = [item.value for item in told if item.key == key.key]
    if not same:
        assert isinstance(found, Refuted)
    else:
        assert not isinstance(found, Refuted)
        assert _nodes(found) == _nodes(same[0])


@given(values)
def test_the_type_lists_the_fields_that_the_value_has(value: Value) -> None:
    kind, told = type_of(value), fields(value)
    if isinstance(kind, RecordType) and told is not None:
        assert [item.key for item in told] == [item.key for item in kind.fields]
