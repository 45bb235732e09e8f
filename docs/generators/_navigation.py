"""Puts the pages of the checks into the site's navigation, a group for each family: no list of them to keep.

A hook of MkDocs (https://www.mkdocs.org/user-guide/configuration/#hooks).
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Add what lies in docs/checks/ behind the index of the checks."""
    files = sorted(Path(config["docs_dir"], "checks").glob("*.*.md"))
    families = groupby(files, key=lambda file: file.name.partition(".")[0])
    for entry in config["nav"]:
        if "Checks" in entry:
            entry["Checks"] += [
                {family: [{file.stem: f"checks/{file.name}"} for file in members]} for family, members in families
            ]
    return config
