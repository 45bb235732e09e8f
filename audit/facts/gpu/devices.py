"""The devices of this machine: from NVML, else from `nvidia-smi`, and the kernel's own word on its module."""

from __future__ import annotations

from importlib.util import find_spec

from msgspec.structs import replace

from audit.errors import CannotLook, FormatError, MissingExtra
from audit.facts.processes.ask import ask
from audit.facts.processes.nvml import Question
from audit.formats.gpu import proc, smi
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door
from audit.records.gpu import Gpus

MODULE = "/proc/driver/nvidia/version"
SECONDS = 30.0
_HEAD = 4096


class Devices(Request[Gpus]):
    """What NVIDIA's driver says. No driver is an answer, a driver that does not answer too: `trouble` says why.

    Raises `MissingExtra` where neither the binding nor the tool is there, and a driver is.
    """

    def collect(self, ctx: Context) -> Gpus:
        """Ask NVML, and its tool where that fails."""
        loaded = _module(ctx.host)
        found = _nvml(ctx.host)
        if found is None or found.trouble:
            trouble = found.trouble if found else "nvidia-ml-py is not installed"
            found = _smi(ctx.host) or Gpus(source="none", trouble=trouble if found or loaded else "")
        if found.trouble and find_spec("pynvml") is None:
            raise MissingExtra("gpu", "nvidia-ml-py, which asks NVIDIA's driver,")
        return replace(found, loaded=loaded)


def _module(host: Door) -> str:
    try:
        return proc.parse(host.peek(MODULE, _HEAD).data) if host.look(MODULE) else ""
    except CannotLook:
        return ""


def _nvml(host: Door) -> Gpus | None:
    if find_spec("pynvml") is None:
        return None
    try:
        (found,) = ask(host, "nvml", Question(), tuple[Gpus], SECONDS)
    except CannotLook as error:
        return Gpus(source="none", trouble=error.what)
    return found


def _smi(host: Door) -> Gpus | None:
    """What the tool says; None where there is none, or it fails as well."""
    try:
        done = host.run(["nvidia-smi", "-q", "-x"], cwd="/", timeout_s=SECONDS)
        return smi.parse(done.out, "nvidia-smi -q -x") if done.code == 0 else None
    except (CannotLook, FormatError):
        return None
