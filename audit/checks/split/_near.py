"""What is said of pictures and texts that are nearly equal."""

from __future__ import annotations

from collections.abc import Iterator

from audit.checks.split._splits import share, table
from audit.records.findings import Figure, Finding, Violation
from audit.records.splits import Near, NearPair, joint
from audit.records.words import Severity


def near_findings(found: Near) -> Iterator[Finding]:
    """One warning for two splits that have something nearly equal; what could not be looked at."""
    subjects = {one.name: one.subject for one in found.splits}
    for path, problem in found.unseen:
        yield Violation(subject=path, kind="unreadable", message=problem, unseen=True)
    for pair in found.pairs:
        yield _alike(found, pair, subjects[pair.later])
        yield Figure(name=f"near_{found.unit}s_{pair.later}_{pair.earlier}", value=pair.members)
    yield Figure(name=f"{found.unit}s_left_out", value=found.left_out)
    rows = [[str(one), str(other), likeness] for pair in found.pairs for one, other, likeness in pair.first]
    if rows:
        yield table(f"Nearly equal {found.unit}s across splits", ["one", "other", "alike"], rows)


def near_summary(found: Near) -> str:
    """How it stands, in part of a sentence."""
    told = [f"{pair.members:,} {found.unit}s of {pair.later} nearly in {pair.earlier}" for pair in found.pairs]
    left = f" ({found.left_out:,} too plain or too short to tell)" if found.left_out else ""
    return (", ".join(told) or f"no {found.unit}s nearly equal") + left


def _alike(found: Near, pair: NearPair, subject: str) -> Violation:
    one, other, likeness = pair.first[0]
    return Violation(
        subject=joint(subject, f"with={pair.earlier}"),
        kind="near",
        severity=Severity.WARNING,
        message=f"{pair.later}-{pair.earlier}: {share(pair.members, pair.of)} {found.unit}s of {pair.later} are nearly "
        f"one of {pair.earlier}: {one} ~ {other} ({100 * likeness:.3g} % alike); look whether they show the same",
        expected=0,
        found=pair.members,
    )
