"""Members of several splits that are nearly equal: pictures that look alike, texts that share most of their words."""

from __future__ import annotations

from importlib.util import find_spec

from audit.errors import CannotLook, MissingExtra
from audit.facts.processes.ask import ask
from audit.facts.processes.each import Paths
from audit.facts.processes.near_images import Look
from audit.facts.processes.near_pairs import Sides, Twins
from audit.facts.processes.near_text import Texts
from audit.facts.processes.table_split import Refused
from audit.facts.signals import examined
from audit.facts.signals.examined import examine
from audit.facts.splits.chosen import Chosen
from audit.facts.splits.files import FilesOfSplits, SplitFile
from audit.facts.splits.tables import table_parts
from audit.records.check import Request
from audit.records.context import Context
from audit.records.splits import Near, NearPair, Place, pairs

SUFFIXES = frozenset({"png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "ppm", "pgm"})

_LOOK = examined.Look("near_images", Paths(), Look)
_TIMEOUT_S = 3600
_FIRST = 20


class NearImages(Request[Near]):
    """Pictures of a later split that look like one of an earlier, in the project at `root`.

    Their perceptual hashes are at most `distance` of 64 bits apart, and their thumbnails agree.
    Pictures of equal content are the business of `FileOverlap`.
    """

    root: str
    splits: Chosen
    distance: int

    def collect(self, ctx: Context) -> Near:
        """Decode each picture once, in processes that can be stopped."""
        if find_spec("PIL") is None or find_spec("numpy") is None:
            raise MissingExtra("image", "Pillow, which decodes pictures,")
        found = ctx.get(FilesOfSplits(root=self.root, splits=self.splits))
        files = [one for one in found.files if one.file.path.lower().rpartition(".")[2] in SUFFIXES]
        if not files:
            raise CannotLook("there is no picture to compare", hint="`near` compares pictures, or a `text_column`")
        looked = examine(ctx, [one.file for one in files], _LOOK)
        looks: dict[SplitFile, Look] = {one: said.value or Look() for one, said in zip(files, looked, strict=True)}
        unseen = [(one.file.path, said.problem) for one, said in zip(files, looked, strict=True) if said.problem]
        by_split = {
            share.name: [one for one in files if one.split == share.name and looks[one].hash] for share in found.splits
        }
        compared = [
            self._compared(ctx, looks, by_split, earlier, later) for earlier, later in pairs(list(self.splits.names))
        ]
        return Near(
            splits=found.splits,
            unit="picture",
            pairs=tuple(one for one in compared if one.members),
            left_out=sum(not look.hash for look in looks.values()) - len(unseen),
            unseen=(*found.unseen, *unseen),
        )

    def _compared(
        self,
        ctx: Context,
        looks: dict[SplitFile, Look],
        by_split: dict[str, list[SplitFile]],
        earlier: str,
        later: str,
    ) -> NearPair:
        known = {looks[one].digest for one in by_split[earlier]}
        own, others = [one for one in by_split[later] if looks[one].digest not in known], by_split[earlier]
        if not own or not others:
            return NearPair(earlier=earlier, later=later, members=0, of=len(by_split[later]))
        asked = Sides(
            later=tuple(looks[one] for one in own),
            earlier=tuple(looks[one] for one in others),
            distance=self.distance,
        )
        twins = ask(ctx.host, "near_pairs", asked, tuple[Twins, ...], _TIMEOUT_S)
        first = tuple((_place(own[one.later]), _place(others[one.earlier]), 1 - one.distance / 64) for one in twins)
        return NearPair(earlier=earlier, later=later, members=len(twins), of=len(by_split[later]), first=first[:_FIRST])


class NearTexts(Request[Near]):
    """Texts of `column` in a later split that share `similarity` of their word sequences with one of an earlier."""

    root: str
    splits: Chosen
    column: str
    similarity: float

    def collect(self, ctx: Context) -> Near:
        """Ask; raises `CannotLook` where tables cannot be read, or have no such column of text."""
        asked = Texts(
            parts=table_parts(ctx, self.root, self.splits),
            split_column=self.splits.column,
            column=self.column,
            similarity=self.similarity,
        )
        found, refused = ask(ctx.host, "near_text", asked, tuple[Near | None, Refused | None], 6 * _TIMEOUT_S)
        if refused is not None or found is None:
            raise CannotLook(refused.what if refused else "no answer", hint=refused.hint if refused else "")
        return found


def _place(one: SplitFile) -> Place:
    return Place(split=one.split, path=one.file.path)
