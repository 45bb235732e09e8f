"""Templates resolve to what DVC's own resolver makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import dvc_projects as projects

from audit.errors import FormatError
from audit.formats.dvc import interpolation, pipeline
from audit.formats.dvc.config import Arguments
from audit.formats.dvc.place import Place

NAMES = ["a", "b", "c", "deep", "list", "item", "key"]
scalars = st.sampled_from([0, 1, -2, 1.5, 1e-5, True, False, None, "", "x", "x y", "o'k", "${", "true"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)
named = [
    "a",
    "b",
    "deep.a",
    "deep[a]",
    "list[0]",
    "list.1",
    "list[-1]",
    "item",
    "item.a",
    "item[0]",
    "key",
    " a ",
    "list",
]
broken = ["${a", "$a", "\\${a}", "${}", "${a..b}", "text", " ", "}"]
parts = st.sampled_from([*(f"${{{name}}}" for name in [*named, "deep"]), *broken])
texts = st.lists(parts, min_size=1, max_size=3).map("".join)
mappings = st.dictionaries(st.sampled_from(NAMES), values, max_size=4)
stages = st.fixed_dictionaries(
    {"cmd": texts | st.lists(texts, min_size=1, max_size=2)},
    optional={
        "desc": texts,
        "vars": st.lists(mappings | st.sampled_from(["extra.yaml", "extra.yaml:a", "extra.yaml:b,c"]), max_size=2),
        "meta": texts | st.dictionaries(texts, texts, max_size=2),
    },
)
loops = st.fixed_dictionaries({"foreach": texts | st.lists(scalars | texts, max_size=3) | mappings, "do": stages})
grids = st.builds(
    lambda stage, axes: {**stage, "matrix": axes},
    stages,
    st.dictionaries(
        st.sampled_from(NAMES), st.lists(values | texts, max_size=2) | st.just("${list}"), min_size=1, max_size=2
    ),
)


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> Iterator[Any]:
    root = projects.make(tmp_path_factory.mktemp("templates") / "p", git=False)
    with projects.repo(root) as opened:
        yield opened


def theirs(repo: Any, file: dict[str, Any]) -> dict[str, Any]:
    from dvc.parsing import DataResolver

    resolver = DataResolver(repo, repo.root_dir, file)
    return {name: resolver.resolve_one(name)[name]["cmd"] for name in resolver.get_keys()}


def ours(root: str, file: dict[str, Any]) -> dict[str, Any]:
    def read(path: str) -> bytes | None:
        return Path(path).read_bytes() if Path(path).is_file() else None

    place = Place(root, root, f"{root}/dvc.yaml", {})
    found = pipeline.parse(msgspec.json.encode(file), place, {}, read, Arguments())
    return {stage.name: list(stage.cmd) if isinstance(stage.cmd, tuple) else stage.cmd for stage in found.stages}


@settings(max_examples=200, deadline=None)
@given(
    params=mappings,
    extra=mappings,
    file=st.fixed_dictionaries(
        {"stages": st.dictionaries(st.sampled_from("stu"), stages | loops | grids, max_size=2)},
        optional={"vars": st.lists(mappings | st.just("extra.yaml:a"), max_size=2)},
    ),
)
@example(
    params={"list": [True, None]}, extra={}, file={"stages": {"s": {"foreach": "${list}", "do": {"cmd": "${item}x"}}}}
)
@example(params={"a": ""}, extra={}, file={"stages": {"t": {"cmd": "x", "matrix": {"a": ["${a}"]}}}})
@example(params={}, extra={}, file={"stages": {"t": {"foreach": [""], "do": {"cmd": "x"}}}})
@example(params={"a": {"x": True, "y": [1, "q r"]}}, extra={}, file={"stages": {"s": {"cmd": "p ${a}"}}})
def test_commands_are_those_of_dvc(repo, params, extra, file):
    root = repo.root_dir
    projects.write(Path(root), {"params.yaml": msgspec.json.encode(params), "extra.yaml": msgspec.json.encode(extra)})
    try:
        expected = theirs(repo, file)
    except Exception:  # noqa: BLE001 - whatever DVC refuses, with one of its many exceptions, we refuse with ours
        with pytest.raises(FormatError):
            ours(root, file)
    else:
        commands = [each for cmd in expected.values() for each in (cmd if isinstance(cmd, list) else [cmd])]
        if all(isinstance(each, str) for each in commands):
            assert ours(root, file) == expected
        else:  # DVC notices only when it runs the stage that its command is no text
            with pytest.raises(FormatError):
                ours(root, file)


@given(st.text("${}\\a.[]\n ", max_size=30))
def test_expressions_are_found_as_dvc_finds_them(text):
    from dvc.parsing.interpolate import get_matches

    assert [each.inner for each in interpolation.expressions(text)] == [found["inner"] for found in get_matches(text)]


@given(st.text("a.[] \t", max_size=12))
@example(" [ ")
def test_the_grammar_is_that_of_dvc(inner):
    from dvc.parsing.interpolate import ParseError, parse_expr

    try:
        parse_expr(inner)
    except ParseError:
        with pytest.raises(FormatError):
            interpolation.check("${" + inner + "}")
    else:
        interpolation.check("${" + inner + "}")


def one_line(cmd: str, **more: Any) -> dict[str, Any]:
    return {"stages": {"s": {"cmd": cmd}}, **more}


BOMBS = {
    "a long text many times": one_line("${a}" * 100_000, vars=[{"a": "x" * 100_000}]),
    "more turns than anybody wants": {"stages": {"s": {"foreach": list(range(20_000)), "do": {"cmd": "x"}}}},
    "a matrix that multiplies": {
        "stages": {"s": {"cmd": "x", "matrix": {f"m{at}": list(range(100)) for at in range(9)}}}
    },
    "many turns of a large stage": {
        "stages": {"s": {"foreach": list(range(9000)), "do": {"cmd": "x", "deps": [f"d{at}" for at in range(9000)]}}}
    },
    "braces that never close": one_line("${" * 1_000_000 + "["),
    "expressions that never end": one_line("${" + " " * 500_000 + "[" + " " * 500_000 + "}"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_explodes_is_refused(name):
    place = Place("/p", "/p", "/p/dvc.yaml", {})
    data = msgspec.json.encode(BOMBS[name])
    if name == "braces that never close":
        assert pipeline.parse(data, place, {}, lambda _: None, Arguments()).stages
        return
    with pytest.raises(FormatError):
        pipeline.parse(data, place, {}, lambda _: None, Arguments())
