"""The header of a compiled file of requirements: the command that made it, and what it was made from."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

_HEADER = 20
_COMMAND = re.compile(r"^#\s+((?:[\w./-]*/)?(?:pip-compile|uv pip compile|uv export|pip compile)\b.*)$")
_ENDS = frozenset({"pip-compile", "compile", "export"})
_VALUED = frozenset(
    {"-o", "--output-file", "-p", "--python-version", "--python", "--python-platform", "-c", "--constraint"}
    | {"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--extra", "--group", "--override"}
    | {"-P", "--upgrade-package", "--resolver", "--cache-dir", "--unsafe-package", "--annotation-style", "--pip-args"}
    | {"--index-strategy", "--exclude-newer", "--format", "--emit-options", "--build-isolation", "--config"}
)


def compiled_by(text: str) -> str:
    """The command in the first lines of a file, its own lines joined; empty where there is none."""
    lines = text.splitlines()[:_HEADER]
    start = next((number for number, line in enumerate(lines) if _COMMAND.match(line)), None)
    return " ".join(_parts(lines[start:])) if start is not None else ""


def _parts(lines: list[str]) -> Iterator[str]:
    for line in lines:
        said = line.lstrip("# ").strip()
        yield said.rstrip("\\").strip()
        if not said.endswith("\\"):
            return


def sources(command: str) -> tuple[str, ...]:
    """The input files that the command names: what is no option, nor the value of one."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ()
    start = next((at + 1 for at, word in enumerate(words) if word.rpartition("/")[2] in _ENDS), len(words))
    before = ["", *words[start:]]
    return tuple(
        word
        for word, previous in zip(words[start:], before, strict=False)
        if not word.startswith("-") and previous not in _VALUED
    )
