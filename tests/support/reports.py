"""Reports made by hand: what the sinks are shown before they are trusted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from audit.records.findings import Exhibit, Scalar, key
from audit.records.report import (
    Body,
    Coverage,
    Envelope,
    Report,
    ReportedViolation,
    Result,
    Selection,
    WaiverState,
    digest,
)
from audit.records.words import Change, FailOn, Outcome, Severity, Trigger, Verdict

GIB = 2**30


def violation(  # noqa: PLR0913 - a violation has that many fields
    rule: str,
    check: str,
    subject: str,
    kind: str,
    message: str,
    *,
    severity: Severity = Severity.ERROR,
    expected: Scalar = None,
    found: Scalar = None,
    repair: str | None = None,
    waived: str | None = None,
) -> ReportedViolation:
    """A violation with the key that the engine would give it."""
    return ReportedViolation(
        subject=subject,
        kind=kind,
        severity=severity,
        message=message,
        expected=expected,
        found=found,
        key=key(rule, check, subject, kind),
        repair=repair,
        waived=waived,
    )


def result(rule: str, check: str, outcome: Outcome, summary: str, **more: Any) -> Result:
    """A result of a rule whose severity is error unless said otherwise."""
    return Result(
        **{"rule": rule, "check": check, "severity": Severity.ERROR, "outcome": outcome, "summary": summary, **more}
    )


def report(  # noqa: PLR0913 - the parts of a report that samples vary
    verdict: Verdict,
    results: Iterable[Result],
    *,
    project: str = "keyword-spotting",
    trigger: Trigger = Trigger.LAUNCH,
    fail_on: FailOn = FailOn.ERROR,
    selection: Selection | None = None,
    waivers: tuple[WaiverState, ...] = (),
    changes: Mapping[str, Change] | None = None,
    coverage: Coverage | None = None,
    interrupted: bool = False,
    warnings: tuple[str, ...] = (),
) -> Report:
    """A finished report around the results, its counts and digest as the engine makes them."""
    results = tuple(results)
    counts = Counter({outcome.value: 0 for outcome in Outcome})
    counts.update(one.outcome.value for one in results)
    counts["waived"] = sum(found.waived is not None for one in results for found in one.violations)
    body = Body(
        project=project,
        trigger=trigger,
        as_of="2026-11-30",
        rules_digest=hashlib.sha256(project.encode("utf-8", "replace")).hexdigest(),
        fail_on=fail_on,
        selection=selection or Selection(),
        verdict=verdict,
        counts=dict(counts),
        results=results,
        waivers=waivers,
    )
    return Report(
        body=body,
        envelope=Envelope(
            started="2026-11-30T02:00:07Z",
            duration_s=74.219,
            host="trainer-03",
            tool_version="0.1.0",
            body_digest=digest(body),
            coverage=coverage
            or Coverage(files_read=50_412, bytes_read=7 * GIB, files_trusted=1_204, bytes_trusted=GIB),
            environment={"python": "/srv/keyword-spotting/.venv/bin/python", "found": ".venv in the project"},
            changes=dict(changes or {}),
            interrupted=interrupted,
            warnings=warnings,
        ),
    )


def md5(text: str) -> str:
    """A digest to show; what it is of does not matter."""
    return "md5:" + hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def _passes(*, drift: bool = True) -> list[Result]:
    passing = [
        result(
            "dvc-cache",
            "dvc.cache",
            Outcome.PASS,
            "50,412 objects are what their names say",
            why="A damaged cache hands the damage on to every checkout.",
            figures={"objects": 50_412, "bytes": 7 * GIB},
        ),
        result("dvc-lock", "dvc.lock", Outcome.PASS, "4 stages are up to date"),
        result(
            "data-covered",
            "data.covered",
            Outcome.PASS,
            "3 datasets, each verified by a rule of this plan",
            why="Nothing passes because nobody looked.",
            exhibits=(
                Exhibit(
                    type="table",
                    title="Which rule verifies which dataset",
                    data={
                        "columns": ["dataset", "path", "files", "verified by"],
                        "rows": [
                            ["train", "data/train.parquet", 1, "dvc-hash"],
                            ["val", "data/val.parquet", 1, "dvc-hash"],
                            ["clips", "data/clips/**/*.wav", 50_410, "dvc-hash"],
                        ],
                    },
                ),
            ),
        ),
        result("git-clean", "git.clean", Outcome.PASS, "The work tree is what commit 4be1c07 holds"),
    ]
    if drift:
        passing.append(
            result(
                "drift[val]",
                "table.drift",
                Outcome.PASS,
                "9 columns compared, none moved",
                severity=Severity.WARNING,
                why="A validation set that moved away from the training set measures something else.",
                figures={"psi": 0.0314159265359, "rows_reference": 48_210, "rows_current": 2_202, "test": "ks"},
                exhibits=(
                    Exhibit(
                        type="histogram",
                        title="duration_s, train and val",
                        data={
                            "edges": [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0],
                            "series": {
                                "train": [0.02, 0.06, 0.17, 0.34, 0.22, 0.12, 0.05, 0.02],
                                "val": [0.01, 0.05, 0.15, 0.31, 0.26, 0.14, 0.06, 0.02],
                            },
                        },
                    ),
                ),
            )
        )
    return passing


def _skips() -> list[Result]:
    return [
        result(
            "gpu-memory",
            "gpu.memory",
            Outcome.SKIP,
            "",
            reason="No GPU is here and no rule requires one.",
        ),
        result("git-pushed", "git.pushed", Outcome.SKIP, "", reason="Runs on nightly; this is launch."),
    ]


def passing() -> Report:
    """Everything is as recorded; one known exception is waived."""
    clean = result(
        "dvc-hash",
        "dvc.hash",
        Outcome.PASS,
        "50,412 files are what was recorded",
        why="What is trained on must be what was recorded.",
        figures={"files": 50_412, "bytes": 7 * GIB, "read_ratio": 0.9766},
    )
    known = result(
        "clips-16k-mono",
        "audio.format",
        Outcome.PASS,
        "50,409 of 50,410 clips have the declared format; 1 is waived",
        why="The front end assumes 16 kHz; 8 kHz clips halve the word accuracy.",
        violations=(
            violation(
                "clips-16k-mono",
                "audio.format",
                "data/clips/legacy/0001.wav",
                "rate",
                "sample rate is not the declared one",
                expected=16_000,
                found=8_000,
                waived="kept for the regression study",
            ),
        ),
    )
    waiver = WaiverState(
        rule="clips-16k-mono",
        subject="data/clips/legacy/0001.wav",
        kind="rate",
        reason="kept for the regression study",
        author="data team",
        expires="2027-03-31",
        state="active",
        covers=1,
    )
    return report(Verdict.PASS, [clean, *_passes(), known, *_skips()], waivers=(waiver,))


def _changed(count: int) -> list[ReportedViolation]:
    return [
        violation(
            "dvc-hash",
            "dvc.hash",
            f"data/clips/speaker-{number % 7:02}/{number:05}.wav",
            "changed",
            "content is not what was recorded",
            expected=md5(f"recorded {number}"),
            found=md5(f"found {number}"),
            repair="dvc checkout data/clips.dvc",
        )
        for number in range(count)
    ]


def _ways(violations: Iterable[ReportedViolation]) -> dict[str, Change]:
    ways = (Change.EDITED, Change.EDITED, Change.EDITED, Change.ROTTED, Change.DIFFERS)
    return {found.key: ways[number % len(ways)] for number, found in enumerate(violations) if found.kind == "changed"}


def _hash_failure() -> Result:
    absent = [
        violation(
            "dvc-hash",
            "dvc.hash",
            f"data/clips/speaker-03/{number:05}.wav",
            "missing",
            "recorded, and not there",
            expected=md5(f"absent {number}"),
            repair="dvc pull data/clips.dvc",
        )
        for number in (311, 318, 325)
    ]
    pointer = violation(
        "dvc-hash",
        "dvc.hash",
        "models/encoder.onnx",
        "pointer",
        "a Git LFS pointer stands where the content should be",
        expected="48605698 bytes",
        found="133 bytes",
        repair="git lfs pull --include models/encoder.onnx",
    )
    return result(
        "dvc-hash",
        "dvc.hash",
        Outcome.FAIL,
        "27 of 50,412 files are not what was recorded",
        why="What is trained on must be what was recorded.",
        figures={"files": 50_412, "files_differing": 27, "bytes": 7 * GIB, "read_ratio": 0.9766},
        violations=(*_changed(23), *absent, pointer),
        exhibits=(
            Exhibit(
                type="bars",
                title="Files that differ, by folder",
                data={
                    "labels": [f"data/clips/speaker-{number:02}" for number in range(7)] + ["models"],
                    "values": [4, 4, 3, 6, 3, 3, 3, 1],
                },
            ),
        ),
    )


def _drift() -> Result:
    return result(
        "drift[val]",
        "table.drift",
        Outcome.WARN,
        "1 of 9 columns moved: snr_db",
        severity=Severity.WARNING,
        why="A validation set that moved away from the training set measures something else.",
        figures={"psi": 0.284613, "ks_statistic": 0.171, "rows_reference": 48_210, "rows_current": 2_202},
        violations=(
            violation(
                "drift[val]",
                "table.drift",
                "data/val.parquet#snr_db",
                "drift",
                "distribution moved by more than the rule allows",
                severity=Severity.WARNING,
                expected="psi <= 0.2",
                found=0.284613,
            ),
        ),
        exhibits=(
            Exhibit(
                type="histogram",
                title="snr_db, train and val",
                data={
                    "edges": [-10, -5, 0, 5, 10, 15, 20, 25, 30],
                    "series": {
                        "train": [0.01, 0.04, 0.11, 0.2, 0.27, 0.21, 0.11, 0.05],
                        "val": [0.04, 0.1, 0.19, 0.25, 0.21, 0.12, 0.06, 0.03],
                    },
                },
            ),
        ),
    )


def _formats() -> Result:
    known = violation(
        "clips-16k-mono",
        "audio.format",
        "data/clips/legacy/0001.wav",
        "rate",
        "sample rate is not the declared one",
        expected=16_000,
        found=8_000,
        waived="kept for the regression study",
    )
    found = [
        violation(
            "clips-16k-mono",
            "audio.format",
            f"data/clips/speaker-05/{number:05}.wav",
            "rate",
            "sample rate is not the declared one",
            expected=16_000,
            found=44_100,
            repair="dvc update data/clips.dvc --to-remote",
        )
        for number in (1203, 1204)
    ]
    stereo = violation(
        "clips-16k-mono",
        "audio.format",
        "data/clips/speaker-05/01204.wav",
        "channels",
        "more than one channel",
        expected=1,
        found=2,
    )
    return result(
        "clips-16k-mono",
        "audio.format",
        Outcome.FAIL,
        "2 of 50,410 clips do not have the declared format; 1 is waived",
        why="The front end assumes 16 kHz; 8 kHz clips halve the word accuracy.",
        violations=(stereo, known, *found),
        exhibits=(
            Exhibit(
                type="histogram",
                title="Length of the clips in seconds",
                data={"edges": [0, 0.5, 1, 1.5, 2, 2.5, 3], "counts": [812, 31_004, 15_210, 2_900, 402, 82]},
            ),
        ),
    )


def _waivers() -> tuple[WaiverState, ...]:
    shared = {"author": "data team", "kind": None}
    return (
        WaiverState(
            rule="clips-16k-mono",
            subject="data/clips/legacy/0001.wav",
            reason="kept for the regression study",
            expires="2027-03-31",
            state="active",
            covers=1,
            **shared,
        ),
        WaiverState(
            rule="dvc-hash",
            subject="glob:data/clips/speaker-03/*",
            reason="being recorded anew",
            expires="2026-10-31",
            state="expired",
            covers=9,
            **shared,
        ),
        WaiverState(
            rule="git-clean",
            subject="notebooks/scratch.ipynb",
            reason="never read by training",
            expires="2027-01-31",
            state="unused",
            covers=0,
            **shared,
        ),
    )


def failing() -> Report:
    """Several rules fail, in several kinds; repairs, waivers, exhibits, changes."""
    failure = _hash_failure()
    return report(
        Verdict.FAIL,
        [*_passes(drift=False), failure, _drift(), _formats(), *_skips()],
        waivers=_waivers(),
        changes=_ways(failure.violations),
        coverage=Coverage(
            files_read=41_002, bytes_read=5 * GIB, files_trusted=9_410, bytes_trusted=2 * GIB, files_unread=3
        ),
    )


def incomplete(*, with_failure: bool = True) -> Report:
    """Two rules could not look; what did run fails as well, or not."""
    unreachable = result(
        "dvc-remote",
        "dvc.remote",
        Outcome.ERROR,
        "",
        why="What is not on the remote, a colleague's fresh clone cannot pull.",
        reason="remote 'store' (s3://speech-data/dvc): no answer within 20 s",
        repair="is the network up? `dvc remote list` shows where it points",
    )
    extra = result(
        "drift[val]",
        "table.drift",
        Outcome.ERROR,
        "",
        severity=Severity.WARNING,
        reason="polars is not installed",
        repair="pip install 'reproaudit[data]'",
    )
    failures = [_hash_failure()] if with_failure else []
    return report(
        Verdict.INCOMPLETE,
        [*_passes(drift=False), unreachable, extra, *failures, *_skips()],
        trigger=Trigger.NIGHTLY,
        selection=Selection(select=("dvc", "git", "drift[val]"), skip=()),
        coverage=Coverage(files_read=200, bytes_read=10**6, files_unread=50_212),
        interrupted=True,
        warnings=("MLflow was not reached within 10 s; the run will be sent with the next audit.",),
    )


SCRIPT = "<script>window.pwned = 1</script>"
IMAGE = '"><img src=x onerror="window.pwned = 2">'
HOSTILE = (
    SCRIPT,
    IMAGE,
    "' onmouseover='window.pwned = 3",
    "</style><svg onload=window.pwned=4>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.pwned=5",
    "data/\u202egpj.exe",
    "data/\x00\x07\x1b[31mred\x1b[0m\x9b",
    "data/a\nb\tc\r\n",
    "data/\udcff\udc80.wav",
    "data/zero\u200bwidth\ufeff\u2066isolate\u2069",
    "data/שלום/مرحبا.wav",
    "data/e\u0301\u0302\u0303 \U0001d49c \U000e0041.wav",
    "<!-- --><![CDATA[ & &amp; &#60;b&#62;",
    "x" * 5_000,
)


def hostile() -> Report:
    """Every string that a project can influence tries to break out of the page."""
    results = [
        result(
            text,
            text,
            Outcome.FAIL,
            text,
            why=text,
            reason=text,
            repair=text,
            figures={text: text},
            violations=tuple(
                violation(text, text, subject, text, text, expected=text, found=text, repair=text, waived=waived)
                for subject, waived in ((text, None), (text, text), (text + "/2", None))
            ),
            exhibits=tuple(
                Exhibit(type=kind, title=text, data=data)
                for kind, data in (
                    ("table", {"columns": [text], "rows": [[text]]}),
                    ("bars", {"labels": [text], "values": [1]}),
                    ("bars2", {"labels": [text, None], "series": {text: [1, 0], "val": [0, 1]}}),
                    ("columns", {"names": [text, text], "rows": [[text] * 3 + [0.1] * 4 + [text, 0, 1, [99], None]]}),
                    ("histogram", {"edges": [0, 1], "series": {text: [1]}}),
                    ("text", {"text": text}),
                    (text, {text: [text]}),
                )
            ),
        )
        for text in HOSTILE
    ]
    waivers = tuple(
        WaiverState(rule=text, subject=text, kind=text, reason=text, author=text, expires=text, state=text, covers=1)
        for text in HOSTILE
    )
    changes = {found.key: Change.ROTTED for one in results for found in one.violations}
    return report(
        Verdict.FAIL,
        results,
        project=SCRIPT + IMAGE + "\u202e",
        selection=Selection(select=HOSTILE, skip=HOSTILE),
        waivers=waivers,
        changes=changes,
        warnings=HOSTILE,
    )


def many(count: int = 10_000) -> Report:
    """So many violations, most of one kind, each with digests, a message and a repair of its own."""
    kinds = ("changed", "changed", "changed", "changed", "changed", "changed", "changed", "missing", "extra", "missing")
    found = tuple(
        violation(
            "dvc-hash",
            "dvc.hash",
            f"data/clips/speaker-{number % 97:03}/session-{number % 13:02}/utterance-{number:06}.wav",
            kinds[number % len(kinds)],
            f"content of utterance-{number:06}.wav is not what was recorded",
            expected=md5(f"recorded {number}"),
            found=md5(f"found {number}"),
            repair=f"dvc checkout data/clips/speaker-{number % 97:03}.dvc",
        )
        for number in range(count)
    )
    failure = result(
        "dvc-hash",
        "dvc.hash",
        Outcome.FAIL,
        f"{count:,} of 50,412 files are not what was recorded",
        violations=tuple(sorted(found, key=lambda one: (one.subject, one.kind))),
    )
    return report(Verdict.FAIL, [*_passes(), failure, *_skips()], changes=_ways(found))


SAMPLES = {
    "passing": passing,
    "failing": failing,
    "incomplete": incomplete,
    "hostile": hostile,
    "many": many,
}
