"""Whether Arrow's own library opens what polars opened: pandas and most trainers read by it, and it checks more."""

from __future__ import annotations

from contextlib import closing

from audit.records.table import Source
from audit.tables.faults import refusal


def check(source: Source) -> None:
    """Refuse (`CannotLook`) a file whose footer or schema Arrow refuses; no value is read.

    What Arrow does not know yet is no damage, and where it is not installed nobody reads by it.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        return
    for number, file in enumerate(source.files):
        try:
            _open(file, source.format)
        except pa.ArrowNotImplementedError:
            continue
        except (pa.ArrowException, OSError) as error:
            raise refusal(error, source.names[number] if source.names else file.rpartition("/")[2]) from None


def _open(file: str, kind: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind == "parquet":
        with closing(pq.ParquetFile(file)) as opened:
            _ = opened.schema_arrow
        return
    with pa.memory_map(file) as mapped:
        pa.ipc.open_file(mapped)
