"""Headers of safetensors, written byte by byte, and held against the library's word on those that it writes."""

import json

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors.numpy import load, save
from support.array_headers import kinds, ours


def written(entries, data=b"", *, length=None, padding=0):
    text = (entries if isinstance(entries, bytes) else json.dumps(entries).encode()) + b" " * padding
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(4,), begin=0, end=16):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def test_as_the_library_writes_it():
    data = save({"b": np.ones((2, 3), "f4"), "a": np.zeros(5, "i8")}, {"format": "np"})
    found = ours(data, "m.safetensors")
    assert (found.format, found.faults) == ("SAFETENSORS", ())
    assert [(one.key, one.dtype, one.shape) for one in found.tensors] == [
        ("a", "int64", (5,)),
        ("b", "float32", (2, 3)),
    ]
    for tensor in found.tensors:
        held = load(data)[tensor.key].tobytes()
        assert data[tensor.offset : tensor.offset + len(held)] == held


TORCHS = [
    torch.bool, torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32, torch.uint64,
    torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
    torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
]  # fmt: skip


@pytest.mark.parametrize("dtype", TORCHS)
def test_every_dtype_of_torch_is_spelled_as_torch_does(dtype):
    data = safetensors.torch.save({"a": torch.zeros(2, 3).to(dtype)})
    (tensor,) = ours(data).tensors
    assert (f"torch.{tensor.dtype}", tensor.shape, ours(data).faults) == (str(dtype), (2, 3), ())


def test_a_file_cut_by_4_bytes_says_what_it_lacks():
    data = written({"a": entry()}, bytes(16))
    found = ours(data[:-4])
    header = len(data) - 24
    what = f"ends after {len(data) - 4} bytes: expected 8 + {header} (header) + 16 = {len(data)} bytes, found 4 fewer"
    assert [(one.kind, one.what) for one in found.faults] == [("truncated", what)]


def test_a_zip_by_that_name_is_no_safetensors():
    found = ours(b"PK\3\4" + bytes(100), "model.safetensors")
    assert [(one.kind, one.what) for one in found.faults] == [("suffix", "not safetensors (zip magic)")]


def test_bfloat16_passes():
    found = ours(written({"a": entry("BF16", (2,), 0, 4)}, bytes(4)), "m.safetensors")
    assert (found.faults, found.tensors[0].dtype) == ((), "bfloat16")


def test_trailing_bytes_fail():
    assert kinds(ours(written({"a": entry()}, bytes(17)))) == ["trailing"]


def test_no_tensors_spaces_behind_and_metadata_alone():
    assert ours(written({})).faults == ()
    assert ours(written({"__metadata__": {"a": "b"}}, padding=5)).faults == ()


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (written({"a": entry("X9")}, bytes(16)), "unsupported", "'X9'"),
        (written({"a": entry(shape=(5,))}, bytes(16)), "header", "gives it 16 bytes"),
        (written({"a": entry(shape=(-4,))}, bytes(16)), "header", "cannot be"),
        (written({"a": entry(shape=(2**62, 2**62))}, bytes(16)), "header", "cannot be"),
        (written({"a": entry(begin=4, end=20)}, bytes(20)), "header", "do not follow each other"),
        (written({"a": entry(), "b": entry()}, bytes(16)), "header", "do not follow each other"),
        (written({"a": entry(begin=16, end=0)}, bytes(16)), "header", "cannot be"),
        (written({"a": {"dtype": "F32"}}, bytes(16)), "header", "not as the format demands"),
        (written({"a": entry() | {"more": 1}}, bytes(16)), "header", "not as the format demands"),
        (written({"__metadata__": {"a": 1}}), "header", "not as the format demands"),
        (written(b'{"a":' + json.dumps(entry()).encode() + b',"a":' + json.dumps(entry()).encode() + b"}", bytes(16)),
         "header", "says a tensor twice"),
        (written(b"{" + b"[" * 100_000), "header", "not as the format demands"),
        (written(b'{"\xff": 1}'), "header", "not as the format demands"),
        (written(b"{}", length=50_000_000), "truncated", "before its header does"),
        (written(b"{}", length=100_000_001), "unknown", "no file of arrays"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(data, kind, words):
    (fault,) = ours(data).faults
    assert (fault.kind, words in fault.what) == (kind, True), fault


def test_a_tensor_by_the_name_of_a_field():
    assert ours(written({"data_offsets": entry()}, bytes(16))).faults == ()


def taken(data):
    try:
        return load(data)
    except (SafetensorError, ValueError, KeyError):
        return None


@given(st.data())
def test_what_the_library_refuses_has_a_fault(data):
    whole = bytearray(save({"b": np.ones((2, 3), "f4"), "a": np.zeros(5, "i8")}))
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=3)):
        whole[at] = data.draw(st.sampled_from(b'0123456789[],:{}" FIU') | st.integers(0, 255))
    found, arrays = ours(bytes(whole)), taken(bytes(whole))
    if arrays is not None and not found.faults:
        assert {one.key: one.shape for one in found.tensors} == {key: one.shape for key, one in arrays.items()}
    assert found.faults or arrays is not None


@given(st.binary(max_size=200))
def test_any_header(text):
    found = ours(written(b"{" + text, bytes(16)))
    assert found.format or found.faults
