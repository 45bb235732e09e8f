"""Manifests of clips, written by hand."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations import audio_manifest
from audit.formats.annotations.audio_manifest import json_lines, kaldi_scp, kaldi_segments, table
from audit.records.labels import Utterance


def refused(read, *said):
    with pytest.raises(FormatError) as caught:
        read(*said)
    return str(caught.value)


def test_json_lines():
    first = b'{"audio_filepath": "a.wav", "duration": 1.5, "text": "yes", "lang": "en"}\r\n'
    data = first + b'\n{"audio_filepath": "b.wav", "offset": 2}\n'
    assert json_lines(data, "m.json") == (
        Utterance(path="a.wav", where=1, duration_s=1.5, text="yes"),
        Utterance(path="b.wav", where=3, offset_s=2),
    )


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b'{"audio_filepath": 3}',
        b'{"audio_filepath": "a", "duration": NaN}',
        b'{"audio_filepath": "a", "duration": 1e999}',
        b'{"audio_filepath": "a", "x": ' + b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_line_that_is_none_is_refused_with_its_place(line):
    assert refused(json_lines, b'{"audio_filepath": "a.wav"}\n' + line, "m.json").startswith("m.json:2: ")


def test_a_table():
    found = table(b'path,Duration,sentence,offset\n"a,1.wav",1.5,yes,\nb.wav,,,3\n', "m.csv")
    assert found == (
        Utterance(path="a,1.wav", where=2, duration_s=1.5, text="yes"),
        Utterance(path="b.wav", where=3, offset_s=3, text=""),
    )


@pytest.mark.parametrize(
    "data", [b"", b"a,b\n", b"path,path\n", b"path,text\na\n", b"path,duration\na,inf\n", b'path\n"a"b\n', b"\xff"]
)
def test_what_is_no_such_table_is_refused(data):
    assert refused(table, data, "m.csv").startswith("m.csv")


def test_kaldi():
    clips = kaldi_scp(b"r1 a b.wav\nr2\tsph2pipe -f wav x.sph |\nr3 /x.wav\nr4 f.ark:12\n", "wav.scp")
    assert clips["r1"] == Utterance(path="a b.wav", where=1)
    assert [clips[each].unsafe for each in ("r2", "r3", "r4")] == [
        "is a command",
        "is absolute",
        "is a place in an archive",
    ]
    assert kaldi_segments(b"u1 r1 1.5 4\n\nu2 r2 0 -1\n", "segments", clips) == (
        Utterance(path="a b.wav", where=1, offset_s=1.5, duration_s=2.5),
        Utterance(path=clips["r2"].path, where=3, unsafe="is a command", offset_s=0),
    )


def test_what_is_not_kaldis_is_refused():
    clips = kaldi_scp(b"r1 a.wav", "wav.scp")
    assert refused(kaldi_scp, b"r1 a\nr1 b", "wav.scp") == "wav.scp:2: 'r1' stands twice"
    assert refused(kaldi_scp, b"r1\n", "wav.scp") == "wav.scp:1: a key alone"
    for line in (b"u r1 0", b"u r1 0 1 2", b"u r2 0 1", b"u r1 x 1", b"u r1 -1e308 1e308"):
        assert refused(kaldi_segments, line, "segments", clips).startswith("segments:1: ")


@pytest.mark.parametrize("path", ["/a.wav", "../a.wav", "C:a.wav", "..\\\\a.wav"])
def test_unsafe_paths_are_said_to_be(path):
    assert json_lines(b'{"audio_filepath": "%b"}' % path.encode(), "m")[0].unsafe
    assert table(b"path\n%b\n" % path.encode(), "m")[0].unsafe


READERS = [
    json_lines,
    table,
    kaldi_scp,
    lambda data, name: kaldi_segments(data, name, {"0": Utterance(path="a", where=1)}),
]


@pytest.mark.parametrize("read", READERS)
def test_a_file_too_large_is_refused_unread(read, monkeypatch):
    monkeypatch.setattr(audio_manifest, "LIMIT", 10)
    assert "more than 10 bytes" in refused(read, b" " * 11, "m")


@pytest.mark.parametrize("read", READERS)
@given(data=st.binary(max_size=200) | st.text('{}[]":,0e.- \n|path', max_size=80).map(str.encode))
def test_any_bytes(read, data):
    with suppress(FormatError):
        read(data, "m")
