"""The clips of a dataset, each decoded whole and measured in a program that can be killed."""

from __future__ import annotations

from importlib.util import find_spec

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.processes.audio_decode import Question
from audit.facts.signals.examined import Look, examine
from audit.records.audio_decoded import DecodedAudio, DecodedClip, DecodedClips
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle

PROGRAM = "audio_decode"
TOGETHER = 32
"""Clips whose spectra are looked at in one step."""


class AudioDecode(Request[DecodedClips]):
    """The clips of `dataset` in the project at `root`. Raises what `DatasetFiles` does, and `MissingExtra`."""

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> DecodedClips:
        """Decode every file, in the order of their paths."""
        if find_spec("soundfile") is None:
            raise MissingExtra("audio", "soundfile, which decodes clips,")
        found = ctx.get(DatasetFiles(root=self.root, dataset=self.dataset))
        looked = examine(ctx, found.files, Look(PROGRAM, Question(), DecodedAudio, together=TOGETHER))
        said = list(zip((file.path for file in found.files), looked, strict=True))
        unseen = (Obstacle(path, one.problem) for path, one in said if one.value is None)
        seen = (DecodedClip(path=path, decoded=one.value) for path, one in said if one.value is not None)
        return DecodedClips(path=self.dataset.path, clips=tuple(seen), unseen=(*found.obstacles, *unseen))
