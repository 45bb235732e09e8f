"""`table.schema` on what was declared: passes, fires, cannot look."""

import polars as pl
import pytest
from support.audits import audited, kinds, only
from support.schemas import held, judged, lines

from audit.errors import ConfigError
from audit.records.words import Outcome

PEOPLE = {"id": [1, 2, 3], "age": [30, 41, None], "kind": ["a", "b", "a"], "p": [0.2, 0.5, 1.0], "q": [0.8, 0.5, 0.0]}
DECLARED = {
    "id": {
        "type": "integer",
        "nullable": False,
        "unique": True,
        "min": 1,
        "max": 3,
        "monotonic": "strictly-increasing",
    },
    "age": {"type": "integer", "max_missing": 0.5},
    "kind": {"type": "categorical", "allowed": ["a", "b"], "pattern": "[ab]", "min_length": 1, "max_length": 1},
    "p": "float",
    "q": None,
}


def test_a_table_that_is_as_declared_passes(tmp_path):
    said = {"columns": DECLARED, "extra": "forbid", "order": True, "rows": {"min": 3, "max": 3}}
    result = held(tmp_path, {"t": PEOPLE}, **said, unique=[["id", "kind"]], sums_to_one=[["p", "q"]])
    assert (result.outcome, lines(result)) == (Outcome.PASS, [])
    assert result.summary == "3 rows of 5 columns: as expected"
    assert result.figures == {"rows": 3, "columns": 5, "missing_ratio": 1 / 15, "columns_with_missing": 1} | {
        "missing_ratio": result.figures["missing_ratio"]
    }
    assert result.exhibits[0].data["rows"][1] == ["age", "integer", "int64", "33.3 %", ""]


BROKEN = {
    "nullable": ({"age": {"nullable": False}}, "1 of 3 values missing (33.3 %)"),
    "missing": ({"age": {"max_missing": 0.1}}, "33.3 % missing (1 of 3), more than allowed"),
    "min": ({"id": {"min": 2.5}}, "2 of 3 values (66.7 %) below 2.5: '1' in row 1, '2' in row 2"),
    "max": ({"age": {"max": 40}}, "1 of 2 values (50 %) above 40: '41' in row 2"),
    "allowed": (
        {"kind": {"allowed": ["b", "c"]}},
        "2 of 3 values (66.7 %) not one of b, c: 'a' in row 1, 'a' in row 3",
    ),
    "pattern": ({"kind": {"pattern": "a|bc"}}, "1 of 3 values (33.3 %) not matched by a|bc: 'b' in row 2"),
    "length": ({"kind": {"min_length": 2}}, None),
    "unique": ({"kind": {"unique": True}}, "1 of 3 values (33.3 %) like one in a row above: 'a' in row 3"),
    "monotonic": ({"q": {"monotonic": "increasing"}}, None),
    "type": ({"kind": "integer"}, "string, integer declared"),
    "absent": ({"aeg": "integer"}, "no such column; it is declared; did you mean 'age'?"),
    "zone": ({"at": {"zone": "UTC"}}, None),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_breaks_a_rule_is_told_with_its_rows(tmp_path, kind):
    columns, message = BROKEN[kind]
    people = pl.DataFrame(PEOPLE).with_columns(at=pl.datetime(2024, 1, 1))
    result = held(tmp_path, {"t": people}, columns=columns)
    assert result.outcome is Outcome.FAIL
    assert kinds(result.violations) == [(f"t.parquet#{next(iter(columns))}", kind)]
    assert message is None or result.violations[0].message == message


def test_rules_for_several_columns(tmp_path):
    table = {"a": [1, 1, 1, None], "b": ["x", "x", "y", "x"], "p": [0.5, 0.5, 0.5, None], "q": [0.5, 0.5, 0.6, 0.1]}
    result = held(tmp_path, {"t": table}, unique=[["a", "b"]], sums_to_one=[["p", "q"]], rows={"max": 3})
    assert lines(result) == [
        ("error", "rows", "4 rows, at most 3 expected"),
        ("error", "unique", "1 of 3 rows (33.3 %) like one in a row above: '1 / x' in row 2"),
        ("error", "sum", "1 of 3 rows (33.3 %) with a sum that is not 1 ± 1e-06: '0.5 / 0.6' in row 3"),
    ]
    assert [one.subject for one in result.violations] == ["t.parquet", "t.parquet#a,b", "t.parquet#p,q"]


def test_keys_of_another_dataset(tmp_path):
    users, visits = {"id": [1, 2, 3]}, pl.DataFrame({"user": [1, 4, None, 3]}, schema={"user": pl.Int32})
    keys = [{"columns": ["user"], "dataset": "users", "to": ["id"]}]
    result = held(tmp_path, {"users": users, "visits": visits}, references=keys)
    assert lines(result) == [
        ("error", "reference", "1 of 3 values (33.3 %) not a key of users (id): '4' in row 2"),
    ]
    result = held(tmp_path, {"users": {"id": [1, 3, 4]}, "visits": visits}, references=keys)
    assert result.outcome is Outcome.PASS


def test_keys_of_unlike_types_are_named_and_not_compared(tmp_path):
    keys = [{"columns": ["user"], "dataset": "users", "to": ["id"]}]
    result = held(tmp_path, {"users": {"id": [1, 2]}, "visits": {"user": ["1", "2"]}}, references=keys)
    assert lines(result) == [("error", "reference", "'user' is string, 'id' of 'users' is integer")]


def test_a_table_with_keys_that_cannot_be_read_leaves_the_rule_undecided(tmp_path):
    held(tmp_path, {"users": {"id": [1]}, "visits": {"user": [1]}})
    (tmp_path / "users.parquet").write_bytes(b"PAR1 no more")
    keys = [{"columns": ["user"], "dataset": "users", "to": ["id"]}]
    columns = {"user": {"max": 0}}
    result = judged(tmp_path, ["users.parquet", "visits.parquet"], references=keys, columns=columns)
    assert result.outcome is Outcome.ERROR
    assert [one.kind for one in result.violations] == ["max", "unreadable"]


def test_extra_columns_and_order_are_told_where_asked_for(tmp_path):
    table, columns = {"b": [1], "a": [1], "x": [1]}, {"a": "integer", "b": "integer"}
    assert held(tmp_path, {"t": table}, columns=columns).outcome is Outcome.PASS
    assert held(tmp_path, {"t": table}, columns=columns, extra="warn").outcome is Outcome.WARN
    result = held(tmp_path, {"t": table}, columns=columns, extra="forbid", order=True)
    assert kinds(result.violations) == [("t.parquet", "order"), ("t.parquet#x", "extra")]


def test_a_pattern_that_cannot_be_read_is_an_error_that_costs_the_others_nothing(tmp_path):
    columns = {"kind": {"pattern": "(?=a)"}, "id": {"max": 2}}
    result = held(tmp_path, {"t": PEOPLE}, columns=columns)
    assert result.outcome is Outcome.ERROR
    assert [one.kind for one in result.violations] == ["max", "pattern"]
    assert "look-around" in result.violations[1].message


def test_a_column_of_the_wrong_type_is_told_once(tmp_path):
    columns = {"kind": {"type": "integer", "min": 0, "max": 3}}
    assert [one.kind for one in held(tmp_path, {"t": PEOPLE}, columns=columns).violations] == ["type"]
    columns = {"kind": {"min": 0}}
    assert lines(held(tmp_path, {"t": PEOPLE}, columns=columns)) == [
        ("error", "min", "0 is no min for a column of type string")
    ]


def test_a_file_that_is_no_table_is_an_error_of_the_rule(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"no table")
    result = judged(tmp_path, ["t.parquet"])
    assert result.outcome is Outcome.ERROR
    assert "t.parquet" in str(result.reason)


def test_values_can_be_kept_out_of_the_report(tmp_path):
    secret = {"name": ["Ada Byron", "Ada Byron"], "n": [1, 2]}
    said = {"columns": {"name": {"unique": True, "pattern": "x"}}, "unique": [["name"]], "infer": "train"}
    tables = {"train": {"name": ["x", "y"], "n": [1, 2]}, "val": secret}
    shown, hidden = held(tmp_path, tables, **said), held(tmp_path, tables, **said, show_values=False)
    assert kinds(shown.violations) == kinds(hidden.violations)
    assert "Byron" in str(shown)
    assert "Byron" not in str(hidden)


def test_an_empty_table_warns_unless_its_rows_are_declared(tmp_path):
    empty = pl.DataFrame(PEOPLE).clear()
    assert lines(held(tmp_path, {"t": empty}, columns=DECLARED)) == [("warning", "empty", "the table has no rows")]
    assert held(tmp_path, {"t": empty}, rows={"min": 0}).outcome is Outcome.PASS


def test_columns_without_any_value_break_no_rule_but_nullable(tmp_path):
    table = pl.DataFrame({"n": [None, None]})
    columns = {"n": {"type": "integer", "min": 3, "unique": True, "allowed": [1]}}
    assert [one[:2] for one in lines(held(tmp_path, {"t": table}, columns=columns))] == [("note", "type")]
    assert held(tmp_path, {"t": table}, columns={"n": {"nullable": False}}).outcome is Outcome.FAIL


def test_nan_is_missing_and_never_a_value(tmp_path):
    table = {"f": [1.0, float("nan"), float("nan"), None]}
    columns = {"f": {"nullable": False, "unique": True, "max": 2, "monotonic": "strictly-increasing"}}
    assert lines(held(tmp_path, {"t": table}, columns=columns)) == [
        ("error", "nullable", "3 of 4 values missing (75 %, 2 of them NaN)")
    ]


MISTAKES = {
    "columns.a: 'int' is none of integer": {"columns": {"a": "int"}},
    "columns.a.mim: unknown key (did you mean 'min'?)": {"columns": {"a": {"mim": 1}}},
    "columns.a: min is greater than max": {"columns": {"a": {"min": 5, "max": 1}}},
    "columns.a: zone is for timestamps": {"columns": {"a": {"zone": "UTC", "type": "date"}}},
    "unique[0]: expected a list, got text (write [a])": {"unique": ["a"]},
    "the column 'a' is named twice": {"sums_to_one": [["a", "a"]]},
    "references[0]: columns has 1 names, to has 2": {
        "references": [{"columns": ["a"], "dataset": "t", "to": ["b", "c"]}]
    },
}


@pytest.mark.parametrize("message", MISTAKES)
def test_parameters_that_make_no_sense_are_named(tmp_path, message):
    with pytest.raises(ConfigError) as caught:
        judged(tmp_path, ["t.parquet"], **MISTAKES[message])
    assert message in str(caught.value)


def test_rules_that_differ_in_the_kind_of_a_value_alone_are_told_apart(tmp_path):
    pl.DataFrame({"b": [True, True]}).write_parquet(tmp_path / "t.parquet")
    rules = [
        {"id": name, "check": "table.schema", "with": {"dataset": "t", "columns": {"b": {"allowed": [value]}}}}
        for name, value in (("yes", True), ("one", 1))
    ]
    report = audited(tmp_path, *rules, datasets={"t": {"path": "t.parquet"}})
    assert [one.outcome for one in report.results] == [Outcome.PASS, Outcome.FAIL]


def test_without_parameters_a_rule_holds_for_every_table(tmp_path):
    pl.DataFrame(PEOPLE).write_parquet(tmp_path / "t.parquet")
    report = audited(tmp_path, {"check": "table.schema"}, datasets={"t": {"path": "t.parquet"}})
    assert (only(report).rule, only(report).outcome) == ("table.schema[t]", Outcome.PASS)
