"""`gpu.driver`: the driver is new enough for the CUDA that the frameworks were built for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.checks.gpu._seen import any_device, needs, unasked
from audit.errors import NotApplicable
from audit.measures.cuda import oldest_driver, version
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.gpu import Framework, Gpus
from audit.records.project import Project
from audit.records.words import Severity


class Driver(Check):
    """The driver is new enough for the CUDA that the frameworks were built for.

    Compares the version of NVIDIA's driver with the oldest one that NVIDIA names for the CUDA
    that each framework was built for; from CUDA 11 on that is one for all minor versions. The
    "CUDA Version" that `nvidia-smi` shows is the newest that the driver speaks, and never a
    fault when it is higher; a toolkit that is installed beside (`nvcc`) plays no part. Where the
    driver's library does not answer, its version is the one of the kernel's module, with a
    warning; where the library and the module differ, with another.

    ## Why it matters

    Under an older driver a framework finds no device, and trains on the processor without a word.

    ## Example

    ```yaml
    rules:
      - id: driver-new-enough
        check: gpu.driver
        on: [launch]
    ```

    ## How to fix

    Update the driver, or install a build for an older CUDA. After an update of the driver
    the machine has to be started again before its library and the kernel's module agree.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """Devices and frameworks."""
        return needs(project)

    def evaluate(self, gpus: Gpus, frameworks: Sequence[Framework]) -> Iterator[Finding]:
        """Each framework that was built for CUDA, against the one driver."""
        if not any_device(gpus, frameworks):
            raise NotApplicable("no device and no driver of NVIDIA's")
        driver = gpus.driver or gpus.loaded
        built = [one for one in frameworks if one.cuda]
        yield from unasked(frameworks, "cuda")
        yield from _state(gpus)
        if built and not driver:
            yield Violation(subject="gpu:", kind="driver", message="its version is not told", unseen=True)
        found = [_judged(one, driver) for one in built if driver]
        yield from (one for one in found if one)
        yield Figure(name="driver", value=driver)
        yield Summary(text=_told(driver, built))


def _state(gpus: Gpus) -> Iterator[Violation]:
    if gpus.trouble:
        message = f"driver state unreadable: {gpus.trouble}"
        yield Violation(subject="gpu:", kind="state", message=message, severity=Severity.WARNING)
    elif gpus.driver and gpus.loaded and gpus.driver != gpus.loaded:
        message = f"the kernel has loaded {gpus.loaded}, the library is of {gpus.driver}: start the machine again"
        yield Violation(subject="gpu:", kind="state", message=message, severity=Severity.WARNING)


def _judged(one: Framework, driver: str) -> Violation | None:
    oldest = oldest_driver(version(one.cuda))
    if oldest is None:
        message = f"built for CUDA {one.cuda}, whose oldest driver is not known here: cannot tell"
        return Violation(subject=f"env:#package={one.name}", kind="unknown", message=message, severity=Severity.WARNING)
    if version(driver) >= oldest:
        return None
    needed = ".".join(f"{part:02}" if index > 1 else str(part) for index, part in enumerate(oldest))
    message = f"driver {driver} < {needed} needed by CUDA {one.cuda}, for which it was built"
    return Violation(subject=f"env:#package={one.name}", kind="old", message=message, expected=needed, found=driver)


def _told(driver: str, built: Sequence[Framework]) -> str:
    builds = ", ".join(f"{one.name} for CUDA {one.cuda}" for one in built)
    return f"driver {driver or 'not told'}; {builds or 'no framework that was built for CUDA'}"
