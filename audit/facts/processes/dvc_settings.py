"""DVC's own library with the settings of a repository that is never opened.

To open one, DVC writes into it (`.dvc/tmp`, `.dvc/.gitignore`), reads its Git, and
reads pickles from wherever its settings put a cache (`core.site_cache_dir`). What asks
remotes and sources needs none of that: `repository` has all that `dvc.data_cloud` and
`dvc.dependency` look at.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

_CREDENTIALS = (
    "configpath",
    "credentialpath",
    "gdrive_service_account_json_file_path",
    "gdrive_user_credentials_file",
)
"""Settings that name a file which may name a program to run (`credential_process`), or a class to load."""

_COMMAND = "bearer_token_command"
"""The setting of WebDAV remotes that is itself a command."""

_PROJECT = ("repo", "local")
"""The levels of DVC's configuration that come with the project."""


class NotAsked(Exception):  # noqa: N818 - it says what was decided, not what broke
    """A store that is left alone, or says nothing that can be used; the reason is told as it is."""


def settings(root: str) -> Any:
    """The `dvc.config.Config` of the repository at `root`, all levels merged."""
    from dvc.config import Config

    return Config(str(Path(root, ".dvc")))


def repository(config: Any) -> Any:
    """Stand in for a `dvc.repo.Repo` with these settings; what DVC digests on the way stays in memory."""
    from dvc.fs import MemoryFileSystem
    from dvc_data.hashfile.db import HashFileDB

    objects = HashFileDB(MemoryFileSystem(global_store=False), "/objects", hash_name="md5")
    return SimpleNamespace(
        config=config,
        fs=None,
        root_dir="/",
        site_cache_dir=None,
        data_index=None,
        cache=SimpleNamespace(repo=objects, local=objects, legacy=objects),
    )


def starts_nothing(config: Any, root: str, name: str) -> None:
    """Raise `NotAsked` where the project itself chooses a program to run for the remote `name`."""
    own = [config.load_one(level)["remote"] for level in _PROJECT]
    for each in _with_bases(config["remote"], name):
        check(config["remote"][each], root, {key for remotes in own for key in remotes.get(each, ())})


def check(chosen: Mapping[str, Any], root: str, own: Container[str]) -> None:
    """Raise `NotAsked` if one of the settings can start a program; `own` are those that come with the project."""
    if chosen.get(_COMMAND) and _COMMAND in own:
        raise NotAsked(f"its {_COMMAND} comes with the project, and is a program to run")
    for setting in _CREDENTIALS:
        if chosen.get(setting) and _inside(root, chosen[setting]):
            raise NotAsked(f"its {setting} lies inside the project, and such a file can start a program")


def _with_bases(remotes: Mapping[str, Any], name: str) -> Iterator[str]:
    """A remote and those that it builds on (`remote://other/path`), by their names in lower case, as DVC has them."""
    passed: set[str] = set()
    name = name.lower()
    while name in remotes and name not in passed:
        passed.add(name)
        yield name
        url = urlsplit(remotes[name]["url"])
        name = url.netloc.lower() if url.scheme == "remote" else ""


def _inside(root: str, path: str) -> bool:
    """Whether a file lies in the project: the DVC repository, or the Git repository around it."""
    home = Path(root).resolve()
    top = next((folder for folder in (home, *home.parents) if (folder / ".git").exists()), home)
    places = [Path(base, path).resolve() for base in (home, home / ".dvc", Path.cwd())]
    return any(place.is_relative_to(top) for place in places)


def told(error: BaseException) -> str:
    """The innermost reason: DVC wraps what the store said."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split()) or type(error).__name__
    return (
        text
        if isinstance(error, NotAsked) or text.startswith(type(error).__name__)
        else f"{type(error).__name__}: {text}"
    )
