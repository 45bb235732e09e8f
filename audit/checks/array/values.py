"""`array.values`: all values of arrays are numbers, within their range, and scaled as they should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from audit.checks.array._faults import faults, subject
from audit.checks.array._values_channels import Channels, departed, table
from audit.checks.array._values_groups import Group, grouped
from audit.checks.array._values_scales import Named, declared, minority, unlike
from audit.checks.array._values_told import Limits, judged
from audit.facts.signals.array_values import ArrayScan
from audit.records.array_values import Scanned
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Kind, Role, Severity

Share = Annotated[float, Meta(ge=0, le=1)]

_GROUPS, _ROWS = 8, 40


class Values(Check):
    """All values of arrays are numbers, within their range, and scaled as they should be.

    Reads every value of each array (of those that `keys` name), whatever the size of the file,
    in bounded memory. NaN and infinities fail, values outside `min` and `max` fail. Integers of
    16 bits and more at an end of their type warn: so looks NaN that was cast, and what did not
    fit. Arrays without any value, and arrays of one value throughout, are told.

    `normalisation` says how values are scaled: `unit` to [0, 1], `symmetric` to [-1, 1], `byte`
    to [0, 255], `standard` to mean 0 and deviation 1 (to `tolerance`). Undeclared, what is found
    is named, and files in [0, 255] among those in [0, 1] or [-1, 1] are told. `same_as` holds
    the arrays against those of another dataset, and without it those of role `val` against the
    one of role `train`: another scale, or values that spread ten times as far, fail; values
    beyond its scale, or a deviation away, warn. `channels` holds the mean and the deviation of
    each channel against those that are declared. Lists of integers beside other arrays are
    taken for labels, which have neither.

    Items (along the first axis, of 16 values or more) that have one value throughout, and items
    whose bytes an earlier one has, warn where arrays hold pictures, clips or features (four
    axes, or three of floats), and are noted elsewhere; with `max_constant_share` and
    `max_repeated_share` they fail.

    Numbers of all sizes are read, in both byte orders: integers, truth values, floats of 8 to 64
    bits, `bfloat16` and complex numbers, both of whose parts count. What holds no numbers, and
    what cannot be read, makes the rule `error`.

    ## Why it matters

    One NaN among a billion values makes every weight NaN in the next step. A validation set in
    [0, 255] beside a training set in [0, 1] raises no error either: its loss is of another
    task, and the best checkpoint is chosen by it.

    ## Example

    ```yaml
    datasets:
      train: {path: data/train.npy, role: train}
      val: {path: data/val.npy, role: val}
    rules:
      - id: train-normalised-like-imagenet
        check: array.values
        with:
          dataset: train
          normalisation: unit
          channels: {axis: 1, mean: [0.485, 0.456, 0.406], sd: [0.229, 0.224, 0.225], tolerance: 0.05}
      - id: val-scaled-like-train
        check: array.values
        with: {dataset: val, same_as: train}
    ```

    ## How to fix

    Make the array again from its source. Look at the first item that is named: a division by a
    deviation of 0 gives NaN, a cast of NaN the least integer. Scale all splits by one and the
    same code, with the mean and the deviation of the training set. If NaN marks what is missing,
    say how much of it may be there with `max_nan_share`.
    """

    accepts = frozenset({Kind.ARRAY})

    dataset: DatasetName
    keys: Annotated[
        tuple[str, ...], Meta(description="The arrays to look at, by name or shell pattern; left out, all of a file.")
    ] = ()
    min: Annotated[float | None, Meta(description="The least that a value may be.")] = None
    max: Annotated[float | None, Meta(description="The most that a value may be.")] = None
    max_nan_share: Annotated[Share, Meta(description="The share of an array's values that may be NaN.")] = 0.0
    max_infinite_share: Annotated[Share, Meta(description="The share of an array's values that may be infinite.")] = 0.0
    normalisation: Annotated[
        Literal["unit", "symmetric", "byte", "standard"] | None, Meta(description="How values are scaled.")
    ] = None
    tolerance: Annotated[
        float, Meta(gt=0, description="How far `standard` values may be from mean 0 and deviation 1.")
    ] = 0.1
    same_as: Annotated[
        DatasetName | None,
        Meta(description="The dataset whose arrays are scaled alike; left out, role `val` is held against `train`."),
    ] = None
    compare: Annotated[bool, Meta(description="Whether to hold them against another dataset at all.")] = True
    channels: Annotated[Channels | None, Meta(description="What each channel is expected to be.")] = None
    items: Annotated[bool, Meta(description="Whether to look for constant and repeated items.")] = True
    max_constant_share: Annotated[
        Share | None, Meta(description="The share of items that may have one value throughout.")
    ] = None
    max_repeated_share: Annotated[
        Share | None, Meta(description="The share of items that may repeat an earlier one.")
    ] = None
    max_extreme_share: Annotated[
        Share | None,
        Meta(
            description="The share of integers that may be at an end of their type; left out, none warns from 32 bits "
            "on, 0.001 of 16 bits, and all of 8 bits."
        ),
    ] = None

    def needs(self, project: Project) -> Mapping[str, Request[Scanned]]:
        """All values of the arrays, and of those that they are held against."""
        other = self._other(project)
        names = {"scanned": self.dataset} | ({"other": other} if other else {})
        return {fact: self._scan(project, name, scales=other is not None) for fact, name in names.items()}

    def _other(self, project: Project) -> str | None:
        """The dataset to hold this one against: the one that is named, else the only one to train on."""
        if not self.compare or self.same_as is not None:
            return self.same_as if self.compare else None
        train = [one.name for one in project.role(Role.TRAIN) if one.kind is Kind.ARRAY]
        return train[0] if project.dataset(self.dataset).role is Role.VAL and len(train) == 1 else None

    def _scan(self, project: Project, name: str, *, scales: bool) -> ArrayScan:
        shares = self.max_constant_share is not None or self.max_repeated_share is not None
        mine = name == self.dataset
        return ArrayScan(
            root=project.root,
            dataset=project.dataset(name),
            keys=self.keys,
            moments=self.normalisation == "standard" or scales,
            axis=self.channels.axis if self.channels and mine else None,
            channels=self.channels.count if self.channels and mine else 0,
            items=(self.items or shares) and mine,
        )

    def evaluate(self, scanned: Scanned, other: Scanned | None = None) -> Iterator[Finding]:
        """Each array by itself, then how those that mean the same are scaled."""
        dataset = Named(scanned.path, scanned)
        found = [*self._arrays(scanned), *self._scales(dataset, other)]
        yield from (one.violation() for one in scanned.unseen)
        yield from found
        yield from _figures(scanned)
        yield from _drawn(grouped(scanned))
        yield from table(dataset)
        yield Summary(text=_told(scanned, found))

    def _arrays(self, scanned: Scanned) -> Iterator[Violation]:
        full = any(one.count for file in scanned.files for one in file.values.arrays)
        blank = Severity.WARNING if full else Severity.ERROR
        limits = Limits(
            low=self.min,
            high=self.max,
            nan=self.max_nan_share,
            infinite=self.max_infinite_share,
            extreme=self.max_extreme_share,
            constant=self.max_constant_share,
            repeated=self.max_repeated_share,
        )
        for file in scanned.files:
            yield from faults(file.path, file.values.faults)
            if not file.values.arrays and not file.values.faults:
                yield _nothing(file.path, self.keys, file.values.others)
            for one in file.values.arrays:
                yield from judged(file, one, limits, blank)

    def _scales(self, dataset: Named, other: Scanned | None) -> Iterator[Violation]:
        if self.normalisation:
            yield from declared(dataset, self.normalisation, self.tolerance)
        else:
            yield from minority(dataset)
        if self.channels:
            yield from departed(dataset, self.channels)
        if other is not None:
            blind = list(_blind(other))
            yield from blind
            if not blind:
                yield from unlike(dataset, other, self.same_as or other.path)


def _nothing(path: str, keys: Sequence[str], others: Sequence[str]) -> Violation:
    if not others:
        return Violation(subject=path, kind="empty", message="holds no array")
    message = f"holds no array that `keys` names ({', '.join(keys)}); it holds {', '.join(others)}"
    return Violation(subject=path, kind="keys", message=message, expected=", ".join(keys))


def _blind(other: Scanned) -> Iterator[Violation]:
    """What keeps the other dataset from being known: nothing passes by it then."""
    yield from (one.violation() for one in other.unseen)
    for file in other.files:
        wrong = [(file.path, fault.what) for fault in file.values.faults]
        wrong += [(subject(file.path, one.key), one.problem) for one in file.values.arrays if one.problem]
        for where, what in wrong:
            message = f"{what}, so nothing can be held against it"
            yield Violation(subject=where, kind="reference", message=message, unseen=True)


def _figures(scanned: Scanned) -> Iterator[Figure]:
    arrays = [one for file in scanned.files for one in file.values.arrays]
    yield Figure(name="files", value=len(scanned.files))
    yield Figure(name="arrays", value=len(arrays))
    yield Figure(name="values", value=sum(one.count for one in arrays))
    yield Figure(name="nan", value=sum(one.nan for one in arrays))
    yield Figure(name="infinite", value=sum(one.infinite for one in arrays))
    groups = grouped(scanned)
    for group in groups[:_GROUPS]:
        behind = f"_{group.key or f'{group.dimensions}d'}" if len(groups) > 1 else ""
        if group.low is not None and group.high is not None:
            yield Figure(name=f"min{behind}", value=group.low)
            yield Figure(name=f"max{behind}", value=group.high)
        yield Figure(name=f"normalisation{behind}", value=group.scale or "none named")


def _drawn(groups: Sequence[Group]) -> Iterator[Exhibit]:
    rows = [
        [
            group.key or f"{group.dimensions} axes",
            group.arrays,
            group.finite,
            group.low,
            group.high,
            group.moments.mean if group.moments else None,
            group.moments.sd if group.moments else None,
            group.scale,
        ]
        for group in groups[:_ROWS]
    ]
    if rows:
        columns = ["array", "files", "finite values", "min", "max", "mean", "deviation", "normalisation"]
        yield Exhibit(type="table", title="Values", data={"columns": columns, "rows": rows})


def _told(scanned: Scanned, found: Sequence[Violation]) -> str:
    arrays = [one for file in scanned.files for one in file.values.arrays if not one.problem]
    values = sum(one.count for one in arrays)
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR and not one.unseen})
    held = f"{values:,} value{'' if values == 1 else 's'} of {len(arrays):,} array{'' if len(arrays) == 1 else 's'}"
    scales = sorted({group.scale for group in grouped(scanned) if group.scale})
    told = f"{held} looked at" + (f", scaled as {' and '.join(scales)}" if scales else "")
    return f"{told}; {wrong:,} {'is' if wrong == 1 else 'are'} wrong" if wrong else told
