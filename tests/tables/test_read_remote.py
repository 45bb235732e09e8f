"""Tables that lie elsewhere, read from a server that speaks S3, and through a whole audit's own request."""

import gzip
import io

import polars as pl
import pytest
from support.engine import graph
from support.reading import dataset

from audit.errors import CannotLook
from audit.facts.tables.opened import TableSource
from audit.tables.table import Table

CSV = b"id,name\n1,a\n2,NA\n"


@pytest.fixture
def store(s3, bucket, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3)
    return bucket


def put(store, **files):
    for name, content in files.items():
        store.put_object(Bucket="data", Key=name, Body=content)


@pytest.fixture
def read(tmp_path):
    facts = graph()

    def read(path, **said):
        source = facts.get(TableSource(root=str(tmp_path), dataset=dataset(path, **said)))
        return source, Table(source)

    yield read
    facts.host.close()


def parquet(frame):
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def test_text_is_downloaded_and_remarks_name_its_url(store, read):
    put(store, **{"in/t.csv.gz": gzip.compress(CSV)})
    source, table = read("s3://data/in/t.csv.gz")
    assert table.frame.collect().rows() == [(1, "a"), (2, "NA")]
    assert [(one.kind, one.file, one.lines) for one in source.remarks] == [
        ("missing-word", "s3://data/in/t.csv.gz", (3,))
    ]


@pytest.mark.parametrize(
    "path", ["s3://data/d", "s3://data/d/", "s3://data/d/**/*.parquet", "s3://data/d/k=*/*.parquet"]
)
def test_folders_and_patterns(store, read, path):
    files = {f"d/k={key}/x.parquet": parquet(pl.DataFrame({"a": [int(key)]})) for key in ("02", "10", "09")}
    put(store, **files, **{"d/_SUCCESS": b""})
    _, table = read(path)
    found = table.frame.collect().to_dict(as_series=False)
    assert found == {"a": [2, 9, 10], "k": ["02", "09", "10"]}


def test_a_part_of_a_remote_table(store, read):
    put(store, **{"t.csv": CSV})
    assert read("s3://data/t.csv", where=(("id", (2,)),))[1].rows == 1


@pytest.mark.parametrize("path", ["s3://data/none.csv", "s3://data/none/*.csv", "s3://nowhere/t.csv"])
def test_what_is_not_there_is_said(store, read, path):
    with pytest.raises(CannotLook) as error:
        read(path)
    assert error.value.where == path
    assert error.value.hint


def test_no_secret_is_repeated(read, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(CannotLook) as error:
        read("s3://data/t.csv")
    assert "very-secret" not in str(error.value)
    with pytest.raises(CannotLook) as error:
        read("https://user:very-secret@127.0.0.1:1/t.csv?token=very-secret")
    assert "very-secret" not in str(error.value)
    assert "https://127.0.0.1:1/t.csv" in str(error.value)
