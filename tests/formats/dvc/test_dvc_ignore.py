"""`.dvcignore` as DVC itself reads it: every answer is held against `DvcIgnoreFilter`."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.dvc import ignore

NAMES = ["a", "b", "ab", "b.c", ".d", "a b", "#x", "!x", "sub", "keep.txt"]
PIECES = [
    "*",
    "**",
    "?",
    "a",
    "b",
    "ab",
    ".c",
    "/",
    "[ab]",
    "[!a]",
    "[a-c]",
    "\\#",
    "\\!",
    "!",
    "#",
    " ",
    "sub",
    "x",
    "]",
    "[",
]


def rules_at(root: Path, folder: str) -> ignore.Rules:
    """The rules of a folder, read from the root down."""
    rules = ignore.Rules()
    where = root
    for name in ["", *folder.split("/")] if folder else [""]:
        if name:
            where, rules = where / name, rules.inside(name)
        if (where / ignore.FILE).is_file():
            rules = rules.read((where / ignore.FILE).read_bytes(), str(where / ignore.FILE))
    return rules


def kept(root: Path) -> set[str]:
    """All that is not left out, found as a walk would."""
    found: set[str] = set()

    def walk(folder: str) -> None:
        rules = rules_at(root, folder)
        for entry in sorted(os.scandir(root / folder), key=lambda each: each.name):
            if not rules.leaves_out(entry.name, is_dir=entry.is_dir()):
                path = f"{folder}/{entry.name}" if folder else entry.name
                found.add(path)
                if entry.is_dir():
                    walk(path)

    walk("")
    return found


def kept_by_dvc(root: Path) -> set[str]:
    from dvc.fs import LocalFileSystem
    from dvc.ignore import DvcIgnoreFilter

    fs = LocalFileSystem()
    found: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for folder, dirs, files in DvcIgnoreFilter(fs, str(root)).walk(fs, str(root), ignore_subrepos=False):
            found |= {str((Path(folder) / name).relative_to(root)) for name in [*dirs, *files]}
    return found


def lay(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())


def tree(root: Path) -> None:
    for folder in ["", "a", "sub", "sub/a", "sub/sub", "a/b"]:
        lay(root, {f"{folder}/{name}.f": "" for name in NAMES} if folder else {f"{name}.f": "" for name in NAMES})
        (root / folder / "ab").mkdir(exist_ok=True)


pattern = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "!", "/", "!/"]),
        st.sampled_from(["a.f", "ab", "*.f", "sub"]),
        st.sampled_from(["", "/"]),
    ),
)
ignores = st.dictionaries(st.sampled_from(["", "a", "sub", "sub/sub"]), st.lists(pattern, max_size=4), max_size=3)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ignores=ignores)
@example(ignores={"sub": ["**", "!a.f"]})
@example(ignores={"": ["*", "!*/", "!a.f"], "sub": ["/a.f"]})
@example(ignores={"sub": ["a/*", "!a/b.f", "[z-a]"]})
@example(ignores={"": [".dvcignore"], "sub": ["*"]})
@example(ignores={"": ["**/", "*/", "!", "!/"]})
@example(ignores={"": ["a/**", "**/ab/**", "sub/**/a.f"]})
def test_what_is_left_out_is_what_dvc_leaves_out(tmp_path_factory, ignores):
    root = tmp_path_factory.mktemp("ignore")
    tree(root)
    lay(root, {f"{folder}/.dvcignore".lstrip("/"): "\n".join(lines) for folder, lines in ignores.items()})
    try:
        theirs = kept_by_dvc(root)
    except Exception:  # noqa: BLE001 - whatever DVC raises on a bad pattern, we must refuse too
        with pytest.raises(FormatError):
            kept(root)
    else:
        assert kept(root) == theirs
