"""NPZ: a zip archive of NPY files, as numpy.savez writes it; the key of an array is its member's name without `.npy`.

Source: numpy.lib.npyio, `_savez`.
"""

from __future__ import annotations

from audit.formats.arrays.common import BadError
from audit.formats.arrays.npy import LONGEST, SIGN, WALKED, Npy, head, objects
from audit.formats.arrays.pieces import Pieces
from audit.formats.arrays.zip import STORED, Member, begins, unpacked
from audit.records.array import ArrayHeader, Tensor
from audit.records.signals import Fault

_HEAD = 4096
"""Bytes of a member in which its header mostly ends."""

_MOST_FAULTS = 20


def npz(pieces: Pieces, found: tuple[Member, ...]) -> ArrayHeader:
    """The arrays of an archive with these members; what is wrong with one is told, and the others are read."""
    tensors: dict[str, Tensor] = {}
    faults: list[Fault] = []
    unsafe: list[str] = []
    for member in found:
        key = member.name.removesuffix(".npy")
        try:
            if key == member.name and unpacked(pieces, member, len(SIGN)) != SIGN:
                continue  # to numpy it is bytes, no array
            one = _array(pieces, member, key)
        except BadError as error:
            faults.append(_of(member, error.fault))
            continue
        if key in tensors:
            faults.append(Fault(kind="corrupt", what=f"holds {key[:200]!r} twice"))
        if one.length is None:
            code, what = objects(unpacked(pieces, member, WALKED)[one.start :])
            faults += code
            unsafe.append(f"holds in {key[:200]!r} {what}")
        elif member.size != one.start + one.length:
            faults.append(_short(member, one))
        tensors[key] = one.tensor
    if len(faults) > _MOST_FAULTS:
        rest = Fault(kind=faults[-1].kind, what=f"has {len(faults) - _MOST_FAULTS + 1:,} more members that are wrong")
        faults[_MOST_FAULTS - 1 :] = [rest]
    return ArrayHeader(format="NPZ", tensors=tuple(tensors.values()), faults=tuple(faults), unsafe=tuple(unsafe))


def _array(pieces: Pieces, member: Member, key: str) -> Npy:
    """The header of a member; its tensor has a place in the file if it is stored as it is."""
    start = begins(pieces, member)
    data = unpacked(pieces, member, _HEAD)
    try:
        one = head(Pieces(data, len(data), lambda _at, _size: b""), key)
    except BadError as error:
        if error.fault.kind != "truncated" or len(data) < _HEAD:
            raise
        data = unpacked(pieces, member, LONGEST + 12)
        one = head(Pieces(data, len(data), lambda _at, _size: b""), key)
    offset = start + one.start if member.method == STORED and one.length is not None else None
    tensor = one.tensor
    placed = Tensor(
        key=key,
        dtype=tensor.dtype,
        shape=tensor.shape,
        order=tensor.order,
        fortran=tensor.fortran,
        offset=offset,
    )
    return one._replace(tensor=placed)


def _of(member: Member, fault: Fault) -> Fault:
    name = f"{member.name[:200]!r}"
    if name in fault.what:
        return fault
    return Fault(kind=fault.kind, what=f"has a member {name} that {fault.what}", expected=fault.expected)


def _short(member: Member, one: Npy) -> Fault:
    expected = one.start + (one.length or 0)
    what = f"has a member {member.name[:200]!r} of {member.size:,} bytes, not the {expected:,} of its header and values"
    kind = "truncated" if member.size < expected else "trailing"
    return Fault(kind=kind, what=what, expected=expected, found=member.size)
