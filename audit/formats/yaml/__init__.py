"""The one YAML loader: YAML 1.2, core schema, strict and bounded, on libyaml's parser.

Source: https://yaml.org/spec/1.2.2/. Stricter than the specification on purpose: no
tags, no collections as keys, one document, `%YAML 1.1` refused; sizes, depth and
the expansion of aliases are bounded.
"""

from __future__ import annotations

from audit.formats.yaml.marks import Mark, Marks
from audit.formats.yaml.reader import Document, load, parse
from audit.formats.yaml.schema import CORE, RUAMEL, Schema
from audit.formats.yaml.text import LIMIT

__all__ = ["CORE", "LIMIT", "RUAMEL", "Document", "Mark", "Marks", "Schema", "load", "parse"]
