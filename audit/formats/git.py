r"""What Git's plumbing prints with `-z`, as records.

Source: git-ls-files(1), git-ls-tree(1), git-config(1), git-cat-file(1). The lines of
`ls-files --debug` are meant for people and may change: an entry without them, or with
others, simply has no stamp, and its file is read. Names are bytes to Git; those that
are no UTF-8 keep their bytes as surrogates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from audit.errors import FormatError

GITLINK = "160000"
"""The mode of a submodule's commit."""

LINK = "120000"
"""The mode of a symbolic link."""

EXECUTABLE = "100755"
"""The mode of a file that its owner may execute."""

_ENTRY = re.compile(
    rb"(.) (\d{6}) ([0-9a-f]{40,64}) ([0-3])\t([^\0]*)\0"
    rb"(?:  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n"
    rb"  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n)?"
)
_LEAF = re.compile(rb"(\d{6}) [a-z]+ ([0-9a-f]{40,64})\t([^\0]*)\0")
_UNSAFE = re.compile(r"(^|/)(\.{0,2}|\.git)(/|$)", re.IGNORECASE)
_NANO = 10**9


class IndexStamp(NamedTuple):
    """What the index remembers of a file; inode and size are cut to 32 bits."""

    mtime_ns: int
    ctime_ns: int
    inode: int
    size: int


class IndexEntry(NamedTuple):
    """A tracked path. `stage` is 0 unless a merge left it undecided; `flag` hides changes from `git status`."""

    path: str
    mode: str
    oid: str
    stage: int
    flag: str | None
    stamp: IndexStamp | None


class Leaf(NamedTuple):
    """A path of a commit's tree that is no folder."""

    path: str
    mode: str
    oid: str


def index_entries(out: bytes) -> list[IndexEntry]:
    """The entries that `ls-files --stage -v -z --debug` lists."""
    found = _ENTRY.findall(out)
    _all_of(out, len(found), "ls-files")
    return [
        IndexEntry(text(path), mode.decode(), oid.decode(), int(stage), _flag(tag), _stamp(*numbers))
        for tag, mode, oid, stage, path, *numbers in found
    ]


def tree_leaves(out: bytes) -> list[Leaf]:
    """The leaves that `ls-tree -r -z` lists."""
    found = _LEAF.findall(out)
    _all_of(out, len(found), "ls-tree")
    return [Leaf(text(path), mode.decode(), oid.decode()) for mode, oid, path in found]


def names(out: bytes) -> list[str]:
    """Names that end in NUL."""
    return [text(name) for name in out.split(b"\0")[:-1]]


def settings(out: bytes) -> dict[str, str]:
    """What `config --list -z` lists: the last value of each key; a key without one is true."""
    pairs = (name.partition("\n") for name in names(out))
    return {key: value if equals else "true" for key, equals, value in pairs}


def attributes(out: bytes) -> dict[str, str]:
    """What `check-attr -z` lists for one attribute: its value by path."""
    words = names(out)
    return dict(zip(words[::3], words[2::3], strict=True))


def sizes(out: bytes) -> dict[str, int | None]:
    """What `cat-file --batch-check=%(objectname) %(objectsize)` lists: bytes by object; None if it is missing."""
    pairs = (line.partition(" ") for line in out.decode("ascii").splitlines())
    return {oid: int(size) if size.isdigit() else None for oid, _, size in pairs}


def contents(out: bytes) -> Iterator[tuple[str, bytes]]:
    """What `cat-file --batch` prints: each object's name and content; missing ones are left out."""
    at = 0
    while at < len(out):
        head, at = _line(out, at)
        if head.endswith(" missing"):
            continue
        oid, _, size = head.split(" ")
        yield oid, out[at : at + int(size)]
        at += int(size) + 1


def quoted(paths: Iterable[str]) -> bytes:
    """Lines for `--stdin-paths`, which takes C-style quotes; so a line break in a name stays in it."""
    signs = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
    return "".join(f'"{path.translate(signs)}"\n' for path in paths).encode("utf-8", "surrogateescape")


def unsafe(path: str) -> bool:
    """Whether a path leaves the work tree or enters Git's own folder; Git itself writes no such entry."""
    return _UNSAFE.search(path) is not None


def text(name: bytes) -> str:
    """A name as text."""
    return name.decode("utf-8", "surrogateescape")


def _line(out: bytes, at: int) -> tuple[str, int]:
    end = out.index(b"\n", at)
    return out[at:end].decode("ascii"), end + 1


def _flag(tag: bytes) -> str | None:
    if tag in b"Ss":
        return "skip-worktree"
    return "assume-unchanged" if tag.islower() else None


def _stamp(*numbers: bytes) -> IndexStamp | None:
    if not numbers[0]:
        return None
    ctime_s, ctime_ns, mtime_s, mtime_ns, inode, size = map(int, numbers)
    return IndexStamp(mtime_s * _NANO + mtime_ns, ctime_s * _NANO + ctime_ns, inode, size)


def _all_of(out: bytes, found: int, command: str) -> None:
    if out.count(b"\0") != found:
        raise FormatError(
            f"git {command} prints what is not understood", hint="run `git --version`; 2.31 or newer is known"
        )
