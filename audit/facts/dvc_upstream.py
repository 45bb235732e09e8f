"""What stages are made from: outputs of other stages, and whether these are as recorded.

A stage that runs records what it reads. Where that is damaged and DVC tracks it, `dvc
repro` would record the damage, and everything downstream of it.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.errors import CannotLook
from audit.facts.dvc import Dvc
from audit.facts.dvc_workspace import DvcWorkspace, OutputState
from audit.formats.dvc.output import Dependency, Output
from audit.formats.dvc.stage import Stage
from audit.records.context import Context


class Upstream(NamedTuple):
    """The stages by their addresses; outputs by the folders that hold them; those that are not as recorded."""

    stages: Mapping[str, Stage]
    at: Mapping[str, Sequence[Output]]
    within: Mapping[str, Sequence[Output]]
    wrong: frozenset[str] = frozenset()

    @classmethod
    def of(cls, ctx: Context, dvc: Dvc, root: str) -> Upstream:
        """Read the outputs, if any stage reads one."""
        upstream = cls({stage.address: stage for stage in dvc.stages}, *_placed(dvc.outputs))
        if not any(upstream.makers(stage) for stage in dvc.stages):
            return upstream
        try:
            states = ctx.get(DvcWorkspace(root=root)).states
        except CannotLook:
            return upstream
        return upstream._replace(wrong=frozenset(state.output.path for state in states if _is_wrong(state)))

    def off(self, dependency: Dependency) -> tuple[str, ...]:
        """The outputs that the dependency is, holds or lies in, and that are not as recorded."""
        return tuple(sorted({out.path for out in self._behind(dependency) if out.path in self.wrong}))

    def makers(self, stage: Stage) -> list[Stage]:
        """The stages that make what the stage reads."""
        return [self.stages[out.stage] for each in stage.deps for out in self._behind(each)]

    def sources(self, stage: Stage) -> tuple[str, ...]:
        """What is not as recorded of all that the stage is made from, and that running would not make again."""
        seen: dict[str, Stage] = {}
        left = self.makers(stage) if self.wrong else []
        while left:
            maker = left.pop()
            if maker.address not in seen:
                seen[maker.address] = maker
                left += self.makers(maker)
        origins = (maker for maker in seen.values() if maker.cmd is None or maker.frozen)
        return tuple(sorted({out.path for maker in origins for out in maker.outs if out.path in self.wrong}))

    def _behind(self, dependency: Dependency) -> Iterator[Output]:
        if dependency.location is not None:
            yield from self.within.get(dependency.location, ())
            for folder in _folders(dependency.location):
                yield from self.at.get(folder, ())


def _placed(outputs: Iterable[Output]) -> tuple[Mapping[str, Sequence[Output]], Mapping[str, Sequence[Output]]]:
    """The outputs by their own places, and by these and all folders above."""
    at: defaultdict[str, list[Output]] = defaultdict(list)
    within: defaultdict[str, list[Output]] = defaultdict(list)
    for out in outputs:
        if out.location is not None:
            at[out.location].append(out)
            for place in (out.location, *_folders(out.location)):
                within[place].append(out)
    return at, within


def _folders(path: str) -> Iterator[str]:
    """All folders above, from the next one up."""
    while len(path) > len(above := posixpath.dirname(path)):
        yield above
        path = above


def _is_wrong(state: OutputState) -> bool:
    """What a command never made yet has nothing that could be brought back."""
    output = state.output
    recorded = output.digest is not None or output.files is not None
    return (recorded or output.imported) and not state.as_recorded
