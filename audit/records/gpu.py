"""Devices for CUDA, the driver that serves them, and what a framework says of both."""

from __future__ import annotations

from collections.abc import Mapping

from audit.records.base import Record


class Slice(Record):
    """A part of a device that MIG made: `profile` as NVIDIA names it (`1g.10gb`)."""

    uuid: str
    profile: str
    memory_bytes: int


class Device(Record):
    """A device, by the order of NVML, which is that of the bus. None is what it does not support, or would not say.

    `capability` is the compute capability. `ecc_uncorrected` counts since the driver was loaded, `retired_pages` all
    pages that were given up; `throttled` are the reasons why its clock is held down now. `processes` compute on it.
    """

    index: int
    name: str
    uuid: str
    memory_bytes: int | None = None
    memory_free_bytes: int | None = None
    capability: tuple[int, int] | None = None
    mig: bool | None = None
    slices: tuple[Slice, ...] = ()
    persistence: bool | None = None
    ecc_uncorrected: int | None = None
    retired_pages: int | None = None
    remap_failed: bool | None = None
    throttled: tuple[str, ...] = ()
    processes: int | None = None


class Gpus(Record):
    """What there is. `source` is who told it: `nvml`, `nvidia-smi`, or `none`.

    `driver` is the version of the driver, `loaded` the one of the kernel's module where that was read apart, `cuda` the
    newest CUDA that the driver speaks (never what a framework was built for). `trouble` is why NVML or its tool did
    not answer, empty if no driver is installed at all.
    """

    source: str
    driver: str = ""
    loaded: str = ""
    cuda: str = ""
    devices: tuple[Device, ...] = ()
    trouble: str = ""


class FrameworkDevice(Record):
    """A device as a framework sees it, after `CUDA_VISIBLE_DEVICES`."""

    name: str
    capability: tuple[int, int]
    memory_bytes: int = 0


class Framework(Record):
    """What a framework says of its own build, and of what it found here; empty is what it does not say.

    `cuda`, `hip` are what it was built for; `cudnn` what it was compiled against and `cudnn_loaded` what it loads;
    `archs` the architectures that it has code for. `troubles` are the questions on which it failed, and how.
    """

    name: str
    version: str = ""
    cuda: str = ""
    hip: str = ""
    cudnn: str = ""
    cudnn_loaded: str = ""
    nccl: str = ""
    archs: tuple[str, ...] = ()
    available: bool | None = None
    devices: tuple[FrameworkDevice, ...] = ()
    settings: Mapping[str, str] = {}
    troubles: Mapping[str, str] = {}
