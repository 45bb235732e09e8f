"""The page of ydata-profiling that lies beside a report: written when asked for, harmless, and of no weight."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from support.audits import only

import audit
from audit.api import Finished, Settings, hold
from audit.checks.table import _comparison
from audit.engine.evaluate import file_name
from audit.facts.tables import comparison
from audit.records.comparison import Alert, Compared
from audit.records.findings import Attachment, Caution, Figure, Violation
from audit.records.words import Outcome, Severity, Trigger
from audit.sinks import html
from audit.tables.comparison import _labels, harmless

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PAGE = "profile-drift~train~val.html"
SCRIPT = "<script>window.pwned = 1</script>"
IMAGE = '"><img src=x onerror="window.pwned = 2">'


def table(rows: int, seed: int, **more: pl.Series) -> pl.DataFrame:
    """A number, a category whose names and levels would be markup, zeros, a constant, and times beyond what fits."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "number": draw.normal(seed, 1, rows),
            SCRIPT: draw.choice(["yes", IMAGE, "&amp;"], rows),
            "zeros": np.where(draw.random(rows) < 0.8, 0.0, draw.random(rows)),
            "constant": np.ones(rows, dtype=np.int64),
            "missing": pl.Series(np.where(draw.random(rows) < 0.5, np.nan, draw.random(rows))).fill_nan(None),
            "when": [datetime(2026, 1, 1) + timedelta(hours=hour) for hour in range(rows - 1)] + [datetime(9999, 1, 1)],  # noqa: DTZ001
            "lists": pl.Series([[1]] * rows),
            **more,
        }
    )


def project(folder: Path, *, rule: dict[str, object] | None = None, rows: tuple[int, int] = (400, 300)) -> Path:
    """Two tables and one rule over them."""
    (folder / "data").mkdir(parents=True)
    kinds = (pl.Series(range(rows[0])), pl.Series([f"word {number % 5}" for number in range(rows[1] or 1)]))
    for place, (name, count) in enumerate(zip(("train", "val"), rows, strict=True)):
        made = table(count or 1, place, unlike=kinds[place][: count or 1])
        (made if count else made.clear()).write_parquet(folder / "data" / f"{name}.parquet")
    said = {
        "version": 1,
        "name": "tables",
        "datasets": {name: {"path": f"data/{name}.parquet", "role": name} for name in ("train", "val")},
        "rules": [
            {
                "id": "drift",
                "check": "table.drift",
                "on": ["commit", "launch"],
                "with": {"ignore": ["unlike"], **(rule or {})},
            }
        ],
    }
    (folder / "audit.yaml").write_bytes(msgspec.json.encode(said))
    return folder.resolve()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("profiled") / "project", rule={"profile": True})


@pytest.fixture(scope="module")
def finished(root: Path) -> Finished:
    return hold(root, Settings())


def notes(done: Finished) -> list[tuple[str, str]]:
    return [(one.subject, one.kind) for one in only(done.report).violations if one.kind.startswith("profile-")]


def test_the_page_is_named_in_the_report_and_what_it_points_at_is_noted(finished: Finished) -> None:
    (attached,) = only(finished.report).attachments
    assert attached.name == PAGE
    assert attached.title == "Profile of train (400 rows) and val (300 rows), 6 of 7 columns"
    assert list(finished.attachments) == [PAGE]
    assert finished.warnings == ()
    assert ("data/val.parquet#constant", "profile-constant") in notes(finished)
    assert ("data/val.parquet#zeros", "profile-zeros") in notes(finished)
    assert ("data/val.parquet#missing", "profile-missing") in notes(finished)
    assert ("data/val.parquet#when", "profile-missing") not in notes(finished)
    weights = {one.severity for one in only(finished.report).violations if one.kind.startswith("profile-")}
    assert weights == {Severity.NOTE}


def test_nothing_of_the_project_is_markup_in_it(finished: Finished) -> None:
    page = finished.attachments[PAGE].decode()
    assert "window.pwned" in page
    assert "<script>window" not in page
    assert "<img src=x" not in page
    assert page.index("Content-Security-Policy") < page.index("<script")


def test_the_same_bytes_give_the_same_body_and_the_folder_stays_clean(root: Path, finished: Finished) -> None:
    before = {path for path in root.rglob("*") if ".audit" not in path.parts}
    again = hold(root, Settings(jobs=1))
    assert again.report.envelope.body_digest == finished.report.envelope.body_digest
    assert {path for path in root.rglob("*") if ".audit" not in path.parts} == before


def test_it_changes_no_outcome(tmp_path: Path, finished: Finished) -> None:
    plain = hold(project(tmp_path / "project"), Settings())
    assert only(plain.report).attachments == ()
    assert only(plain.report).outcome is only(finished.report).outcome is Outcome.FAIL
    told = [one for one in only(finished.report).violations if not one.kind.startswith("profile-")]
    assert told == list(only(plain.report).violations)


def test_it_lies_beside_the_report_and_is_linked(tmp_path: Path) -> None:
    audit.run(project(tmp_path / "project"), profile=True, output=tmp_path / "out")
    folder = (tmp_path / "out" / "latest").resolve()
    assert sorted(path.name for path in folder.iterdir()) == [PAGE, "report.html", "report.json"]
    link = f'<a href="{PAGE}" rel="noopener noreferrer" target="_blank">Profile of train'
    assert link in (folder / "report.html").read_text()
    assert (folder / PAGE).read_text().count("Content-Security-Policy") == 1


def test_a_page_that_is_not_beside_the_report_is_named_and_not_linked(finished: Finished) -> None:
    page = html.render(finished.report).decode()
    assert f"(<code>{PAGE}</code> in the report's folder)" in page
    assert f'href="{PAGE}"' not in page


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"profile_timeout_s": 1}, "did not answer within 1 s"),
        ({"profile_memory_mib": 200}, "it took more than 200 MiB of memory"),
        ({"against": "lock"}, None),
    ],
)
def test_what_goes_wrong_is_a_warning(tmp_path: Path, rule: dict[str, object], said: str | None) -> None:
    root = project(tmp_path / "project", rule={"profile": True, **rule})
    done = hold(root, Settings())
    assert done.attachments == {}
    assert only(done.report).attachments == ()
    if said is not None:
        (warning,) = done.report.envelope.warnings
        assert warning.startswith("drift[train/val]: no profile was written: ")
        assert said in warning
        assert warning in done.warnings
        assert only(done.report).outcome is Outcome.FAIL


def test_an_empty_table_is_no_reason_to_fail_beyond_what_the_rule_says(tmp_path: Path) -> None:
    done = hold(project(tmp_path / "project", rule={"profile": True}, rows=(400, 0)), Settings())
    (warning,) = done.report.envelope.warnings
    assert warning.endswith("the two tables have no column of values that both share")


def test_a_missing_library_is_a_warning_with_the_way_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "LIBRARIES", ("no_such_library",))
    done = hold(project(tmp_path / "project", rule={"profile": True}), Settings())
    (warning,) = done.report.envelope.warnings
    assert warning.endswith("ydata-profiling is not installed (pip install 'reproaudit[profiling]')")
    assert only(done.report).outcome is Outcome.FAIL


def test_a_commit_writes_none_unless_asked(root: Path) -> None:
    assert hold(root, Settings(on=Trigger.COMMIT)).attachments == {}
    assert hold(root, Settings(profile=False)).attachments == {}
    assert hold(root, Settings(on=Trigger.COMMIT, profile=True)).attachments.keys() == {PAGE}


def test_the_command_asks_for_a_folder_on_commit(root: Path) -> None:
    line = [sys.executable, "-m", "audit", "run", "-C", str(root), "--on", "commit", "--profile"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "add --output DIR" in done.stderr


def test_nothing_leaves_the_machine() -> None:
    code = (
        "import os, socket; from audit.tables.comparison import quiet; quiet()\n"
        "assert os.environ['YDATA_PROFILING_NO_ANALYTICS']\n"
        "for call in (lambda: socket.create_connection(('127.0.0.1', 9)), lambda: socket.getaddrinfo('x', 1),\n"
        "             lambda: socket.socket().connect_ex(('127.0.0.1', 9))):\n"
        "    try: call()\n"
        "    except OSError as error: assert 'asks nothing' in str(error), error\n"
        "    else: raise SystemExit(3)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_of_columns_are_kept_apart_and_harmless() -> None:
    labels = _labels(["<a>", "\u2039a\u203a", "", "x\ny\u202e", "x" * 500])
    assert list(labels.values()) == ["\u2039a\u203a", "\u2039a\u203a*", "(nameless)", "x y ", "x" * 200]
    assert not set(harmless(IMAGE)) & set("<>&\"'`")


def test_files_of_rules_are_called_apart() -> None:
    rules = [
        "drift",
        "drift[train/val]",
        "drift[train/val-2]",
        "drift[train-val]",
        "../x",
        "..\u202ex",
        "x" * 500,
        "x" * 501,
    ]
    named = [file_name(rule, "profile.html") for rule in rules]
    assert len(set(named)) == len(named)
    assert named[:2] == ["profile-drift.html", PAGE]
    assert all("/" not in name and name.isascii() and len(name) < 200 for name in named)


def test_an_alert_is_told_once_for_both_tables_and_of_the_reference_if_only_there() -> None:
    made = Compared(
        path="/x",
        alerts=(
            Alert(column="a", kind="zeros", sides=(0, 1), values=(0.5, 0.25)),
            Alert(column="b", kind="constant", sides=(0,), values=(None,)),
        ),
        rows=(10, 5),
        columns=2,
        names=("train", "val"),
        paths=("train.csv", "val.csv"),
    )
    page, figure, both, one = list(_comparison.attached(made))
    assert isinstance(page, Attachment)
    assert page.title == "Profile of train (10 rows) and val (5 rows), 2 columns"
    assert isinstance(figure, Figure)
    assert isinstance(both, Violation)
    assert isinstance(one, Violation)
    assert (both.subject, both.message) == (
        "val.csv#a",
        "is zero: train 50 %, val 25 % (of the rows that were profiled)",
    )
    assert one.subject == "train.csv#b"
    assert list(_comparison.attached(Compared(trouble="x"))) == [Caution(text="no profile was written: x")]


def _windows(page: Path) -> Iterator[tuple[str, list[str]]]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        window = browser.new_page()
        asked: list[str] = []
        window.on("request", lambda request: asked.append(request.url))
        window.goto(page.as_uri())
        window.wait_for_timeout(300)
        yield window.evaluate("typeof window.pwned"), asked
        browser.close()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_it_opens_and_asks_for_nothing(tmp_path: Path, finished: Finished) -> None:
    page = tmp_path / PAGE
    page.write_bytes(finished.attachments[PAGE])
    for pwned, asked in _windows(page):
        assert pwned == "undefined"
        assert asked == [page.as_uri()]
