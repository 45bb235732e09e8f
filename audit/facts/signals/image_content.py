"""The measures of a dataset's pictures, held against those of other datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from audit.errors import CannotLook
from audit.facts.signals.image_decode import ImageDecode
from audit.facts.signals.signal_drift import Columns, signal_drift
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.decoded import DecodedPicture
from audit.records.image_content import ContentsApart, Measures
from audit.records.obstacle import Obstacle

MEASURES: Mapping[str, Callable[[Measures], float | None]] = {
    "width": lambda one: one.width,
    "height": lambda one: one.height,
    "aspect": lambda one: one.width / one.height,
    "brightness": lambda one: one.brightness,
    "contrast": lambda one: one.contrast,
    "red_green": lambda one: one.red - one.green,
    "blue_yellow": lambda one: one.blue - (one.red + one.green) / 2,
    "saturation": lambda one: one.saturation,
    "sharpness": lambda one: one.sharpness,
    "noise": lambda one: one.noise,
    "entropy": lambda one: one.entropy,
    "commonest": lambda one: one.commonest,
    "blockiness": lambda one: one.blockiness,
    "quality": lambda one: one.quality,
}
"""What is compared. Colours by their opponents (Hasler and Süsstrunk 2003): a cast shows there before the means."""


class ImageDrift(Request[ContentsApart]):
    """The pictures of `current` against those of `references` together, in the project at `root`.

    Raises what `ImageDecode` does, and `CannotLook` where no picture of a side could be measured.
    """

    root: str
    references: tuple[Dataset, ...]
    current: Dataset
    max_pixels: int
    false_alarms: float = 0.01

    def collect(self, ctx: Context) -> ContentsApart:
        """Decode all of both, as far as that has not been done, and compare."""
        there = [ctx.get(self._decode(dataset)) for dataset in self.references]
        here = ctx.get(self._decode(self.current))
        reference = [picture for one in there for picture in one.pictures]
        sides = {", ".join(one.path for one in self.references): reference, self.current.path: here.pictures}
        columns = [_columns(path, pictures) for path, pictures in sides.items()]
        return ContentsApart(
            drift=signal_drift(ctx, columns[0], columns[1], path=self.current.path, false_alarms=self.false_alarms),
            names=tuple(one.name for one in self.references),
            pictures=len(reference),
            unseen=(*(obstacle for one in there for obstacle in one.unseen), *_unmeasured(reference, blind=True)),
            faulty=tuple(_unmeasured(reference, blind=False)),
        )

    def _decode(self, dataset: Dataset) -> ImageDecode:
        return ImageDecode(root=self.root, dataset=dataset, max_pixels=self.max_pixels, measured=True)


def _columns(path: str, pictures: Sequence[DecodedPicture]) -> Columns:
    found = [one.decoded.measures for one in pictures if one.decoded.measures]
    if not found:
        raise CannotLook("no picture could be measured", where=path)
    return {name: [of(one) for one in found] for name, of in MEASURES.items()}


def _unmeasured(pictures: Sequence[DecodedPicture], *, blind: bool) -> Iterator[Obstacle]:
    """Pictures without measures: those that nothing here understands, or those that are known to be faulty."""
    for one in pictures:
        if one.decoded.measures is None and blind is (not one.decoded.is_faulty):
            why = one.decoded.unmeasured or "; ".join(fault.what for fault in one.decoded.faults)
            yield Obstacle(one.path, f"of the pictures to compare with: it {why}")
