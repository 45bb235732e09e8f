"""What is missing on both sides of a column, whatever the column holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit.measures import psi, shares
from audit.records.drift import Test, TestName

if TYPE_CHECKING:
    from audit.tables.pair.values import Counts, Numbers, Rows


def gaps(a: Numbers | Counts | Rows, b: Numbers | Counts | Rows) -> tuple[Test, ...]:
    """Fisher's exact test on what is null, and on what is NaN; none of what neither side has.

    Where neither has any, no division of the rows over both sides could have shown a difference, so that
    leaving the test out costs no false alarm and spares the others its place in Holm's procedure (Tarone 1990,
    "A modified Bonferroni method for discrete data", Biometrics 46).
    """
    found = []
    lacking: tuple[tuple[TestName, int, int], ...] = (("missing", a.missing, b.missing), ("nan", a.nan, b.nan))
    for name, k, other in lacking:
        if (k or other) and a.rows and b.rows:
            p = shares.difference_p(k, a.rows, other, b.rows)
            effect = abs(k / a.rows - other / b.rows)
            found.append(Test(name=name, effect=effect, p=p, how="fisher", sizes=(a.rows, b.rows)))
    return tuple(found)


def with_gaps(a: Numbers | Counts | Rows, b: Numbers | Counts | Rows, p: Any, q: Any) -> float | None:
    """The stability index over counts `p` and `q` of bins or levels, nulls and NaN being bins of their own."""
    import numpy as np

    if not a.rows or not b.rows:
        return None
    rest = [(k, other) for k, other in ((a.missing, b.missing), (a.nan, b.nan)) if k or other]
    x = np.append(p, [k for k, _ in rest]).astype(np.int64)
    y = np.append(q, [other for _, other in rest]).astype(np.int64)
    return psi.psi(x, y)
