"""What frameworks of the project's environment say of themselves, each asked in a process of its own."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import PurePath

import msgspec
from packaging.utils import canonicalize_name

from audit.errors import CannotLook
from audit.facts.environment.installed import Distributions
from audit.facts.environment.python import Python
from audit.facts.processes.ask import ending
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door
from audit.records.gpu import Framework
from audit.records.project import Environment

SECONDS = 120.0
"""A framework on a cold disk takes tens of seconds to import."""

DISTRIBUTIONS = {
    "torch": ("torch",),
    "tensorflow": ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm"),
    "jax": ("jax",),
    "onnxruntime": ("onnxruntime", "onnxruntime-gpu"),
}
_KEPT = (
    *("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "USERPROFILE", "SYSTEMROOT", "LD_LIBRARY_PATH", "LD_PRELOAD"),
    *("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH", "CUDA_MODULE_LOADING"),
    *("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE"),
    *("CUBLAS_WORKSPACE_CONFIG", "PYTORCH_CUDA_ALLOC_CONF", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "XLA_FLAGS"),
    *("PYTHONNOUSERSITE", "PYTHONUSERBASE"),
)
"""Variables of the launch that decide which libraries and devices a framework finds."""


IMPORT = "import"
"""The question on which a framework failed that cannot be imported at all."""


class Frameworks(Request[tuple[Framework, ...]]):
    """What is said by each framework that is installed in the environment of the project at `root`.

    One that may not be imported (`import_frameworks: false`), or whose import crashes or hangs, has that as its
    trouble with `IMPORT`. Raises what `Distributions` does.
    """

    root: str
    environment: Environment

    def collect(self, ctx: Context) -> tuple[Framework, ...]:
        """Import each there, one after the other, and ask."""
        installed = ctx.get(Distributions(root=self.root, environment=self.environment))
        names = {canonicalize_name(one.name) for one in installed.distributions}
        there = [name for name, some in DISTRIBUTIONS.items() if not names.isdisjoint(some)]
        return tuple(self._asked(ctx, name) for name in there)

    def _asked(self, ctx: Context, name: str) -> Framework:
        if not self.environment.import_frameworks:
            return _silent(name, "may not be imported (see `environment: import_frameworks:`)")
        python = ctx.get(Python(root=self.root, environment=self.environment)).path
        script = files(__package__).joinpath("framework_probe.py").read_text(encoding="utf-8")
        line = [python, "-B", "-c", script, name]
        try:
            done = ctx.host.run(line, cwd="/", timeout_s=SECONDS, env=_variables(ctx.host, self.root))
            return msgspec.json.decode(done.out.rstrip(b"\n").rpartition(b"\n")[2], type=Framework)
        except CannotLook as error:
            return _silent(name, f"cannot be imported: {error.what}")
        except msgspec.MsgspecError:
            return _silent(name, f"cannot be imported: it {ending(done)}")


def _silent(name: str, why: str) -> Framework:
    return Framework(name=name, troubles={IMPORT: why})


def _variables(host: Door, root: str) -> dict[str, str]:
    """Those that count; of PYTHONPATH what is no folder of the project, whose code does not run here."""
    said = {name: value for name in _KEPT if (value := host.variable(name)) is not None}
    places = [PurePath(one) for one in (host.variable("PYTHONPATH") or "").split(os.pathsep) if one]
    outside = [str(one) for one in places if one.is_absolute() and not one.is_relative_to(root)]
    return said | {"PYTHONPATH": os.pathsep.join(outside)} if outside else said
