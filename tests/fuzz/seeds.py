"""Small sound files of every kind that is read, for the fuzzer to start from: `python tests/fuzz/seeds.py FOLDER`."""

from __future__ import annotations

import io
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
import torch
from PIL import Image
from readers import READERS
from safetensors.numpy import save

SOUNDS = {"WAV": ("PCM_16", "FLOAT", "ULAW", "MS_ADPCM"), "RF64": ("PCM_24",), "W64": ("PCM_16",)}
SOUNDS |= {"AIFF": ("PCM_16", "FLOAT"), "FLAC": ("PCM_16",), "OGG": ("VORBIS", "OPUS"), "MP3": ("MPEG_LAYER_III",)}
PICTURES = {"JPEG": ("RGB", "L", "CMYK"), "PNG": ("RGBA", "P", "I;16"), "GIF": ("P",), "BMP": ("RGB",)}
PICTURES |= {"TIFF": ("RGB", "1"), "WEBP": ("RGB",), "PPM": ("L",), "JPEG2000": ("RGB",), "AVIF": ("RGB",)}


def main(folder: Path) -> None:
    """Write every seed, with the byte in front that chooses its reader."""
    folder.mkdir(parents=True, exist_ok=True)
    for reader, some in enumerate((sounds, pictures, arrays, texts)):
        for number, data in enumerate(some()):
            chosen = range(3, len(READERS)) if some is texts else [reader]
            for byte in chosen:
                (folder / f"{byte}-{number}").write_bytes(bytes([byte]) + data)


def sounds() -> Iterator[bytes]:
    """A tenth of a second of noise."""
    noise = np.random.default_rng(1).normal(0, 0.1, (4800, 2))
    for form, subtypes in SOUNDS.items():
        for subtype in subtypes:
            file = io.BytesIO()
            soundfile.write(file, noise, 48_000, format=form, subtype=subtype)
            yield file.getvalue()[:3000]


def pictures() -> Iterator[bytes]:
    """Small gradients; one is turned by EXIF."""
    exif = Image.Exif()
    exif[0x0112] = 6
    for form, modes in PICTURES.items():
        for mode in modes:
            file = io.BytesIO()
            more = {"exif": exif} if form in {"JPEG", "PNG", "WEBP"} else {}
            Image.linear_gradient("L").resize((16, 8)).convert("RGB" if mode in {"CMYK", "P"} else "L").convert(
                mode
            ).save(file, form, **more)
            yield file.getvalue()


def arrays() -> Iterator[bytes]:
    """Arrays alone, in archives, in Fortran's order."""
    for array in (np.arange(6, dtype=">f4").reshape(2, 3), np.asfortranarray(np.ones((2, 3), bool))):
        file = io.BytesIO()
        np.save(file, array)
        yield file.getvalue()
    for write in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        write(file, a=np.arange(3), b=np.zeros((2, 2)))
        yield file.getvalue()
    for protocol in (0, 2, 5):
        yield pickle.dumps({"a": (1, 2.5, "text", b"bytes"), "b": np.float32(1)}, protocol)
    for legacy in (False, True):
        file = io.BytesIO()
        torch.save({"weight": torch.zeros(2, 3)}, file, _use_new_zipfile_serialization=not legacy)
        yield file.getvalue()
    yield save({"a": np.zeros((2, 2), "f4"), "b": np.zeros(3, "i8")}, {"format": "pt"})


def texts() -> Iterator[bytes]:
    """A little of every form of labels and records."""
    picture = {"id": 1, "file_name": "a.jpg", "width": 4, "height": 4}
    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}
    whole = {"images": [picture], "annotations": [box], "categories": [{"id": 1, "name": "x"}]}
    yield json.dumps(whole).encode()
    yield b"<annotation><filename>a.jpg</filename><size><width>4</width><height>4</height></size></annotation>"
    yield b"0 0.5 0.5 0.1 0.1\n"
    yield b"path,label,x,y,w,h\na.jpg,x,0,0,1,1\n"
    yield b'{"audio_filepath": "a.wav", "duration": 1.5, "text": "x"}\n'
    yield b"a a.wav\nb a.wav\n"
    yield b"torch==2.1.0 ; python_version > '3.8' --hash=sha256:aa\n-e git+https://h/r@c#egg=a\n-r b.txt\n"
    yield b"Metadata-Version: 2.1\nName: a\nVersion: 1\nRequires-Dist: b>1\n\nText\n"
    yield b'{"url": "file:///a", "dir_info": {"editable": true}}'
    yield b"a.py,sha256=AAAA,3\na-1.dist-info/RECORD,,\n"
    for lock in sorted(Path(__file__).parent.with_name("formats").joinpath("locks/written").rglob("*.*")):
        yield lock.read_bytes()
    yield b"dependencies:\n  - python=3.11\n  - numpy=1.26.4=py_0\n  - pip: [a==1, -r b.txt]\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
