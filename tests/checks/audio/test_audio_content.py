"""`audio.content` on real files."""

import io

import numpy as np
import pytest
import soundfile
from support.audits import audited, kinds, only
from support.sounds import RATE, noise, repeated, resampled, rounded, softened, tone, voice, wav

from audit.facts.signals import audio_decode
from audit.records.words import Outcome, Severity

DATASETS = {"clips": {"path": "clips/*", "kind": "audio"}}
TELEPHONE = rounded(resampled(voice(), RATE, 8000))
GOOD = wav(voice())


@pytest.fixture
def judged(tmp_path):
    def judged(files, **settings):
        (tmp_path / "clips").mkdir(exist_ok=True)
        for name, data in files.items():
            (tmp_path / "clips" / name).write_bytes(data)
        return only(audited(tmp_path, {"check": "audio.content", "with": settings}, datasets=DATASETS))

    return judged


def test_sound_that_is_as_it_should_be_passes(judged):
    low = rounded(softened(0.05 * voice(60), 800, 4))
    found = judged({"a.wav": GOOD, "b.wav": wav(low), "c.wav": wav(noise(level=0.002)), "d.wav": wav(tone())})
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "the sound of 4 clips is as it should be"
    assert found.figures["clips_measured"] == 4
    assert [one.title for one in found.exhibits] == ["Clips by level"]


WRONG = {
    "silent": np.zeros(RATE),
    "silence": np.r_[np.zeros(19 * RATE), voice(seconds=1)],
    "clipping": np.clip(voice() * 3, -0.6, 0.6),
    "dc-offset": voice() * 0.5 + 0.1,
    "inverted": np.stack([voice(), -voice()], 1),
    "identical": np.stack([voice(), voice()], 1),
    "hum": voice() + 0.01 * np.sin(2 * np.pi * 50 * np.arange(3 * RATE) / RATE),
    "bandwidth": resampled(TELEPHONE, 8000, RATE),
    "image": repeated(TELEPHONE),
}


@pytest.mark.parametrize("kind", WRONG)
def test_each_fault_is_told_by_itself(judged, kind):
    found = judged({"a.wav": wav(WRONG[kind]), "b.wav": GOOD})
    assert kinds(found.violations) == [("clips/a.wav", kind)]
    outcomes = {"silent": Outcome.FAIL, "identical": Outcome.PASS}
    assert found.outcome is outcomes.get(kind, Outcome.WARN)


def test_floats_that_were_never_scaled_fail(judged):
    found = judged({"a.wav": wav((voice() * 30_000).astype(np.float32), subtype="FLOAT")})
    assert found.outcome is Outcome.FAIL
    assert ("clips/a.wav", "peak") in kinds(found.violations)


def test_a_half_amplitude_sine_of_floats_is_neither_silent_nor_anything(judged):
    found = judged({"a.wav": wav(tone(440).astype(np.float32), subtype="FLOAT")})
    assert found.outcome is Outcome.PASS
    assert found.figures["median_peak_dbfs"] == pytest.approx(-6.02, abs=0.01)


def test_a_tone_whose_samples_were_repeated_is_told_by_its_image(judged):
    found = judged({"a.wav": wav(repeated(rounded(tone(1000, rate=8000))))})
    assert found.outcome is Outcome.WARN
    (violation,) = found.violations
    assert violation.kind == "image"
    assert "an image at 7,000 Hz; 3.8% of its power above 4 kHz" in violation.message


def test_a_tone_that_was_raised_well_is_told_where_more_is_declared(judged):
    raised = wav(rounded(resampled(rounded(tone(1000, rate=8000)), 8000, RATE)))
    assert judged({"a.wav": raised}).outcome is Outcome.PASS
    found = judged({}, min_bandwidth_hz=6000)
    assert found.outcome is Outcome.WARN
    assert kinds(found.violations) == [("clips/*", "bandwidth")]
    assert judged({"b.wav": wav(noise())}, min_bandwidth_hz=6000).outcome is Outcome.PASS


def test_speech_that_was_raised_well_is_told_its_effective_bandwidth(judged):
    found = judged({"a.wav": wav(resampled(TELEPHONE, 8000, RATE))})
    (violation,) = found.violations
    assert violation.severity is Severity.WARNING
    assert "has an effective bandwidth of 4 kHz" in violation.message
    assert judged({}, min_bandwidth_hz=3000).outcome is Outcome.PASS
    assert judged({}, min_bandwidth_share=0.4).outcome is Outcome.PASS


def test_declared_levels_hold(judged):
    quiet = {"a.wav": wav(0.1 * voice()), "b.wav": GOOD}
    found = judged(quiet, min_peak_dbfs=-20, min_loudness_lufs=-40)
    assert kinds(found.violations) == [("clips/a.wav", "loudness"), ("clips/a.wav", "peak")]
    assert found.outcome is Outcome.FAIL
    assert judged({}, max_peak_dbfs=-10).violations[0].subject == "clips/b.wav"


def test_limits_are_the_rules(judged):
    files = {"a.wav": wav(WRONG["identical"]), "b.wav": wav(WRONG["dc-offset"])}
    assert judged(files, identical_channels="error", max_dc=0.2).outcome is Outcome.FAIL
    assert judged({}, identical_channels="ok", max_dc=0.2).violations == ()


def test_what_cannot_be_decoded_is_no_pass(judged):
    found = judged({"a.wav": GOOD, "b.wav": b"words", "c.wav": b""})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("clips/b.wav", "unreadable"), ("clips/c.wav", "unreadable")]


def test_what_is_known_to_be_faulty_fails_and_is_no_blind_spot(judged):
    found = judged({"a.wav": GOOD, "b.wav": GOOD[:20], "c.wav": b""})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [("clips/b.wav", "unreadable"), ("clips/c.wav", "unreadable")]
    assert found.violations[1].message == "its sound cannot be judged: it is empty"


def test_what_is_decoded_in_part_is_judged_and_is_no_pass(judged):
    out = io.BytesIO()
    soundfile.write(out, np.zeros(300_000), RATE, format="FLAC")
    whole = out.getvalue()
    found = judged({"a.flac": whole[:-20]})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [("clips/a.flac", "silent"), ("clips/a.flac", "unreadable")]


def test_without_soundfile_it_cannot_look(judged, monkeypatch):
    monkeypatch.setattr(audio_decode, "find_spec", lambda name: None)
    assert judged({"a.wav": GOOD}).outcome is Outcome.ERROR


def test_no_clip_is_no_pass(judged):
    assert judged({}).outcome is Outcome.ERROR


SPLITS = {
    "train": {"path": "train/*", "kind": "audio", "role": "train"},
    "val": {"path": "val/*", "kind": "audio", "role": "val"},
}


def split(folder, gain, clips=150):
    folder.mkdir()
    chance = np.random.default_rng(len(folder.name))
    for number in range(clips):
        level = gain * 10 ** chance.normal(-1.2, 0.1)
        (folder / f"{number:03}.wav").write_bytes(wav(noise(0.2, level=level, seed=int(chance.integers(1 << 30)))))


def compared(root, **settings):
    rule = {"check": "audio.content", "with": {"dataset": "val", **settings}}
    return only(audited(root, rule, datasets=SPLITS))


def test_a_validation_set_as_loud_as_the_training_set_passes(tmp_path):
    split(tmp_path / "train", 1.0)
    split(tmp_path / "val", 1.0)
    found = compared(tmp_path, tolerance=0.2)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary.endswith("distributed as in train")
    assert found.figures["clips_reference"] == 150


def test_a_validation_set_that_is_quieter_has_drifted(tmp_path):
    split(tmp_path / "train", 1.0)
    split(tmp_path / "val", 0.7)
    found = compared(tmp_path, tolerance=0.2)
    assert found.outcome is Outcome.FAIL
    assert ("val/*#rms_dbfs", "drift") in kinds(found.violations)
    assert ("val/*#dc", "drift") not in kinds(found.violations)
    assert compared(tmp_path, compare=False).outcome is Outcome.PASS


def test_few_clips_do_not_tell(tmp_path):
    split(tmp_path / "train", 1.0, 5)
    split(tmp_path / "val", 1.0, 5)
    found = compared(tmp_path)
    assert found.outcome is Outcome.WARN
    assert kinds(found.violations) == [("val/*", "insufficient")]


def test_a_reference_that_cannot_be_decoded_is_no_pass(tmp_path):
    split(tmp_path / "train", 1.0, 5)
    split(tmp_path / "val", 1.0, 5)
    (tmp_path / "train" / "x.wav").write_bytes(b"words")
    found = compared(tmp_path)
    assert found.outcome is Outcome.ERROR
    assert ("train/x.wav", "unreadable") in kinds(found.violations)
