"""Every mistake in a rule file is told in one line: where, what, and the nearest right word."""

from __future__ import annotations

import pytest

from audit.errors import ConfigError

HEAD = "version: 1\n"

SHAPE = {
    "empty file": ("", "audit.yaml:1:1: a rule file is a mapping that begins with `version: 1`"),
    "only a comment": ("# nothing yet\n", "audit.yaml:2:1: a rule file is a mapping that begins with `version: 1`"),
    "a list": ("- version: 1\n", "audit.yaml:1:1: a rule file is a mapping that begins with `version: 1`"),
    "a word": ("version 1\n", "audit.yaml:1:1: a rule file is a mapping that begins with `version: 1`"),
    "no version": ("name: x\n", "audit.yaml:1:1: the key 'version' is missing"),
    "another version": ("version: 2\n", "audit.yaml:1:1: version: 2 is none of 1"),
    "version as text": ('version: "1"\n', "audit.yaml:1:1: version: expected a whole number, got text"),
    "version in truth": ("version: true\n", "audit.yaml:1:1: version: expected a whole number, got true or false"),
    "unknown key": (HEAD + "rulez: []\n", "audit.yaml:2:1: rulez: unknown key (did you mean 'rules'?)"),
    "unknown key, like none": (
        HEAD + "xyzzy: 1\n",
        (
            "audit.yaml:2:1: xyzzy: unknown key"
            " (known: datasets, environment, extends, fail_on, name, rules, version, waivers)"
        ),
    ),
    "a key that is no text": (HEAD + "1: x\n", "audit.yaml:2:1: the key 1 is not text (put it in quotes)"),
    "a key that is nothing": (
        HEAD + "environment: {~: x}\n",
        "audit.yaml:2:15: environment: the key null is not text (put it in quotes)",
    ),
    "list for mapping": (HEAD + "datasets: []\n", "audit.yaml:2:1: datasets: expected a mapping, got a list"),
    "nothing for list": (HEAD + "rules:\n", "audit.yaml:2:1: rules: expected a list, got nothing"),
    "empty name": (HEAD + 'name: ""\n', "audit.yaml:2:1: name: expected text of length >= 1"),
    "wrong word": (
        HEAD + "fail_on: warnings\n",
        "audit.yaml:2:1: fail_on: 'warnings' is none of error, warning, never (did you mean 'warning'?)",
    ),
    "wrong word, like none": (HEAD + "fail_on: x\n", "audit.yaml:2:1: fail_on: 'x' is none of error, warning, never"),
    "truth for word": (
        HEAD + "fail_on: true\n",
        "audit.yaml:2:1: fail_on: expected text or nothing, got true or false",
    ),
    "not YAML": (HEAD + "name: [x\n", "audit.yaml:3:1: while parsing a flow sequence did not find expected ',' or ']'"),
    "key twice": (HEAD + "name: x\nname: y\n", "audit.yaml:3:1: the key 'name' a second time: first on line 2"),
    "tag": (HEAD + "name: !!str x\n", "audit.yaml:2:7: the tag 'tag:yaml.org,2002:str' (remove it: tags are not read)"),
    "number without end": (
        HEAD + "rules: [{id: a, check: toy.needy, with: {threshold: .inf}}]\n",
        "audit.yaml:2:42: rules[0].with.threshold: a number must be finite (leave it out where there is no limit)",
    ),
    "overflowing number": (
        HEAD + "rules: [{id: a, check: toy.needy, with: {threshold: 1e999}}]\n",
        "audit.yaml:2:42: rules[0].with.threshold: a number must be finite (leave it out where there is no limit)",
    ),
    "beyond 64 bits": (
        HEAD + "rules: [{id: a, check: toy.needy, with: {threshold: 9223372036854775808}}]\n",
        "audit.yaml:2:42: rules[0].with.threshold: a whole number beyond 64 bits (put it in quotes if it is a name)",
    ),
    "unknown key of environment": (
        HEAD + "environment:\n  pyhton: x\n",
        "audit.yaml:3:3: environment.pyhton: unknown key (did you mean 'python'?)",
    ),
}

DATASETS = {
    "no path": (
        HEAD + "datasets:\n  train: {role: train}\n",
        "audit.yaml:3:3: datasets.train: the key 'path' is missing",
    ),
    "unknown key": (
        HEAD + "datasets:\n  train: {path: x.csv}\n  val:\n    path: y.csv\n    rol: val\n",
        "audit.yaml:6:5: datasets.val.rol: unknown key (did you mean 'role'?)",
    ),
    "wrong role": (
        HEAD + "datasets:\n  a: {path: x}\n  b: {path: y, role: tset}\n",
        "audit.yaml:4:16: datasets.b.role: 'tset' is none of train, val, test (did you mean 'test'?)",
    ),
    "a path alone": (HEAD + "datasets: {a: x.csv}\n", "audit.yaml:2:12: datasets.a: expected a mapping, got text"),
    "a name with a space": (
        HEAD + "datasets: {my data: {path: x}}\n",
        (
            "audit.yaml:2:12: datasets.'my data': 'my data' is not a name:"
            " up to 100 letters, digits, '_', '.' and '-', a letter or digit first"
        ),
    ),
    "a name with a line break": (
        HEAD + 'datasets: {"a\\n": {path: x}}\n',
        (
            "audit.yaml:2:12: datasets.'a\\n': 'a\\n' is not a name:"
            " up to 100 letters, digits, '_', '.' and '-', a letter or digit first"
        ),
    ),
    "a name without end": (
        HEAD + f"datasets: {{{'a' * 101}: {{path: x}}}}\n",
        (
            f"audit.yaml:2:12: datasets.{'a' * 101}: '{'a' * 60}...' is not a name:"
            " up to 100 letters, digits, '_', '.' and '-', a letter or digit first"
        ),
    ),
    "a name that is a number": (
        HEAD + "datasets: {2024: {path: x}}\n",
        "audit.yaml:2:12: datasets: the key 2024 is not text (put it in quotes)",
    ),
    "odd names elsewhere do not hide the place": (
        HEAD + "datasets:\n  a.b-c: {path: x, optional: yes}\n",
        "audit.yaml:3:20: datasets.'a.b-c'.optional: expected true or false, got text",
    ),
    "where of no list": (
        HEAD + "datasets:\n  a:\n    path: x.csv\n    where:\n      split: train\n",
        "audit.yaml:6:7: datasets.a.where.split: expected a list, got text (write [train])",
    ),
    "where of nothing": (
        HEAD + "datasets: {a: {path: x.csv, where: {split: []}}}\n",
        "audit.yaml:2:37: datasets.a.where.split: expected a list of length >= 1",
    ),
    "where of lists": (
        HEAD + "datasets: {a: {path: x.csv, where: {split: [a, [b]]}}}\n",
        "audit.yaml:2:48: datasets.a.where.split[1]: expected true or false, a number or text, got a list",
    ),
    "where of no table": (
        HEAD + "datasets: {a: {path: x.wav, where: {split: [a]}}}\n",
        "audit.yaml:2:29: datasets.a.where: takes rows of a table; the dataset is of kind audio",
    ),
}

RULES = {
    "no id": (HEAD + "rules:\n  - check: toy.plain\n", "audit.yaml:3:5: rules[0]: the key 'id' is missing"),
    "no check": (
        HEAD + "rules:\n  - id: a\n",
        "audit.yaml:3:5: rules[0].id: 'a' names no check, and no extended file has such a rule",
    ),
    "id twice": (
        HEAD + "rules:\n  - {id: a, check: toy.plain}\n  - {id: a, check: toy.plain}\n",
        "audit.yaml:4:6: rules[1].id: 'a' stands twice in this file (first at audit.yaml:3:6)",
    ),
    "unknown check": (
        HEAD + "rules:\n  - id: a\n    check: toy.plian\n",
        "audit.yaml:4:5: rules[0].check: unknown check 'toy.plian' (did you mean 'toy.plain'?)",
    ),
    "unknown key": (
        HEAD + "rules:\n  - id: a\n    chek: toy.plain\n",
        "audit.yaml:4:5: rules[0].chek: unknown key (did you mean 'check'?)",
    ),
    "wrong severity": (
        HEAD + "rules:\n  - {id: a, check: toy.plain, severity: warn}\n",
        "audit.yaml:3:31: rules[0].severity: 'warn' is none of error, warning, note (did you mean 'warning'?)",
    ),
    "wrong trigger": (
        HEAD + "rules:\n  - {id: a, check: toy.plain, on: [launch, nightli]}\n",
        "audit.yaml:3:44: rules[0].on[1]: 'nightli' is none of commit, launch, nightly (did you mean 'nightly'?)",
    ),
    "no trigger": (
        HEAD + "rules:\n  - {id: a, check: toy.plain, on: []}\n",
        "audit.yaml:3:31: rules[0].on: expected a list of length >= 1",
    ),
    "a trigger alone": (
        HEAD + "rules:\n  - {id: a, check: toy.plain, on: launch}\n",
        "audit.yaml:3:31: rules[0].on: expected a list, got text (write [launch])",
    ),
    "a wrong trigger alone": (
        HEAD + "rules:\n  - {id: a, check: toy.plain, on: lunch}\n",
        "audit.yaml:3:31: rules[0].on: expected a list, got text",
    ),
    "a tab that indents": (
        HEAD + "rules:\n\t- {id: a, check: toy.plain}\n",
        (
            "audit.yaml:3:1: while scanning for the next token found character that cannot start any token"
            " (a tab cannot indent YAML: write spaces)"
        ),
    ),
    "parameters as a list": (
        HEAD + "rules:\n  - {id: a, check: toy.plain, with: [x]}\n",
        "audit.yaml:3:31: rules[0].with: expected a mapping, got a list",
    ),
}

PARAMETERS = {
    "of a check that takes none": (
        "{id: a, check: toy.plain, with: {x: 1}}",
        "audit.yaml:4:38: rules[0].with.x: unknown key",
    ),
    "unknown": (
        "{id: a, check: toy.rate, with: {sample_rate: 1}}",
        "audit.yaml:4:37: rules[0].with.sample_rate: unknown key (did you mean 'sample_rate_hz'?)",
    ),
    "missing": ("{id: a, check: toy.needy}", "audit.yaml:4:5: rules[0].with: the key 'threshold' is missing"),
    "missing among others": (
        "{id: a, check: toy.needy, with: {unit: m}}",
        "audit.yaml:4:31: rules[0].with: the key 'threshold' is missing",
    ),
    "text for number": (
        "{id: a, check: toy.rate, with: {sample_rate_hz: 16k}}",
        "audit.yaml:4:37: rules[0].with.sample_rate_hz: expected a whole number or nothing, got text",
    ),
    "fraction for whole number": (
        "{id: a, check: toy.rate, with: {sample_rate_hz: 0.5}}",
        "audit.yaml:4:37: rules[0].with.sample_rate_hz: expected a whole number or nothing, got a number",
    ),
    "wrong choice": (
        "{id: a, check: toy.rate, with: {subtype: PCM_32}}",
        "audit.yaml:4:37: rules[0].with.subtype: 'PCM_32' is none of PCM_16, PCM_24, FLOAT (did you mean 'PCM_24'?)",
    ),
    "wrong word": (
        "{id: a, check: toy.rate, with: {weight: notes}}",
        "audit.yaml:4:37: rules[0].with.weight: 'notes' is none of error, warning, note (did you mean 'note'?)",
    ),
    "too small": (
        "{id: a, check: toy.rate, with: {tolerance: -0.5}}",
        "audit.yaml:4:37: rules[0].with.tolerance: expected a number >= 0.0",
    ),
    "in a list": (
        "{id: a, check: toy.rate, with: {channels: [1, 2, two]}}",
        "audit.yaml:4:54: rules[0].with.channels[2]: expected a whole number, got text",
    ),
    "in a mapping": (
        '{id: a, check: toy.rate, with: {limits: {"a.[0]": 1, "odd `key`": x}}}',
        "audit.yaml:4:58: rules[0].with.limits.'odd `key`': expected a number, got text",
    ),
    "in a list of records": (
        "{id: a, check: toy.rate, with: {bands: [{low_hz: 1}, {low_hz: 1, hihg_hz: 2}]}}",
        "audit.yaml:4:70: rules[0].with.bands[1].hihg_hz: unknown key (did you mean 'high_hz'?)",
    ),
    "missing in a mapping of records": (
        "{id: a, check: toy.rate, with: {named: {speech: {low_hz: 1}, music: {}}}}",
        "audit.yaml:4:66: rules[0].with.named.music: the key 'low_hz' is missing",
    ),
    "what the check itself refuses": (
        "{id: a, check: toy.ordered, with: {low: 11}}",
        "audit.yaml:4:33: rules[0].with: low must not exceed high",
    ),
    "unknown dataset": (
        "{id: a, check: toy.rate, with: {dataset: clip}}",
        "audit.yaml:4:37: rules[0].with.dataset: no dataset of that name (did you mean 'clips'?)",
    ),
    "dataset of another kind": (
        "{id: a, check: toy.rate, with: {dataset: rows}}",
        "audit.yaml:4:37: rules[0].with.dataset: 'rows' is of kind table; the check takes audio",
    ),
    "unknown dataset in a list": (
        "{id: a, check: toy.apart, with: {datasets: [clips, row]}}",
        "audit.yaml:4:56: rules[0].with.datasets[1]: no dataset of that name (did you mean 'rows'?)",
    ),
    "nothing for a dataset": (
        "{id: a, check: toy.rate, with: {dataset: }}",
        "audit.yaml:4:37: rules[0].with.dataset: expected text, got nothing",
    ),
}

WAIVER = "{rule: a, subject: x, reason: r, author: me, expires: 2027-01-31}"

WAIVERS = {
    "no reason": (
        WAIVER.replace("reason: r, ", ""),
        "audit.yaml:5:4: waivers[0]: the key 'reason' is missing",
    ),
    "unknown rule": (
        WAIVER.replace("rule: a", "rule: b"),
        "audit.yaml:5:5: waivers[0].rule: no rule is called 'b' (known: a)",
    ),
    "unknown dataset": (
        WAIVER.replace("rule: a", "rule: 'a[clip]'"),
        "audit.yaml:5:5: waivers[0].rule: no dataset is called 'clip' (did you mean 'clips'?)",
    ),
    "a rule spread badly": (
        WAIVER.replace("rule: a", "rule: 'a[clips'"),
        "audit.yaml:5:5: waivers[0].rule: no rule is called 'a[clips' (known: a)",
    ),
    "no date": (
        WAIVER.replace("2027-01-31", "never"),
        "audit.yaml:5:49: waivers[0].expires: 'never' is not a date: YYYY-MM-DD",
    ),
    "digits of other scripts": (
        WAIVER.replace("2027-01-31", "٢٠٢٧-01-31"),
        "audit.yaml:5:49: waivers[0].expires: '٢٠٢٧-01-31' is not a date: YYYY-MM-DD",
    ),
    "no day": (
        WAIVER.replace("2027-01-31", "2027-02-30"),
        "audit.yaml:5:49: waivers[0].expires: '2027-02-30' is no day of the calendar",
    ),
}


@pytest.mark.parametrize(("text", "message"), SHAPE.values(), ids=SHAPE)
def test_shape(load, text, message):
    assert _error(load, text) == message


@pytest.mark.parametrize(("text", "message"), DATASETS.values(), ids=DATASETS)
def test_datasets(load, text, message):
    assert _error(load, text) == message


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "~/data", "../other", "data/../../x", "data\\x", "C:/data", "c:data"], ids=str
)
def test_a_path_that_leaves_the_project(load, path):
    message = _error(load, HEAD + f"datasets: {{a: {{path: '{path}'}}}}\n")
    assert message == (
        f"audit.yaml:2:16: datasets.a.path: {path!r} leaves the project (write it relative to audit.yaml, with /)"
    )


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://x/y", "s3://a::file:///b", "git+ssh://x"], ids=str)
def test_a_url_of_another_scheme(load, url):
    message = _error(load, HEAD + f"datasets: {{a: {{path: '{url}'}}}}\n")
    assert message == (
        "audit.yaml:2:16: datasets.a.path: a URL begins with az, gs, https or s3, and no other follows in it"
    )


@pytest.mark.parametrize(("text", "message"), RULES.values(), ids=RULES)
def test_rules(load, text, message):
    assert _error(load, text) == message


@pytest.mark.parametrize(("rule", "message"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters(load, rule, message):
    text = HEAD + f"datasets: {{clips: {{path: '*.wav'}}, rows: {{path: x.csv}}}}\nrules:\n  - {rule}\n"
    assert _error(load, text) == message


@pytest.mark.parametrize(("waiver", "message"), WAIVERS.values(), ids=WAIVERS)
def test_waivers(load, waiver, message):
    head = HEAD + "datasets: {clips: {path: x.wav}}\nrules: [{id: a, check: toy.plain}]\n"
    assert _error(load, f"{head}waivers:\n - {waiver}\n") == message


def test_a_name_that_cannot_be_spoken(load):
    text = HEAD + 'name: "\\uD800"\n'
    assert _error(load, text).startswith("audit.yaml:2:")


def test_a_file_that_is_too_large(load):
    assert _error(load, HEAD + "#" * (1 << 20)) == (
        "audit.yaml: is larger than 1048576 bytes (no file of this format is so large)"
    )


def test_bytes_that_are_no_text(load):
    assert _error(load, b"version: 1\nname: \xff\n").startswith("audit.yaml:2:7: ")


def _error(load, text, files=None):
    with pytest.raises(ConfigError) as caught:
        load(text, files)
    return str(caught.value)
