"""Asks NVIDIA's management library, which can hang where a device fell off the bus.

Source: "NVML API Reference"; the binding is NVIDIA's own (nvidia-ml-py). What a device does not support is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from audit.facts.processes.ask import answer
from audit.records.base import Record
from audit.records.gpu import Device, Gpus, Slice

MOST_DEVICES = 256


class Question(Record):
    """Nothing needs to be said."""


def _answers(_: Question) -> Iterator[Gpus]:
    import pynvml as nvml

    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        absent = error.value in {nvml.NVML_ERROR_LIBRARY_NOT_FOUND, nvml.NVML_ERROR_DRIVER_NOT_LOADED}
        yield Gpus(source="none", trouble="" if absent else str(error))
        return
    count = _asked(nvml.nvmlDeviceGetCount) or 0
    yield Gpus(
        source="nvml",
        driver=_text(_asked(nvml.nvmlSystemGetDriverVersion)),
        cuda=_cuda(_asked(nvml.nvmlSystemGetCudaDriverVersion_v2)),
        devices=tuple(_device(nvml, index) for index in range(min(count, MOST_DEVICES))),
    )


def _asked(question: Callable[..., Any], *words: Any) -> Any:
    """The answer; None where it is not supported, not permitted, or lost."""
    import pynvml as nvml

    try:
        return question(*words)
    except nvml.NVMLError:
        return None


def _text(said: Any) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said or "")


def _cuda(said: int | None) -> str:
    """12040 is 12.4."""
    return f"{said // 1000}.{said % 1000 // 10}" if said else ""


def _device(nvml: Any, index: int) -> Device:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    memory = _asked(nvml.nvmlDeviceGetMemoryInfo, handle)
    capability = _asked(nvml.nvmlDeviceGetCudaComputeCapability, handle)
    mig = _asked(nvml.nvmlDeviceGetMigMode, handle)
    processes = _asked(nvml.nvmlDeviceGetComputeRunningProcesses, handle)
    return Device(
        index=index,
        name=_text(_asked(nvml.nvmlDeviceGetName, handle)),
        uuid=_text(_asked(nvml.nvmlDeviceGetUUID, handle)),
        memory_bytes=memory.total if memory else None,
        memory_free_bytes=memory.free if memory else None,
        capability=tuple(capability) if capability else None,
        mig=bool(mig[0]) if mig else None,
        slices=tuple(_slices(nvml, handle)) if mig and mig[0] else (),
        persistence=_flag(_asked(nvml.nvmlDeviceGetPersistenceMode, handle)),
        ecc_uncorrected=_asked(
            nvml.nvmlDeviceGetTotalEccErrors, handle, nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, nvml.NVML_VOLATILE_ECC
        ),
        retired_pages=_retired(nvml, handle),
        remap_failed=_remap_failed(nvml, handle),
        throttled=_throttled(nvml, handle),
        processes=len(processes) if processes is not None else None,
    )


def _slices(nvml: Any, handle: Any) -> Iterator[Slice]:
    for index in range(_asked(nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        part = _asked(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, index)
        if part is None:
            continue
        memory = _asked(nvml.nvmlDeviceGetMemoryInfo, part)
        name = _text(_asked(nvml.nvmlDeviceGetName, part))
        yield Slice(
            uuid=_text(_asked(nvml.nvmlDeviceGetUUID, part)),
            profile=name.rpartition("MIG ")[2],
            memory_bytes=memory.total if memory else 0,
        )


def _flag(said: int | None) -> bool | None:
    return None if said is None else bool(said)


def _retired(nvml: Any, handle: Any) -> int | None:
    """By single-bit and by double-bit errors (causes 0 and 1)."""
    some = [_asked(nvml.nvmlDeviceGetRetiredPages, handle, cause) for cause in (0, 1)]
    return None if None in some else sum(len(pages) for pages in some)


def _remap_failed(nvml: Any, handle: Any) -> bool | None:
    rows = _asked(nvml.nvmlDeviceGetRemappedRows, handle)
    return bool(rows[3]) if rows else None


def _throttled(nvml: Any, handle: Any) -> tuple[str, ...]:
    mask = _asked(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle) or 0
    reasons = {
        "power": nvml.nvmlClocksThrottleReasonSwPowerCap,
        "hardware slowdown": nvml.nvmlClocksThrottleReasonHwSlowdown,
        "heat": nvml.nvmlClocksThrottleReasonSwThermalSlowdown | nvml.nvmlClocksThrottleReasonHwThermalSlowdown,
        "power brake": nvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
    }
    return tuple(name for name, bits in reasons.items() if mask & bits)


if __name__ == "__main__":
    answer(Question, _answers)
