"""Fingerprints held against each other: what differs, and how likely it is to change a result.

The order and its reasons follow what libraries promise: PyTorch, "Reproducibility" ("completely reproducible results
are not guaranteed across PyTorch releases, individual commits, or different platforms"); NVIDIA, "Floating Point and
IEEE 754" and the cuBLAS and cuDNN guides (same results only for the same version on devices of the same architecture);
NumPy's NEP 19 (streams of random numbers may change between releases).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from audit.records.findings import Scalar

Sections = Mapping[str, Mapping[str, Scalar]]
Level = Literal["exact", "minor", "present", "ignore"]


class Reason(NamedTuple):
    """Fields (`section.field`, a shell pattern) and why a difference in them matters."""

    pattern: str
    why: str


REASONS: tuple[Reason, ...] = (
    Reason("data.*", "other data is another experiment"),
    Reason("code.*", "other code is another experiment"),
    Reason("packages.torch*", "results differ between releases and builds"),
    Reason("packages.tensorflow*", "results differ between releases and builds"),
    Reason("packages.jax*", "results differ between releases and builds"),
    Reason("cuda.*.cuda", "kernels are compiled and chosen anew for each CUDA"),
    Reason("cuda.*.cudnn", "algorithms differ between releases"),
    Reason("devices.*", "kernels are chosen by device, and sums by its size"),
    Reason("flags.*", "decides threads, random numbers or precision"),
    Reason("packages.numpy", "random streams and sums can change between releases"),
    Reason("packages.scipy", "algorithms can change between releases"),
    Reason("packages.pandas", "reading and grouping can change between releases"),
    Reason("packages.nvidia-*", "libraries that kernels come from"),
    Reason("cuda.*", "where kernels run and what they talk through"),
    Reason("packages.*", "may be imported by the training"),
    Reason("python.*", "order and arithmetic are the same within a minor version"),
    Reason("system.features", "libraries choose their code by the processor's features"),
    Reason("system.processor", "libraries choose their code by the processor"),
    Reason("system.libc", "mathematical functions differ in the last digit"),
    Reason("*", "hardly ever changes a result"),
)
"""In the order in which a difference is likely to change a result."""


class Difference(NamedTuple):
    """A field that is not the same in all fingerprints: its value in each, None where there is none."""

    section: str
    field: str
    values: tuple[Scalar, ...]
    why: str

    @property
    def name(self) -> str:
        """`section.field`."""
        return f"{self.section}.{self.field}"


def differences(many: Sequence[Sections]) -> list[Difference]:
    """What is not the same in all, likeliest to matter first. A section that one does not have is not compared."""
    common = [section for section in many[0] if all(section in one for one in many)] if many else []
    found = [
        Difference(section, field, values, REASONS[rank(f"{section}.{field}")].why)
        for section in common
        for field in sorted({field for one in many for field in one[section]})
        if len(set(values := tuple(one[section].get(field) for one in many))) > 1
    ]
    return sorted(found, key=lambda one: (rank(one.name), one.name))


def rank(name: str) -> int:
    """Where a field stands in `REASONS`."""
    return next(index for index, one in enumerate(REASONS) if fnmatchcase(name, one.pattern))


def level(name: str, levels: Sequence[tuple[str, Level]]) -> Level:
    """The level of a field: of the patterns that match, the last counts; `exact` where none does."""
    found: Level = "exact"
    for pattern, said in levels:
        if fnmatchcase(name, pattern):
            found = said
    return found


def agrees(recorded: Scalar, found: Scalar, wanted: Level) -> bool:
    """Whether a value is near enough to the recorded one: the same, the same up to the second part, or there at all."""
    if wanted == "ignore" or recorded == found:
        return True
    if wanted == "present":
        return (recorded is None) == (found is None)
    return wanted == "minor" and _minor(recorded) == _minor(found) is not None


def _minor(value: Scalar) -> tuple[str, ...] | None:
    """The first two parts of a version."""
    return tuple(str(value).split(".")[:2]) if value is not None else None
