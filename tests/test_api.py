"""What Python users call."""

import json
import subprocess
import sys

import pytest

import audit
from audit.errors import UsageError

RULES = "version: 1\nname: p\nrules: [{id: sums, check: files.manifest, with: {manifest: SHA256SUMS}}]\n"
DIGEST = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "a.txt").write_text("foo")
    (tmp_path / "SHA256SUMS").write_text(f"{DIGEST}  a.txt\n")
    (tmp_path / "audit.yaml").write_text(RULES)
    return tmp_path


def test_run_returns_the_report_that_it_writes(project):
    report = audit.run(project)
    assert isinstance(report, audit.Report)
    assert (report.verdict, [one.rule for one in report.results]) == ("pass", ["sums"])
    written = project / "reports/latest"
    assert json.loads(report.to_json()) == json.loads((written / "report.json").read_bytes())
    assert report.to_html() == (written / "report.html").read_text("utf-8")


def test_gate_raises_with_the_report_unless_all_passed(project):
    assert audit.gate(project).verdict == "pass"
    for options in ({"select": "sums"}, {"on": "commit"}):
        with pytest.raises(audit.AuditFailed) as raised:
            audit.gate(project, **options)
        assert raised.value.report.verdict == "incomplete"
    (project / "a.txt").write_text("bar")
    with pytest.raises(audit.AuditFailed, match="verdict is fail: sums"):
        audit.gate(project)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"on": "lanch"}, "'lanch' is none of commit, launch, nightly (did you mean 'launch'?)"),
        ({"fail_on": "warn"}, "'warn' is none of error, warning, never (did you mean 'warning'?)"),
        ({"select": ["smus"]}, "did you mean 'sums'?"),
    ],
)
def test_wrong_words_are_told_with_the_right_ones(project, options, told):
    with pytest.raises(UsageError) as raised:
        audit.run(project, **options)
    assert told in str(raised.value)


def test_importing_it_loads_nothing():
    script = "import sys, audit; print(sorted(name for name in sys.modules if name.startswith(('audit.', 'msgspec'))))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
