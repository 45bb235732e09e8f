"""`gpu.present`: the devices that the training wants are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any

from msgspec import Meta

from audit.checks.gpu._seen import any_device, needs
from audit.errors import NotApplicable
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.gpu import Device, Framework, Gpus
from audit.records.project import Project

_GIB = 1 << 30


class Present(Check):
    """The devices that the training wants are there.

    Asks NVIDIA's driver (NVML, else `nvidia-smi`), and each framework that is installed what
    it sees. Without a device and without `required` there is nothing to judge, and the rule is
    skipped. Where the driver does not answer but a framework sees devices, those are counted;
    where neither says anything, and a driver is there, the rule is `error`.

    ## Why it matters

    A job that finds no device trains on the processor, a hundred times slower, and nothing
    fails. One that finds seven of eight goes on with seven.

    ## Example

    ```yaml
    rules:
      - id: eight-a100
        check: gpu.present
        with: {required: true, count: 8, model: "*A100*", min_memory_gib: 39}
        on: [launch]
    ```

    ## How to fix

    `nvidia-smi -L` lists what the driver sees; `dmesg | grep -i xid` says why a device is gone.
    `CUDA_VISIBLE_DEVICES` and the scheduler decide what a job sees of them.
    """

    required: Annotated[bool, Meta(description="No device is a fault, not nothing to judge.")] = False
    count: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="How many there must be, at least.")] = None
    model: Annotated[str | None, Meta(description="What each is called, as a shell pattern.")] = None
    min_memory_gib: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="The memory that each must have.")
    ] = None
    min_capability: Annotated[
        Annotated[str, Meta(pattern=r"^\d+\.\d+$")] | None,
        Meta(description='The compute capability that each must have: "8.0".'),
    ] = None
    mig: Annotated[bool | None, Meta(description="Whether each must be sliced by MIG, or not.")] = None

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """Devices and frameworks."""
        return needs(project)

    def evaluate(self, gpus: Gpus, frameworks: Sequence[Framework]) -> Iterator[Finding]:
        """Count them, then look at each."""
        devices = gpus.devices or _by_frameworks(frameworks)
        wanted = self.count or (1 if self.required else 0)
        if not devices and not wanted and not any_device(gpus, frameworks):
            raise NotApplicable("no device, and none is required")
        if not devices and gpus.trouble:
            yield Violation(
                subject="gpu:", kind="driver", message=f"the driver does not answer: {gpus.trouble}", unseen=True
            )
        elif len(devices) < wanted:
            yield _missing(wanted, len(devices), gpus)
        for one in devices:
            yield from self._judged(one)
        yield Figure(name="devices", value=len(devices))
        yield Summary(text=_told(devices, gpus))

    def _judged(self, one: Device) -> Iterator[Violation]:
        subject = f"gpu:{one.index}"
        if self.model and not fnmatchcase(one.name, self.model):
            yield Violation(subject=subject, kind="model", message=f"is {one.name}, not {self.model}", found=one.name)
        if self.min_memory_gib and (one.memory_bytes or 0) < self.min_memory_gib * _GIB:
            yield _short(subject, one, self.min_memory_gib)
        least = tuple(map(int, self.min_capability.split("."))) if self.min_capability else (0, 0)
        if one.capability is not None and one.capability < least:
            message = f"{one.name} has compute capability {_dotted(one.capability)}, not {self.min_capability}"
            yield Violation(subject=subject, kind="capability", message=message, found=_dotted(one.capability))
        if self.mig is not None and one.mig is not None and one.mig is not self.mig:
            message = f"{one.name} is {'' if one.mig else 'not '}sliced by MIG"
            yield Violation(subject=subject, kind="mig", message=message, expected=self.mig, found=one.mig)


def _by_frameworks(frameworks: Sequence[Framework]) -> tuple[Device, ...]:
    """What a framework sees, where the driver's own library says nothing."""
    seen = next((one.devices for one in frameworks if one.devices), ())
    return tuple(
        Device(index=index, name=one.name, uuid="", memory_bytes=one.memory_bytes or None, capability=one.capability)
        for index, one in enumerate(seen)
    )


def _missing(wanted: int, there: int, gpus: Gpus) -> Violation:
    why = "" if gpus.driver or gpus.loaded else "; no driver is loaded"
    message = f"{there} device{'' if there == 1 else 's'}, and {wanted} wanted{why}"
    return Violation(subject="gpu:", kind="missing", message=message, expected=wanted, found=there)


def _short(subject: str, one: Device, wanted: float) -> Violation:
    there = round((one.memory_bytes or 0) / _GIB, 2)
    if one.memory_bytes is None:
        message = f"{one.name} does not say how much memory it has"
        return Violation(subject=subject, kind="memory", message=message, unseen=True)
    message = f"{one.name} has {there:g} GiB of memory, not {wanted:g}"
    return Violation(subject=subject, kind="memory", message=message, expected=wanted, found=there)


def _dotted(capability: tuple[int, int]) -> str:
    return ".".join(map(str, capability))


def _told(devices: Sequence[Device], gpus: Gpus) -> str:
    names = sorted({one.name for one in devices})
    who = "" if gpus.devices or not devices else ", by a framework's word alone"
    return (
        f"{len(devices)} device{'' if len(devices) == 1 else 's'}: {', '.join(names)}{who}" if devices else "no device"
    )
