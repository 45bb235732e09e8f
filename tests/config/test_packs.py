"""Packs that are extended: in which order they apply, what they may hold, and where their mistakes are."""

from __future__ import annotations

import os

import pytest

from audit.config.load import load_config
from audit.config.packs import shipped
from audit.errors import ConfigError

HEAD = "version: 1\n"
CLIPS = "datasets: {clips: {path: '*.wav'}}\n"


def _extends(*files: str) -> str:
    return f"{HEAD}extends: [{', '.join(files)}]\n"


def _rule(name: str, *more: str) -> str:
    return f"{HEAD}rules: [{{{', '.join((f'id: {name}', 'check: toy.plain', *more))}}}]\n"


def _told(load, text, files):
    with pytest.raises(ConfigError) as caught:
        load(text, files)
    return str(caught.value)


def test_extended_rules_come_first_and_a_file_that_is_reached_twice_applies_once(load):
    files = {
        "house/a.yaml": _extends("base.yaml") + "rules: [{id: a, check: toy.plain}]\n",
        "house/b.yaml": _extends("../house/./base.yaml") + "rules: [{id: b, check: toy.plain}]\n",
        "house/base.yaml": _rule("base"),
    }
    config = load(_extends("house/a.yaml", "house/b.yaml") + "rules: [{id: own, check: toy.plain}]\n", files)
    assert [rule.id for rule in config.rules] == ["base", "a", "b", "own"]


def test_files_that_fan_out_without_end_are_read_once_each(load):
    files = {f"{n}.yaml": _extends(f"{n + 1}.yaml", f"./{n + 1}.yaml") for n in range(40)} | {"40.yaml": _rule("last")}
    assert [rule.id for rule in load(_extends("0.yaml"), files).rules] == ["last"]


def test_ways_through_links_are_the_same_file(load, tmp_path):
    (tmp_path / "x").symlink_to(".")
    (tmp_path / "y").symlink_to(".")
    files = {"a.yaml": _extends("x/b.yaml", "y/b.yaml"), "b.yaml": _rule("b")}
    assert [rule.id for rule in load(_extends("y/a.yaml", "x/a.yaml"), files).rules] == ["b"]
    assert _told(load, _extends("x/a.yaml"), {"a.yaml": _extends("x/y/x/a.yaml")}) == (
        "x/a.yaml:2:11: extends[0]: rule files extend each other in a circle: x/a.yaml -> x/x/y/x/a.yaml"
    )


MISTAKES = {
    "unknown pack": (
        _extends("cor"),
        {},
        "audit.yaml:2:11: extends[0]: unknown pack 'cor' (did you mean 'core'?)",
    ),
    "no such file": (
        _extends("core", "rules/house.yaml"),
        {},
        "audit.yaml:2:17: extends[1]: no rule file 'rules/house.yaml' (paths are relative to this file)",
    ),
    "a file of nearly that name": (
        _extends("rules/hosue.yaml"),
        {"rules/house.yaml": HEAD},
        "audit.yaml:2:11: extends[0]: no rule file 'rules/hosue.yaml' (did you mean 'rules/house.yaml'?)",
    ),
    "a pack as a file": (
        _extends("core.yaml"),
        {},
        "audit.yaml:2:11: extends[0]: no rule file 'core.yaml' (did you mean 'core'?)",
    ),
    "a name too long for a file": (
        _extends("x" * 300 + ".yaml"),
        {},
        f"audit.yaml:2:11: extends[0]: no rule file '{'x' * 300}.yaml' (paths are relative to this file)",
    ),
    "absolute": (
        _extends("/house.yaml"),
        {},
        (
            "audit.yaml:2:11: extends[0]: unknown pack '/house.yaml'"
            " (the path of a file is relative to this one, with /, and ends in .yaml)"
        ),
    ),
    "itself": (
        _extends("./audit.yaml"),
        {},
        "audit.yaml:2:11: extends[0]: rule files extend each other in a circle: audit.yaml -> audit.yaml",
    ),
    "a circle": (
        _extends("a.yaml"),
        {"a.yaml": _extends("core", "sub/b.yaml"), "sub/b.yaml": _extends("../a.yaml")},
        "sub/b.yaml:2:11: extends[0]: rule files extend each other in a circle: a.yaml -> sub/b.yaml -> a.yaml",
    ),
    "a tower": (
        _extends("0.yaml"),
        {f"{n}.yaml": _extends(f"{n + 1}.yaml") for n in range(60)} | {"60.yaml": HEAD},
        "49.yaml:2:11: extends[0]: more than 50 rule files extend each other",
    ),
    "datasets in a pack": (
        _extends("a.yaml"),
        {"a.yaml": HEAD + CLIPS},
        "a.yaml:2:1: datasets: belongs in audit.yaml; a file that is extended holds rules",
    ),
    "a mistake in a pack": (
        _extends("a.yaml"),
        {"a.yaml": _rule("x", "sevrity: note")},
        "a.yaml:2:35: rules[0].sevrity: unknown key (did you mean 'severity'?)",
    ),
    "an empty pack": (
        _extends("a.yaml"),
        {"a.yaml": ""},
        "a.yaml:1:1: a rule file is a mapping that begins with `version: 1`",
    ),
    "a parameter that the pack gets wrong": (
        _extends("a.yaml") + "rules: [{id: x, severity: note}]\n",
        {"a.yaml": HEAD + "rules:\n - id: x\n   check: toy.rate\n   with: {bands: [{low_hz: high}]}\n"},
        "a.yaml:5:20: rules[0].with.bands[0].low_hz: expected a number, got text",
    ),
    "a parameter that the project gets wrong": (
        _extends("a.yaml") + "rules: [{id: x, with: {channels: [mono]}}]\n",
        {"a.yaml": HEAD + "rules: [{id: x, check: toy.rate, with: {tolerance: 0.5}}]\n"},
        "audit.yaml:3:35: rules[0].with.channels[0]: expected a whole number, got text",
    ),
    "a parameter that the new check does not take": (
        _extends("a.yaml") + "rules: [{id: x, check: toy.needy}]\n",
        {"a.yaml": HEAD + "rules: [{id: x, check: toy.rate, with: {tolerance: 0.5}}]\n"},
        "a.yaml:2:41: rules[0].with.tolerance: unknown key (known: threshold, unit)",
    ),
    "a parameter that nobody gives": (
        _extends("a.yaml") + "rules: [{id: y, check: toy.plain}, {id: x, severity: note}]\n",
        {"a.yaml": HEAD + "rules: [{id: x, check: toy.needy}]\n"},
        "audit.yaml:3:36: rules[1].with: the key 'threshold' is missing",
    ),
    "a check that only the pack names": (
        _extends("a.yaml") + "rules: [{id: x, severity: note}]\n",
        {"a.yaml": HEAD + "rules: [{id: x, check: toy.plan}]\n"},
        "a.yaml:2:17: rules[0].check: unknown check 'toy.plan' (did you mean 'toy.plain'?)",
    ),
    "an id that no pack has": (
        _extends("a.yaml") + "rules: [{id: clips-8k, severity: note}]\n",
        {"a.yaml": _rule("clips-16k")},
        (
            "audit.yaml:3:10: rules[0].id: 'clips-8k' names no check, and no extended file has such a rule"
            " (did you mean 'clips-16k'?)"
        ),
    ),
}


@pytest.mark.parametrize(("text", "files", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(load, text, files, message):
    assert _told(load, text, files) == message


def test_what_is_no_regular_file_hangs_nobody(load, tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    assert _told(load, _extends("pipe.yaml"), {}) == (
        "audit.yaml:2:11: extends[0]: no rule file 'pipe.yaml' (paths are relative to this file)"
    )
    (tmp_path / "audit.yaml").unlink()
    (tmp_path / "audit.yaml").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=r"^audit\.yaml: not a regular file"):
        load_config(tmp_path)


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match=r"^audit\.yaml: cannot be read: no such file or directory \(check that it"):
        load_config(tmp_path)


def test_audit_yaml_may_be_a_link(load, tmp_path):
    load(HEAD + "name: x\n")
    (tmp_path / "audit.yaml").rename(tmp_path / "shared.yaml")
    (tmp_path / "audit.yaml").symlink_to("shared.yaml")
    assert load_config(tmp_path).name == "x"


def test_the_last_file_that_speaks_of_fail_on_is_heard(load):
    files = {"a.yaml": HEAD + "fail_on: warning\n", "b.yaml": HEAD}
    assert load(_extends("a.yaml", "b.yaml"), files).fail_on == "warning"
    assert load(_extends("a.yaml", "b.yaml") + "fail_on: never\n", files).fail_on == "never"
    assert load(HEAD).fail_on == "error"


@pytest.mark.parametrize("pack", shipped())
def test_each_shipped_pack_stands_alone_and_says_why(load, pack):
    config = load(_extends(pack))
    assert config.rules
    assert [rule.id for rule in config.rules if not rule.why] == []
