"""Manifests of clips, written by hand."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations import audio_manifest
from audit.formats.annotations.audio_manifest import json_lines, table
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


def test_a_table_parted_by_tabs_knows_no_quotes():
    found = table(b'path\tsentence\na.mp3\t"Yes", he said\n', "m.tsv", delimiter="\t")
    assert found == (Utterance(path="a.mp3", where=2, text='"Yes", he said'),)


def test_columns_and_keys_may_be_declared():
    columns = {"path": "Clip", "text": "Word"}
    assert table(b"path,Clip,Word\nx,a.wav,yes\n", "m", columns) == (Utterance(path="a.wav", where=2, text="yes"),)
    assert json_lines(b'{"path": "x", "Clip": "a.wav"}', "m", columns) == (Utterance(path="a.wav", where=1),)
    assert refused(table, b"path,Clip\nx,a.wav\n", "m", columns) == "m:1: no column 'Word'"


def test_an_end_is_an_offset_and_a_duration():
    assert table(b"path,start,end\na.wav,1.5,4\n", "m") == (
        Utterance(path="a.wav", where=2, offset_s=1.5, duration_s=2.5),
    )
    assert json_lines(b'{"path": "a.wav", "end": 4}', "m") == (
        Utterance(path="a.wav", where=1, offset_s=0, duration_s=4),
    )


def test_a_sample_rate_that_is_said():
    assert table(b"path,sampling_rate\na.wav,16000\n", "m")[0].sample_rate_hz == 16000


def test_a_line_without_a_path_says_how_it_is_looked_for():
    assert refused(json_lines, b'{"clip": "a.wav"}', "m").startswith("m:1: no key for the path (it is looked for as")


@pytest.mark.parametrize("path", ["/a.wav", "../a.wav", "C:a.wav", "..\\\\a.wav"])
def test_unsafe_paths_are_said_to_be(path):
    assert json_lines(b'{"audio_filepath": "%b"}' % path.encode(), "m")[0].unsafe
    assert table(b"path\n%b\n" % path.encode(), "m")[0].unsafe


READERS = [json_lines, table, lambda data, name: table(data, name, delimiter="\t")]


@pytest.mark.parametrize("read", READERS)
def test_a_file_too_large_is_refused_unread(read, monkeypatch):
    monkeypatch.setattr(audio_manifest, "LIMIT", 10)
    assert "more than 10 bytes" in refused(read, b" " * 11, "m")


@pytest.mark.parametrize("read", READERS)
@given(data=st.binary(max_size=200) | st.text('{}[]":,0e.- \n|path', max_size=80).map(str.encode))
def test_any_bytes(read, data):
    with suppress(FormatError):
        read(data, "m")
