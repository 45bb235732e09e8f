"""Many tests at once: Holm's step-down adjustment."""

from __future__ import annotations

from collections.abc import Sequence


def adjusted(ps: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order of the given ones, each in [0, 1].

    Those below a rate are the tests that may be rejected so that *any* wrong rejection among them
    has at most that rate, whatever the dependence between the tests: the k-th smallest of T is
    multiplied by T - k + 1, and none is smaller than one before it (Holm 1979, "A simple
    sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6).
    """
    answer = [0.0] * len(ps)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda one: ps[one])):
        largest = max(largest, min(1.0, ps[index] * (len(ps) - rank)))
        answer[index] = largest
    return answer
