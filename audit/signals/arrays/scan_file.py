"""The arrays of one file, each looked at whole."""

from __future__ import annotations

import io
from collections.abc import Sequence
from fnmatch import fnmatchcase

from audit.errors import FormatError
from audit.records.array import ArrayHeader, Tensor
from audit.records.array_values import ArrayValues, FileValues
from audit.signals.arrays.headers import headed
from audit.signals.arrays.scan import scan
from audit.signals.arrays.scan_plan import Ask
from audit.signals.arrays.scan_sources import values

OTHERS = 20
"""Names of arrays that are told, of those that nobody asked for."""


def scanned(file: io.FileIO, keys: Sequence[str], ask: Ask) -> FileValues:
    """Look at the arrays of an open file that `keys` name (shell patterns; none: all).

    Raises what the libraries that read them raise.
    """
    said = headed(file)
    if said.faults:
        return FileValues(format=said.format, faults=said.faults)
    wanted = [one for one in said.tensors if not keys or any(fnmatchcase(one.key, key) for key in keys)]
    others = [one.key for one in said.tensors if one not in wanted]
    found = tuple(_looked(file, said, one, ask) for one in wanted)
    return FileValues(format=said.format, arrays=found, others=tuple(others[:OTHERS]))


def _looked(file: io.FileIO, said: ArrayHeader, tensor: Tensor, ask: Ask) -> ArrayValues:
    source = values(file, said, tensor)
    problem = f"lies in {said.format or 'its file'} in a way in which it is not scanned: spread out, or packed"
    try:
        if source is not None:
            return scan(tensor, source, ask)
    except FormatError as error:
        problem = str(error)
    return ArrayValues(key=tensor.key, dtype=tensor.dtype, shape=tensor.shape, problem=problem)
