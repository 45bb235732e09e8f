"""The shape of `audit.yaml` and of packs: what may stand where.

A field left unset is told from one that is set, because a later file's rule
merges field by field over an earlier one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from audit.records.base import Record
from audit.records.words import FailOn, Kind, Role, Severity, Trigger

Scalar = str | int | float | bool
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=100)]
Text = Annotated[str, Meta(min_length=1)]
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$", description="A date, YYYY-MM-DD.")]


class DatasetEntry(Record):
    """A named part of the project's data."""

    path: Annotated[Text, Meta(description="A path or glob relative to the project, or a URL.")]
    kind: Annotated[Kind | None, Meta(description="What it is made of; follows from the suffix if left out.")] = None
    role: Annotated[Role | None, Meta(description="What it is for: train, val or test.")] = None
    where: Annotated[
        dict[str, list[Scalar]], Meta(description="Take only the rows whose columns have one of these values.")
    ] = {}
    optional: Annotated[bool, Meta(description="It may be absent: a pattern that matches nothing is no error.")] = False


class RuleEntry(Record):
    """One rule: a check with its parameters."""

    id: Annotated[Name, Meta(description="The rule's name, unique in its file.")]
    check: Annotated[Text | UnsetType, Meta(description="The check it runs, family.name.")] = UNSET
    with_: Annotated[dict[str, Any] | UnsetType, Meta(description="The check's parameters.")] = msgspec.field(
        default=UNSET, name="with"
    )
    severity: Annotated[Severity | UnsetType, Meta(description="The most that a violation can weigh.")] = UNSET
    on: Annotated[list[Trigger] | UnsetType, Meta(min_length=1, description="The triggers it runs on.")] = UNSET
    why: Annotated[Text | UnsetType, Meta(description="Why the rule is there; shown with its result.")] = UNSET
    enabled: Annotated[bool | UnsetType, Meta(description="false switches it off; it stays visible as skip.")] = UNSET


class WaiverEntry(Record):
    """A written, dated exception to a violation."""

    rule: Annotated[Text, Meta(description="The id of the rule.")]
    subject: Annotated[Text, Meta(description='The subject to the letter, or "glob:" and a pattern.')]
    reason: Annotated[Text, Meta(description="Why it is accepted.")]
    author: Annotated[Text, Meta(description="Who accepts it.")]
    expires: Annotated[Day, Meta(description="The last day on which it holds.")]
    kind: Annotated[Text | None, Meta(description="Only violations of this kind.")] = None


class EnvironmentEntry(Record):
    """The environment to audit."""

    python: Annotated[Text | None, Meta(description="Its interpreter; found by itself if left out.")] = None
    import_frameworks: Annotated[bool, Meta(description="Ask frameworks for their build by importing them.")] = True


class RuleFile(Record):
    """A rule file: `audit.yaml`, or a pack that others extend."""

    version: Literal[1]
    name: Annotated[Text | None, Meta(description="The project's name; the folder's if left out.")] = None
    extends: Annotated[list[Text], Meta(description="Packs by name, or rule files by path.")] = []
    fail_on: Annotated[FailOn | None, Meta(description="The least severity that fails; error if left out.")] = None
    environment: EnvironmentEntry | None = None
    datasets: dict[Name, DatasetEntry] = {}
    rules: list[RuleEntry] = []
    waivers: list[WaiverEntry] = []
