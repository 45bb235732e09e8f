"""`audit lock profiles` as a person calls it."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from audit.facts.sections import profiles
from audit.facts.tables.profile import LockedProfiles

RULES = """
version: 1
name: p
datasets:
  train: {{path: data/train.parquet, role: train{more}}}
  rest: {{path: data/rest.parquet}}
  clips: {{path: "clips/*.wav", optional: true}}
"""


def table(seed=1, rows=2000):
    draw = np.random.default_rng(seed)
    city = draw.choice(["Rome", "Oslo", "Bonn"], rows).tolist()
    city[:5] = ["Nowhere"] * 5
    return pl.DataFrame({"age": draw.integers(18, 90, rows), "pay": draw.lognormal(8, 1, rows), "city": city})


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "data").mkdir(parents=True)
    (root / "audit.yaml").write_text(RULES.format(more=""))
    table().write_parquet(root / "data/train.parquet")
    table().write_parquet(root / "data/rest.parquet")
    return root


def read(root):
    return json.loads((root / "audit.lock").read_bytes())


def test_it_writes_what_tables_with_a_role_look_like(project, call):
    assert call("lock", "-C", project, "profiles") == (0, "audit.lock written: profiles\n")
    section = read(project)["profiles"]
    assert list(section["tables"]) == ["train"]
    train = section["tables"]["train"]
    assert (train["rows"], train["order"]) == (2000, ["age", "pay", "city"])
    assert train["columns"]["city"]["tail_rows"] == 5


def test_no_value_of_a_row_stands_in_it(project, call):
    call("lock", "-C", project, "profiles")
    text = (project / "audit.lock").read_text()
    frame = table()
    assert not any(city in text for city in set(frame["city"]))
    assert not any(repr(pay) in text for pay in frame["pay"])
    assert '"minimum"' not in text


def test_values_stand_in_it_where_the_project_says_so(project, call):
    (project / "audit.yaml").write_text(RULES.format(more=", profile_values: true"))
    call("lock", "-C", project, "profiles")
    train = read(project)["profiles"]["tables"]["train"]
    assert set(train["columns"]["city"]["levels"]) == {"Rome", "Oslo", "Bonn"}
    assert train["columns"]["age"]["maximum"] == 89


def test_writing_again_changes_nothing_and_the_salt_stays(project, call):
    call("lock", "-C", project, "profiles")
    before = (project / "audit.lock").read_bytes()
    assert call("lock", "-C", project, "profiles") == (0, "audit.lock unchanged: profiles\n")
    salt = read(project)["profiles"]["salt"]
    table(2).write_parquet(project / "data/train.parquet")
    assert call("lock", "-C", project, "profiles")[0] == 0
    assert read(project)["profiles"]["salt"] == salt
    table().sample(fraction=1, shuffle=True, seed=3).write_parquet(project / "data/train.parquet", row_group_size=99)
    call("lock", "-C", project, "profiles")
    assert (project / "audit.lock").read_bytes() == before


def test_two_projects_hash_one_value_differently(project, call):
    call("lock", "-C", project, "profiles")
    first = read(project)["profiles"]
    (project / "audit.lock").unlink()
    call("lock", "-C", project, "profiles")
    second = read(project)["profiles"]
    assert first["salt"] != second["salt"]
    levels = [set(one["tables"]["train"]["columns"]["city"]["levels"]) for one in (first, second)]
    assert not levels[0] & levels[1]


def test_check_says_which_column_looks_otherwise(project, call):
    call("lock", "-C", project, "profiles")
    assert call("lock", "-C", project, "--check", "profiles") == (0, "audit.lock: as locked: profiles\n")
    frame = table().with_columns(age=pl.col("age") + 1)
    frame.write_parquet(project / "data/train.parquet")
    code, said = call("lock", "-C", project, "--check", "profiles")
    assert code == 1
    assert said == (
        "profiles: tables: train: columns: age: expected edges 20 21 22 23 24 25 26... mean 53.4825, "
        "found edges 21 22 23 24 25 26 27... mean 54.4825\n"
        "audit.lock differs in 1 place; if this is meant to be: audit lock profiles\n"
    )


def test_a_table_can_be_chosen_or_left_out(project, call):
    text = RULES.format(more=", profile: false").replace("rest.parquet}", "rest.parquet, profile: true}")
    (project / "audit.yaml").write_text(text)
    call("lock", "-C", project, "profiles")
    assert list(read(project)["profiles"]["tables"]) == ["rest"]


def test_all_sections_are_written_if_none_is_named(project, call):
    assert call("lock", "-C", project) == (0, "audit.lock written: data, profiles\n")
    assert call("lock", "-C", project, "--check") == (0, "audit.lock: as locked: data, profiles\n")


def test_where_no_table_is_chosen_it_says_so_and_writes_none(project, call):
    (project / "audit.yaml").write_text(RULES.format(more="").replace(", role: train", ""))
    code, said = call("lock", "-C", project)
    assert code == 0
    assert "not locked: profiles: no table has a role; `profile: true` in audit.yaml chooses one\n" in said
    assert list(read(project)) == ["data", "schema"]


def test_without_polars_the_rest_is_locked_but_a_profile_is_not_lost(project, call, monkeypatch):
    monkeypatch.setattr(profiles, "find_spec", lambda name: None)
    monkeypatch.setattr("audit.facts.tables.profile.find_spec", lambda name: None)
    code, said = call("lock", "-C", project)
    assert (code, list(read(project))) == (0, ["data", "schema"])
    assert "not locked: profiles: polars" in said
    monkeypatch.undo()
    call("lock", "-C", project, "profiles")
    before = (project / "audit.lock").read_bytes()
    monkeypatch.setattr("audit.facts.tables.profile.find_spec", lambda name: None)
    code, said = call("lock", "-C", project)
    assert code == 3
    assert "pip install 'reproaudit[data]'" in said
    assert (project / "audit.lock").read_bytes() == before


def test_a_table_that_cannot_be_read_locks_nothing_and_says_what_to_do(project, call):
    (project / "data/train.parquet").write_bytes(b"PAR1")
    code, said = call("lock", "-C", project)
    assert code == 3
    assert not (project / "audit.lock").exists()
    assert "nothing was locked; `profile: false` leaves 'train' out, `audit lock data` locks the rest" in said


def test_a_damaged_section_is_written_anew(project, call):
    call("lock", "-C", project, "profiles")
    good = read(project)["profiles"]
    damaged = read(project)
    damaged["profiles"]["tables"] = "gone"
    (project / "audit.lock").write_text(json.dumps(damaged))
    assert call("lock", "-C", project, "profiles")[0] == 0
    assert read(project)["profiles"] == good


def test_rules_get_the_locked_profile(project, call):
    from support.engine import graph

    call("lock", "-C", project, "profiles")
    locked = graph().get(LockedProfiles(root=str(project)))
    age = locked["train"].column("age")
    assert age.binned
    assert sum(age.bins.counts) == 2000


def test_only_tables_have_profiles(project, call):
    text = RULES.format(more="").replace("optional: true", "profile: true")
    (project / "audit.yaml").write_text(text)
    code, said = call("lock", "-C", project, "profiles")
    assert code == 2
    assert "is about a table; the dataset is of kind audio" in said
