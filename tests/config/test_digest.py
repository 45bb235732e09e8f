"""The digest of the rules: the same for the same meaning, another whenever a verdict could change."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from audit.config.load import load_config
from audit.errors import ConfigError

FULL: dict[str, Any] = {
    "version": 1,
    "name": "speech",
    "fail_on": "warning",
    "environment": {"python": ".venv/bin/python", "import_frameworks": False},
    "datasets": {
        "train": {"path": "train.csv", "role": "train", "where": {"split": ["a", 1], "fold": [True]}},
        "val": {"path": "val.csv", "kind": "table", "role": "val", "optional": True},
        "clips": {"path": "*.wav"},
    },
    "rules": [
        {
            "id": "rate",
            "check": "toy.rate",
            "with": {"dataset": "clips", "channels": [1, 2], "limits": {"a": 1, "b": 2}},
        },
        {"id": "drift", "check": "toy.drift", "severity": "warning", "on": ["nightly"], "why": "It drifts."},
        {"id": "off", "check": "toy.plain", "enabled": False},
    ],
    "waivers": [
        {"rule": "rate", "subject": "a.wav", "kind": "rate", "reason": "r", "author": "a", "expires": "2027-01-31"}
    ],
}


def _digest(content: dict[str, Any] | str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "audit.yaml").write_text(content if isinstance(content, str) else json.dumps(content))
        return load_config(Path(folder)).digest


def _shuffled(value: Any, order: Callable[[list], list]) -> Any:
    if isinstance(value, dict):
        return {key: _shuffled(value[key], order) for key in order(list(value))}
    return [_shuffled(item, order) for item in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(random):
    assert _digest(_shuffled(FULL, lambda keys: random.sample(keys, len(keys)))) == _digest(FULL)


def test_comments_style_and_reasons_do_not_matter():
    text = json.dumps(FULL, indent=1).replace('"name"', '# a comment\n"name"').replace("It drifts.", "It may drift.")
    assert _digest(text) == _digest(FULL)
    assert _digest(text.replace('"a": 1', '"a": 1.0').replace('"speech"', '"vision"')) == _digest(FULL)


def test_it_does_not_matter_which_file_says_it(load):
    own = load(json.dumps(FULL)).digest
    pack = {"version": 1, "rules": FULL["rules"], "fail_on": "warning"}
    rest = {key: value for key, value in FULL.items() if key not in {"rules", "fail_on"}} | {"extends": ["pack.yaml"]}
    assert load(json.dumps(rest), {"pack.yaml": json.dumps(pack)}).digest == own


def _changes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """One leaf changed to another that is allowed there, or one key taken out, under the name of its place."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ((name, {**value, key: change}) for name, change in _changes(item, f"{path}.{key}"))
            yield f"{path}.{key} left out", {name: kept for name, kept in value.items() if name != key}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            inside = _changes(item, f"{path}[{index}]")
            yield from ((name, [*value[:index], change, *value[index + 1 :]]) for name, change in inside)
    else:
        yield from ((path, change) for change in _others(value))


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    return [value + 5] if isinstance(value, int) else OTHERS.get(value, [])


OTHERS = {
    "warning": ["note", "error", "never"],
    "nightly": ["launch"],
    "train.csv": ["other.csv"],
    "val": ["test"],
    "table": ["audio"],
    "toy.drift": ["toy.plain"],
    "a.wav": ["b.wav"],
    "2027-01-31": ["2027-02-01"],
    ".venv/bin/python": ["python3"],
    "a": ["c"],
}
SILENT = {
    ".name left out",
    ".rules[1].why left out",
    ".datasets.val.kind left out",  # it follows from the suffix
}


def test_what_can_change_a_verdict_changes_it():
    unchanged, own = [], _digest(FULL)
    for place, change in _changes(FULL):
        try:
            if _digest(change) == own:
                unchanged.append(place)
        except ConfigError:  # no rule file any more
            continue
    assert set(unchanged) == SILENT


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_sets_are_put_in_order(load, seed):
    config = load('version: 1\nrules: [{id: a, check: toy.rate, with: {aliases: [x, y, z, "1", "2", q, r]}}]\n')
    code = f"""
import sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from audit.config.load import load_config
print(load_config(Path({str(config.root)!r})).digest)
"""
    said = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
    assert said.stdout.decode().strip() == config.digest
