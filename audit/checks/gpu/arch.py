"""`gpu.arch`: the frameworks' builds have code for each device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.checks.gpu._seen import any_device, capabilities, needs, unasked
from audit.errors import NotApplicable
from audit.measures.cuda import Arch, Coverage, arch, coverage
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.gpu import Framework, Gpus
from audit.records.project import Project
from audit.records.words import Severity


class Architecture(Check):
    """The frameworks' builds have code for each device.

    Holds the architectures that a framework was built for against the compute capability of
    each device, by NVIDIA's rules: machine code (`sm_80`) runs on devices of its own major
    version from its minor version on, with the suffix `a` on that very capability, with `f`
    within its family; PTX (`compute_90`) is compiled for any newer device when it is first
    used, which is a warning. That CUDA is "available" is no evidence and is not asked.

    ## Why it matters

    An installation succeeds, a device is found, and the first kernel ends with "no kernel image
    is available". Or it is compiled at each start, for minutes.

    ## Example

    ```yaml
    rules:
      - id: kernels-for-our-cards
        check: gpu.arch
        on: [launch]
    ```

    ## How to fix

    Install a build that has the architecture: older cards need a build for an older CUDA, newer
    ones a newer. What a build of PyTorch has, `torch.cuda.get_arch_list()` tells.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """Devices and frameworks."""
        return needs(project)

    def evaluate(self, gpus: Gpus, frameworks: Sequence[Framework]) -> Iterator[Finding]:
        """Each framework on each device."""
        devices = capabilities(gpus, frameworks)
        if not devices and not any_device(gpus, frameworks):
            raise NotApplicable("no device")
        if not devices:
            message = gpus.trouble or "no device says its compute capability"
            yield Violation(subject="gpu:", kind="capability", message=message, unseen=True)
        yield from unasked(frameworks, "archs")
        built = [(one, list(filter(None, map(arch, one.archs)))) for one in frameworks if one.archs]
        for one, archs in built:
            for subject, name, capability in devices:
                yield from _judged(one, archs, subject, f"{name} ({'.'.join(map(str, capability))})", capability)
        yield Figure(name="devices", value=len(devices))
        told = ", ".join(one.name for one, _ in built) or "no framework that says its architectures"
        yield Summary(text=f"{told} on {len(devices)} device{'' if len(devices) == 1 else 's'}")


def _judged(
    one: Framework, archs: Sequence[Arch], subject: str, card: str, capability: tuple[int, int]
) -> Iterator[Violation]:
    how = coverage(capability, archs)
    has = f"{one.name} {one.version} has {', '.join(one.archs)}"
    where = f"{subject}#package={one.name}"
    if how is Coverage.NONE:
        yield Violation(subject=where, kind="arch", message=f"no code for {card}: {has}", expected=_sm(capability))
    elif how is Coverage.PTX:
        message = f"only PTX for {card}, compiled at each first use: {has}"
        yield Violation(subject=where, kind="ptx", message=message, severity=Severity.WARNING, expected=_sm(capability))


def _sm(capability: tuple[int, int]) -> str:
    return f"sm_{capability[0]}{capability[1]}"
