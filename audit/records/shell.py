r"""Words of repair commands, quoted so that a person can copy them from a report, whatever a file is called.

A name may hold anything but NUL, and a report shows line breaks, control characters
and bytes that are no UTF-8 as escapes. So a word with any of these is written as
`$'...'`, which spells them in octal for bash, zsh, ksh and POSIX 2024 (section 2.2.4).
"""

from __future__ import annotations

import shlex

from audit.records.text import plain

_PATTERN = frozenset("*?[\\")
_FEW = 3


def word(text: str) -> str:
    """The text as one word, from which a shell makes the text again."""
    if text.isprintable() and plain(text) == text:
        return shlex.quote(text)
    return f"$'{''.join(map(_letter, text))}'"


def pathname(text: str) -> str:
    """The path of a file as one word, that no program takes for an option."""
    return word(f"./{text}" if text.startswith("-") else text)


def pathspec(text: str) -> str:
    """A path as Git's commands take it: one that they would read as a pattern is said to be none (gitglossary(7))."""
    return word(f":(literal){text}" if text.startswith(":") or not _PATTERN.isdisjoint(text) else text)


def lfs_pull(*texts: str) -> str:
    """The command that gets these files of Git LFS; all, for many or a name that is a pattern (git-lfs-pull(1))."""
    odd = any(not _PATTERN.isdisjoint(text) or "," in text or text.startswith("!") for text in texts)
    return "git lfs pull" if odd or len(texts) > _FEW else f"git lfs pull --include={word(','.join(texts))}"


def _letter(letter: str) -> str:
    if letter in {"'", "\\"}:
        return f"\\{letter}"
    if letter.isprintable() and plain(letter) == letter:
        return letter
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
