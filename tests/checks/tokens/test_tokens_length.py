"""`tokens.length` on real files."""

import json

import numpy as np
import polars as pl
import pytest
from support.audits import audited, kinds, only

from audit.records.words import Outcome, Severity

RANDOM = np.random.default_rng(0)
PAD = 0


def rows(lengths, width=32, side="right"):
    ids = np.full((len(lengths), width), PAD)
    for row, length in zip(ids, lengths, strict=True):
        start = 0 if side == "right" else width - length
        row[start : start + length] = RANDOM.integers(1, 1000, length)
    return ids


LENGTHS = RANDOM.integers(5, 30, 200).tolist()


@pytest.fixture
def judged(tmp_path):
    """The result over an array, the arrays of an archive, or the columns of a table."""

    def judged(content, name="data/a.npy", **settings):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if name.endswith(".npy"):
            np.save(tmp_path / name, content)
        elif name.endswith(".npz"):
            np.savez_compressed(tmp_path / name, **content)
        elif name.endswith(".parquet"):
            pl.DataFrame(content).write_parquet(tmp_path / name)
        elif name.endswith(".jsonl"):
            lines = (dict(zip(content, row, strict=True)) for row in zip(*content.values(), strict=True))
            (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
        else:
            pl.DataFrame(content).write_csv(tmp_path / name)
        kind = "array" if name.endswith(("y", "z")) else "table"
        datasets = {"d": {"path": "data" if kind == "array" else name, "kind": kind}}
        return only(audited(tmp_path, {"check": "tokens.length", "with": settings}, datasets=datasets))

    return judged


def test_sequences_that_fit_pass(judged):
    found = judged(rows(LENGTHS), max_length=32, vocab_size=1000, pad_id=PAD, padding="right")
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "200 sequences, 5 to 29 tokens long"
    assert found.figures["max_length_tokens"] == 29
    assert found.figures["median_length_tokens"] == sorted(LENGTHS)[99]
    assert found.figures["padding_share"] == round(1 - sum(LENGTHS) / 6400, 6)


def test_long_sequences_are_named(judged):
    found = judged(rows([10, 30, 20, 31]), max_length=25, pad_id=PAD)
    (one,) = found.violations
    assert (found.outcome, one.subject, one.kind, one.found) == (Outcome.FAIL, "data/a.npy", "long", 31)
    assert one.message.startswith("2 of 4 sequences are longer than 25 tokens: the longest has 31, the first such is 1")


def test_wide_rows_fail_though_no_sequence_is_long(judged):
    assert kinds(judged(rows([10, 20]), max_length=25, pad_id=PAD).violations) == [("data/a.npy", "width")]


def test_empty_sequences_fail(judged):
    found = judged(rows([10, 0, 3]), pad_id=PAD, min_length=5)
    assert kinds(found.violations) == [("data/a.npy", "empty"), ("data/a.npy", "short")]
    assert "the first is 1" in found.violations[0].message
    assert judged(rows([10, 0, 3]), pad_id=PAD, min_length=0).outcome is Outcome.PASS


@pytest.mark.parametrize("wrong", [-100, 1000])
def test_ids_outside_the_vocabulary_fail(judged, wrong):
    ids = rows(LENGTHS)
    ids[7, 3] = wrong
    found = judged(ids, pad_id=PAD, vocab_size=1000)
    (one,) = found.violations
    assert (found.outcome, one.kind) == (Outcome.FAIL, "vocabulary")
    assert one.message.endswith(f"the first is {wrong:,} in sequence 7")


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_on_the_declared_side(judged, side):
    ids = rows(LENGTHS, side=side)
    assert judged(ids, pad_id=PAD, padding=side).outcome is Outcome.PASS
    other = {"left": "right", "right": "left"}[side]
    found = judged(ids, pad_id=PAD, padding=other)
    assert (found.outcome, found.violations[0].kind) == (Outcome.FAIL, "padding")
    assert f"padded on the {side}, the first is 0" in found.violations[0].message
    assert judged(ids, pad_id=PAD).outcome is Outcome.PASS


def test_padding_on_both_sides_warns(judged, tmp_path):
    ids = np.concatenate([rows(LENGTHS), rows([5], side="left")])
    found = judged(ids, pad_id=PAD)
    assert (found.outcome, found.violations[0].found) == (Outcome.WARN, "mixed")
    np.save(tmp_path / "data" / "b.npy", rows(LENGTHS, side="left"))
    assert kinds(judged(rows(LENGTHS), pad_id=PAD).violations) == [("data", "padding")]


def test_a_mask_says_what_is_padding(judged):
    ids = rows(LENGTHS)
    found = judged({"input_ids": ids, "attention_mask": ids != PAD}, "data/a.npz", padding="right", max_length=32)
    assert (found.outcome, found.figures["max_length_tokens"]) == (Outcome.PASS, 29)
    found = judged({"x": ids, "m": ids[:, :3] != PAD}, "data/a.npz", tokens="x", mask="m")
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("data/a.npz#x", "no-tokens")])


def test_padding_that_is_not_known_is_no_pass(judged):
    assert judged(rows(LENGTHS), padding="right").outcome is Outcome.ERROR


def test_cut_sequences_pile_up_at_the_greatest_length(judged):
    lengths = np.minimum(RANDOM.integers(5, 40, 400), 32).tolist()
    found = judged(rows(lengths), pad_id=PAD, max_length=32)
    assert (found.outcome, kinds(found.violations)) == (Outcome.WARN, [("data/a.npy", "truncated")])
    assert judged(rows(lengths), pad_id=PAD, max_truncated_share=0.5).outcome is Outcome.PASS
    ended = rows(lengths)
    ended[:, -1] = np.where(ended[:, -1] == PAD, PAD, 7)
    assert judged(ended, pad_id=PAD, end_id=7).outcome is Outcome.PASS
    assert judged(rows([32] * 400), pad_id=PAD).outcome is Outcome.PASS


def test_a_stream_has_no_sequences(judged):
    stream = RANDOM.integers(0, 1000, 5000).astype("u2")
    found = judged(stream, vocab_size=1000, max_length=8)
    assert found.outcome is Outcome.PASS
    assert [(one.kind, one.severity) for one in found.violations] == [("stream", Severity.NOTE)]
    assert judged(stream, max_length=8).outcome is Outcome.ERROR
    assert judged(stream, vocab_size=900).outcome is Outcome.FAIL


def test_which_array_holds_tokens_must_be_plain(judged):
    two = {"a": rows([3]), "b": rows([3])}
    assert judged(two, "data/a.npz").outcome is Outcome.ERROR
    assert judged(two, "data/a.npz", tokens="a").outcome is Outcome.PASS
    assert judged(two, "data/a.npz", tokens="c").outcome is Outcome.ERROR


@pytest.mark.parametrize("content", [RANDOM.random((3, 3)), np.asfortranarray(rows([3, 4]))])
def test_what_are_no_rows_of_ids_is_no_pass(judged, content):
    assert judged(content).outcome is Outcome.ERROR


def test_no_sequences_are_no_pass(judged):
    found = judged(np.zeros((0, 32), "i8"))
    assert (found.outcome, kinds(found.violations)) == (Outcome.FAIL, [("data/a.npy", "nothing")])


def test_a_cut_file_fails_and_a_pointer_does(judged, tmp_path):
    judged(rows(LENGTHS))
    file = tmp_path / "data" / "a.npy"
    file.write_bytes(file.read_bytes()[:-8])
    (tmp_path / "data" / "b.npy").write_text(
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 5\n"
    )
    found = judged(rows(LENGTHS), "data/c.npy")
    assert kinds(found.violations) == [("data/a.npy", "truncated"), ("data/b.npy", "pointer")]


LISTS = [RANDOM.integers(1, 1000, length).tolist() for length in LENGTHS]


@pytest.mark.parametrize("name", ["t.parquet", "t.jsonl"])
def test_columns_of_lists(judged, name):
    content = {"id": list(range(200)), "input_ids": LISTS}
    found = judged(content, name, max_length=29, vocab_size=1000)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.figures["sequences"] == 200
    found = judged(content, name, max_length=20, vocab_size=500)
    assert kinds(found.violations) == [(f"{name}#input_ids", "long"), (f"{name}#input_ids", "vocabulary")]


def test_columns_with_a_mask_and_nulls(judged):
    ids = rows(LENGTHS).tolist()
    masks = (rows(LENGTHS) != PAD).astype(int).tolist()
    content = {"ids": ids, "attention_mask": masks}
    assert judged(content, "t.parquet", padding="right").outcome is Outcome.PASS
    assert judged(content, "t.parquet", padding="left").outcome is Outcome.FAIL
    content = {"ids": [[1, None], [], None]}
    found = judged(content, "t.parquet")
    assert {one.kind: one.found for one in found.violations} == {"null": 1, "missing": 1, "empty": 1}


def test_text_has_no_tokens(judged):
    content = {"text": ["one two", "three"], "other": [1, 2]}
    assert judged(content, "t.csv").outcome is Outcome.ERROR
    found = judged(content, "t.csv", tokens="text")
    assert found.outcome is Outcome.ERROR
    assert "holds" in found.reason


def test_lists_of_no_whole_numbers_are_no_pass(judged):
    assert judged({"a": [[0.5], [1.5]]}, "t.parquet").outcome is Outcome.ERROR
    assert judged({"a": [["x"], ["y"]]}, "t.parquet").outcome is Outcome.ERROR
    assert judged({"a": [[0.5], [1.5]]}, "t.jsonl").outcome is Outcome.ERROR
    assert judged({"a": [[1 << 80], [1]]}, "t.jsonl").outcome is Outcome.ERROR
