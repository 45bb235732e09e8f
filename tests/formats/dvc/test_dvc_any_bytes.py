"""Whatever stands in a DVC file: a record, or a `FormatError` that names its place; nothing else, and soon."""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.dvc import dvcfile, ignore, lockfile, pipeline, schema
from audit.formats.dvc.config import Arguments
from audit.formats.dvc.place import Place

PLACE = Place("/p", "/p", "/p/sub/x", {"r": "/away"})
MD5 = "6137cde4893c59f76f005a8123d8e8e6"

SHAPES = [schema.DvcFile, schema.OutEntry, schema.DepEntry, schema.FileEntry, schema.RepoEntry, schema.LockFile]
SHAPES += [schema.LockEntry, schema.StageEntry, schema.LoopEntry, schema.PipelineFile, schema.PlotFlags]
KEYS = sorted({name for shape in SHAPES for name in shape.__struct_fields__} | {"a", "b", "r"})
TEXTS = [
    "",
    "a",
    "/abs",
    "../up",
    "nul\0",
    "s3://b/k",
    "remote://r/k",
    "remote://no/k",
    "//[",
    "http://[",
    "file:x",
    "ds://x",
]
TEXTS += [MD5, f"{MD5}.dir", "2.0", "md5", "${a}", "${item}", "\udcff", "a" * 300]
leaves = st.none() | st.booleans() | st.sampled_from([0, -1, 1.5, 10**30]) | st.sampled_from(TEXTS)
shapes = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)
files = st.binary(max_size=40) | shapes.map(lambda value: msgspec.json.encode(value) if encodable(value) else b"\xff")
parsers = st.sampled_from(
    [
        lambda data: dvcfile.parse(data, PLACE),
        lambda data: lockfile.parse(data, "dvc.lock"),
        lambda data: pipeline.parse(data, PLACE, {}, lambda _: data, Arguments()),
        lambda data: pipeline.parse(data, PLACE, {}, lambda _: None, Arguments()),
        lambda data: ignore.Rules().read(data, ".dvcignore"),
    ]
)


def encodable(value: object) -> bool:
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False
    return True


@settings(max_examples=400)
@given(files, parsers)
def test_any_bytes(data, parser):
    with contextlib.suppress(FormatError):
        parser(data)


@pytest.mark.parametrize("key", ["outs", "deps"])
@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(KEYS), shapes, max_size=5))
def test_any_entry_of_a_dvc_file(key, entry):
    if not encodable(entry):
        return
    data = msgspec.json.encode({key: [{"path": "a", **entry}]})
    with contextlib.suppress(FormatError):
        dvcfile.parse(data, PLACE)


@given(
    md5=st.text("0123456789abcdefe.", min_size=32, max_size=32)
    | st.sampled_from(["0" * 32, "1e" + "0" * 30, "0b" + "1" * 30]),
    size=st.sampled_from(["0", "5", "05", "1_0", "123456789012345678"]),
    nfiles=st.sampled_from(["", "  nfiles: 2\n", "  nfiles: 0\n"]),
    hashed=st.sampled_from(["", "  hash: md5\n"]),
    path=st.text("abnulltrueyo./_-+ ", min_size=1, max_size=6),
)
def test_the_usual_file_means_without_yaml_what_it_means_with_it(md5, size, nfiles, hashed, path):
    data = f"outs:\n- md5: {md5}\n  size: {size}\n{nfiles}{hashed}  path: {path}\n".encode()
    assert outcome(data) == outcome(b"# not the usual file any more\n" + data)


def outcome(data: bytes) -> object:
    try:
        (out,) = dvcfile.parse(data, PLACE).outs
    except FormatError as error:
        return error.what
    return (out.path, out.location, out.digest, out.size, out.nfiles, out.is_dir)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 100, "[" + "a-z" * 5000 + "]*" * 20, "a/**/" * 2 + "b", "**/" + "*x" * 50, "?" * 5000, "\\a" * 5000],
)
def test_patterns_take_no_time(pattern):
    rules = ignore.Rules().read(pattern.encode(), ".dvcignore")
    for _ in range(40):
        rules = rules.inside("a" * 200)
        assert rules.leaves_out("a" * 255, is_dir=False) in {True, False}
