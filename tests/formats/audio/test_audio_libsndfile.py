"""Headers held against what libsndfile says of all that it can write."""

import io

import numpy as np
import pytest
import soundfile
from support.clips import read

CONTAINERS = ("AIFF", "FLAC", "OGG", "W64", "WAV", "WAVEX", "RF64", "MP3", "NIST")
SUBTYPES = [(name, subtype) for name in CONTAINERS for subtype in soundfile.available_subtypes(name)]
OPUS_HZ = 48000


def written(container, subtype, rate, channels, frames):
    file = io.BytesIO()
    sound = np.random.default_rng(1).normal(0, 0.1, (frames, channels))
    try:
        soundfile.write(file, sound, rate, format=container, subtype=subtype)
    except (soundfile.LibsndfileError, ValueError) as error:
        pytest.skip(f"libsndfile does not write it: {error}")
    return file.getvalue()


@pytest.mark.parametrize(("container", "subtype"), SUBTYPES)
@pytest.mark.parametrize(("rate", "channels"), [(8000, 1), (16000, 2), (44100, 2), (48000, 1)])
def test_as_libsndfile_reads_it(container, subtype, rate, channels):
    data = written(container, subtype, rate, channels, 4000)
    said, found = soundfile.info(io.BytesIO(data)), read(data)
    assert found.faults == ()
    assert found.format.container == {"WAVEX": "WAV"}.get(container, container)
    assert found.format.channels == said.channels == channels
    if subtype == "OPUS":
        assert (found.format.sample_rate_hz, found.frames * said.samplerate) == (OPUS_HZ, said.frames * OPUS_HZ)
    else:
        assert (found.format.subtype, found.format.sample_rate_hz) == (said.subtype, rate)
        assert found.frames in {said.frames, 4000}


@pytest.mark.parametrize(("container", "subtype"), [("AIFF", "PCM_24"), ("W64", "FLOAT"), ("FLAC", "PCM_16")])
def test_bits(container, subtype):
    bits = {"PCM_16": 16, "PCM_24": 24, "FLOAT": 32}
    assert read(written(container, subtype, 16000, 1, 100)).format.bits == bits[subtype]


@pytest.mark.parametrize("container", ["AIFF", "W64"])
@pytest.mark.parametrize("subtype", ["PCM_16", "ULAW", "IMA_ADPCM"])
def test_a_file_cut_short_is_never_sound(container, subtype):
    data = written(container, subtype, 16000, 1, 4000)
    for kept in range(16, len(data), 101):
        assert read(data[:kept]).faults, kept
