"""The JSON Schema and the loader agree on what a rule file looks like."""

from __future__ import annotations

import copy
import re
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from support import json_schemas, toys

from audit.catalog import built_in
from audit.config.load import load_config
from audit.config.packs import shipped
from audit.config.schema import DIALECT, schema
from audit.errors import ConfigError
from audit.formats.yaml import load

# what refers to something else, which no schema can know: see `audit/config/schema.py`
REFERENCE = re.compile(
    r"no dataset of that name|no dataset is called|no rule is called|stands twice in this file|no rule file '"
    r"|names no check, and no extended file|is of kind|takes rows of a table"
    r"|rules\[\d+\]\.with: the key '\w+' is missing|low must not exceed high"
    r"|min(_\w+)? is greater than max|is named twice|zone is for timestamps|names, to has \d+"
)


@pytest.fixture(scope="module")
def _module_toys(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, toys.installed(tmp_path_factory.mktemp("site"), patch):
        yield


@pytest.fixture(scope="module")
def rule_file(_module_toys) -> dict[str, Any]:
    return schema([*toys.CHECKS, *built_in()])


@pytest.fixture(autouse=True)
def _toys(_module_toys):
    """Instead of the folder's own, which are installed anew for each test."""


class _Quoting(yaml.SafeDumper):
    """Every text in quotes, and nothing by an anchor: PyYAML's plain scalars are those of YAML 1.1."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


_Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def _fault(value: Any) -> str:
    """What the loader says of a value; nothing if it takes it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "audit.yaml").write_text(yaml.dump(value, Dumper=_Quoting, width=10**9), "utf-8")
        try:
            load_config(Path(folder))
        except ConfigError as error:
            return str(error)
    return ""


def _valid(value: Any, rule_file: dict[str, Any]) -> bool:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(rule_file, format_checker=checker).is_valid(value)


def _agree(value: Any, rule_file: dict[str, Any]) -> None:
    fault = _fault(value)
    if REFERENCE.search(fault):
        return  # said only once the shape of the file is right, but before later rules are held against their checks
    if "expected a whole number, got a number" in fault and _valid(value, rule_file):
        return  # 1.0 is an integer to JSON Schema, and none to YAML
    assert _valid(value, rule_file) == (not fault), fault or "the loader takes it"


NAMES = st.sampled_from(["a", "b-2", "C.x", "9", "x" * 100])
TEXTS = st.text(min_size=1, max_size=5)
WITHS = {
    "toy.plain": st.just({}),
    "toy.needy": st.fixed_dictionaries(
        {"threshold": st.integers(-3, 3) | st.floats(-1e9, 1e9)}, optional={"unit": TEXTS}
    ),
    "toy.ordered": st.fixed_dictionaries({}, optional={"low": st.integers(-5, 5), "high": st.integers(5, 9)}),
    "toy.rate": st.fixed_dictionaries(
        {},
        optional={
            "dataset": st.just("clips"),
            "sample_rate_hz": st.none() | st.integers(1, 48000),
            "subtype": st.sampled_from(["PCM_16", "FLOAT"]),
            "weight": st.sampled_from(["error", "note"]),
            "tolerance": st.floats(0, 1),
            "channels": st.lists(st.integers(1, 2), max_size=2),
            "limits": st.dictionaries(TEXTS, st.floats(-1, 1), max_size=2),
            "bands": st.lists(st.fixed_dictionaries({"low_hz": st.integers(0, 9)}, optional={"high_hz": st.none()})),
            "named": st.dictionaries(TEXTS, st.fixed_dictionaries({"low_hz": st.floats(0, 1)}), max_size=2),
            "aliases": st.lists(st.sampled_from(["x", "y"]), max_size=3),
        },
    ),
}
RULES = st.sampled_from(sorted(WITHS)).flatmap(
    lambda check: st.fixed_dictionaries(
        {"id": NAMES, "check": st.just(check), "with": WITHS[check]},
        optional={
            "severity": st.sampled_from(["error", "warning", "note"]),
            "on": st.lists(st.sampled_from(["commit", "launch", "nightly"]), min_size=1, max_size=3),
            "why": TEXTS,
            "enabled": st.booleans(),
        },
    )
)
DATASETS = st.fixed_dictionaries(
    {"path": st.sampled_from(["x.csv", "a/**/*.parquet", "s3://b/c.tsv", "..a/b:c.csv"])},
    optional={
        "role": st.sampled_from(["train", "val", "test", None]),
        "kind": st.sampled_from(["table", None]),
        "optional": st.booleans(),
        "where": st.dictionaries(
            TEXTS, st.lists(st.booleans() | st.integers(-3, 3) | TEXTS, min_size=1, max_size=2), max_size=2
        ),
    },
)
FILES = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "datasets": st.dictionaries(NAMES, DATASETS, max_size=2).map(lambda some: {**some, "clips": {"path": "*.wav"}}),
        "rules": st.lists(RULES, max_size=3, unique_by=lambda rule: rule["id"]),
    },
    optional={
        "name": st.none() | TEXTS,
        "fail_on": st.sampled_from(["error", "warning", "never", None]),
        "environment": st.none()
        | st.fixed_dictionaries({}, optional={"python": TEXTS, "import_frameworks": st.booleans()}),
        "extends": st.just([]),
    },
).map(lambda file: file | {"waivers": [_waiver(rule["id"]) for rule in file["rules"][:1]]})


def _waiver(rule: str) -> dict[str, str]:
    return {"rule": rule, "subject": "glob:*", "reason": "r", "author": "a", "expires": "2027-02-28"}


JUNK = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["", "a\n", "on", "error", "..", "a/../b", "/x", "C:x", "x\\y", "a..b", "file://x", "s3://a::b", "train",
         "core", "toy.plain", "2027-02-30", "٢٠٢٧-01-31", "2027-1-1", 1.0, 2**60, 1e300, "\0", "\N{PILE OF POO}"]
    )
    | st.text(max_size=3)
    | st.lists(st.sampled_from([0, "launch", "x.yaml", "../x.yml", "/x.yaml", "a\\x.yaml", "x.yaml\n"]), max_size=2)
    | st.dictionaries(st.sampled_from(["path", "low_hz", "x"]), st.integers(0, 1) | st.text(max_size=2), max_size=2)
)  # fmt: skip


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """Every container with a key or an index of it."""
    steps = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, step) for step in steps] + [spot for step in steps for spot in _spots(value[step])]


@st.composite
def _bent(draw: st.DrawFn) -> Any:
    """A valid file with one thing perhaps wrong: another value, a key too many or too few, or one of another name."""
    file = copy.deepcopy(draw(FILES))
    holder, step = draw(st.sampled_from(_spots(file)))
    match draw(st.sampled_from(["value", "value", "value", "gone", "more", "renamed", "doubled"])):
        case "value":
            holder[step] = draw(JUNK)
        case "gone":
            del holder[step]
        case "more" if isinstance(holder, dict):
            holder[draw(st.sampled_from(["x", "path", "with", "why", "kind", "low_hz"]) | st.text(max_size=2))] = draw(
                JUNK
            )
        case "renamed" if isinstance(holder, dict):
            holder[draw(st.text(max_size=3))] = holder.pop(step)
        case "doubled" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[step]))
    return file


RELAXED = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None)


@RELAXED
@given(file=FILES)
def test_both_take_valid_files(file, rule_file):
    assert _fault(file) == ""
    assert _valid(file, rule_file)


@settings(RELAXED, max_examples=400)
@given(file=_bent())
def test_they_agree_on_files_with_a_mistake(file, rule_file):
    _agree(file, rule_file)


@RELAXED
@given(value=JUNK)
def test_they_agree_on_what_is_no_rule_file_at_all(value, rule_file):
    _agree(value, rule_file)


@pytest.mark.parametrize("check", [*toys.CHECKS, *built_in()])
@settings(RELAXED, max_examples=40)
@given(data=st.data())
def test_the_loader_takes_what_the_schema_describes(check, data, rule_file):
    parameters = data.draw(json_schemas.values(rule_file["$defs"][check], rule_file))
    file = {"version": 1, "rules": [{"id": "a", "check": check, "with": parameters}]}
    assert _valid(file, rule_file)
    fault = _fault(file)
    assert not fault or REFERENCE.search(fault), fault


def test_it_is_a_schema_of_its_dialect(rule_file):
    assert rule_file["$schema"] == DIALECT == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    jsonschema.Draft202012Validator.check_schema(rule_file)


def test_an_editor_finds_what_it_completes(rule_file):
    rule = rule_file["$defs"]["RuleEntry"]["properties"]
    assert rule["check"]["enum"] == sorted([*toys.CHECKS, *built_in()])
    assert rule["check"]["enumDescriptions"][rule["check"]["enum"].index("toy.rate")] == "Clips have the declared rate."
    assert rule_file["properties"]["extends"]["items"]["anyOf"][0]["enum"] == sorted(shipped())
    rate = rule_file["$defs"]["toy.rate"]
    assert rate["description"] == "Clips have the declared rate."
    assert rate["properties"]["sample_rate_hz"]["description"] == "Samples per second."
    assert rate["properties"]["tolerance"] == {
        "description": "The share that may differ | be off.",
        "type": "number",
        "minimum": 0,
        "default": 0.0,
    }


def test_every_property_is_described(rule_file):
    silent = [
        f"{name}.{key}"
        for name, part in {"": rule_file, **rule_file["$defs"]}.items()
        for key, value in part.get("properties", {}).items()
        if not name.startswith("toy.") and not value.get("description")
    ]
    assert silent == []


@pytest.mark.parametrize("pack", shipped().values(), ids=shipped())
def test_shipped_packs_fit(pack, rule_file):
    jsonschema.Draft202012Validator(rule_file).validate(load(pack.read_bytes(), pack.name).value)
