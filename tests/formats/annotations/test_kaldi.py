"""Folders of Kaldi's, written by hand."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations.kaldi import folder, scp, segments
from audit.records.labels import Utterance


def refused(files):
    with pytest.raises(FormatError) as caught:
        folder(files, "train")
    return str(caught.value)


def test_recordings_and_what_is_no_file():
    clips = scp(b"r1 a b.wav\nr2\tsph2pipe -f wav x.sph |\nr3 /x.wav\nr4 f.ark:12\n", "wav.scp")
    assert clips["r1"] == Utterance(path="a b.wav", where=1, name="r1")
    assert [clips[each].unsafe for each in ("r2", "r3", "r4")] == [
        "is a command",
        "is absolute",
        "is a place in an archive",
    ]
    assert segments(b"u1 r1 1.5 4\n\nu2 r2 0 -1\n", "segments", clips) == {
        "u1": Utterance(path="a b.wav", where=1, offset_s=1.5, duration_s=2.5, name="u1"),
        "u2": Utterance(path=clips["r2"].path, where=3, unsafe="is a command", offset_s=0, name="u2"),
    }


def test_without_segments_a_recording_is_an_utterance():
    files = {"wav.scp": b"r1 a.wav\nr2 b.wav\n", "text": b"r1 yes please\n", "utt2dur": b"r1 1.5\nr2 2\n"}
    assert folder(files, "train") == {
        "wav.scp": (
            Utterance(path="a.wav", where=1, text="yes please", duration_s=1.5, name="r1"),
            Utterance(path="b.wav", where=2, duration_s=2, name="r2"),
        )
    }


def test_with_segments_texts_are_theirs_and_durations_of_recordings_the_clips():
    files = {
        "wav.scp": b"r a.wav\n",
        "segments": b"u r 0 1\n",
        "text": b"u\n",
        "utt2dur": b"u 9\n",
        "reco2dur": b"r 7\n",
    }
    assert folder(files, "train") == {
        "wav.scp": (Utterance(path="a.wav", where=1, duration_s=7, name="r"),),
        "segments": (Utterance(path="a.wav", where=1, offset_s=0, duration_s=1, text="", name="u"),),
    }


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"wav.scp": b"r1 a\nr1 b"}, "train/wav.scp:2: 'r1' stands twice"),
        ({"wav.scp": b"r1\n"}, "train/wav.scp:1: a key alone"),
        ({"wav.scp": b"r1 a", "text": b"r2 yes"}, "train/text:1: 'r2' is no recording or utterance"),
        ({"wav.scp": b"r1 a", "utt2dur": b"r1 x"}, "train/utt2dur:1: the duration is 'x', no number"),
        ({"wav.scp": b"r1 a", "segments": b"u r1 0"}, "train/segments:1: not '<utterance> <recording> <start> <end>'"),
        ({"wav.scp": b"r1 a", "segments": b"u r2 0 1"}, "train/segments:1: the recording 'r2' is not in wav.scp"),
        ({"wav.scp": b"r1 a", "segments": b"u r1 x 1"}, "train/segments:1: the start is 'x', no number"),
    ],
)
def test_what_is_not_kaldis_is_refused(files, told):
    assert refused(files) == told


@given(st.dictionaries(st.sampled_from(["segments", "text", "reco2dur"]), st.text("ru01 \n.-e").map(str.encode)))
def test_any_words(files):
    with suppress(FormatError):
        folder({"wav.scp": b"r a.wav\nu b.wav\n", **files}, "train")


@given(st.binary(max_size=200))
def test_any_bytes(data):
    with suppress(FormatError):
        folder({"wav.scp": data}, "train")
