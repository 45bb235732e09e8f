"""Random DVC projects: what is in them when they are recorded, and what becomes of them afterwards.

A script says it all, so that Hypothesis can shrink it. The real DVC records it, except
for entries of DVC 2, which DVC 3 only reads: these are written by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import yaml
from hypothesis import strategies as st
from support.dvc_projects import repo, write

from audit.formats.hashing import maker

PLACES = ["data", "model.bin", "sub/data", "sub/x y", "d/e/f", "\u00fc"]
FOLDERS = ["a", "B", "sub", "d d", "\u00e9", "#", "-x", ".hidden"]
NAMES = [
    *("a", "b.txt", "c", "A", "z.bin", ".hidden", ".gitignore", "~", "-f", "a b", " ", "#x", "*", "[a]", "'", '"'),
    *("$(x)", "%41", "aa:b", "\u00e9", "e\u0301", "\u0130", "\u65e5\u672c", "\U0001f600", "\u200b", "x\ny", "\t"),
]
CONTENTS = [
    b"",
    b"a",
    b"line\n",
    b"line\r\n",
    b"\r",
    b"\r\n\r\n",
    b"\0\r\n",
    b"\xff\xfe\r\n",
    b"many\r\n",
    b"many,\r\n",
]
MANY = 20_000
"""How often a content that begins with `many` is repeated: it is then read in several pieces."""

PATTERNS = ["a", "*.txt", "sub", "sub/", "/a", "**/c", "!a", "b*", "*.bin", "# none", "", "\\#x", "sub/**", "[a-c]"]
STEPS = [
    *("edit", "flip", "delete", "add", "rename", "touch", "remove", "folder for file", "file for folder"),
    *("link", "dangle", "empty", "forget"),
]


class Out(NamedTuple):
    """An output: where it is, what is in it (a file's bytes, or a folder's files), and how it is recorded."""

    path: str
    content: bytes | Mapping[str, bytes]
    how: str


class Ignore(NamedTuple):
    """A line of the `.dvcignore` in a folder."""

    folder: str
    line: str


class Step(NamedTuple):
    """Something that happens to an output; `which` of its files, and what comes in place of it."""

    what: str
    out: int
    which: int
    content: bytes
    path: str


class Script(NamedTuple):
    """A project's whole story."""

    link: str
    outs: tuple[Out, ...]
    ignored: tuple[Ignore, ...]
    steps: tuple[Step, ...]
    ignored_later: tuple[Ignore, ...]


def _fits(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Without files that would have to be folders too."""
    kept: dict[str, bytes] = {}
    for path, content in files.items():
        if not any(one.startswith(f"{path}/") or path.startswith(f"{one}/") for one in kept):
            kept[path] = content
    return kept


_contents = st.sampled_from(CONTENTS) | st.binary(max_size=30)
_paths = st.builds(
    lambda folders, name: "/".join((*folders, name)),
    st.lists(st.sampled_from(FOLDERS), max_size=2),
    st.sampled_from(NAMES),
)
_folders = st.dictionaries(_paths, _contents, max_size=5).map(_fits)
_later = _paths | st.sampled_from(["b.dvc", "dvc.yaml", "a/dvc.lock"])  # DVC's files, were they not inside an output
_steps = st.builds(Step, st.sampled_from(STEPS), st.integers(0, 3), st.integers(0, 4), _contents, _later)


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    """Any story."""
    places = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=4, unique=True))
    hows = st.sampled_from(["add", "add", "stage", "uncached", "legacy"])
    outs = tuple(Out(place, draw(_contents | _folders), draw(hows)) for place in places)
    folders = [out.path for out in outs if not isinstance(out.content, bytes)]
    legacy = any(out.how == "legacy" for out in outs)  # these are written without a look at what is ignored
    return Script(
        link=draw(st.sampled_from(["copy", "hardlink", "symlink"])),
        outs=outs,
        ignored=() if legacy else draw(_ignores(["", "sub"])),  # DVC records no folder with such a file in it
        steps=draw(st.lists(_steps, max_size=5).map(tuple)),
        ignored_later=draw(_ignores(["", "sub", *folders])),
    )


def _ignores(folders: list[str]) -> st.SearchStrategy[tuple[Ignore, ...]]:
    return st.lists(st.builds(Ignore, st.sampled_from(folders), st.sampled_from(PATTERNS)), max_size=2).map(tuple)


def record(root: Path, script: Script) -> None:
    """Lay the files out and have them recorded; `root` is a DVC repository that links as the script says."""
    for out in script.outs:
        lay(root / out.path, out.content)
    _ignore(root, script.ignored)
    for out in script.outs:
        if out.how == "legacy":
            _as_dvc_2(root, out)
    stages = {f"s{number}": _stage(out) for number, out in enumerate(script.outs) if out.how in {"stage", "uncached"}}
    with repo(root) as opened:
        opened.add([str(root / out.path) for out in script.outs if out.how == "add"])
        if stages:
            (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
            opened.commit(force=True)


def _stage(out: Out) -> dict[str, object]:
    return {"cmd": "true", "outs": [{out.path: {"cache": out.how == "stage"}}]}


def lay(place: Path, content: bytes | Mapping[str, bytes]) -> None:
    """A file, or a folder with files."""
    if isinstance(content, bytes):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(full(content))
    else:
        place.mkdir(parents=True)
        write(place, {path: full(data) for path, data in content.items()})


def full(content: bytes) -> bytes:
    """What a content stands for."""
    return content * MANY if content.startswith(b"many") else content


def _ignore(root: Path, lines: tuple[Ignore, ...]) -> None:
    """Add to `.dvcignore` files, in folders that are there."""
    for one in lines:
        if (root / one.folder).is_dir():
            with (root / one.folder / ".dvcignore").open("a") as stream:
                stream.write(f"{one.line}\n")


def _as_dvc_2(root: Path, out: Out) -> None:
    """The entry, the listing and the objects as DVC 2 wrote them."""
    if isinstance(out.content, bytes):
        digest = _keep(root, full(out.content))
    else:
        lines = [{"md5": _keep(root, full(data)), "relpath": path} for path, data in out.content.items()]
        listing = json.dumps(sorted(lines, key=lambda line: line["relpath"]), sort_keys=True).encode()
        digest = _keep(root, listing, f"{hashlib.md5(listing, usedforsecurity=False).hexdigest()}.dir")
    entry = yaml.safe_dump({"outs": [{"md5": digest, "path": PurePosixPath(out.path).name}]})
    (root / f"{out.path}.dvc").write_text(entry)


def _keep(root: Path, data: bytes, name: str = "") -> str:
    hasher = maker("md5-dos2unix")()
    hasher.update(data)
    name = name or hasher.hexdigest()
    place = root / ".dvc/cache" / name[:2] / name[2:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return name


def happen(root: Path, script: Script) -> set[str]:
    """All that becomes of the project after it was recorded. Returns the files that DVC may not see change."""
    flipped: set[Path] = set()
    for step in script.steps:
        _happen(root, root / script.outs[step.out % len(script.outs)].path, step, flipped)
    _ignore(root, script.ignored_later)
    return {file.relative_to(root).as_posix() for file in flipped}


def _happen(root: Path, place: Path, step: Step, flipped: set[Path]) -> None:  # noqa: C901, PLR0912 - one case a step
    files = sorted(path for path in place.rglob("*") if _is(path)) if place.is_dir() else [place]
    file = files[step.which % len(files)] if files else place / "none"
    match step.what:
        case "edit" if _is(file):
            _put(file, full(step.content))
        case "flip" if file.is_file() and not file.is_symlink() and file.stat().st_nlink == 1:
            flip(file)
            flipped.add(file)
        case "touch" if _is(file):
            os.utime(file, follow_symlinks=False)
        case "delete" if _is(file):
            file.unlink()
        case "add" if place.is_dir() and _free(place / step.path):
            lay(place / step.path, step.content)
        case "rename" if _is(file) and place.is_dir() and _free(place / step.path):
            (place / step.path).parent.mkdir(parents=True, exist_ok=True)
            file.rename(place / step.path)
        case "remove" if place.is_dir():
            shutil.rmtree(place)
        case "remove" if _is(place):
            place.unlink()
        case "folder for file" if _is(file):
            file.unlink()
            lay(file, {"in it": step.content} if step.which else {})
        case "file for folder" if place.is_dir():
            shutil.rmtree(place)
            lay(place, step.content)
        case "link" if _is(file) and files[step.which % len(files) - 1] != file:
            file.unlink()
            file.symlink_to(os.path.relpath(files[step.which % len(files) - 1], file.parent))
        case "dangle" if _is(file):
            file.unlink()
            file.symlink_to("nowhere")
        case "empty" if place.is_dir():
            (place / "empty folder").mkdir(exist_ok=True)
        case "forget" if step.which == 0:
            for listing in (root / ".dvc/cache").rglob("*.dir"):
                listing.unlink()


def flip(file: Path) -> None:
    """Other bytes in the same file, its size and time kept."""
    before, data = file.stat(), file.read_bytes()
    file.chmod(0o644)
    with file.open("r+b") as stream:
        stream.write(bytes(255 - byte for byte in data[:1]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _is(file: Path) -> bool:
    return file.is_symlink() or file.is_file()


def _put(file: Path, content: bytes) -> None:
    """In place of the file: it may be a link into the cache."""
    file.unlink()
    file.write_bytes(content)


def _free(place: Path) -> bool:
    return not place.exists() and not any(_is(above) for above in (place, *place.parents))
