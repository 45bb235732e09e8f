"""`audit.yaml` and its packs, checked and typed: all that the plan is made from."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from audit.config.datasets import resolve as resolve_dataset
from audit.config.merge import merge
from audit.config.model import EnvironmentEntry, WaiverEntry
from audit.config.packs import Layer, layers
from audit.config.rules import RuleSpec, resolve
from audit.config.waivers import waivers_fit
from audit.errors import UsageError
from audit.records.base import Record
from audit.records.dataset import Dataset
from audit.records.project import Environment
from audit.records.report import canonical
from audit.records.words import FailOn

FILE = "audit.yaml"


class Config(Record):
    """A project's configuration.

    `digest` is SHA-256 over everything in it that can change a verdict.
    """

    root: Path
    name: str
    fail_on: FailOn
    environment: Environment
    datasets: tuple[Dataset, ...]
    rules: tuple[RuleSpec, ...]
    waivers: tuple[WaiverEntry, ...]
    digest: str = ""


def project_root(folder: str | os.PathLike[str]) -> Path:
    """The folder itself, absolute and without links. Raises `UsageError` if it holds no project."""
    if not os.path.isdir(folder):  # noqa: PTH112 - pathlib raises where a name is too long to be one
        raise UsageError(f"{folder}: not a folder", hint="name the folder that holds audit.yaml")
    root = Path(folder).resolve()
    if not (root / FILE).is_file():
        raise UsageError(f"no {FILE} in {root}", hint=_where_else(root))
    return root


def _where_else(root: Path) -> str:
    """What to do about a folder without a rule file: most often one stands near."""
    above = next((folder for folder in root.parents if (folder / FILE).is_file()), None)
    if above:
        return f"there is one in {above}: `-C {shlex.quote(str(above))}`"
    if (root / FILE).exists():
        return f"what is called {FILE} there is no file"
    if (root / "audit.yml").is_file():
        return f"audit.yml must be called {FILE}"
    return "`audit init` looks at the project and writes one"


def load_config(root: Path) -> Config:
    """Read `audit.yaml` in the folder. Raises `ConfigError` with file:line:column and the next step."""
    stack = layers(root / FILE, FILE)
    own = stack[-1]
    datasets = {name: resolve_dataset(own.source, name, entry) for name, entry in sorted(own.content.datasets.items())}
    merged = merge(stack)
    ids = frozenset(rule.id.value for rule in merged)
    rules = tuple(resolve(rule, datasets, ids) for rule in merged)
    waivers_fit(own, ids, datasets)
    config = Config(
        root=root,
        name=own.content.name or root.name or "project",
        fail_on=_fail_on(stack),
        environment=_environment(own.content.environment),
        datasets=tuple(datasets.values()),
        rules=rules,
        waivers=tuple(own.content.waivers),
    )
    return msgspec.structs.replace(config, digest=_digest(config))


def _fail_on(stack: Sequence[Layer]) -> FailOn:
    """What the last file that speaks of it says."""
    return next((layer.content.fail_on for layer in reversed(stack) if layer.content.fail_on), FailOn.ERROR)


def _environment(entry: EnvironmentEntry | None) -> Environment:
    return Environment(python=entry.python, import_frameworks=entry.import_frameworks) if entry else Environment()


def _digest(config: Config) -> str:
    said = {
        "datasets": config.datasets,
        "environment": config.environment,
        "fail_on": config.fail_on,
        "rules": [_meaning(rule) for rule in config.rules],
        "waivers": config.waivers,
    }
    # sets in a fixed order first: `canonical` sorts keys alone
    return hashlib.sha256(canonical(msgspec.to_builtins(said, order="deterministic"))).hexdigest()


def _meaning(rule: RuleSpec) -> list[object]:
    """What of a rule can change a verdict; of its parameters the defaults too, which a new version may change."""
    asks = rule.asks(dict.fromkeys(rule.left_open, ""))
    return [rule.id, rule.check, rule.left_open, asks, rule.severity, sorted(set(rule.on)), rule.enabled]
