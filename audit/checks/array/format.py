"""`array.format`: arrays have the type, the shape and the keys that were declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from audit.checks.array._alike import Found, minorities, strays, unlike
from audit.checks.array._faults import blind, faults, subject
from audit.checks.array._wanted import ArrayRule, Count, Order, Shape, Words, departures, named, rule_of, written
from audit.facts.signals.array_headers import ArrayHeaders
from audit.records.array import ArrayFile, Arrays
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Kind, Severity

_MOST = 20
_ROWS = 40


class Format(Check):
    """Arrays have the declared types, shapes and keys, and are stored alike.

    Reads the headers of `.npy`, `.npz`, safetensors, PyTorch (`.pt`, `.pth`), HDF5, Zarr, and
    columns of tensors in Parquet and Arrow; nothing is unpickled. What is said beside `arrays`
    holds for every array, and what `arrays` says of one (by its key, or a shell pattern) for
    that. Types are spelled as numpy does (`float32`, `int64`, `bool`), and as PyTorch does where
    numpy has none (`bfloat16`, `float8_e4m3fn`).

    In a `shape`, a number is that number, `*` or null any, and a name stands for one number,
    the same wherever it is used in a file: with `images: [N, 3, 224, 224]` and `labels: [N]`
    each picture has a label. Names in `across` are the same in all files.

    Arrays of one key are stored alike in all files, as far as they are not declared, unless
    `uniform: false`: another type or number of axes than most fails; another byte order or
    layout, or items of another shape than nine of ten files have, warns. `same_as` holds them
    against another dataset: keys, types and numbers of axes that none of its files has fail,
    and so does another shape of items, if they have but one.

    A file whose header cannot be understood, that is cut, empty, or the pointer of Git LFS, or
    whose name promises another format, fails. A pickle makes the rule `error`, since what arrays
    it holds only unpickling could tell; so do records of TensorFlow, which are not taken apart.

    ## Why it matters

    A loader that meets `float64` where it had `float32` doubles its memory, one that meets
    `int64` where it had `uint8` skips the division by 255. Channels last where channels first
    are expected train without an error, if there are as many rows as channels; labels that are
    one short are shifted by one.

    ## Example

    ```yaml
    datasets:
      train: {path: data/train.npz, role: train}
      val: {path: data/val.npz, role: val}
    rules:
      - id: train-arrays
        check: array.format
        with:
          dataset: train
          arrays:
            images: {dtype: uint8, shape: [N, 3, 224, 224]}
            labels: {dtype: int64, shape: [N], min_items: 1000}
          closed: true
      - id: val-stored-like-train
        check: array.format
        with: {dataset: val, same_as: train}
    ```

    ## How to fix

    Make the file again with the code that made the others: `array.astype("float32")` before
    `numpy.save`, `numpy.ascontiguousarray` for the order of indices. If both are meant, declare
    both, or say `uniform: false`.
    """

    accepts = frozenset({Kind.ARRAY})

    dataset: DatasetName
    dtype: Annotated[Words, Meta(description="The type of each array, or those allowed.")] = None
    order: Annotated[Order, Meta(description="The byte order of each array.")] = None
    shape: Annotated[
        Shape, Meta(description="The shape of each array: numbers, names that stand for one, `*` or null for any.")
    ] = None
    fortran: Annotated[bool | None, Meta(description="Whether the first index is the fastest.")] = None
    items: Annotated[Count | None, Meta(description="How long the first axis of each array is.")] = None
    min_items: Annotated[Count | None, Meta(description="How long the first axis is at least.")] = None
    max_items: Annotated[Count | None, Meta(description="How long the first axis is at most.")] = None
    arrays: Annotated[
        dict[str, ArrayRule], Meta(description="What arrays are, by key or shell pattern; what is declared is there.")
    ] = {}
    closed: Annotated[bool, Meta(description="Whether there are no others than those in `arrays`.")] = False
    uniform: Annotated[bool, Meta(description="Whether arrays of one key are stored alike in all files.")] = True
    across: Annotated[
        tuple[str, ...], Meta(description="Names in shapes that stand for the same number in all files.")
    ] = ()
    same_as: Annotated[
        DatasetName | None, Meta(description="The dataset whose files have each key, type and shape found here.")
    ] = None

    def needs(self, project: Project) -> Mapping[str, Request[Arrays]]:
        """The headers of the files, and those of the dataset they are held against."""
        names = {"arrays": self.dataset} | ({"other": self.same_as} if self.same_as else {})
        return {fact: ArrayHeaders(root=project.root, dataset=project.dataset(name)) for fact, name in names.items()}

    def evaluate(self, arrays: Arrays, other: Arrays | None = None) -> Iterator[Finding]:
        """Each file by itself, then all of them together."""
        files = arrays.files
        found = [violation for file in files for violation in self._file(file)]
        found += _few([*self._declared(files), *self._together(files, other)])
        yield from (one.violation() for one in arrays.unseen)
        if other is not None:
            yield from (one.violation() for one in other.unseen)
            yield from blind(other.files)
        yield from found
        yield Figure(name="files", value=len(files))
        yield Figure(name="arrays", value=sum(len(file.header.tensors) for file in files))
        yield Figure(name="values", value=sum(prod(one.shape) for file in files for one in file.header.tensors))
        yield from _drawn(files)
        yield Summary(text=_told(files, found))

    def _rule(self, key: str) -> ArrayRule:
        """What is declared of an array of that key, by itself or with all others."""
        every = ArrayRule(
            dtype=self.dtype,
            order=self.order,
            shape=self.shape,
            fortran=self.fortran,
            items=self.items,
            min_items=self.min_items,
            max_items=self.max_items,
        )
        mine = rule_of(key, self.arrays)
        return mine.over(every) if mine else every

    def _file(self, file: ArrayFile) -> Iterator[Violation]:
        """What is wrong with a file as a whole: its header, and which arrays it has."""
        path, header = file.path, file.header
        for one in faults(path, header.faults):
            yield replace(one, unseen=one.unseen or one.kind == "unsafe")
        if not header.format:
            return
        keys = [tensor.key for tensor in header.tensors]
        if header.format == "TFRECORD":
            message = "holds records of TensorFlow, whose features are not taken apart"
            yield Violation(subject=path, kind="unsupported", message=message, unseen=True)
        elif not keys and not header.faults:
            yield Violation(subject=path, kind="empty", message="holds no array")
        for name, rule in self.arrays.items():
            if rule.required and not any(rule_of(key, {name: rule}) for key in keys):
                yield Violation(subject=subject(path, name), kind="key", message="is not there", expected=name)
        for key in keys if self.closed else ():
            if rule_of(key, self.arrays) is None:
                yield Violation(subject=subject(path, key), kind="extra-key", message="is not declared", found=key)

    def _declared(self, files: Sequence[ArrayFile]) -> Iterator[Found]:
        for file in files:
            for tensor in file.header.tensors:
                for one in departures(tensor, self._rule(tensor.key)):
                    yield file.path, tensor.key, one, Severity.ERROR

    def _together(self, files: Sequence[ArrayFile], other: Arrays | None) -> Iterator[Found]:
        bound = (
            (file.path, tensor.key, name, number)
            for file in files
            for tensor in file.header.tensors
            for name, number in named(tensor, self._rule(tensor.key))
        )
        yield from strays(bound, self.across)
        if self.uniform:
            yield from minorities(files, self._rule)
        if other is not None and not other.unseen and not any(blind(other.files)):
            yield from unlike(files, other.files, self.same_as or "")


def _few(found: Sequence[Found]) -> Iterator[Violation]:
    """A violation for each; of many of one kind in one file the first, and how many more there are."""
    counts: Counter[tuple[str, str, Severity]] = Counter()
    for path, key, one, severity in found:
        counts[path, one.kind, severity] += 1
        if counts[path, one.kind, severity] <= _MOST:
            yield Violation(
                subject=subject(path, key),
                kind=one.kind,
                message=one.message,
                severity=severity,
                expected=one.expected,
                found=one.found,
            )
    for (path, kind, severity), count in counts.items():
        if count > _MOST:
            message = f"{count - _MOST:,} more arrays are wrong in this way"
            yield Violation(subject=path, kind=kind, message=message, severity=severity, found=count)


def _drawn(files: Sequence[ArrayFile]) -> Iterator[Exhibit]:
    seen = Counter(
        (tensor.key, tensor.dtype, written(tensor.shape)) for file in files for tensor in file.header.tensors
    )
    if seen:
        first = sorted(seen.items(), key=lambda one: (-one[1], one[0]))[:_ROWS]
        rows = [[key, dtype, shape, count] for (key, dtype, shape), count in sorted(first)]
        title = "Arrays" if len(seen) <= _ROWS else f"Arrays: {_ROWS} of {len(seen):,}"
        yield Exhibit(type="table", title=title, data={"columns": ["key", "dtype", "shape", "files"], "rows": rows})


def _told(files: Sequence[ArrayFile], found: Sequence[Violation]) -> str:
    wrong = len({one.subject.partition("#")[0] for one in found if one.severity is Severity.ERROR})
    arrays = sum(len(file.header.tensors) for file in files)
    held = f"{len(files):,} file{'' if len(files) == 1 else 's'}"
    told = f"{wrong:,} of {held} wrong" if wrong else f"{held} as declared"
    return f"{told}, with {arrays:,} array{'' if arrays == 1 else 's'}"
