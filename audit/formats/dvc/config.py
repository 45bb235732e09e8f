"""DVC's configuration, from all its levels, without the secrets in it.

Source: `dvc/config.py`, `dvc/config_schema.py` and `dvc/cachemgr.py` of DVC 3.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from audit.errors import FormatError
from audit.formats.dvc import ini
from audit.formats.dvc.output import Tracked
from audit.formats.urls import public
from audit.records.base import Record


class Remote(Record):
    """A remote; `url` without user and query, a path on this machine made absolute.

    `options` are the names of its other settings: their values may be secrets.
    """

    name: str
    url: str
    options: tuple[str, ...] = ()
    where: str = ""


class Cache(Record):
    """The local cache: `folder` is absolute; `types` are the kinds of link that DVC tries in turn."""

    folder: str
    types: tuple[str, ...] = ()

    def object(self, algorithm: str, hex: str, *, is_dir: bool = False) -> str:  # noqa: A002 - a digest's own word
        """Locate an object, absolutely: `files/md5/xx/yy...` since DVC 3, `xx/yy...` for `md5-dos2unix`."""
        prefix = () if algorithm == "md5-dos2unix" else ("files", algorithm)
        return posixpath.join(self.folder, *prefix, hex[:2], hex[2:] + (".dir" if is_dir else ""))

    def of(self, tracked: Tracked) -> str | None:
        """Locate what was recorded, absolutely; None if nothing was."""
        digest = tracked.digest
        return self.object(digest.algorithm, digest.hex, is_dir=tracked.is_dir) if digest else None


class Arguments(Record):
    """How a mapping becomes options of a command (`parsing.bool`, `parsing.list`).

    `both_ways`: false is spelled `--no-name`; `repeated`: each item of a list gets the option again.
    """

    both_ways: bool = False
    repeated: bool = False


class Config(Record):
    """What the audit needs of DVC's settings; `remote` is the name of the default one."""

    cache: Cache
    remote: str | None = None
    remotes: tuple[Remote, ...] = ()
    arguments: Arguments = Arguments()
    no_scm: bool = False

    @property
    def urls(self) -> dict[str, str]:
        """The remotes' URLs by name."""
        return {remote.name: remote.url for remote in self.remotes}


class Level(Record):
    """One configuration file: the folder that relative paths in it start from, its name for people, its bytes."""

    folder: str
    name: str
    data: bytes


class _Setting(Record):
    """A setting with the file that it stands in, since later files lay themselves over earlier ones."""

    value: ini.Value
    where: str
    folder: str


_Merged = dict[str, dict[str, _Setting]]
_NAMED = re.compile(r"\s*remote\s*\"(.*)\"\s*")
_URL = re.compile(r"\w+://")


def parse(levels: Iterable[Level], root: str, home: str) -> Config:
    """Merge the levels, least important first; `FormatError` at `name:line`. `root` and `home` are absolute."""
    merged = _merged(levels)
    remotes = _remotes(merged, home)
    core, cache, parsing = (merged.get(section, {}) for section in ("core", "cache", "parsing"))
    types = _words(cache["type"]) if "type" in cache else ()
    return Config(
        cache=Cache(folder=_cache_folder(cache, remotes, root, home), types=types),
        remote=_word(core, "remote") or None,
        remotes=tuple(remotes[name] for name in sorted(remotes)),
        arguments=Arguments(
            both_ways=_word(parsing, "bool") == "boolean_optional", repeated=_word(parsing, "list") == "append"
        ),
        no_scm=_word(core, "no_scm") == "true",
    )


def _merged(levels: Iterable[Level]) -> _Merged:
    merged: _Merged = {}
    for level in levels:
        for section, settings in ini.parse(level.data, level.name).items():
            merged.setdefault(section, {}).update(
                (key, _Setting(value=value, where=f"{level.name}:{line}", folder=level.folder))
                for key, (value, line) in settings.items()
            )
    return merged


def _remotes(merged: _Merged, home: str) -> dict[str, Remote]:
    found = {name[1]: settings for section, settings in merged.items() if (name := _NAMED.fullmatch(section))}
    urls = {name: _path(settings["url"], home) for name, settings in found.items() if "url" in settings}
    return {
        name: Remote(
            name=name,
            url=public(_behind(urls, name, settings["url"].where)),
            options=tuple(sorted(settings.keys() - {"url"})),
            where=settings["url"].where,
        )
        for name, settings in found.items()
        if "url" in settings
    }


def _behind(urls: dict[str, str], name: str, where: str) -> str:
    """Follow `remote://other/path` to what it stands for."""
    url, passed = urls[name], {name}
    while url.startswith("remote://"):
        base, _, path = url.removeprefix("remote://").partition("/")
        base = base.lower()
        if base not in urls or base in passed:
            raise FormatError(f"no remote {base!r} to build on", where=where, hint="dvc remote list")
        passed.add(base)
        url = f"{urls[base]}/{path.lstrip('/')}"
    return url


def _cache_folder(cache: dict[str, _Setting], remotes: dict[str, Remote], root: str, home: str) -> str:
    if "local" in cache:  # DVC's old way: the name of a remote that is a folder
        setting = cache["local"]
        named = remotes.get(_text(setting).lower())
        if named is None:
            raise FormatError(f"no remote is called {_text(setting)!r}", where=setting.where, hint="dvc remote list")
        folder = named.url
    elif "dir" in cache:
        setting = cache["dir"]
        folder = _path(setting, home)
    else:
        return posixpath.join(root, ".dvc", "cache")
    if _URL.match(folder):
        raise FormatError("the cache is no local folder", where=setting.where, hint="dvc cache dir")
    return posixpath.normpath(folder)


def _path(setting: _Setting, home: str) -> str:
    """A URL as it is; a path made absolute from the folder of its file, as DVC does (`Config._resolve`)."""
    text = _text(setting)
    if "\0" in text:
        raise FormatError("a path with a NUL", where=setting.where)
    if _URL.match(text) or posixpath.isabs(text):
        return text
    if text == "~" or text.startswith("~/"):
        return home + text[1:]
    return posixpath.normpath(posixpath.join(setting.folder, text))


def _text(setting: _Setting) -> str:
    if isinstance(setting.value, str):
        return setting.value
    raise FormatError("a list where one value belongs", where=setting.where, hint="put quotes around it")


def _word(section: dict[str, _Setting], key: str) -> str:
    """A setting in lower case, as DVC reads words; empty if it is not set."""
    return _text(section[key]).lower() if key in section else ""


def _words(setting: _Setting) -> tuple[str, ...]:
    value = setting.value
    return tuple(word.strip() for word in (value.split(",") if isinstance(value, str) else value))
