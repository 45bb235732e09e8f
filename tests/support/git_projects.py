"""Real repositories, made by the real Git through GitPython, whatever the user's own settings are."""

from __future__ import annotations

import os
from pathlib import Path

import git

HERMETIC = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
_SETTINGS = {
    ("user", "name"): "A",
    ("user", "email"): "a@example.org",
    ("commit", "gpgsign"): "false",
    ('protocol "file"', "allow"): "always",
    ("gc", "auto"): "0",
}


class GitProject:
    """A repository in a folder, with short words for what tests do to it."""

    def __init__(self, root: Path, repo: git.Repo) -> None:
        self.root = root
        self.repo = repo
        repo.git.update_environment(**HERMETIC)

    def _settle(self) -> GitProject:
        with self.repo.config_writer() as config:
            for (section, name), value in _SETTINGS.items():
                config.set_value(section, name, value)
        return self

    @classmethod
    def make(cls, root: Path, files: dict[str, str | bytes] | None = None) -> GitProject:
        """A repository on branch `main`; with files, they are its first commit."""
        root.mkdir(parents=True, exist_ok=True)
        project = cls(root, git.Repo.init(root, initial_branch="main"))._settle()
        if files is not None:
            for name, content in files.items():
                project.write(name, content)
            project.commit()
        return project

    @classmethod
    def clone(cls, source: Path, root: Path, *options: str) -> GitProject:
        """A clone, with the same made-up person."""
        repo = git.Repo.clone_from(f"file://{source}", root, multi_options=list(options), allow_unsafe_protocols=True)
        return cls(root, repo)._settle()

    def git(self, *args: str) -> str:
        """What a Git command prints; an error if it fails."""
        return str(self.repo.git.execute(["git", *args]))

    def write(self, name: str, content: str | bytes) -> Path:
        """A file of the work tree."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def commit(self, message: str = "more") -> str:
        """Commit everything; the new commit's name."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        """The name of the commit that HEAD stands for."""
        return self.git("rev-parse", "HEAD")

    def submodule(self, source: Path, name: str) -> GitProject:
        """A submodule at `name`, committed."""
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{source}", name)
        self.commit(f"add {name}")
        return GitProject(self.root / name, git.Repo(self.root / name))._settle()

    def publish(self, remote: Path) -> Path:
        """Make a bare remote `origin` there and push the current branch."""
        git.Repo.init(remote, bare=True, initial_branch="main")
        self.git("remote", "add", "origin", str(remote))
        self.git("push", "--quiet", "--set-upstream", "origin", "HEAD")
        return remote
