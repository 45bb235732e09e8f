"""ydata-profiling's comparison of two tables, on a sample that is the same for the same bytes.

The library (`data_profiling`, before 2026 `ydata_profiling`) puts names and values of the
data into its page as they are, so every sign that could be markup is replaced by
one that looks like it before it is handed over. It would also tell its makers of each
report; that is switched off by its own variable, and nothing here can reach the network.

Documentation of `compare`: https://docs.profiling.ydata.ai/latest/features/comparing_datasets/
"""

from __future__ import annotations

import math
import os
import socket
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from audit.errors import CannotLook
from audit.records.comparison import Alert, Compare, Compared
from audit.records.table import ColumnType
from audit.tables.pair.columns import matches
from audit.tables.sample import positions
from audit.tables.table import Table

if TYPE_CHECKING:
    import polars as pl

_SEED = 20_240_229
"""Of the sample; any number does, as long as it stays."""

_FIRST_YEAR, _LAST_YEAR = (1678, 1, 1), (2262, 1, 1)
"""What 64 bits of nanoseconds hold, as which the library counts times; those beyond are shown as the nearest."""

_LARGEST = 20 << 20
"""Bytes of the largest page that is kept."""

_LONGEST = 200
"""Characters of a name or value that are shown."""

_SIGNS = str.maketrans(
    {
        "<": "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
        ">": "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
        "&": "+",
        '"': "\N{RIGHT DOUBLE QUOTATION MARK}",
        "'": "\N{RIGHT SINGLE QUOTATION MARK}",
        "`": "\N{LEFT SINGLE QUOTATION MARK}",
    }
)

_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'\">"
    '<meta name="referrer" content="no-referrer">'
)

_SETTINGS = {
    "YDATA_PROFILING_NO_ANALYTICS": "True",
    "DO_NOT_TRACK": "1",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}

_ALERTS = {
    "CONSTANT": ("constant", ""),
    "HIGH_CARDINALITY": ("high-cardinality", "n_distinct"),
    "IMBALANCE": ("imbalance", "imbalance"),
    "INFINITE": ("infinite", "p_infinite"),
    "MISSING": ("missing", "p_missing"),
    "SKEWED": ("skewed", "skewness"),
    "ZEROS": ("zeros", "p_zeros"),
}
"""What is worth a note, and the number that goes with it. That a float has no value twice, say, is not."""

_KINDS = {
    ColumnType.INTEGER: "numeric",
    ColumnType.FLOAT: "numeric",
    ColumnType.BOOLEAN: "categorical",
    ColumnType.STRING: "categorical",
    ColumnType.CATEGORICAL: "categorical",
    ColumnType.TIMESTAMP: "datetime",
    ColumnType.DATE: "datetime",
}
"""Both sides get the same kind: the library would guess it from the values of each."""


def compared(asked: Compare) -> Compared:
    """Write the page; `quiet` comes first. Raises `CannotLook` if the tables have nothing that it can show."""
    tables = Table(asked.reference), Table(asked.current)
    wanted = _wanted(tables, asked)
    showable = [name for name in wanted if all(table.column(name).type in _KINDS for table in tables)]
    kinds = {name: _kind(tables, name) for name in showable[: asked.columns]}
    if not kinds or not all(table.rows for table in tables):
        raise CannotLook("the two tables have no column of values that both share")
    labels = _labels(kinds)
    samples = [_sample(table, kinds, labels, asked.rows) for table in tables]
    page, alerts = _page(samples, {labels[name]: kind for name, kind in kinds.items()}, asked.names)
    return Compared(
        path=_write(page, asked.scratch),
        alerts=tuple(_merged(alerts, {label: name for name, label in labels.items()})),
        rows=(len(samples[0]), len(samples[1])),
        columns=len(kinds),
        left_out=len(wanted) - len(kinds),
        names=asked.names,
    )


def quiet() -> None:
    """Nothing from here on asks the network, and what is imported later takes one thread and no screen."""
    os.environ.update(_SETTINGS)
    socket.socket.connect = socket.socket.connect_ex = _refuse  # type: ignore[method-assign]
    socket.getaddrinfo = _refuse


def _refuse(*_: object, **__: object) -> NoReturn:
    raise OSError("a comparison asks nothing of the network")


def _wanted(tables: tuple[Table, Table], asked: Compare) -> list[str]:
    """The columns of both, in the reference's order, that the rule looks at."""
    current = {one.name for one in tables[1].columns}
    names = [one.name for one in tables[0].columns if one.name in current and not matches(one.name, asked.ignore)]
    return [name for name in names if not asked.only or matches(name, asked.only)]


def _kind(tables: tuple[Table, Table], name: str) -> str:
    """What both sides are shown as; of two meanings, text is the one that everything has."""
    one, other = (_KINDS[table.column(name).type] for table in tables)
    return one if one == other else "categorical"


def _labels(names: Iterable[str]) -> dict[str, str]:
    """A name to show for each column: short, no markup, and no two alike."""
    labels: dict[str, str] = {}
    for name in names:
        label = harmless(name) or "(nameless)"
        while label in labels.values():
            label += "*"
        labels[name] = label
    return labels


def harmless(text: str) -> str:
    """The text on one line without a sign that could be markup, or that cannot be seen."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])
    return shown.translate(_SIGNS)


def _sample(table: Table, kinds: dict[str, str], labels: dict[str, str], rows: int) -> Any:
    """The same rows of each column, in their order; one column at a time is read whole."""
    import numpy as np
    import pandas as pd

    taken = np.sort(positions(table.rows, rows, _SEED))
    columns = {labels[name]: _values(table.values(name).gather(taken), kind) for name, kind in kinds.items()}
    return pd.DataFrame(columns)


def _values(series: pl.Series, kind: str) -> Any:
    """The values in pandas' plainest form of their kind."""
    import pandas as pd
    import polars as pl

    if kind == "numeric":
        return pd.Series(series.cast(pl.Float64, strict=False).to_numpy())
    if kind == "datetime":
        naive = series.cast(pl.Datetime("us"), strict=False).dt.replace_time_zone(None)
        held = naive.clip(datetime(*_FIRST_YEAR), datetime(*_LAST_YEAR))  # noqa: DTZ001 - a limit of naive times
        return pd.Series(held.cast(pl.Datetime("ns")).to_numpy())
    texts = series.cast(pl.String, strict=False).to_list()
    return pd.Series([None if text is None else harmless(text) for text in texts], dtype="object")


def _page(samples: list[Any], kinds: dict[str, str], names: tuple[str, str]) -> tuple[str, list[Any]]:
    """The library's page, and the alerts of each side."""
    warnings.simplefilter("ignore")
    profiling = _library()
    reports = [
        profiling.ProfileReport(
            sample, title=harmless(name), minimal=True, progress_bar=False, pool_size=1, type_schema=kinds
        )
        for sample, name in zip(samples, names, strict=True)
    ]
    alerts = [report.get_description().alerts for report in reports]
    page: str = profiling.compare(reports).to_html()
    return _closed(page), alerts


def _library() -> Any:
    try:
        import data_profiling
    except ModuleNotFoundError:
        import ydata_profiling

        return ydata_profiling
    return data_profiling


def _closed(page: str) -> str:
    """The page with a policy of its own: nothing is loaded from anywhere, nothing sent."""
    before, head, after = page.partition("<head>")
    return f"{before}{head}{_POLICY}{after}" if head else f"{_POLICY}{page}"


def _write(page: str, scratch: str) -> str:
    content = page.encode("utf-8", "replace")
    if len(content) > _LARGEST:
        raise CannotLook(f"the page has {len(content) >> 20} MiB, more than {_LARGEST >> 20}")
    handle, path = tempfile.mkstemp(suffix=".html", dir=scratch)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    return path


def _merged(sides: list[Any], names: dict[str, str]) -> Iterator[Alert]:
    """One alert for each column and kind, whichever sides it is on."""
    found: dict[tuple[str, str], dict[int, float | None]] = {}
    for side, alerts in enumerate(sides):
        for alert in alerts:
            name, known = names.get(alert.column_name), _ALERTS.get(alert.alert_type.name)
            if name is not None and known is not None:
                found.setdefault((name, known[0]), {})[side] = _number(alert.values, known[1])
    for (name, kind), at in sorted(found.items()):
        yield Alert(column=name, kind=kind, sides=tuple(at), values=tuple(at.values()))


def _number(values: Any, name: str) -> float | None:
    """The number of that name as people read it, if there is one."""
    number = float(values.get(name, math.nan)) if name else math.nan
    return float(f"{number:.4g}") if math.isfinite(number) else None
