r"""Files of PyTorch: an archive of a pickle and storages; before 1.6, pickles and storages one behind the other.

Source: torch/serialization.py of PyTorch 2.13, `_save` (records `data.pkl`, `byteorder`, `data/KEY`) and
`_legacy_save`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from audit.formats.arrays.common import BadError, held_against
from audit.formats.arrays.opcodes import Walked, walk
from audit.formats.arrays.pieces import Pieces
from audit.formats.arrays.tensors import SIZES, Storage, View, storages, views
from audit.formats.arrays.trust import coded, strange
from audit.formats.arrays.zip import STORED, Member, begins, unpacked
from audit.records.array import ArrayHeader, Tensor
from audit.records.signals import Fault

LONGEST = 1 << 24
"""Bytes of the largest pickle that is walked."""

LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""The pickle of torch's magic number, with which a file of the old kind begins."""

_FIRST = 1 << 16
_SHOWN = 20
_SCRIPT = "is an archive of TorchScript: loading it compiles code that it holds, which weights_only=True refuses"


def pickled(members: Sequence[Member]) -> Member | None:
    """The pickle of an archive, if it is one of PyTorch."""
    return next((one for one in members if one.name == "data.pkl" or one.name.endswith("/data.pkl")), None)


def archived(pieces: Pieces, members: Sequence[Member], main: Member) -> ArrayHeader:
    """What an archive of PyTorch holds, whose pickle is `main`. Raises `BadError`."""
    if main.size > LONGEST:
        raise BadError("unsupported", f"has a pickle of {main.size:,} bytes, more than the {LONGEST:,} that are walked")
    walked = walk(unpacked(pieces, main, LONGEST))
    folder = main.name.removesuffix("data.pkl")
    records = {one.name.removeprefix(folder): one for one in members if one.name.startswith(folder)}
    order = _order(pieces, records)
    faults = [fault for one in storages(walked.stored) for fault in _held(one, records.get(f"data/{one.key}"))]
    tensors = []
    for view in views(walked.value):
        record = records.get(f"data/{view.storage.key}")
        start = begins(pieces, record) if record and record.method == STORED else None
        tensors.append(_tensor(view, order, start))
        faults += _reaching(view)
    return _told(walked, tensors, _few(faults), (_SCRIPT,) if "constants.pkl" in records else ())


def _order(pieces: Pieces, records: dict[str, Member]) -> str:
    said = unpacked(pieces, records["byteorder"], 10) if "byteorder" in records else b"little"
    if said not in {b"little", b"big"}:
        raise BadError("header", f"says its byte order is {said!r}")
    return "<" if said == b"little" else ">"


def _held(storage: Storage, record: Member | None) -> Iterator[Fault]:
    key = storage.key[:200]
    if record is None:
        yield Fault(kind="truncated", what=f"lacks the storage {key!r} of {storage.size:,} bytes")
    elif record.size != storage.size:
        what = f"holds {record.size:,} bytes in the storage {key!r}, not {storage.size:,}"
        kind = "truncated" if record.size < storage.size else "trailing"
        yield Fault(kind=kind, what=what, expected=storage.size, found=record.size)


def _reaching(view: View) -> Iterator[Fault]:
    if view.reach > view.storage.size:
        what = f"has a tensor {view.key[:200]!r} that reaches beyond its storage of {view.storage.size:,} bytes"
        yield Fault(kind="corrupt", what=what, expected=view.reach, found=view.storage.size)


def _tensor(view: View, order: str, start: int | None) -> Tensor:
    """A tensor whose storage begins at `start`; it has a place if its numbers lie one behind the other."""
    size = SIZES.get(view.dtype, 1)
    dense, fortran = view.is_dense(), view.is_dense(fortran=True)
    return Tensor(
        key=view.key,
        dtype=view.dtype,
        shape=view.shape,
        order="|" if size == 1 else order,
        fortran=fortran and not dense,
        offset=start + view.at * size if start is not None and (dense or fortran) else None,
    )


def _told(walked: Walked, tensors: Sequence[Tensor], faults: Sequence[Fault], unsafe: tuple[str, ...]) -> ArrayHeader:
    """The header of a file whose pickle was walked; of TorchScript, names of its own are no further matter."""
    code = coded(walked.globals)
    broken = (Fault(kind="corrupt", what=f"has a pickle that is broken: {walked.problem}"),) if walked.problem else ()
    return ArrayHeader(
        format="TORCH",
        tensors=tuple(tensors),
        faults=(*code, *broken, *faults),
        unsafe=unsafe or strange(walked.globals),
    )


def _few(faults: Sequence[Fault]) -> list[Fault]:
    """The first of many."""
    rest = Fault(kind=faults[-1].kind, what=f"has {len(faults) - _SHOWN:,} more faults") if faults else None
    return [*faults[:_SHOWN], rest] if rest and len(faults) > _SHOWN else list(faults)


def legacy(pieces: Pieces) -> ArrayHeader:
    """What a file of the old kind holds: five pickles, of which the fourth is the object, and the storages behind."""
    at, walks = _walks(pieces, 5)
    named = tuple(dict.fromkeys(name for one in walks for name in one.globals))
    broken = walks[-1].problem
    main = walks[3] if len(walks) > 3 else walks[-1]  # noqa: PLR2004 - the fourth
    places, faults = ({}, []) if broken else _places(pieces, storages(main.stored), walks[4].value, at)
    found = list(views(main.value))
    tensors = [_tensor(view, "<", places.get(view.storage.key)) for view in found]
    faults += [fault for view in found for fault in _reaching(view)]
    return _told(main._replace(globals=named, problem=broken), tensors, _few(faults), ())


def _walks(pieces: Pieces, count: int) -> tuple[int, list[Walked]]:
    """The byte behind so many pickles, and these; no more is read than they take, a few times over."""
    size = _FIRST
    while True:
        data = pieces.some(0, min(size, pieces.size))
        at = 0
        found: list[Walked] = []
        while len(found) < count and not (found and found[-1].problem):
            found.append(walk(data[at:]))
            at += found[-1].end
        if not found[-1].problem or size >= min(pieces.size, LONGEST):
            return at, found
        size *= 16


def _places(pieces: Pieces, wanted: Sequence[Storage], keys: Any, at: int) -> tuple[dict[str, int], list[Fault]]:
    """Where the storages begin: in the order of their keys, each behind the number of its values, little-endian."""
    known = {storage.key: storage for storage in wanted}
    places: dict[str, int] = {}
    if not isinstance(keys, list) or not all(isinstance(key, str) and key in known for key in keys):
        return places, [Fault(kind="corrupt", what="lists storages that its pickle does not speak of")]
    for key in keys:
        said, count = pieces.some(at, 8), known[key].numbers
        if len(said) == 8 and int.from_bytes(said, "little") != count:  # noqa: PLR2004 - a number of 64 bits
            what = f"says {int.from_bytes(said, 'little'):,} numbers for the storage {key[:200]!r}, not {count:,}"
            return places, [Fault(kind="corrupt", what=what, expected=count)]
        places[key] = at + 8
        at += 8 + known[key].size
    lacks = known.keys() - set(keys)
    missing = [Fault(kind="corrupt", what=f"lacks the storage {min(lacks)[:200]!r}")] if lacks else []
    return places, [*missing, *held_against(pieces.size, at, f"{at:,} bytes with all storages")]
