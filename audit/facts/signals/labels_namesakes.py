"""Pictures that label files belong to by their names alone, as YOLO's do."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable

from audit.facts.dataset_walk import File

_LABELS, _PICTURES = "labels", "images"


class Namesakes:
    """The files of a dataset by their names without the suffix."""

    def __init__(self, files: Iterable[File]) -> None:
        self._by_path: defaultdict[str, list[str]] = defaultdict(list)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for file in files:
            stem = posixpath.splitext(file.path)[0]
            self._by_path[stem].append(file.path)
            self._by_name[posixpath.basename(stem)].append(stem)

    def of(self, label: str) -> list[str]:
        """The pictures of a label file: those beside it, those in `images` where it is in `labels`, or of its name.

        The last only if no two folders hold one of that name.
        """
        stem = posixpath.splitext(label)[0]
        for each in (stem, _swapped(stem)):
            if each in self._by_path:
                return self._by_path[each]
        stems = set(self._by_name.get(posixpath.basename(stem), ()))
        return self._by_path[stems.pop()] if len(stems) == 1 else []


def _swapped(stem: str) -> str:
    """With the last folder `labels` as `images`: https://docs.ultralytics.com/datasets/detect/."""
    parts = stem.split("/")
    for at in range(len(parts) - 2, -1, -1):
        if parts[at] == _LABELS:
            return "/".join([*parts[:at], _PICTURES, *parts[at + 1 :]])
    return stem
