"""Wrong words end with exit code 2 and one line on standard error, which names the right one."""

from __future__ import annotations

import json

import pytest
from support import toys

from audit.cli import main as program

RULES = """
version: 1
name: speech
datasets:
  train: {path: train.csv, role: train}
  val: {path: val.csv, role: val}
  clips: {path: "clips/*.wav"}
rules:
  - {id: rate, check: toy.rate, with: {sample_rate_hz: 16000}, severity: warning, why: The front end assumes it.}
  - {id: drift, check: toy.drift}
  - {id: late, check: toy.plain, on: [nightly]}
  - {id: apart, check: toy.apart, with: {datasets: [train, val]}}
"""


@pytest.fixture(autouse=True)
def _toys(tmp_path_factory, monkeypatch):
    with toys.installed(tmp_path_factory.mktemp("site"), monkeypatch):
        yield


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "audit.yaml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def audit(capsys):
    """Run the program; its exit code, and what it says on standard output and error."""

    def run(*words: str) -> tuple[int, str, str]:
        code = program._guarded(list(words))
        return code, *capsys.readouterr()

    return run


WRONG = {
    "unknown command": (["rnu"], "no command 'rnu' (did you mean 'run'?)"),
    "unknown option": (["run", "--fomat", "json"], "No such option '--fomat'. Did you mean '--format'?"),
    "unknown option, like none": (["--bogus"], "No such option '--bogus'. (see `audit --help`)"),
    "unknown choice": (
        ["rules", "--on", "dusk"],
        "Invalid value for '--on': 'dusk' is not one of 'commit', 'launch', 'nightly'. (see `audit rules --help`)",
    ),
    "no value": (["rules", "--select"], "Option '--select' requires an argument."),
    "a word too many": (["rules", "x"], "Got unexpected extra argument (x) (see `audit rules --help`)"),
    "a word too few": (["explain"], "Missing argument 'CHECK'. (see `audit explain --help`)"),
    "unknown shell": (
        ["completion", "tcsh"],
        "Invalid value for 'SHELL': 'tcsh' is not one of 'bash', 'zsh', 'fish'. (see `audit completion --help`)",
    ),
    "unknown check": (["explain", "toy.raet"], "unknown check 'toy.raet' (did you mean 'toy.rate'?)"),
    "unknown rule": (
        ["rules", "--select", "rat"],
        "no rule, check or family is called 'rat' (did you mean 'rate'?)",
    ),
    "no folder": (["rules", "-C", "nowhere"], "nowhere: not a folder (name the folder that holds audit.yaml)"),
    "a name too long for a folder": (
        ["rules", "-C", "x" * 300],
        f"{'x' * 300}: not a folder (name the folder that holds audit.yaml)",
    ),
    "a name that plays with the terminal": (
        ["rules", "--skip", "\x1b[31m\nx"],
        (
            "no rule, check or family is called '\\x1b[31m\\nx' (known: apart, drift, drift[train/val], late, rate,"
            " rate[clips], toy, toy.apart, toy.drift, toy.plain, toy.rate)"
        ),
    ),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
@pytest.mark.usefixtures("project")
def test_wrong_words(audit, words, message):
    assert audit(*words) == (2, "", f"audit: {message}\n")


@pytest.mark.parametrize("command", ["run", "rules"])
def test_no_project(audit, tmp_path, command):
    assert audit(command, "-C", str(tmp_path)) == (
        2,
        "",
        f"audit: no audit.yaml in {tmp_path} (`audit init` looks at the project and writes one)\n",
    )


@pytest.mark.parametrize("command", ["run", "rules"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_mistake_in_audit_yaml(audit, project, command, form):
    (project / "audit.yaml").write_text("version: 1\nrulez: []\n")
    assert audit(command, "--format", form) == (
        2,
        "",
        "audit: audit.yaml:2:1: rulez: unknown key (did you mean 'rules'?)\n",
    )


def test_no_word_at_all(audit):
    code, out, err = audit()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: audit [OPTIONS] COMMAND [ARGS]...\n")


def test_help_names_every_command(audit):
    code, out, _ = audit("--help")
    assert code == 0
    named = [line.split()[0] for line in out.partition("Commands:\n")[2].splitlines() if line.startswith("  ")]
    assert {"checks", "completion", "explain", "rules", "run", "schema"} <= set(named)


def test_the_plan_in_words(audit, project):
    (project / "audit.yaml").write_text(RULES.replace("clips/*.wav", "clips/\\e[31m/*.wav"))
    assert audit("rules") == (
        0,
        """\
speech on launch: 3 of 4 rules run:
  rate[clips]       toy.rate on clips (clips/\\x1b[31m/*.wav)
  drift[train/val]  toy.drift on train (train.csv), val (val.csv)
  apart             toy.apart on train (train.csv), val (val.csv)

do not run:
  late  toy.plain: runs on nightly
""",
        "",
    )


@pytest.mark.usefixtures("project")
def test_the_plan_of_a_selection(audit):
    code, out, err = audit("rules", "--on", "nightly", "--select", "late", "--select", "rate", "--skip", "toy.rate")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
speech on nightly: 1 of 4 rules run:
  late  toy.plain

do not run:
  rate[clips]       toy.rate: not selected
  drift[train/val]  toy.drift: not selected
  apart             toy.apart: not selected
"""
    )


@pytest.mark.usefixtures("project")
def test_the_plan_for_programs(audit):
    code, out, err = audit("rules", "--format", "json")
    plan = json.loads(out)
    assert (code, err, plan["project"], plan["trigger"]) == (0, "", "speech", "launch")
    assert [rule["rule"] for rule in plan["rules"]] == ["rate[clips]", "drift[train/val]", "late", "apart"]
    rate, _, late, _ = plan["rules"]
    assert rate["parameters"].pop("sample_rate_hz") == 16000
    assert rate | {"parameters": None} == {
        "rule": "rate[clips]",
        "check": "toy.rate",
        "severity": "warning",
        "why": "The front end assumes it.",
        "runs": True,
        "reason": None,
        "datasets": [{"name": "clips", "path": "clips/*.wav"}],
        "parameters": None,
    }
    assert (late["runs"], late["reason"], late["parameters"]) == (False, "runs on nightly", None)


def test_checks_by_family(audit):
    code, out, err = audit("checks")
    assert (code, err) == (0, "")
    assert "\ntoy:\n  toy.apart    Some datasets share nothing.\n" in out
    assert "\ndvc:\n" in out or out.startswith("dvc:\n")


def test_checks_for_programs(audit):
    code, out, err = audit("checks", "--format", "json")
    assert (code, err) == (0, "")
    checks = {one["check"]: one for one in json.loads(out)}
    assert checks["toy.needy"] == {
        "check": "toy.needy",
        "summary": "It needs a threshold.",
        "accepts": [],
        "parameters": [
            {"name": "threshold", "type": "a number", "default": None, "description": ""},
            {"name": "unit", "type": "text", "default": '"mm"', "description": ""},
        ],
    }


def test_a_check_s_page(audit):
    code, out, err = audit("explain", "toy.rate")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
# toy.rate

Clips have the declared rate.

## Why it matters

The front end assumes one rate.

## Parameters

| Parameter | Type | If left out | Meaning |
| --- | --- | --- | --- |
| `dataset` | text | each dataset | The name of a dataset of `audit.yaml`. |
| `sample_rate_hz` | a whole number | nothing | Samples per second. |
| `subtype` | one of PCM_16, PCM_24, FLOAT | "PCM_16" |  |
| `weight` | one of error, warning, note | "error" |  |
| `tolerance` | a number | 0.0 | The share that may differ \\| be off. |
| `channels` | a list (a whole number) | [] |  |
| `limits` | a mapping (text: a number) | {} |  |
| `bands` | a list (a mapping) | [] |  |
| `named` | a mapping (text: a mapping) | {} |  |
| `aliases` | a list (text) | [] |  |

Its datasets are of kind audio.
"""
    )


def test_a_page_on_a_terminal_is_drawn(audit, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    code, out, _ = audit("explain", "toy.plain")
    assert code == 0
    assert "Why it matters" in out
    assert "##" not in out


def test_the_schema_alone_is_printed(audit):
    code, out, err = audit("schema")
    assert (code, err) == (0, "")
    assert "toy.rate" in json.loads(out)["$defs"]
