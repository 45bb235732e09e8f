"""What shows the files that a check found fault with: of many the first, and one of each kind before a second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from audit.facts.signals.portraits import MOST_PIXELS, ClipExhibits, ContactSheet
from audit.records.portraits import Offender
from audit.records.project import Project
from audit.records.report import ReportedViolation

MOST = 100
_WORDS = 300


def clips(project: Project, dataset: str, violations: Sequence[ReportedViolation]) -> ClipExhibits:
    """Those that are clips of the dataset, over time."""
    return ClipExhibits(root=project.root, dataset=project.dataset(dataset), offenders=offenders(violations))


def pictures(
    project: Project, dataset: str, violations: Sequence[ReportedViolation], max_pixels: int = MOST_PIXELS
) -> ContactSheet:
    """Those that are pictures of the dataset, on one sheet; of more than `max_pixels` pixels nothing is shown."""
    return ContactSheet(
        root=project.root,
        dataset=project.dataset(dataset),
        offenders=offenders(violations),
        max_pixels=max_pixels,
    )


def offenders(violations: Sequence[ReportedViolation]) -> tuple[Offender, ...]:
    """At most `MOST` subjects with all that is wrong with each: the first of each kind, then the second ..."""
    seen: Counter[str] = Counter()
    ranked = []
    for one in sorted(violations, key=lambda one: (-one.severity.weight, one.subject, one.kind)):
        seen[one.kind] += 1
        ranked.append((seen[one.kind], -one.severity.weight, one.subject))
    subjects = list(dict.fromkeys(subject for _, _, subject in sorted(ranked)))[:MOST]
    reasons: dict[str, list[str]] = {subject: [] for subject in subjects}
    for one in violations:
        if one.subject in reasons:
            reasons[one.subject].append(one.message)
    return tuple(Offender(path=path, reason=_shortened("; ".join(said))) for path, said in reasons.items())


def _shortened(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}..."
