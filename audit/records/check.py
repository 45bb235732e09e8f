"""Checks and fact requests: the two nouns that the rest of the house is built from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, dataclass_transform

import msgspec

from audit.records.base import ByKeyword, Record
from audit.records.findings import Exhibit, Finding
from audit.records.words import Kind

if TYPE_CHECKING:
    from audit.records.context import Context
    from audit.records.project import Project
    from audit.records.report import ReportedViolation

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Request(msgspec.Struct, Generic[T], metaclass=ByKeyword, frozen=True, forbid_unknown_fields=True):
    """A wish for a fact. Its fields are its key: equal requests are collected once."""

    def collect(self, ctx: Context) -> T:
        """Look, and say what is. Raises `CannotLook` where that is impossible."""
        raise NotImplementedError


class Covered(Record):
    """The part of the project whose content a rule compares with a record.

    `paths` are POSIX paths of files or folders (a folder covers all in it),
    relative to the project. `datasets` are names covered whole. `awaiting` are those
    that it would cover if they were recorded, and fails for until they are. `record`
    names a list by which people would know the record, as they write it themselves.
    """

    paths: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    awaiting: tuple[str, ...] = ()
    record: str = ""


class Check(Record):
    """What should be. Its fields are what `with:` accepts.

    The first line of a check's docstring is its one-line description; the whole is
    its page, in four parts: what it does, why it matters, example, how to fix.
    """

    accepts: ClassVar[frozenset[Kind]] = frozenset()
    """The kinds of dataset that its `dataset`, `reference` and `current` may have."""

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The facts it wants, by the names under which `evaluate` takes them."""
        raise NotImplementedError

    def covers(self, project: Project) -> Request[Covered] | None:  # noqa: ARG002 - what checks that cover something need
        """The content that this rule verifies against a record, if that is what it does."""
        return None

    def evaluate(self, *args: Any, **facts: Any) -> Iterator[Finding]:
        """Judge the facts; pure. Raises `NotApplicable` where there is nothing to judge.

        Each check narrows the signature to the facts that its `needs` names.
        """
        raise NotImplementedError

    def illustrates(
        self,
        project: Project,  # noqa: ARG002 - what checks that show something need
        violations: Sequence[ReportedViolation],  # noqa: ARG002
    ) -> Request[tuple[Exhibit, ...]] | None:
        """What shows some of what it found: asked once it has judged, for violations that nothing waives.

        These are sorted by subject. What cannot be shown changes no outcome; the engine says so in the envelope.
        """
        return None
