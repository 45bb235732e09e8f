"""The fingerprint of the project's environment: what of it can change a result, as flat fields by section."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from packaging.utils import canonicalize_name

from audit.errors import AuditError, CannotLook
from audit.facts.environment.frameworks import IMPORT, Frameworks
from audit.facts.environment.installed import Distributions
from audit.facts.environment.interpreter import Probed
from audit.facts.git import GitRepository
from audit.facts.gpu.devices import Devices
from audit.facts.lock import LockedData
from audit.formats.system import os_release, processor
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door
from audit.records.environment import Distribution, Interpreter
from audit.records.findings import Scalar
from audit.records.gpu import Framework, Gpus
from audit.records.project import Environment

FLAGS = (
    *("PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTHONNOUSERSITE", "LANG", "LC_ALL", "TZ"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "MKL_CBWR"),
    *("CUBLAS_WORKSPACE_CONFIG", "CUDA_LAUNCH_BLOCKING", "CUDA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE"),
    *("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "PYTORCH_CUDA_ALLOC_CONF", "TF_DETERMINISTIC_OPS", "XLA_FLAGS"),
    *("NCCL_ALGO", "NCCL_PROTO", "NCCL_P2P_DISABLE", "NCCL_SOCKET_IFNAME"),
)
"""Variables that change results or how they are computed; none of them holds a secret."""

_HEAD = 64 << 10
_BRAND = re.compile(r"^(NVIDIA|Tesla|Quadro|GeForce)\s+", re.IGNORECASE)
_SPACES = re.compile(r"[\s_-]+")


class Fingerprint(Request[Mapping[str, Mapping[str, Scalar]]]):
    """What the environment of the project at `root` is, by section and field.

    With `imports`, frameworks are asked for their builds. Raises what `Probed` does.
    """

    root: str
    environment: Environment
    imports: bool = False

    def collect(self, ctx: Context) -> Mapping[str, Mapping[str, Scalar]]:
        """Ask all who know a part."""
        where = {"root": self.root, "environment": self.environment}
        python = ctx.get(Probed(root=self.root, environment=self.environment))
        installed = ctx.get(Distributions(root=self.root, environment=self.environment))
        frameworks: tuple[Framework, ...] = ctx.get(Frameworks(**where)) if self.imports else ()  # type: ignore[arg-type]
        gpus = _gpus(ctx)
        return {
            "python": _python(python),
            "packages": _packages(installed.distributions),
            "system": _system(ctx.host, python),
            "cuda": _cuda(gpus, frameworks),
            "devices": dict(Counter(canonical(one.name) for one in gpus.devices)),
            "flags": _flags(ctx.host, frameworks),
            "code": _code(ctx, self.root),
            "data": {name: one.blake3 for name, one in ctx.get(LockedData(root=self.root)).items()},
        }


def canonical(name: str) -> str:
    """A card's name without its brand, in one spelling: drivers differ in both."""
    return _SPACES.sub(" ", _BRAND.sub("", name.strip())).lower()


def _python(python: Interpreter) -> dict[str, Scalar]:
    return {"version": python.version, "implementation": python.implementation}


def _packages(found: tuple[Distribution, ...]) -> dict[str, Scalar]:
    """Of several under one name, the one that is imported."""
    return {canonicalize_name(one.name): _version(one) for one in reversed(found)}


def _version(one: Distribution) -> str:
    commit = f" @ {one.origin.commit}" if one.origin and one.origin.commit else ""
    build = f" {one.build}" if one.build else ""
    return f"{one.version}{build}{commit}" + (" editable" if one.origin and one.origin.editable else "")


def _system(host: Door, python: Interpreter) -> dict[str, Scalar]:
    release = os_release(_read(host, "/etc/os-release") or _read(host, "/usr/lib/os-release"))
    model, levels = processor(_read(host, "/proc/cpuinfo"))
    return {
        "os": release.get("PRETTY_NAME") or python.markers.get("platform_system", ""),
        "kernel": python.markers.get("platform_release", ""),
        "machine": python.markers.get("platform_machine", ""),
        "libc": python.libc,
        "processor": model,
        "features": " ".join(levels),
    }


def _read(host: Door, path: str) -> bytes:
    try:
        return host.peek(host.resolve(path), _HEAD).data
    except CannotLook:
        return b""


def _gpus(ctx: Context) -> Gpus:
    try:
        return ctx.get(Devices())
    except CannotLook as error:
        return Gpus(source="none", trouble=error.what)


def _cuda(gpus: Gpus, frameworks: tuple[Framework, ...]) -> dict[str, Scalar]:
    said: dict[str, Scalar] = {"driver": gpus.driver or gpus.loaded, "trouble": gpus.trouble}
    for one in frameworks:
        said[f"{one.name}.cuda"] = one.cuda or one.hip or "none"
        said[f"{one.name}.cudnn"] = one.cudnn_loaded or one.cudnn
        said[f"{one.name}.nccl"] = one.nccl
        said[f"{one.name}.archs"] = " ".join(one.archs)
        said[f"{one.name}.trouble"] = one.troubles.get(IMPORT, "")
    return {name: value for name, value in said.items() if value}


def _flags(host: Door, frameworks: tuple[Framework, ...]) -> Mapping[str, Scalar]:
    told = {name: value for name in FLAGS if (value := host.variable(name)) is not None}
    return told | {f"{one.name}.{name}": value for one in frameworks for name, value in one.settings.items()}


def _code(ctx: Context, root: str) -> dict[str, Scalar]:
    try:
        return {"commit": ctx.get(GitRepository(folder=root)).head or "none yet"}
    except AuditError:
        return {}
