"""A table's profile as rules get it, and the one that the lock has."""

from __future__ import annotations

import polars as pl
import pytest
from support.engine import graph

from audit.errors import CannotLook, FormatError, MissingExtra
from audit.facts.tables import profile as module
from audit.facts.tables.profile import LockedProfiles, TableProfiles
from audit.formats import lock
from audit.records.dataset import Dataset
from audit.records.words import Kind

COLUMNS = {"age": [30, 40, None], "city": ["Rome", "Oslo", "Rome"]}


def asked(root, path="data.parquet", **options):
    return TableProfiles(root=str(root), dataset=Dataset(name="d", path=path, kind=Kind.TABLE, **options))


@pytest.fixture
def root(tmp_path):
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "data.parquet")
    pl.DataFrame(COLUMNS).write_csv(tmp_path / "data.csv")
    return tmp_path


def test_a_table_is_profiled(root):
    found = graph().get(asked(root))
    age, city = found.columns
    assert (found.rows, age.missing, age.minimum, age.mean) == (3, 1, 30, 35.0)
    assert [(level.value, level.rows) for level in city.levels] == [("Rome", 2), ("Oslo", 1)]


def test_text_gives_the_profile_that_columns_give(root):
    plain = [(one.missing, one.distinct, one.minimum, one.mean, one.levels) for one in graph().get(asked(root)).columns]
    found = graph().get(asked(root, "data.csv"))
    assert [(one.missing, one.distinct, one.minimum, one.mean, one.levels) for one in found.columns] == plain


def test_a_part_of_a_table_is_profiled(root):
    found = graph().get(asked(root, where=(("city", ("Rome",)),)))
    assert (found.rows, found.columns[0].missing) == (2, 1)


def test_what_is_no_table_cannot_be_profiled(root):
    (root / "data.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(CannotLook):
        graph().get(asked(root))


def test_without_polars_nothing_is_profiled(root, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="polars"):
        graph().get(asked(root))


def test_no_lock_has_no_profiles(root):
    assert graph().get(LockedProfiles(root=str(root))) == {}
    (root / "audit.lock").write_bytes(lock.render({"data": {}}))
    assert graph().get(LockedProfiles(root=str(root))) == {}


def test_a_lock_that_makes_no_sense_is_not_believed(root):
    (root / "audit.lock").write_bytes(lock.render({"profiles": {"tables": {}}}))
    with pytest.raises(FormatError, match="salt"):
        graph().get(LockedProfiles(root=str(root)))
