"""What driver and frameworks say together, and where there is nothing to judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.facts.environment.frameworks import IMPORT, Frameworks
from audit.facts.gpu.devices import Devices
from audit.measures.cuda import Capability
from audit.records.check import Request
from audit.records.findings import Violation
from audit.records.gpu import Framework, Gpus
from audit.records.project import Project


def needs(project: Project) -> Mapping[str, Request[Any]]:
    """The devices by the driver's word, and the frameworks by their own."""
    return {"gpus": Devices(), "frameworks": Frameworks(root=project.root, environment=project.environment)}


def any_device(gpus: Gpus, frameworks: Sequence[Framework]) -> bool:
    """Whether somebody sees a device, or a driver is there that ought to."""
    return bool(gpus.devices or gpus.trouble or gpus.loaded or any(one.devices for one in frameworks))


def capabilities(gpus: Gpus, frameworks: Sequence[Framework]) -> list[tuple[str, str, Capability]]:
    """Subject, name and compute capability of each device: the driver's word, else what a framework sees."""
    told = [(f"gpu:{one.index}", one.name, one.capability) for one in gpus.devices if one.capability]
    if told:
        return told
    seen = next((one.devices for one in frameworks if one.devices), ())
    return [(f"gpu:{index}", one.name, one.capability) for index, one in enumerate(seen)]


def unasked(frameworks: Sequence[Framework], *questions: str) -> Iterator[Violation]:
    """Frameworks that did not answer what the rule is about."""
    for one in frameworks:
        for question in (IMPORT, *questions):
            if question in one.troubles:
                yield Violation(
                    subject=f"env:#package={one.name}", kind="unasked", message=one.troubles[question], unseen=True
                )
