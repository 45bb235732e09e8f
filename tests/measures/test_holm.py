"""Holm's adjustment against its definition."""

from hypothesis import given
from hypothesis import strategies as st

from audit.measures.holm import adjusted

probabilities = st.lists(st.floats(0, 1), max_size=12)


def test_multiplies_the_smallest_by_all_and_the_largest_by_one():
    assert adjusted([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]


def test_none_stay_none():
    assert adjusted([]) == []


@given(probabilities, st.floats(0.001, 0.5))
def test_rejects_what_the_procedure_rejects(ps, rate):
    """Step down from the smallest until one is too large for the tests that are left."""
    rejected = set()
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda one: ps[one])):
        if ps[index] * (len(ps) - rank) > rate:
            break
        rejected.add(index)
    assert {index for index, p in enumerate(adjusted(ps)) if p <= rate} == rejected


@given(probabilities)
def test_keeps_order_and_range(ps):
    answer = adjusted(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, answer, strict=True))
    assert all(answer[i] <= answer[j] for i in range(len(ps)) for j in range(len(ps)) if ps[i] < ps[j])
