"""A repository that tries to run a program wherever Git lets a repository name one.

Each trap leaves a file, named like the trap, in the folder of canaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from support.git_projects import GitProject

BRANCH = "refs/heads/--output=canary"

HOOKS = """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change
"""

ATTRIBUTES = """\
*.txt filter=single
*.bin filter=long
*.odd filter=with.dots
*.inc filter=included
*.wt  filter=worktree
*.dif diff=shown
"""

_SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n nobody's\n -----END PGP SIGNATURE-----\n"


class Traps:
    """Sets traps in repositories, and knows which ones have sprung."""

    def __init__(self, canaries: Path) -> None:
        self.canaries = canaries
        canaries.mkdir()

    @property
    def sprung(self) -> list[str]:
        """The traps that have sprung."""
        return sorted(canary.name for canary in self.canaries.iterdir())

    def reset(self) -> None:
        """Forget what has sprung."""
        for canary in self.canaries.iterdir():
            canary.unlink()

    def project(self, root: Path) -> GitProject:
        """A repository full of traps; each tracked file differs from what was committed."""
        inner = GitProject.make(root.with_name("inner"), {"inner.txt": "inner\n"})
        files = ("a.txt", "b.bin", "c.odd", "d.inc", "e.wt", "f.dif")
        project = GitProject.make(root, dict.fromkeys(files, "as committed\n"))
        inside = project.submodule(inner.root, "sub")
        _sign(project)
        self.arm(project, "", inner.root)
        self.arm(inside, "sub-", inner.root)
        for name in (*files, "sub/inner.txt", "untracked.py", "sub/new.py"):
            project.write(name, "changed\n")
        self.reset()
        return project

    def arm(self, project: GitProject, prefix: str, alternate: Path) -> None:
        """Name a program everywhere that Git looks."""
        control = Path(project.git("rev-parse", "--absolute-git-dir"))
        project.write(".gitattributes", ATTRIBUTES)
        (control / "info").mkdir(exist_ok=True)
        (control / "info/attributes").write_text(ATTRIBUTES)
        (control / "objects/info/alternates").write_text(f"{alternate}/.git/objects\n")
        for name in HOOKS.split():
            self._script(control / "hooks" / name, f"{prefix}hook-{name}")
        self._script(control / "gpg", f"{prefix}gpg")
        (control / "more").write_text(_setting("filter", "included", "clean", self._command(f"{prefix}include")))
        (control / "config.worktree").write_text(
            _setting("filter", "worktree", "clean", self._command(f"{prefix}worktree"))
        )
        with (control / "config").open("a") as config:
            config.writelines(self._settings(project.root, control, prefix))

    def _settings(self, root: Path, control: Path, prefix: str) -> Iterator[str]:
        yield _setting("core", "", "repositoryFormatVersion", "1")
        yield _setting("extensions", "", "worktreeConfig", "true")
        yield _setting("include", "", "path", "more")
        for key in ("fsmonitor", "pager", "editor", "askPass", "sshCommand", "gitProxy", "alternateRefsCommand"):
            yield _setting("core", "", key, self._command(prefix + key))
        yield _setting("credential", "", "helper", "!" + self._command(f"{prefix}credential"))
        yield _setting("diff", "", "external", self._command(f"{prefix}external"))
        yield _setting("diff", "shown", "textconv", self._command(f"{prefix}textconv"))
        yield _setting("filter", "long", "process", self._command(f"{prefix}process"))
        for driver in ("single", "with.dots"):
            yield _setting("filter", driver, "clean", self._command(f"{prefix}clean"))
            yield _setting("filter", driver, "smudge", self._command(f"{prefix}smudge"))
            yield _setting("filter", driver, "required", "true")
        yield _setting("gpg", "", "program", str(control / "gpg"))
        yield _setting("log", "", "showSignature", "true")
        yield _setting("uploadpack", "", "packObjectsHook", self._command(f"{prefix}packobjects"))
        yield _setting("submodule", "sub", "update", "!" + self._command(f"{prefix}update"))
        yield _setting("submodule", "", "recurse", "true")
        for protocol in ("ext", "file"):
            yield _setting("protocol", protocol, "allow", "always")
        for command in ("ls-files", "rev-parse", "cat-file", "ls-tree", "rev-list", "config", "hash-object"):
            yield _setting("alias", "", command, "!" + self._command(f"{prefix}alias"))
        yield from self._remotes(root, prefix)

    def _remotes(self, root: Path, prefix: str) -> Iterator[str]:
        yield _setting("remote", "ext", "url", f"ext::touch {self.canaries}/{prefix}ext")
        yield _setting("remote", "promisor", "url", f"ext::touch {self.canaries}/{prefix}promisor")
        yield _setting("remote", "promisor", "promisor", "true")
        yield _setting("remote", "promisor", "partialCloneFilter", "blob:none")
        yield _setting("remote", "ssh", "url", "ssh://localhost:1/x")
        yield _setting("remote", "vcs", "vcs", "ext")
        yield _setting("remote", "vcs", "url", f"touch {self.canaries}/{prefix}vcs")
        yield _setting("remote", "local", "url", str(root))
        yield _setting("remote", "local", "uploadpack", self._command(f"{prefix}uploadpack"))
        yield _setting("remote", "--upload-pack=touch x", "url", "--upload-pack=touch x")

    def _command(self, name: str) -> str:
        """A shell command that leaves a canary and fails; whatever arguments it gets mean nothing to it."""
        return f"sh -c 'touch {self.canaries}/{name}; exit 1' trap"

    def _script(self, path: Path, name: str) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {self.canaries}/{name}\n")
        path.chmod(0o755)


def _setting(section: str, subsection: str, key: str, value: str) -> str:
    head = f'{section} "{subsection}"' if subsection else section
    return f'[{head}]\n\t{key} = "{value}"\n'


def _sign(project: GitProject) -> None:
    """Make HEAD a signed commit on a branch whose name looks like an option."""
    text = project.git("cat-file", "commit", "HEAD").replace("\n\n", f"\n{_SIGNATURE}\n", 1)
    signed = project.root / ".git" / "signed"
    signed.write_text(f"{text}\n")
    project.git("update-ref", BRANCH, project.git("hash-object", "-t", "commit", "-w", str(signed)))
    project.git("symbolic-ref", "HEAD", BRANCH)
