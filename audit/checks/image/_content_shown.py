"""Between which values the measures of pictures lie: what bounds can be taken from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.facts.signals.image_content import MEASURES
from audit.records.findings import Exhibit, Figure, Scalar
from audit.records.image_content import Measures

_AT = {"least": 0.0, "1 %": 0.01, "median": 0.5, "99 %": 0.99, "most": 1.0}


def spans(measured: Sequence[Measures]) -> Iterator[Figure | Exhibit]:
    """The medians as figures, and the quantiles as a table."""
    rows: list[list[Scalar]] = []
    for name, of in MEASURES.items():
        values = sorted(value for one in measured if (value := of(one)) is not None)
        if values:
            yield Figure(name=f"median_{name}", value=_at(values, 0.5))
            rows.append([name, *(_at(values, share) for share in _AT.values())])
    if rows:
        yield Exhibit(type="table", title="Measures of the pictures", data={"columns": ["measure", *_AT], "rows": rows})


def _at(values: Sequence[float], share: float) -> float:
    """The value of rank nearest to the share."""
    return float(f"{values[round(share * (len(values) - 1))]:.4g}")
