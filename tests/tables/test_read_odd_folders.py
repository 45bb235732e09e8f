"""Folders that name columns in ways that readers pass over, or take for the file's own."""

import polars as pl
import pytest

from audit.errors import CannotLook
from audit.formats.parts import partitions, parts
from audit.records.table import Source
from audit.tables.table import Table


def read(root, names, frame):
    for name in names:
        (root / name).parent.mkdir(parents=True)
        frame.write_parquet(root / name)
    taken = parts("d", [(name, str(root / name)) for name in names])
    files = tuple(one.location for one in taken)
    return Table(Source(files=files, names=tuple(names), format="parquet", partitions=partitions(taken)))


@pytest.mark.parametrize("values", [["1=2"], ["YQ==", "b"], ["%FF", "%00", "__HIVE_DEFAULT_PARTITION__"]])
def test_a_folder_names_a_column_whatever_its_value(tmp_path, values):
    table = read(tmp_path, [f"d/k={value}/p.parquet" for value in values], pl.DataFrame({"x": [1]}))
    assert [one.name for one in table.columns] == ["x", "k"]
    shown = {"%FF": "\ufffd", "%00": "\0", "__HIVE_DEFAULT_PARTITION__": None}
    assert table.values("k").to_list() == [shown.get(value, value) for value in values]


def test_a_folder_does_not_replace_a_column_of_the_file(tmp_path):
    table = read(tmp_path, ["d/x=5/p.parquet"], pl.DataFrame({"x": [0.5], "y": [1]}))
    with pytest.raises(CannotLook, match="has a column 'x', and its folder names another"):
        _ = table.rows
