"""Lhotse's manifests, written by hand."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations.lhotse import holds, recordings, supervisions
from audit.records.labels import Utterance

RECORDING = {
    "id": "r1",
    "sources": [{"type": "file", "channels": [0], "source": "a.wav"}],
    "sampling_rate": 16000,
    "num_samples": 32000,
    "duration": 2.0,
    "channel_ids": [0],
}
SUPERVISION = {"id": "s1", "recording_id": "r1", "start": 0.5, "duration": 1, "channel": 0, "text": "yes"}


def said(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_recordings_and_supervisions():
    known = recordings(said(RECORDING), "r.jsonl")
    assert known == {"r1": Utterance(path="a.wav", where=1, duration_s=2, sample_rate_hz=16000, name="r1")}
    assert supervisions(said(SUPERVISION), "s.jsonl", known) == (
        Utterance(path="a.wav", where=1, offset_s=0.5, duration_s=1, text="yes", name="s1"),
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({"type": "command", "channels": [0], "source": "sox a.wav -t wav -"}, "is a command"),
        ({"type": "url", "channels": [0], "source": "https://example.org/a.wav"}, "is a url"),
        ({"type": "file", "channels": [0], "source": "/a.wav"}, "is absolute"),
    ],
)
def test_a_source_that_is_no_file_of_the_project_is_not_opened(source, reason):
    assert recordings(said(RECORDING | {"sources": [source]}), "r")["r1"].unsafe == reason


def test_several_sources_are_no_one_clip():
    assert (
        recordings(said(RECORDING | {"sources": RECORDING["sources"] * 2}), "r")["r1"].unsafe == "has several sources"
    )


def test_what_a_file_holds_is_told_by_its_first_line():
    assert [holds(said(one), "x") for one in (RECORDING, SUPERVISION, {"path": "a.wav"}, [])] == [
        "recordings",
        "supervisions",
        "",
        "",
    ]
    assert holds(b"", "x") == ""


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({**RECORDING, "sources": []}, "r:2: no line of Lhotse's"),
        ({**RECORDING, "duration": "2"}, "r:2: no line of Lhotse's"),
        (RECORDING, "r:2: 'r1' stands twice"),
    ],
)
def test_what_is_no_recording_is_refused(row, told):
    with pytest.raises(FormatError) as caught:
        recordings(said(RECORDING, row), "r")
    assert str(caught.value).startswith(told)


def test_a_supervision_of_a_recording_that_is_not_listed_is_refused():
    with pytest.raises(FormatError, match="s:1: the recording 'r1' is not listed"):
        supervisions(said(SUPERVISION), "s", {})


@given(st.binary(max_size=200) | st.text('{}[]":,0e.- \nidsource', max_size=80).map(str.encode))
def test_any_bytes(data):
    for read in (holds, recordings, lambda data, name: supervisions(data, name, {})):
        with suppress(FormatError):
            read(data, "m")
