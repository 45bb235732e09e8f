"""The headers of a dataset's clips, on real files."""

import os

import numpy as np
import pytest
import soundfile
from support.engine import graph

from audit.errors import CannotLook
from audit.facts.signals.audio_headers import AudioHeaders
from audit.records.dataset import Dataset
from audit.records.words import Kind


@pytest.fixture
def clips(tmp_path):
    (tmp_path / "clips").mkdir()

    def clips():
        dataset = Dataset(name="clips", path="clips", kind=Kind.AUDIO)
        return graph().get(AudioHeaders(root=str(tmp_path), dataset=dataset))

    return clips


def test_clips_in_the_order_of_their_paths(clips, tmp_path):
    for name, rate in ("b.wav", 8000), ("a.wav", 16000), ("c.wav", 16000):
        soundfile.write(tmp_path / "clips" / name, np.zeros(4000), rate)
    found = clips().clips
    assert [clip.path for clip in found] == ["clips/a.wav", "clips/b.wav", "clips/c.wav"]
    assert [clip.duration_s for clip in found] == [0.25, 0.5, 0.25]
    assert found[0].header.format is found[2].header.format
    assert found[0].size == 8044


def test_what_is_no_clip_says_what_it_is(clips, tmp_path):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n"
    for name, content in ("empty.wav", ""), ("pointer.wav", pointer), ("text.wav", "hello"):
        (tmp_path / "clips" / name).write_text(content)
    assert [clip.header.faults[0].kind for clip in clips().clips] == ["empty", "pointer", "unknown"]


def test_a_long_list_before_the_sound_is_skipped(clips, tmp_path):
    soundfile.write(tmp_path / "clips" / "a.wav", np.zeros(4000), 16000)
    plain = (tmp_path / "clips" / "a.wav").read_bytes()
    art = b"LIST" + (100_001).to_bytes(4, "little") + b"x" * 100_002
    (tmp_path / "clips" / "a.wav").write_bytes(plain[:36] + art + plain[36:])
    (clip,) = clips().clips
    assert (clip.header.frames, clip.header.faults) == (4000, ())


def test_clips_of_all_kinds(clips, tmp_path):
    noise = np.random.default_rng(1).normal(0, 0.1, 100_000)
    for name, container in ("a.aiff", "AIFF"), ("b.flac", "FLAC"), ("c.mp3", "MP3"), ("d.ogg", "OGG"), ("e.w64", "W64"):
        soundfile.write(tmp_path / "clips" / name, noise, 16000, format=container)
    found = clips().clips
    assert [clip.header.format.container for clip in found] == ["AIFF", "FLAC", "MP3", "OGG", "W64"]
    assert [(clip.duration_s, clip.header.faults) for clip in found] == [(6.25, ())] * 5


def test_what_cannot_be_looked_at_is_unseen(clips, tmp_path):
    soundfile.write(tmp_path / "clips" / "a.wav", np.zeros(4000), 16000)
    os.mkfifo(tmp_path / "clips" / "fifo.wav")
    (tmp_path / "clips" / "gone.wav").symlink_to("nowhere.wav")
    found = clips()
    assert [clip.path for clip in found.clips] == ["clips/a.wav"]
    assert [(one.path, one.gone) for one in found.unseen] == [("clips/fifo.wav", False), ("clips/gone.wav", True)]
    assert [one.violation().unseen for one in found.unseen] == [True, False]


def test_no_clip_at_all_is_no_pass(clips):
    with pytest.raises(CannotLook, match="matches no file"):
        clips()
