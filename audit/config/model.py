"""The shape of `audit.yaml` and of packs: what may stand where.

A field left unset is told from one that is set, because a later file's rule
merges field by field over an earlier one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from audit.records.base import Record
from audit.records.words import FailOn, Kind, Role, Severity, Trigger

END = r"$(?!\n)"
"""The end of a text: `$` alone stands before a last line break too, in Python though not in JSON Schema."""
ELSEWHERE = rf"^[/~]|^[A-Za-z]:|\\|\x00|(^|/)\.\.(/|{END})"
"""What a path has that leaves the project, whatever the system."""
FOREIGN = r"^(?!(az|gs|https|s3)://)[\s\S]*://|://[\s\S]*(::|://)"
"""What a URL has that is of a scheme we do not open, or chains another one."""

Scalar: TypeAlias = str | int | float | bool
Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z0-9][A-Za-z0-9_.-]{{0,99}}{END}",
        extra={"form": "a name: up to 100 letters, digits, '_', '.' and '-', a letter or digit first"},
    ),
]
Day = Annotated[
    str,
    Meta(
        pattern=rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{END}",
        extra={"form": "a date: YYYY-MM-DD"},
        extra_json_schema={"format": "date"},
    ),
]


class ReadingEntry(Record):
    """How the text of a table is to be read; what is left out is found out."""

    delimiter: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1)] | None, Meta(description="What stands between two fields.")
    ] = None
    quote: Annotated[
        Annotated[str, Meta(max_length=1)] | None, Meta(description='What encloses a field; "" if nothing does.')
    ] = None
    encoding: Annotated[Text | None, Meta(description="The encoding; UTF-8 if left out.")] = None
    header: Annotated[bool | None, Meta(description="Whether the first row names the columns.")] = None
    missing: Annotated[list[str], Meta(description="Words that stand for no value in every column.")] = msgspec.field(
        default_factory=list
    )


class DatasetEntry(Record):
    """A named part of the project's data."""

    path: Annotated[
        str,
        Meta(
            min_length=1,
            description="A path or glob relative to the project, or a URL.",
            extra_json_schema={"not": {"anyOf": [{"pattern": ELSEWHERE}, {"pattern": FOREIGN}]}},
        ),
    ]
    kind: Annotated[Kind | None, Meta(description="What it is made of; follows from the suffix if left out.")] = None
    role: Annotated[Role | None, Meta(description="What it is for.")] = None
    where: Annotated[
        dict[str, Annotated[list[Scalar], Meta(min_length=1)]],
        Meta(description="Take only the rows of a table whose columns have one of these values."),
    ] = msgspec.field(default_factory=dict)
    reading: Annotated[
        ReadingEntry | None, Meta(description="How the text of a table is to be read; found out if left out.")
    ] = None
    optional: Annotated[bool, Meta(description="It may be absent: a pattern that matches nothing is no error.")] = False
    profile: Annotated[
        bool | None,
        Meta(description="Whether `audit lock` writes its profile; if left out, where it is a table with a role."),
    ] = None
    profile_values: Annotated[
        bool,
        Meta(description="Let its profile in audit.lock hold values: categories in plain words, extremes, quantiles."),
    ] = False


class RuleEntry(Record):
    """One rule: a check with its parameters. It changes an extended file's rule of the same id field by field."""

    id: Annotated[Name, Meta(description="The rule's name, unique in its file.")]
    check: Annotated[Text | UnsetType, Meta(description="The check it runs, family.name.")] = UNSET
    with_: Annotated[dict[str, Any] | UnsetType, Meta(description="The check's parameters.")] = msgspec.field(
        default=UNSET, name="with"
    )
    severity: Annotated[
        Severity | UnsetType, Meta(description="The most that a violation can weigh; error if left out.")
    ] = UNSET
    on: Annotated[
        Annotated[list[Trigger], Meta(min_length=1)] | UnsetType,
        Meta(description="The triggers it runs on; launch and nightly if left out."),
    ] = UNSET
    why: Annotated[Text | UnsetType, Meta(description="Why the rule is there; shown with its result.")] = UNSET
    enabled: Annotated[bool | UnsetType, Meta(description="false switches it off; it stays visible as skip.")] = UNSET


class WaiverEntry(Record):
    """A written, dated exception to a violation."""

    rule: Annotated[Text, Meta(description="The id of the rule, perhaps with its dataset: id[dataset].")]
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
    """A rule file of audit: `audit.yaml`, or a pack that others extend."""

    version: Annotated[Literal[1], Meta(description="The version of this format.")]
    name: Annotated[Text | None, Meta(description="The project's name; the folder's if left out.")] = None
    extends: Annotated[
        list[Text], Meta(description="Packs by name, or rule files by their path relative to this file.")
    ] = msgspec.field(default_factory=list)
    fail_on: Annotated[FailOn | None, Meta(description="The least severity that fails; error if left out.")] = None
    environment: Annotated[EnvironmentEntry | None, Meta(description="The environment to audit.")] = None
    datasets: Annotated[dict[Name, DatasetEntry], Meta(description="The project's data, by names of your choice.")] = (
        msgspec.field(default_factory=dict)
    )
    rules: Annotated[list[RuleEntry], Meta(description="What must hold.")] = msgspec.field(default_factory=list)
    waivers: Annotated[list[WaiverEntry], Meta(description="Exceptions, each with a reason and a last day.")] = (
        msgspec.field(default_factory=list)
    )
