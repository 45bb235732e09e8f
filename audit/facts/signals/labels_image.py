"""The annotation files of a dataset's pictures, in the forms that are in use, and where what they list leads."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import structs

from audit.errors import CannotLook, FormatError
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.signals.labels_namesakes import Namesakes
from audit.facts.signals.labels_paths import Listing, Places
from audit.facts.signals.labels_read import find, read, suffix, tried
from audit.formats.annotations import boxes_csv, coco, voc, yolo
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.labels import AnnotationFile, AnnotationFiles, Annotations, Astray, Unit
from audit.records.obstacle import Obstacle

_FORMS: Mapping[str, str] = {".json": "coco", ".xml": "voc", ".txt": "yolo", ".csv": "csv"}
_YAML = (".yaml", ".yml")
_NAMES = ("classes.txt", "obj.names")
_SMALL = 2**22
"""Bytes of a file of names."""


class ImageLabels(Request[AnnotationFiles]):
    """What the files at `paths` (paths, globs or folders of the project at `root`) say of the pictures of `dataset`.

    `form` is that of all of them, if their suffixes do not tell it; `classes` the file of the classes' names.
    `base` is the folder that listed paths are relative to, if that is not to be found out; `columns` the headings of
    CSV that are called otherwise than usual. Raises what `DatasetFiles` does, and `CannotLook` where there is no
    annotation file, or no file of names at `classes`.
    """

    root: str
    dataset: Dataset
    paths: tuple[str, ...]
    form: str | None = None
    classes: str | None = None
    base: str | None = None
    columns: tuple[tuple[str, str], ...] = ()

    def collect(self, ctx: Context) -> AnnotationFiles:
        """Read every file, then look where its paths lead."""
        pictures = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        found = find(ctx, self.root, self.paths, [each for each, form in _FORMS.items() if self.form in {None, form}])
        reader = _Reader(ctx, self, found.files, pictures.files)
        said = [tried(file, partial(reader.read, file)) for file in found.files if not _is_names(file)]
        files = [one for one in said if isinstance(one, AnnotationFile)]
        blind = [one for one in said if isinstance(one, Obstacle)]
        listings = [_listing(one) for one in files if one.path not in reader.named]
        placed = Places(ctx, self.root, self.dataset, pictures).find(listings, self.base)
        return AnnotationFiles(
            files=tuple(_placed(one, placed.paths.get(one.path)) for one in files),
            base=placed.base if listings else "the names of the label files",
            astray=(*placed.astray, *(one for one in said if isinstance(one, Astray))),
            unseen=(*found.obstacles, *blind),
            whole=not (blind or found.obstacles or any(one.unsafe for one in listings)),
        )


class _Reader:
    """Reads annotation files. `named` are those that speak of a picture by their own names."""

    def __init__(self, ctx: Context, asked: ImageLabels, files: Sequence[File], pictures: Sequence[File]) -> None:
        self._ctx, self._asked = ctx, asked
        self._names = _names(ctx, asked, files)
        self._namesakes = Namesakes(pictures)
        self.named: set[str] = set()

    def read(self, file: File) -> AnnotationFile | Astray:
        form = self._asked.form or _FORMS.get(suffix(file.path))
        if form is None:
            raise FormatError("has no form that is known", where=file.path, hint="say `form:`")
        if form == "yolo":
            return self._yolo(file)
        limit = {"coco": coco.LIMIT, "voc": voc.LIMIT, "csv": boxes_csv.LIMIT}[form]
        data, classes = read(self._ctx, file, limit), self._classes(file)
        if form == "coco":
            said = coco.parse(data, file.path)
        elif form == "voc":
            said = voc.parse(data, file.path)
        else:
            said = _in_its_unit(boxes_csv.parse(data, file.path, dict(self._asked.columns)))
        if not said.pictures:
            raise FormatError("lists no picture", where=file.path, hint="a file that lists nothing verifies nothing")
        return AnnotationFile(path=file.path, said=_with_classes(said, classes), single=form == "voc")

    def _yolo(self, file: File) -> AnnotationFile | Astray:
        self.named.add(file.path)
        pictures = self._namesakes.of(file.path)
        if not pictures:
            what = f"belongs to no picture of the dataset {self._asked.dataset.name!r}: none has its name"
            return Astray(file.path, "missing", what)
        said = yolo.parse(read(self._ctx, file, yolo.LIMIT), file.path, pictures[0], self._names_for(file))
        each = [structs.replace(said.pictures[0], path=path, unsafe="") for path in pictures]
        return AnnotationFile(path=file.path, said=structs.replace(said, pictures=tuple(each)), single=True)

    def _names_for(self, file: File) -> yolo.Names | None:
        """The names said for all, or those beside the file, or the only ones there are."""
        only = next(iter(self._names.values())) if len(self._names) == 1 else None
        return self._names.get(posixpath.dirname(file.path), only)

    def _classes(self, file: File) -> Mapping[int | str, str] | None:
        names = self._names_for(file) if self._asked.classes else None
        return names.classes if names else None


def _names(ctx: Context, asked: ImageLabels, files: Sequence[File]) -> Mapping[str, yolo.Names]:
    """Names of classes by the folder of their file."""
    said = [file for file in files if _is_names(file)] if asked.classes is None else _classes(ctx, asked)
    return {posixpath.dirname(file.path): _read_names(ctx, file) for file in said}


def _classes(ctx: Context, asked: ImageLabels) -> Sequence[File]:
    found = find(ctx, asked.root, (asked.classes or "",), ())
    if found.obstacles or len(found.files) != 1:
        hint = "`classes:` is the path of a list of names, or of a data.yaml"
        raise CannotLook("is not one file of names", where=asked.classes or "", hint=hint)
    return found.files


def _read_names(ctx: Context, file: File) -> yolo.Names:
    data = read(ctx, file, _SMALL)
    return (yolo.data_yaml if suffix(file.path) in _YAML else yolo.class_list)(data, file.path)


def _is_names(file: File) -> bool:
    return posixpath.basename(file.path) in _NAMES


def _with_classes(said: Annotations, classes: Mapping[int | str, str] | None) -> Annotations:
    """The classes that are declared, where a form has none of its own: by their ids, and by their names."""
    if classes is None or said.classes is not None:
        return said
    return structs.replace(said, classes={**classes, **{name: name for name in classes.values()}})


def _in_its_unit(said: Annotations) -> Annotations:
    """Most boxes within 1 are shares of the sides: no picture has most of its boxes in the first pixel."""
    boxes = [box for picture in said.pictures for box in picture.boxes]
    within = sum(box.x + box.w <= 1 and box.y + box.h <= 1 for box in boxes)
    return structs.replace(said, unit=Unit.SHARES) if 2 * within > len(boxes) else said


def _listing(file: AnnotationFile) -> Listing:
    safe: dict[str, str] = {}
    unsafe: dict[str, tuple[str, str]] = {}
    for number, each in enumerate(file.said.pictures, 1):
        if each.unsafe:
            unsafe.setdefault(each.path, (f"picture {number}", each.unsafe))
        else:
            safe.setdefault(each.path, f"picture {number}")
    return Listing(file.path, safe, unsafe)


def _placed(file: AnnotationFile, paths: Mapping[str, str] | None) -> AnnotationFile:
    if paths is None:
        return file
    pictures = (one if one.unsafe else structs.replace(one, path=paths[one.path]) for one in file.said.pictures)
    return structs.replace(file, said=structs.replace(file.said, pictures=tuple(pictures)))
