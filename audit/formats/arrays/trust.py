"""Which globals a pickle may name: those that `torch.load(weights_only=True)` takes, and those that run what they get.

Source: torch/_weights_only_unpickler.py of PyTorch 2.13, `_get_allowed_globals`; the names that run code are those
that scanners of pickles agree on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.formats.arrays.opcodes import Global
from audit.records.signals import Fault

_NUMBERS = "BFloat16 Bool Byte Char Double Float Half Int Long Short"
_SPARSE = [number for number in _NUMBERS.split() if number != "Bool"]
_DTYPES = (
    "bfloat16 bool complex128 complex32 complex64 float16 float32 float64 float4_e2m1fn_x2 float8_e4m3fn "
    "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu bits16 bits1x8 bits2x4 bits4x2 bits8 "
    "qint32 qint8 quint2x4 quint4x2 quint8"
)
_WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64)
_REBUILDS = (
    "device_tensor_from_cpu_tensor device_tensor_from_numpy meta_tensor_no_storage nested_tensor "
    "parameter parameter_with_state qtensor sparse_tensor tensor tensor_v2 tensor_v3 wrapper_subclass"
)


def _plain() -> Iterator[str]:
    yield from ("collections.OrderedDict", "collections.Counter", "_codecs.encode")
    yield from ("builtins.bytearray", "builtins.set", "builtins.complex")
    yield from ("torch.nn.parameter.Parameter", "torch.serialization._get_layout", "torch.Size", "torch.Tensor")
    yield from ("torch.device", "torch._tensor._rebuild_from_type_v2")
    yield from ("torch.storage.TypedStorage", "torch.storage.UntypedStorage")
    for place in ("torch", "torch.cuda"):
        yield from (f"{place}.{number}Storage" for number in (*_NUMBERS.split(), "ComplexDouble", "ComplexFloat"))
        yield from (f"{place}.{number}Tensor" for number in _NUMBERS.split())
        yield from (f"{place}.sparse.{number}Tensor" for number in _SPARSE)
    yield from (f"torch.{number}Storage" for number in ("QInt32", "QInt8", "QUInt2x4", "QUInt4x2", "QUInt8"))
    yield from (f"torch.{dtype}" for dtype in _DTYPES.split())
    yield from (f"torch.{sign}int{width}" for sign in ("", "u") for width in _WIDTHS)
    yield from (f"torch._utils._rebuild_{what}" for what in _REBUILDS.split())
    for per in ("channel", "tensor"):
        yield from (f"torch.per_{per}_affine", f"torch.per_{per}_symmetric")
    yield "torch.per_channel_affine_float_qparams"


PLAIN = frozenset(_plain())
"""All that `torch.load(weights_only=True)` takes."""

_MODULES = (
    "os posix nt sys subprocess commands popen2 pty runpy importlib imp zipimport pkgutil shutil socket "
    "_socket ctypes _ctypes code codeop pdb bdb timeit profile cProfile trace webbrowser pip ensurepip "
    "venv marshal pickle _pickle dill cloudpickle http httplib urllib urllib2 requests ftplib smtplib "
    "telnetlib asyncio multiprocessing threading _thread signal gc inspect tempfile"
)
"""Modules whose functions run what they are given, or reach beyond the process."""

_BUILTINS = "eval exec execfile compile __import__ open file input breakpoint apply globals locals vars setattr delattr"
"""Such functions of `builtins`."""

_RUNS, _RUN = frozenset(_MODULES.split()), frozenset(_BUILTINS.split())

_OTHERS = frozenset(
    {
        "operator.attrgetter",
        "operator.methodcaller",
        "_operator.attrgetter",
        "_operator.methodcaller",
        "types.CodeType",
        "types.FunctionType",
        "torch.load",
        "torch.hub.load",
        "torch.jit.load",
        "torch.serialization.load",
        "numpy.load",
        "numpy.testing._private.utils.runstring",
    }
)

_SHOWN = 10


def runs(name: Global) -> bool:
    """Whether it is known to run what it is given; a name with dots reaches into what its module has imported."""
    *way, word = name.name.split(".")
    places = [name.module.partition(".")[0], *way]
    return not _RUNS.isdisjoint(places) or (places[-1] == "builtins" and word in _RUN) or str(name) in _OTHERS


def coded(names: Sequence[Global]) -> tuple[Fault, ...]:
    """The faults of a pickle that names these, where they would run something."""
    some = [str(name) for name in names if runs(name)]
    return tuple(
        Fault(kind="code", what=f"would run {name} when it is unpickled", found=name) for name in some[:_SHOWN]
    )


def strange(names: Sequence[Global]) -> tuple[str, ...]:
    """What is to be said of those that are neither plain nor known to run something."""
    some = [str(name) for name in names if str(name) not in PLAIN and not runs(name)]
    rest = (f"names {len(some) - _SHOWN:,} more of this kind",) if len(some) > _SHOWN else ()
    return (*(f"names {name}, which torch.load(weights_only=True) refuses" for name in some[:_SHOWN]), *rest)
