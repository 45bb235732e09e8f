"""Samples that are taken from the bytes of WAV files are those that libsndfile reads, bit by bit."""

import io
import random
import struct

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.formats.audio.header import header
from audit.signals.audio.stored import blocks, stored

KINDS = ("PCM_16", "PCM_32", "FLOAT", "DOUBLE")


def written(subtype, channels=1, frames=1000):
    samples = np.random.default_rng(0).uniform(-1, 1, (frames, channels))
    out = io.BytesIO()
    soundfile.write(out, samples, 16_000, subtype=subtype, format="WAV")
    return out.getvalue()


def taken(data, most=4096):
    """The samples; None where they are left to libsndfile."""

    def read(offset, size):
        return data[offset : offset + size]

    found = stored(header(data[:4096], len(data), read), data[:4096])
    return np.concatenate(list(blocks(found, read, most))) if found else None


def decoded(data, dtype):
    with soundfile.SoundFile(io.BytesIO(data)) as sound:
        return sound.samplerate, sound.read(dtype=dtype, always_2d=True)


def same(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


@pytest.mark.parametrize("subtype", KINDS)
@pytest.mark.parametrize("channels", [1, 2, 7])
@pytest.mark.parametrize("most", [64, 4096])
def test_the_samples_are_those_of_libsndfile(subtype, channels, most):
    data = written(subtype, channels)
    samples = taken(data, most)
    assert same(samples, decoded(data, samples.dtype.name)[1])


def test_all_integers_and_odd_floats_become_what_they_are_there():
    every = np.arange(-(1 << 15), 1 << 15).astype("<i2").tobytes()
    some = np.random.default_rng(0).integers(-(1 << 31), 1 << 31, 10_000).astype("<i4").tobytes()
    odd = np.array([0.0, -0.0, 1e-40, 3e38, np.inf, -np.inf, np.nan], "<f4").tobytes()
    for code, bits, sound in ((1, 16, every), (1, 32, some), (3, 32, odd)):
        data = riff(sound, code, bits)
        samples = taken(data)
        assert np.array_equal(samples, decoded(data, "float32")[1], equal_nan=True)


def riff(sound, code=1, bits=16, between=b""):
    fmt = struct.pack("<HHIIHH", code, 1, 16_000, 2000 * bits, bits // 8, bits)
    body = b"WAVEfmt \x10\0\0\0" + fmt + between + b"data" + struct.pack("<I", len(sound)) + sound
    return b"RIFF" + struct.pack("<I", len(body)) + body


def test_chunks_of_numbers_may_stand_before_it():
    between = b"fact\4\0\0\0\2\0\0\0PEAK\x10\0\0\0" + bytes(16)
    assert taken(riff(b"\0\0\0\x40", between=between)).tolist() == [[0.0], [0.5]]


@pytest.mark.parametrize(
    "data",
    [
        written("PCM_24"),
        written("PCM_U8"),
        written("ULAW"),
        written("PCM_16")[:-1],
        written("PCM_16", frames=0),
        riff(b"\0\0", between=b"LIST\4\0\0\0INFO"),
        riff(bytes(10), bits=12),
    ],
)
def test_whatever_else_is_left_to_the_decoder(data):
    assert taken(data) is None


def test_a_file_that_shrinks_while_it_is_read_cannot_be_read():
    data = written("PCM_16")
    found = stored(header(data, len(data), lambda _offset, _size: b""), data)
    with pytest.raises(OSError, match="nearer than it was"):
        list(blocks(found, lambda offset, size: data[:-1][offset : offset + size], 4096))


PLAIN = {kind: written(kind, frames=50) for kind in KINDS}
PLAIN["with a count"] = riff(bytes(range(100)), between=b"fact\4\0\0\0\x32\0\0\0")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(PLAIN)), st.randoms(use_true_random=False))
def test_of_a_mutated_header_both_make_the_same(kind, chance: random.Random):
    data = bytearray(PLAIN[kind])
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(90)] = chance.choice([0, 1, 2, 16, 255, chance.randrange(256)])
    samples = taken(bytes(data))
    if samples is not None:
        rate, others = decoded(bytes(data), samples.dtype.name)
        assert (rate, len(samples)) == (int.from_bytes(data[24:28], "little"), len(others))
        assert np.array_equal(samples, others, equal_nan=True)
