"""Parameter files hold what DVC reads from them, and nothing in them runs."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.dvc import params

PYTHON = """
A = 1
B, C = 2, 3
D = E = 4
F: int = 5
G: float
H = open("/etc/passwd").read()
I = {"x": [1, (2, 3)], "y": {4}, "z": None, -1: "minus"}
J = f"{A}"
K = A + 1
L = "a" "b"
obj.attribute = 1
self.here = 2
class Net:
    width = 3
    def __init__(self, n):
        self.depth = 4
        local = 5
        other.thing = 6
    def forward(self):
        self.no = 7
    class Inner:
        deep = [True, False]
def f():
    x = 1
"""


def by_dvc(text: str, suffix: str) -> Any:
    from dvc.utils.serialize import PARSERS

    return PARSERS[suffix](text, f"params{suffix}")


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".py", PYTHON),
        (".json", '{"a": [1, 2.5, null, NaN], "b": {"c": true}, "a": 2}'),
        (".json", "[]"),
        (".toml", '[a]\nb = 1\nc = [1, 2]\nd = 2020-01-02\n[[e]]\nf = "g"\n'),
        (".yaml", "a: 1_000\nb: 1e-3\nc: 2020-01-02\nd: on\ne: 0o17\n"),
        (".yml", ""),
        (".txt", "a: [1, 2]\n"),
    ],
)
def test_each_format_is_read_as_dvc_reads_it(suffix, text):
    assert repr(params.parse(text.encode(), f"params{suffix}")) == repr(by_dvc(text, suffix))


values = st.recursive(
    st.integers(0, 3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "1", 1, "a*"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["a", "b", "ab", 1, "1"]), values, max_size=4),
    st.lists(st.sampled_from(["a", "b", "a*", "*", "0", "-1", "1", "[ab]", "?"]), min_size=1, max_size=3).map(".".join),
)
def test_names_are_looked_up_as_dvc_does(config, name):
    import dpath

    found = params.lookup(config, name)
    try:
        assert found == [dpath.get(config, name, separator=".")]
    except KeyError:
        assert found == []
    except ValueError:
        assert len(found) > 1


BROKEN = {
    "deep.json": b"[" * 100_000,
    "deeper.json": b"[" * 200 + b"]" * 200,
    "deep.py": b"A = " + b"(" * 50_000,
    "minus.py": b"A = " + b"-" * 100_000 + b"1",
    "sum.py": b"A = " + b"1+" * 100_000 + b"1",
    "lists.py": b"A = " + b"[" * 90 + b"]" * 90 + b"\nB = " + b"[" * 150 + b"]" * 150,
    "dots.toml": b".".join([b"a"] * 50_000) + b" = 1",
    "syntax.py": b"A = = 1",
    "nul.py": b"A = 1\0",
    "unhashable.py": b"A = {[]: 1}",
    "latin.json": b'{"a": "\xff"}',
    "number.json": b'{"a": ' + b"1" * 100_000 + b"}",
    "large.py": b"#" * 1_000_000,
    "x.yaml": b"a: [",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_refused(name):
    with pytest.raises(FormatError) as refused:
        params.parse(BROKEN[name], name)
    assert refused.value.where.startswith(name)


@given(
    st.binary(max_size=60) | st.text("A=[](){}'\"#:,.-+1e\n \\*lambda", max_size=60).map(str.encode),
    st.sampled_from([".py", ".json", ".toml", ".yaml"]),
)
def test_any_bytes_give_values_or_a_format_error(data, suffix):
    with contextlib.suppress(FormatError):
        params.parse(data, f"params{suffix}")


@given(
    st.recursive(
        st.integers() | st.booleans() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3), max_leaves=20
    )
)
def test_what_json_holds_comes_back(value):
    assert params.parse(msgspec.json.encode({"a": value}), "x.json") == {"a": value}
