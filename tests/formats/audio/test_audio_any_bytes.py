"""Whatever the bytes, there is an answer: a format or a fault, from few reads, each of them small."""

import io
import struct

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from audit.formats.audio.header import header

SIGNS = (
    b"RIFF\0\0\0\0WAVEfmt ",
    b"RF64\xff\xff\xff\xffWAVEds64",
    b"FORM\0\0\0\0AIFF",
    b"FORM\0\0\0\0AIFCCOMM\0\0\0\x18",
    bytes.fromhex("726966662e91cf11a5d628db04c10000"),
    b"fLaC\x80\0\0\x22",
    b"OggS\0\2" + bytes(8) + b"\1\0\0\0" + bytes(8) + b"\1\x1e\x01vorbis",
    b"OggS\0\2" + bytes(8) + b"\1\0\0\0" + bytes(8) + b"\1\x13OpusHead",
    b"NIST_1A\n   1024\nsample_rate -i 16000\n",
    b"ID3\4\0\0\0\0\0\x0a",
    bytes.fromhex("fff348c0"),
    bytes.fromhex("fff1604019"),
    struct.pack(">I4s", 16, b"ftyp") + bytes(8) + struct.pack(">I4s", 200, b"moov"),
    b"",
)
MOST_READ = (16 << 20) + 20 * (1 << 17)


def answered(data, size):
    reads = []

    def read(at, count):
        reads.append(count)
        assert at >= 0
        assert count >= 0
        return data[at : at + count] if at < len(data) else bytes(min(count, max(0, size - at)))

    found = header(data[:4096], size, read)
    assert found.format or found.faults
    assert found.frames is None or found.frames >= 0
    assert sum(min(count, size) for count in reads) <= MOST_READ
    assert len(reads) <= 5000
    return found


@given(st.sampled_from(SIGNS), st.binary(max_size=600), st.integers(0, 1 << 40) | st.just(0))
def test_any_bytes(sign, data, more):
    answered(sign + data, len(sign) + len(data) + more)


def sound(container, subtype):
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(1).normal(0, 0.1, 9000), 16000, format=container, subtype=subtype)
    return file.getvalue()


WRITTEN = "WAV/IMA_ADPCM WAV/PCM_16 W64/PCM_16 AIFF/FLOAT FLAC/PCM_16 OGG/VORBIS OGG/OPUS MP3/MPEG_LAYER_III"
REAL = {name: sound(*name.split("/")) for name in WRITTEN.split()}


@pytest.mark.parametrize("name", REAL)
@given(st.data())
def test_mutated_files(name, data):
    content = bytearray(REAL[name])
    for _ in range(data.draw(st.integers(1, 5))):
        where = st.integers(0, 200) | st.integers(0, len(content) - 1)
        content[data.draw(where)] = data.draw(st.integers(0, 255))
    begin, end = data.draw(st.integers(0, 20)), data.draw(st.integers(0, len(content)))
    kept = bytes(content[: max(end, 1)] if data.draw(st.booleans()) else content[begin:])
    answered(kept, len(kept))
