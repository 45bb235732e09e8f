"""The manifests of a dataset's clips, in the forms that are in use, and where what they list leads."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec import structs

from audit.errors import CannotLook, FormatError
from audit.facts.dataset import DatasetFiles, Expansion
from audit.facts.dataset_walk import File
from audit.facts.signals.labels_paths import Listing, Places
from audit.facts.signals.labels_read import find, read, suffix, tried
from audit.formats.annotations import kaldi, lhotse
from audit.formats.annotations.audio_manifest import LIMIT, json_lines, table
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.labels import Manifest, Manifests, Utterance
from audit.records.obstacle import Obstacle

_LINES = (".json", ".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_SUFFIXES = (*_LINES, *_TABLES, ".scp")


class AudioLabels(Request[Manifests]):
    """What the manifests at `paths` (paths, globs or folders of the project at `root`) say of the clips of `dataset`.

    `base` is the folder that listed paths are relative to, if that is not to be found out; `columns` the keys or
    headings that are called otherwise than usual. Raises what `DatasetFiles` does, and `CannotLook` where there is
    no manifest.
    """

    root: str
    dataset: Dataset
    paths: tuple[str, ...]
    base: str | None = None
    columns: tuple[tuple[str, str], ...] = ()

    def collect(self, ctx: Context) -> Manifests:
        """Read every manifest, then look where its paths lead."""
        files = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        found = find(ctx, self.root, self.paths, _SUFFIXES)
        manifests, blind = _Read(ctx, self.root, dict(self.columns)).all(found.files)
        listings = [_listing(one) for one in manifests]
        placed = Places(ctx, self.root, self.dataset, files).find(listings, self.base)
        return Manifests(
            manifests=tuple(_placed(one, placed.paths[one.path]) for one in manifests),
            base=placed.base,
            astray=placed.astray,
            unseen=(*found.obstacles, *blind),
            whole=not (blind or found.obstacles or any(one.unsafe for one in listings)),
        )


class _Read:
    """Reads manifests. Lhotse's supervisions come last, for they speak of recordings by their ids."""

    def __init__(self, ctx: Context, root: str, columns: Mapping[str, str]) -> None:
        self._ctx, self._root, self._columns = ctx, root, columns
        self._recordings: dict[str, Utterance] = {}
        self._supervisions: list[tuple[File, bytes]] = []

    def all(self, files: Sequence[File]) -> tuple[list[Manifest], list[Obstacle]]:
        """The manifests in the order of their paths, and the files that could not be read."""
        folders = {posixpath.dirname(file.path) for file in files if _is_kaldi(file)}
        alone = (file for file in files if _is_kaldi(file) or not _belongs(file, folders))
        read = [tried(file, partial(self._manifests, file)) for file in alone]
        read += [tried(file, partial(self._spoken, file, data)) for file, data in self._supervisions]
        found = [one for some in read if not isinstance(some, Obstacle) for one in some]
        return sorted(found, key=lambda one: one.path), [one for one in read if isinstance(one, Obstacle)]

    def _manifests(self, file: File) -> list[Manifest]:
        if _is_kaldi(file):
            return self._kaldi(file)
        if suffix(file.path) not in _LINES + _TABLES:
            raise FormatError("has no form that is known", where=file.path, hint="see the page of audio.labels")
        data = read(self._ctx, file, LIMIT)
        if suffix(file.path) in _TABLES:
            delimiter = "\t" if suffix(file.path) == ".tsv" else ","
            return [_manifest(file.path, table(data, file.path, self._columns, delimiter))]
        return self._json(file, data)

    def _json(self, file: File, data: bytes) -> list[Manifest]:
        holds = lhotse.holds(data, file.path)
        if holds == "supervisions":
            self._supervisions.append((file, data))
            return []
        if not holds:
            return [_manifest(file.path, json_lines(data, file.path, self._columns))]
        found = lhotse.recordings(data, file.path)
        self._recordings.update(found)
        return [_manifest(file.path, tuple(found.values()))]

    def _spoken(self, file: File, data: bytes) -> list[Manifest]:
        return [_manifest(file.path, lhotse.supervisions(data, file.path, self._recordings))]

    def _kaldi(self, file: File) -> list[Manifest]:
        """The folder of a `wav.scp`; its other files are taken under the rules for links as all are."""
        folder, files = posixpath.dirname(file.path), {kaldi.RECORDINGS: read(self._ctx, file, LIMIT)}
        for name in kaldi.FILES[1:]:
            beside = self._ctx.get(Expansion(root=self._root, path=_literal(posixpath.join(folder, name))))
            if beside.obstacles:
                raise CannotLook(beside.obstacles[0].what, where=beside.obstacles[0].path)
            files.update((name, read(self._ctx, one, LIMIT)) for one in beside.files)
        found = kaldi.folder(files, folder)
        return [_manifest(posixpath.join(folder, name), some) for name, some in found.items()]


def _manifest(path: str, utterances: tuple[Utterance, ...]) -> Manifest:
    if not utterances:
        raise FormatError("lists no clip", where=path, hint="a manifest that lists nothing verifies nothing")
    return Manifest(path=path, utterances=utterances)


def _is_kaldi(file: File) -> bool:
    return posixpath.basename(file.path) == kaldi.RECORDINGS


def _literal(path: str) -> str:
    """The glob that takes just this path."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def _belongs(file: File, folders: Collection[str]) -> bool:
    """Whether it is read with the `wav.scp` beside it."""
    folder, name = posixpath.split(file.path)
    return folder in folders and name in kaldi.FILES


def _listing(manifest: Manifest) -> Listing:
    safe: dict[str, str] = {}
    unsafe: dict[str, tuple[str, str]] = {}
    for each in manifest.utterances:
        if each.unsafe:
            unsafe.setdefault(each.path, (f"line {each.where}", each.unsafe))
        elif each.path not in safe:
            safe[each.path] = f"line {each.where}"
    return Listing(manifest.path, safe, unsafe)


def _placed(manifest: Manifest, paths: Mapping[str, str]) -> Manifest:
    spoken = (each if each.unsafe else structs.replace(each, path=paths[each.path]) for each in manifest.utterances)
    return Manifest(path=manifest.path, utterances=tuple(spoken))
