"""What annotation files say that is wrong in itself: pictures twice, classes without a name, contradictions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from audit.checks.image._boxes import FEW, Entry
from audit.records.findings import Violation
from audit.records.labels import AnnotationFile, Label, Unit

_SHOWN = 40


def twice(path: str, entries: Sequence[Entry]) -> Iterator[Violation]:
    """Tell a picture that one file lists twice, or that has two files of a form with one file for each picture.

    Several files of other forms may each say something else of a picture: its boxes, its captions.
    """
    files = [one.file.path for one in entries]
    single = [one.file.path for one in entries if one.file.single]
    if len(set(files)) < len(files) or len(single) > 1:
        places = ", ".join(dict.fromkeys(files[: FEW + 1]))
        message = f"is listed {len(files):,} times ({places}): one of them is read, or each as a picture of its own"
        yield Violation(subject=path, kind="twice", message=message, found=len(files))


def classes(file: AnnotationFile) -> Counter[Label | None]:
    """How many boxes have each class."""
    return Counter(box.label for picture in file.said.pictures for box in picture.boxes)


def nameless(file: AnnotationFile, counts: Mapping[Label | None, int]) -> Iterator[Violation]:
    """Tell the classes without a name, where names are known; and boxes without a class."""
    known = file.said.classes
    unknown = [label for label in counts if label is None or (known is not None and label not in known)]
    if unknown:
        said = [f"{_class(label)}: {counts[label]:,} box{'' if counts[label] == 1 else 'es'}" for label in unknown]
        more = f", and {len(said) - FEW:,} more" if len(said) > FEW else ""
        message = f"classes without a name ({', '.join(said[:FEW])}{more})"
        yield Violation(subject=file.path, kind="class", message=message, found=len(unknown))


def shares(file: AnnotationFile) -> Iterator[Violation]:
    """Tell boxes in shares of the sides where the form has pixels: most would lie in the first pixel."""
    boxes = [box for picture in file.said.pictures for box in picture.boxes if file.said.unit is Unit.PIXELS]
    within = sum(box.x + box.w <= 1 and box.y + box.h <= 1 for box in boxes)
    if 2 * within > len(boxes):
        message = f"{within:,} of {len(boxes):,} boxes lie in the first pixel: are they shares of the sides?"
        yield Violation(subject=file.path, kind="unit", message=message, found=within)


def contradictions(file: AnnotationFile) -> Iterator[Violation]:
    """Tell what the file contradicts itself in, by kind."""
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for one in file.said.remarks:
        kinds[one.kind].append(f"{one.where} {one.what}")
    for kind, said in sorted(kinds.items()):
        more = f"; and {len(said) - FEW:,} more" if len(said) > FEW else ""
        message = f"{'; '.join(said[:FEW])}{more}"
        yield Violation(subject=file.path, kind=kind, message=message, found=len(said))


def by_name(counted: Iterable[tuple[AnnotationFile, Mapping[Label | None, int]]]) -> Mapping[str, int]:
    """How many boxes each class has in all files, by its name where it has one."""
    counts: Counter[str] = Counter()
    for file, some in counted:
        known = file.said.classes or {}
        for label, count in some.items():
            counts["none" if label is None else known.get(label, str(label))] += count
    return counts


def _class(label: Label | None) -> str:
    return "no class" if label is None else f"class {str(label)[:_SHOWN]}"
