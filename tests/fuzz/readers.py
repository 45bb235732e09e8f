"""Feed bytes that nobody wrote to the readers of headers and labels, guided by what code they reach (atheris).

    python tests/fuzz/readers.py [OPTIONS OF LIBFUZZER] [CORPUS]

The first byte chooses the reader. A reader may refuse (`FormatError`) or answer; anything else that it raises ends the
run, and so does more than `-timeout` seconds or `-rss_limit_mb`. What it asks to be handed is bounded, too: a length
that a header claims must not be allocated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import atheris

with atheris.instrument_imports(include=["audit.formats"]):
    from audit.errors import FormatError
    from audit.formats.annotations import audio_manifest, boxes_csv, coco, kaldi, lhotse, voc, yolo
    from audit.formats.arrays import header as arrays
    from audit.formats.audio import header as audio
    from audit.formats.images import header as images
    from audit.formats.installed import conda_meta, direct_url, metadata, record
    from audit.formats.locks import conda_lock, environment_yml, pdm, pipfile, poetry, pylock, requirements, uv

HEAD = 4096
MOST = 1 << 27
"""Bytes that a reader may ask for at once: safetensors' own bound for its header."""

Read = Callable[[int, int], bytes]


class TooGreedyError(Exception):
    """A reader asks for more than any header has."""


def of_headers(parse: Callable[[bytes, int, Read], object]) -> Callable[[bytes], object]:
    """A reader of headers, as facts call it: the head of a file, its size, and what hands out pieces of it."""

    def reader(data: bytes) -> object:
        def read(offset: int, size: int) -> bytes:
            if size > MOST or offset < 0:
                raise TooGreedyError(f"{size} bytes from {offset}")
            return data[offset : offset + size]

        return parse(data[:HEAD], len(data), read)

    return reader


def of_text(parse: Callable[..., object], *more: object) -> Callable[[bytes], object]:
    """A reader of whole files: their bytes and their name; what it gives one by one is taken to the end."""

    def reader(data: bytes) -> object:
        found = parse(data, "file", *more)
        return list(found) if hasattr(found, "__next__") else found

    return reader


READERS: tuple[Callable[[bytes], object], ...] = (
    of_headers(audio.header),
    of_headers(images.header),
    of_headers(partial(arrays.header, "file")),
    of_text(coco.parse),
    of_text(voc.parse),
    of_text(yolo.parse, "picture.jpg"),
    of_text(yolo.data_yaml),
    of_text(boxes_csv.parse),
    of_text(audio_manifest.json_lines),
    of_text(audio_manifest.table),
    of_text(kaldi.scp),
    of_text(lhotse.recordings),
    of_text(requirements.parse),
    of_text(metadata.parse),
    of_text(direct_url.parse),
    of_text(conda_meta.parse),
    of_text(record.parse),
    of_text(uv.parse),
    of_text(poetry.parse),
    of_text(pdm.parse),
    of_text(pipfile.parse),
    of_text(pylock.parse),
    of_text(environment_yml.parse),
    of_text(conda_lock.parse),
    of_text(conda_lock.explicit),
)


def one_input(data: bytes) -> None:
    """What libFuzzer calls."""
    if not data:
        return
    try:
        READERS[data[0] % len(READERS)](data[1:])
    except FormatError:
        return


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
