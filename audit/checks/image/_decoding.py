"""Pictures are decoded once for all rules of a project that have a use for them."""

from __future__ import annotations

from audit.facts.signals.image_decode import ImageDecode
from audit.records.project import Project

_MEASURING = "image.content"


def decoded(project: Project, dataset: str, max_pixels: int, *, measured: bool = False) -> ImageDecode:
    """The dataset's pictures, decoded; measured as well if that is asked for, or another rule asks for it anyway."""
    anyway = any(rule.check == _MEASURING and rule.asks is not None for rule in project.rules)
    return ImageDecode(
        root=project.root,
        dataset=project.dataset(dataset),
        max_pixels=max_pixels,
        measured=measured or anyway,
    )
