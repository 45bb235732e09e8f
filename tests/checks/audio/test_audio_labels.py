"""`audio.labels` on real files."""

import gzip
import json
import os

import numpy as np
import pytest
import soundfile
from support.audits import audited, kinds, only

from audit.checks.audio._lengths import Line, lengths_held
from audit.records.audio import AudioFormat, Clip, Header
from audit.records.labels import Utterance
from audit.records.words import Outcome, Severity

DATASETS = {"clips": {"path": "data/clips/*.wav"}}


@pytest.fixture
def clip(tmp_path):
    def clip(name, *, seconds=1.0, rate=16000, folder="data/clips"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        soundfile.write(tmp_path / folder / name, np.zeros(round(rate * seconds)), rate, format="WAV")

    return clip


@pytest.fixture
def manifest(tmp_path):
    def manifest(*rows, name="data/train.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    return manifest


def row(path, duration=1.0, text="yes", **more):
    return {"audio_filepath": path, "duration": duration, "text": text, **more}


def judged(folder, manifest="data/train.jsonl", **settings):
    return only(
        audited(folder, {"check": "audio.labels", "with": {"manifest": manifest, **settings}}, datasets=DATASETS)
    )


def test_a_manifest_that_fits_passes(clip, manifest, tmp_path):
    clip("a.wav")
    clip("b.wav", seconds=2)
    manifest(row("clips/a.wav"), row("./clips/b.wav", 2.004))
    found = judged(tmp_path)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 lines on 2 clips agree"
    assert found.figures == {"lines": 2, "clips": 2, "clips_listed": 2, "paths_relative_to": "its own folder"}


@pytest.mark.parametrize(
    ("listed", "base"),
    [("clips/a.wav", "its own folder"), ("data/clips/a.wav", "the project"), ("a.wav", "data/clips")],
)
def test_what_paths_are_relative_to_is_found_out(clip, manifest, tmp_path, listed, base):
    clip("a.wav")
    manifest(row(listed))
    found = judged(tmp_path)
    assert (found.outcome, found.figures["paths_relative_to"]) == (Outcome.PASS, base)


def test_what_paths_are_relative_to_may_be_said(clip, manifest, tmp_path):
    clip("a.wav")
    manifest(row("a.wav"))
    assert judged(tmp_path, root="data/clips").outcome is Outcome.PASS
    assert kinds(judged(tmp_path, root="data").violations)[0] == ("data/a.wav", "missing")
    assert judged(tmp_path, root="..").outcome is Outcome.ERROR


def test_missing_and_unlabelled(clip, manifest, tmp_path):
    clip("a.wav")
    clip("b.wav")
    manifest(row("clips/a.wav"), row("clips/gone.wav"))
    found = judged(tmp_path)
    assert kinds(found.violations) == [("data/clips/b.wav", "unlabelled"), ("data/clips/gone.wav", "missing")]
    assert found.violations[0].severity is Severity.WARNING
    assert found.violations[1].message == "is not there (listed in data/train.jsonl, line 2)"
    assert len(judged(tmp_path, unlabelled="ok").violations) == 1


def test_when_nothing_is_there_that_is_said_once(clip, manifest, tmp_path):
    clip("a.wav")
    manifest(*(row(f"audio/{number}.wav") for number in range(50)))
    (one,) = judged(tmp_path).violations
    assert (one.subject, one.kind) == ("data/train.jsonl", "missing")
    assert one.message.startswith(
        "lists 50 paths of which none is there, relative to its own folder or the project or data/clips; say `root:`"
    )


def test_a_file_that_is_there_but_not_in_the_dataset_is_no_pass(clip, manifest, tmp_path):
    clip("a.wav")
    clip("b.wav", folder="data/more")
    manifest(row("clips/a.wav"), row("more/b.wav"))
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.FAIL, [("data/more/b.wav", "elsewhere")])


def test_unsafe_paths_are_not_opened(clip, manifest, tmp_path):
    clip("a.wav")
    clip("b.wav")
    manifest(row("clips/a.wav"), row("/etc/passwd"), row("../../x.wav"), row("C:/x.wav"), row("clips/a\0.wav"))
    (one,) = judged(tmp_path).violations
    assert (one.subject, one.kind) == ("data/train.jsonl", "unsafe-path")
    assert one.message == (
        "lists 4 paths that were not opened: line 2: '/etc/passwd' is absolute, line 3: '../../x.wav' leads out of its "
        "folder, line 4: 'C:/x.wav' names a drive, ...; write paths relative to the file"
    )


def test_a_link_that_leaves_the_project_is_not_followed(clip, manifest, tmp_path):
    clip("a.wav")
    (tmp_path / "data" / "out.wav").symlink_to("/etc/passwd")
    manifest(row("clips/a.wav"), row("out.wav"))
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("data/out.wav", "outside")])


def test_sound_of_16_khz_under_a_header_of_48_khz_is_known_by_the_manifest_alone(clip, manifest, tmp_path):
    clip("a.wav", seconds=1, rate=48000)
    manifest(row("clips/a.wav", 3.0))
    found = judged(tmp_path)
    (one,) = found.violations
    assert (found.outcome, one.subject, one.kind) == (Outcome.FAIL, "data/clips/a.wav", "duration")
    assert one.message == "duration ratio 3.0: data/train.jsonl:1 says 3 s, its header 1 s"
    assert (one.expected, one.found) == (3.0, 1.0)
    assert found.exhibits[0].data["rows"] == [["data/clips/a.wav", "data/train.jsonl:1", 3.0, 1.0, 3.0]]
    assert found.exhibits[1].type == "clip"


def test_of_a_clip_that_is_cut_the_manifest_is_not_called_wrong(clip, manifest, tmp_path):
    clip("a.wav")
    whole = (tmp_path / "data/clips/a.wav").read_bytes()
    (tmp_path / "data/clips/a.wav").write_bytes(whole[: len(whole) // 2])
    manifest(row("clips/a.wav"))
    (one,) = judged(tmp_path).violations
    assert "says 1 s, the clip, which is cut, holds 0.4" in one.message


def test_offsets_that_are_all_0_hide_no_duration(clip, manifest, tmp_path):
    clip("a.wav", seconds=3)
    manifest(row("clips/a.wav", 1.0, offset=0.0))
    assert judged(tmp_path).violations[0].message.startswith("duration ratio 0.333: ")


def test_a_ratio_that_most_share_is_said_once(clip, manifest, tmp_path):
    for number in range(9):
        clip(f"{number}.wav", seconds=1 + number / 10, rate=48000)
    clip("x.wav", rate=48000)
    manifest(*(row(f"clips/{number}.wav", 3.001 + number * 0.3) for number in range(9)), row("clips/x.wav", 7))
    found = judged(tmp_path)
    assert kinds(found.violations) == [("data/clips/x.wav", "duration"), ("data/train.jsonl", "duration")]
    assert found.violations[1].message == (
        "duration ratio 3.0: 9 of 10 durations are 3.0 times those of the headers; either the manifest or the sample "
        "rate in the headers (48000 Hz) is wrong (the first: data/clips/0.wav, 3.001 s, its header 1 s)"
    )


def test_a_ratio_that_few_share_is_said_of_each(clip, manifest, tmp_path):
    for number in range(9):
        clip(f"{number}.wav")
    manifest(*(row(f"clips/{number}.wav", 3 if number < 4 else 1) for number in range(9)))
    assert kinds(judged(tmp_path).violations) == [(f"data/clips/{number}.wav", "duration") for number in range(4)]


@pytest.mark.parametrize(("unit", "told"), [(1000, "milliseconds"), (16000, "count samples")])
def test_another_unit_is_guessed(clip, manifest, tmp_path, unit, told):
    for name in "abc":
        clip(f"{name}.wav")
    manifest(*(row(f"clips/{name}.wav", unit) for name in "abc"))
    (one,) = judged(tmp_path).violations
    assert told in one.message


def test_the_tolerance(clip, manifest, tmp_path):
    clip("a.wav")
    manifest(row("clips/a.wav", 1.05))
    assert judged(tmp_path).outcome is Outcome.PASS
    manifest(row("clips/a.wav", 1.06))
    assert judged(tmp_path).outcome is Outcome.FAIL
    assert judged(tmp_path, tolerance_s=0.1).outcome is Outcome.PASS


def test_stretches_of_a_clip_end_where_it_ends(clip, manifest, tmp_path):
    clip("a.wav", seconds=3)
    manifest(*(row("clips/a.wav", 1.0, offset=at) for at in (0.0, 1.0, 2.0)))
    assert judged(tmp_path).outcome is Outcome.PASS
    manifest(row("clips/a.wav", 1.0, offset=0.0), row("clips/a.wav", 2.0, offset=1.5))
    (one,) = judged(tmp_path).violations
    assert (one.subject, one.kind) == ("data/clips/a.wav", "beyond-end")
    assert one.message == "ends at 3 s, and a stretch of it later (data/train.jsonl:2: 2 s from 1.5 s on)"


def test_times_that_cannot_be(clip, manifest, tmp_path):
    clip("a.wav")
    manifest(row("clips/a.wav", -1), row("clips/a.wav", 0, offset=0.1), row("clips/a.wav", 1, offset=-0.1))
    (one,) = judged(tmp_path).violations
    assert (one.subject, one.kind) == ("data/clips/a.wav", "span")
    assert "data/train.jsonl:1: -1 s, data/train.jsonl:2: 0 s from 0.1 s on, " in one.message


def test_texts(clip, manifest, tmp_path):
    for name in "abc":
        clip(f"{name}.wav")
    manifest(row("clips/a.wav"), row("clips/b.wav", text=" "), {"audio_filepath": "clips/c.wav"})
    found = judged(tmp_path)
    assert found.outcome is Outcome.WARN
    assert kinds(found.violations) == [("data/clips/b.wav", "text"), ("data/clips/c.wav", "text")]
    assert judged(tmp_path, empty_text="error").outcome is Outcome.FAIL
    assert judged(tmp_path, empty_text="ok").outcome is Outcome.PASS


def test_a_manifest_without_texts_lacks_none(clip, manifest, tmp_path):
    clip("a.wav")
    manifest({"path": "clips/a.wav"})
    assert judged(tmp_path).outcome is Outcome.PASS


def test_listed_twice(clip, manifest, tmp_path):
    clip("a.wav")
    manifest(row("clips/a.wav"), row("clips/a.wav"))
    assert kinds(judged(tmp_path).violations) == [("data/clips/a.wav", "twice")]
    assert judged(tmp_path).outcome is Outcome.WARN
    manifest(row("clips/a.wav"), row("./clips/a.wav", text="no"))
    found = judged(tmp_path)
    assert found.outcome is Outcome.WARN
    assert found.violations[0].message == (
        "is listed more than once, with different texts (data/train.jsonl:1, data/train.jsonl:2)"
    )


def test_another_sample_rate_than_the_headers(clip, manifest, tmp_path):
    clip("a.wav", rate=8000)
    manifest(row("clips/a.wav", sample_rate=16000))
    (one,) = judged(tmp_path).violations
    assert (one.kind, one.expected, one.found) == ("rate", 16000, 8000)


def test_another_normal_form_is_a_warning(clip, manifest, tmp_path):
    clip("se\u00f1or.wav")
    manifest(row("clips/sen\u0303or.wav"))
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (
        Outcome.WARN,
        [("data/clips/se\u00f1or.wav", "normalisation")],
    )


def test_a_line_that_is_not_understood_is_no_pass(clip, manifest, tmp_path):
    clip("a.wav")
    clip("b.wav")
    manifest(row("clips/a.wav"), {"text": "yes"})
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("data/train.jsonl", "unreadable")])
    assert found.violations[0].message.startswith("line 2: no key for the path (it is looked for as audio_filepath")


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_manifest_that_lists_nothing_is_no_pass(clip, tmp_path, suffix):
    clip("a.wav")
    (tmp_path / f"m.{suffix}").write_text("path,text\n" if suffix == "csv" else "\n")
    found = judged(tmp_path, f"m.{suffix}")
    assert found.outcome is Outcome.ERROR
    assert found.violations[0].message == "lists no clip (a manifest that lists nothing verifies nothing)"


def test_no_manifest_is_no_pass(clip, tmp_path):
    clip("a.wav")
    assert judged(tmp_path).outcome is Outcome.ERROR
    (tmp_path.parent / "outside.jsonl").write_text('{"path": "data/clips/a.wav"}')
    found = judged(tmp_path, manifest="../outside.jsonl")
    assert (found.outcome, found.reason) == (
        Outcome.ERROR,
        "../outside.jsonl: leads out of its folder; it was not opened",
    )
    (tmp_path / "data" / "train.txt").write_text("clips/a.wav\n")
    assert judged(tmp_path, manifest="data/train.txt").outcome is Outcome.ERROR


def test_clips_whose_length_is_not_known_are_no_pass(clip, manifest, tmp_path):
    clip("a.wav")
    (tmp_path / "data" / "clips" / "b.wav").write_bytes(b"no sound")
    (tmp_path / "data" / "clips" / "c.wav").write_bytes(b"")
    manifest(*(row(f"clips/{name}.wav") for name in "abc"))
    found = judged(tmp_path)
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("data/clips/b.wav", "unknown"), ("data/clips/c.wav", "empty")]
    manifest(*({"path": f"clips/{name}.wav"} for name in "abc"))
    assert judged(tmp_path).outcome is Outcome.PASS


def test_a_length_that_is_only_estimated_proves_nothing():
    form = AudioFormat(container="MP3", subtype="MPEG_LAYER_III", sample_rate_hz=16000, channels=1)
    header = Header(format=form, frames=16000, length="estimated")
    found = Clip(path="a.mp3", location="/a.mp3", size=1, header=header)
    assert (
        lengths_held([(found, [Line("m", Utterance(path="a.mp3", where=1, duration_s=1.1), whole=True)])], 0)[1] == []
    )
    long = Line("m", Utterance(path="a.mp3", where=2, duration_s=2), whole=True)
    (one,) = lengths_held([(found, [long])], 0)[1]
    assert (one.kind, one.unseen) == ("duration", True)
    assert one.message == "its length of 1 s is only estimated, and does not fit m:2"


def test_codecs_pad_what_they_code(manifest, tmp_path):
    (tmp_path / "data" / "clips").mkdir(parents=True)
    noise = np.random.default_rng(0).normal(size=16000) / 10
    for name in ("a.mp3", "b.ogg", "c.flac"):
        soundfile.write(tmp_path / "data" / "clips" / name, noise, 16000)
    manifest(*(row(f"clips/{name}") for name in ("a.mp3", "b.ogg", "c.flac")))
    clips = {"clips": {"path": "data/clips", "kind": "audio"}}
    rule = {"check": "audio.labels", "with": {"manifest": "data/train.jsonl"}}
    found = only(audited(tmp_path, rule, datasets=clips))
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    manifest(row("clips/a.mp3", 1.4), row("clips/b.ogg", 1.25), row("clips/c.flac", 1.25))
    assert [one.kind for one in only(audited(tmp_path, rule, datasets=clips)).violations] == ["duration"] * 3


def test_clips_that_cannot_be_looked_at_are_told_once(clip, manifest, tmp_path):
    clip("a.wav")
    os.mkfifo(tmp_path / "data" / "clips" / "fifo.wav")
    manifest(row("clips/a.wav"), row("clips/fifo.wav"))
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("data/clips/fifo.wav", "unreadable")])


def test_csv_with_columns_of_other_names(clip, tmp_path):
    clip("a.wav")
    (tmp_path / "m.csv").write_text("clip,seconds,word\ndata/clips/a.wav,2,\n")
    columns = {"path": "clip", "duration": "seconds", "text": "word"}
    assert [one.kind for one in judged(tmp_path, "m.csv", columns=columns).violations] == ["duration", "text"]
    assert judged(tmp_path, "m.csv").outcome is Outcome.ERROR


def test_a_table_parted_by_tabs_and_packed(clip, tmp_path):
    clip("a.wav")
    with gzip.open(tmp_path / "m.tsv.gz", "wt") as file:
        file.write('path\tsentence\na.wav\tthe "one\n')
    assert judged(tmp_path, "*.tsv.gz").outcome is Outcome.PASS
    (tmp_path / "m.tsv.gz").write_bytes((tmp_path / "m.tsv.gz").read_bytes()[:-9])
    assert judged(tmp_path, "*.tsv.gz").outcome is Outcome.ERROR


@pytest.mark.parametrize(("folder", "asked"), [("train", "train"), ("train", "t*/wav.scp"), ("a[b]", "a*/*")])
def test_kaldis_folder(clip, tmp_path, folder, asked):
    clip("a.wav", seconds=3)
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "wav.scp").write_text("r data/clips/a.wav\n")
    (tmp_path / folder / "segments").write_text("u1 r 0 1.5\nu2 r 1.5 4\n")
    (tmp_path / folder / "text").write_text("u1 yes\nu2\n")
    found = judged(tmp_path, asked)
    assert kinds(found.violations) == [("data/clips/a.wav", "beyond-end"), ("data/clips/a.wav", "text")]
    assert found.violations[0].message.endswith(f"({folder}/segments:2: 2.5 s from 1.5 s on)")


def test_lhotses_recordings_and_supervisions(clip, manifest, tmp_path):
    clip("a.wav", seconds=3)
    source = {"type": "file", "channels": [0], "source": "data/clips/a.wav"}
    recording = {"id": "r", "sources": [source], "sampling_rate": 16000, "num_samples": 48000, "duration": 3}
    manifest(recording, name="data/lhotse/recordings.jsonl")
    manifest({"id": "s", "recording_id": "r", "start": 0, "duration": 2, "text": "x"}, name="data/lhotse/a.jsonl")
    assert judged(tmp_path, "data/lhotse").outcome is Outcome.PASS
    manifest(recording | {"sampling_rate": 8000, "duration": 6}, name="data/lhotse/recordings.jsonl")
    assert [one.kind for one in judged(tmp_path, "data/lhotse").violations] == ["duration", "rate"]
