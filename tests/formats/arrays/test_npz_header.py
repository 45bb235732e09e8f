"""Headers of NPZ: archives as numpy writes them, and such as nobody should."""

import io
import struct
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.array_headers import kinds, npy, ours

ARRAYS = {
    "x": np.arange(12, dtype=">i4").reshape(3, 4),
    "y": np.asfortranarray(np.ones((2, 3), "f2")),
    "z": np.uint8(1),
}


def saved(arrays=ARRAYS, *, packed=False):
    out = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(out, **arrays)
    return out.getvalue()


def zipped(members, method=zipfile.ZIP_STORED, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, **options) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("packed", [False, True])
def test_as_numpy_writes_it(packed):
    data = saved(packed=packed)
    found = ours(data, "a.npz")
    assert (found.format, found.faults, found.unsafe) == ("NPZ", (), ())
    assert [(one.key, one.dtype, one.shape, one.order, one.fortran) for one in found.tensors] == [
        ("x", "int32", (3, 4), ">", False),
        ("y", "float16", (2, 3), "<", True),
        ("z", "uint8", (), "|", False),
    ]
    for tensor in found.tensors:
        values = ARRAYS[tensor.key]
        held = values.tobytes("F" if tensor.fortran else "C")
        assert tensor.offset is None if packed else data[tensor.offset : tensor.offset + len(held)] == held


def test_an_archive_beyond_what_32_bits_hold():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("a.npy", "w", force_zip64=True) as member:
        member.write(npy(np.zeros(3)))
    assert ours(out.getvalue()).tensors[0].shape == (3,)


def test_a_directory_of_zip64_is_read():
    data = zipped([("a.npy", npy(np.zeros(3)))])
    end = data.rfind(b"PK\5\6")
    count, size, at = struct.unpack_from("<HII", data, end + 10)
    wide = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, at)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    closed = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    wider = data[:end] + wide + locator + closed
    with zipfile.ZipFile(io.BytesIO(wider)) as archive:
        assert archive.namelist() == ["a.npy"]
    assert ours(wider).tensors[0].shape == (3,)


def test_sizes_of_zip64_are_read():
    array = npy(np.zeros(3))
    data = zipped([("a.npy", array)])
    at, end = data.rfind(b"PK\1\2"), data.rfind(b"PK\5\6")
    entry = bytearray(data[at:end])
    entry[20:28] = b"\xff" * 8
    entry[30:32] = struct.pack("<H", 20)
    wide = entry + struct.pack("<HHQQ", 1, 16, len(array), len(array))
    closed = bytearray(data[end:])
    closed[12:16] = struct.pack("<I", len(wide))
    wider = data[:at] + bytes(wide + closed)
    with zipfile.ZipFile(io.BytesIO(wider)) as archive:
        assert archive.testzip() is None
    assert (ours(wider).faults, ours(wider).tensors[0].shape) == ((), (3,))


def test_many_members_and_a_comment_behind():
    data = zipped([(f"{number}.npy", npy(np.zeros(number))) for number in range(300)])
    assert [one.shape for one in ours(data).tensors] == [(number,) for number in range(300)]
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"PK\5\6" + b"x" * 1000
    assert len(ours(out.getvalue()).tensors) == 300


def test_objects_inside_are_named():
    found = ours(saved({"a": np.array([{}], object), "b": np.ones(2)}))
    assert found.unsafe == ("holds in 'a' an array of objects, which is a pickle: only unpickling could read it",)
    assert [one.dtype for one in found.tensors] == ["object", "float64"]


def test_a_long_header_in_a_packed_member():
    fields = [(f"field_{number}", "f4") for number in range(2000)]
    assert ours(saved({"a": np.zeros(2, fields)}, packed=True)).tensors[0].shape == (2,)


def test_a_bomb_is_unpacked_no_further_than_its_header():
    bomb = zipped([("a.npy", npy(np.zeros(3)) + bytes(50_000_000))], zipfile.ZIP_DEFLATED)
    found = ours(bomb)
    assert kinds(found) == ["trailing"]
    assert found.faults[0].expected == 152


def test_a_member_that_is_no_array_is_named_and_the_others_are_read():
    found = ours(zipped([("a.npy", npy(np.zeros(3))), ("b.npy", b"hello, world"), ("c.npy", npy(np.ones(4))[:-8])]))
    assert kinds(found) == ["header", "truncated"]
    assert found.faults[0].what.startswith("has a member 'b.npy' that does not begin as NPY does")
    assert found.faults[1].what == "has a member 'c.npy' of 152 bytes, not the 160 of its header and values"
    assert [one.key for one in found.tensors] == ["a", "c"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packed_otherwise_is_unseen(method):
    assert kinds(ours(zipped([("a.npy", npy(np.zeros(3)))], method))) == ["unsupported"]


def test_cut_anywhere_it_is_no_archive():
    data = saved()
    for cut in (1, 10, 21, 22, 23, 200, len(data) - 30):
        assert kinds(ours(data[:-cut])) == ["truncated"], cut


def test_two_members_in_one_place():
    data = bytearray(zipped([("a.npy", npy(np.zeros(3))), ("b.npy", npy(np.zeros(3)))]))
    second = data.rfind(b"PK\1\2")
    data[second + 42 : second + 46] = bytes(4)
    assert kinds(ours(bytes(data))) == ["corrupt"]


def test_a_key_twice(recwarn):
    found = ours(zipped([("a.npy", npy(np.zeros(3))), ("a.npy", npy(np.zeros(3)))]))
    assert kinds(found) == ["corrupt"]


def test_a_zip_of_other_things_and_an_empty_one():
    assert kinds(ours(zipped([("a.txt", b"text")]))) == ["unknown"]
    beside = ours(zipped([("a.npy", npy(np.zeros(3))), ("README", b"text"), ("b", npy(np.ones(2)))]))
    assert (beside.faults, [one.key for one in beside.tensors]) == ((), ["a", "b"])
    assert (ours(saved({})).format, ours(saved({})).tensors) == ("NPZ", ())


def test_a_broken_stream_is_told():
    data = bytearray(zipped([("a.npy", npy(np.zeros(3)))], zipfile.ZIP_DEFLATED))
    data[35:60] = b"\xff" * 25
    assert kinds(ours(bytes(data))) == ["corrupt"]


@given(st.data())
def test_whatever_is_changed_it_ends_with_an_answer(data):
    whole = bytearray(saved(packed=data.draw(st.booleans())))
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=8)):
        whole[at] = data.draw(st.integers(0, 255))
    found = ours(bytes(whole), head=1024)
    assert found.format or found.faults


@given(st.binary(max_size=400))
def test_any_bytes_behind_the_sign(tail):
    for sign in (b"PK\3\4", b"PK\5\6"):
        found = ours(sign + tail)
        assert found.format or found.faults


def test_the_crc_is_not_read_here():
    data = npy(np.zeros(3))
    assert zlib.crc32(data)
    assert ours(zipped([("a.npy", data)]).replace(bytes(24), b"\1" * 24)).faults == ()
