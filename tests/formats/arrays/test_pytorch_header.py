"""Files of PyTorch: as PyTorch writes them, and such as nobody should open."""

import collections
import io
import pathlib
import pickle
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.array_headers import kinds, ours
from torch._weights_only_unpickler import _get_allowed_globals

from audit.formats.arrays.tensors import SIZES
from audit.formats.arrays.trust import PLAIN

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32, torch.uint64,
    torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
    torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
]  # fmt: skip
OLD = {"_use_new_zipfile_serialization": False}


def saved(value, **options):
    out = io.BytesIO()
    torch.save(value, out, **options)
    return out.getvalue()


def opens(data):
    """Whether `weights_only` takes it."""
    try:
        torch.load(io.BytesIO(data), weights_only=True)
    except Exception:  # noqa: BLE001 - torch raises anything
        return False
    return True


def changed(data, change):
    """The same archive with members changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return out.getvalue()


class Runs:
    def __reduce__(self):
        return (exec, ("raise SystemExit",))


class Own:
    pass


OWN = f"{Own.__module__}.Own"


def test_all_that_weights_only_takes_is_plain_and_nothing_else():
    assert set(_get_allowed_globals()) == PLAIN


@pytest.mark.parametrize("options", [{}, OLD])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_spelled_as_torch_does(dtype, options):
    tensor = torch.arange(6).to(dtype).reshape(2, 3)
    data = saved({"a": tensor}, **options)
    found = ours(data, "m.pt")
    (one,) = found.tensors
    assert (found.format, found.faults, found.unsafe) == ("TORCH", (), ())
    assert (f"torch.{one.dtype}", one.shape, one.key) == (str(dtype), (2, 3), "a")
    assert SIZES[one.dtype] == tensor.element_size()
    held = tensor.view(torch.uint8).numpy().tobytes()
    assert data[one.offset : one.offset + len(held)] == held


@pytest.mark.parametrize("options", [{}, OLD])
def test_a_checkpoint_with_all_that_is_usual(options):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 5), torch.nn.BatchNorm2d(4))
    adam = torch.optim.Adam(model.parameters())
    model(torch.zeros(1, 3, 8, 8)).sum().backward()
    adam.step()
    data = saved({"model": model.state_dict(), "adam": adam.state_dict(), "epoch": 3, "loss": 0.5}, **options)
    found = ours(data, "m.pt")
    assert (found.faults, found.unsafe) == ((), ())
    shapes = {one.key: one.shape for one in found.tensors}
    assert {key: shapes[f"model/{key}"] for key in model.state_dict()} == {
        key: tuple(one.shape) for key, one in model.state_dict().items()
    }
    assert shapes["adam/state/0/exp_avg"] == (4, 3, 5, 5)
    assert opens(data)


@pytest.mark.parametrize("options", [{}, OLD])
def test_layouts_views_and_kinds_of_tensor(options):
    base = torch.arange(24, dtype=torch.int32)
    value = {
        "part": base[4:10].reshape(2, 3),
        "turned": base[:6].reshape(2, 3).t(),
        "spread": torch.zeros(1).expand(5),
        "scalar": torch.tensor(1.5),
        "none": torch.zeros(0, 3),
        "parameter": torch.nn.Parameter(torch.zeros(2)),
        "sparse": torch.eye(3).to_sparse(),
        "list": [torch.zeros(1), (torch.zeros(2),)],
    }
    data = saved(value, **options)
    found = ours(data)
    tensors = {one.key: one for one in found.tensors}
    assert (found.faults, found.unsafe) == ((), ())
    part = tensors["part"]
    assert data[part.offset : part.offset + 24] == np.arange(4, 10, dtype="i4").tobytes()
    assert (tensors["turned"].fortran, tensors["turned"].shape, part.fortran) == (True, (3, 2), False)
    turned = tensors["turned"].offset
    assert data[turned : turned + 24] == np.arange(6, dtype="i4").tobytes()
    assert (tensors["spread"].offset, tensors["spread"].shape) == (None, (5,))
    assert {key: tensors[key].shape for key in ("scalar", "none", "parameter", "list/0", "list/1/0")} == {
        "scalar": (),
        "none": (0, 3),
        "parameter": (2,),
        "list/0": (1,),
        "list/1/0": (2,),
    }
    assert [one.shape for key, one in tensors.items() if key.startswith("sparse")] == [(2, 3), (3,)]


def test_one_tensor_alone_and_storage_shared():
    assert [one.key for one in ours(saved(torch.zeros(3))).tensors] == [""]
    shared = torch.zeros(3)
    assert [one.key for one in ours(saved({"a": shared, "b": shared})).tensors] == ["a", "b"]
    assert [one.key for one in ours(saved({"a": shared[:2], "b": shared[1:]})).tensors] == ["a", "b"]


def test_a_big_endian_file_says_so():
    big = changed(saved({"a": torch.zeros(2)}), lambda name, old: b"big" if name.endswith("byteorder") else old)
    assert [one.order for one in ours(big).tensors] == [">"]
    odd = changed(saved({"a": torch.zeros(2)}), lambda name, old: b"odd" if name.endswith("byteorder") else old)
    assert kinds(ours(odd)) == ["header"]


@pytest.mark.parametrize("options", [{}, OLD])
@pytest.mark.parametrize(
    ("value", "unsafe", "code"),
    [
        ({"a": Own()}, [OWN], []),
        ({"a": pathlib.PurePosixPath("x")}, ["pathlib.PurePosixPath"], []),
        ({"a": collections.Counter("aab"), "b": {1}, "c": 1j, "d": bytearray(b"x"), "e": b"y"}, [], []),
        ({"a": np.float64(1)}, ["numpy._core.multiarray.scalar", "numpy.dtype"], []),
        ({"a": Runs()}, [], ["builtins.exec"]),
        ({"a": torch.zeros(1), "b": [Runs(), Own()]}, [OWN], ["builtins.exec"]),
    ],
)
def test_what_weights_only_refuses_is_named(value, unsafe, code, options):
    data = saved(value, **options)
    found = ours(data, "m.pt")
    assert [one.split(",")[0] for one in found.unsafe] == [f"names {name}" for name in unsafe]
    assert [(one.kind, one.found) for one in found.faults] == [("code", name) for name in code]
    assert opens(data) == (not unsafe and not code)


def test_a_whole_module_is_unsafe_and_its_tensors_are_read():
    found = ours(saved(torch.nn.Linear(3, 2)))
    assert "names torch.nn.modules.linear.Linear, which torch.load(weights_only=True) refuses" in found.unsafe
    assert sorted(one.shape for one in found.tensors) == [(2,), (2, 3)]


def test_a_script_holds_code():
    out = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(3, 2)), out)
    found = ours(out.getvalue(), "m.pt")
    assert "TorchScript" in found.unsafe[0]
    assert sorted(one.shape for one in found.tensors) == [(2,), (2, 3)]
    assert not opens(out.getvalue())


def test_a_storage_that_lacks_bytes_or_is_not_there():
    data = saved({"a": torch.zeros(5), "b": torch.zeros(2, 3)})
    cut = changed(data, lambda name, old: old[:-4] if name.endswith("/0") else old)
    assert kinds(ours(cut)) == ["truncated"]
    assert ours(cut).faults[0].what == "holds 16 bytes in the storage '0', not 20"
    gone = changed(data, lambda name, old: None if name.endswith("/1") else old)
    assert [one.what for one in ours(gone).faults] == ["lacks the storage '1' of 24 bytes"]
    assert not opens(gone)


def test_a_tensor_that_reaches_beyond_its_storage():
    data = saved({"a": torch.zeros(3)})
    wider = changed(data, lambda name, old: old.replace(b"K\3\x85", b"K\4\x85") if name.endswith("pkl") else old)
    assert kinds(ours(wider)) == ["corrupt"]
    assert not opens(wider)


@pytest.mark.parametrize("cut", [1, 4, 30, 200])
def test_cut_files_of_the_old_kind(cut):
    data = saved({"a": torch.zeros(5), "b": torch.zeros(2, 3)}, **OLD)
    found = ours(data[:-cut])
    assert found.faults
    assert kinds(ours(data + b"x")) == ["trailing"]
    if cut < 10:
        assert [one.kind for one in found.faults] == ["truncated"]
        assert found.faults[0].expected == len(data)


def test_a_long_pickle_of_the_old_kind():
    data = saved({f"layer_{number:06}": torch.zeros(1) for number in range(3000)}, **OLD)
    assert len(ours(data).tensors) == 3000


def test_a_pickle_cut_inside_an_archive_names_what_came_before():
    data = saved([Runs(), 1, 2, 3])
    cut = changed(data, lambda name, old: old[:-3] if name.endswith("pkl") else old)
    assert kinds(ours(cut)) == ["code", "corrupt"]


def test_a_pickle_by_whatever_name_is_unsafe():
    for protocol in range(2, 6):
        found = ours(pickle.dumps({"a": Own(), "b": Runs()}, protocol), "a.pkl")
        assert kinds(found) == ["code", "unsafe"]
        assert (found.format, found.tensors) == ("", ())
        assert found.unsafe[0].startswith(f"names {OWN}")


@pytest.mark.parametrize("protocol", [0, 1])
@pytest.mark.parametrize("name", ["a.pkl", "a.pt", "a.npy"])
def test_a_pickle_without_a_sign(protocol, name):
    assert "code" in kinds(ours(pickle.dumps(["x", Runs()], protocol), name))


def test_names_that_reach_into_a_module():
    data = b"\x80\4\x8c\x13torch.serialization\x8c\x09os.system\x93\x8c\x04true\x85R."
    assert kinds(ours(data)) == ["code", "unsafe"]


def test_a_name_that_is_reckoned():
    found = ours(b"\x80\4K\1\x8c\6system\x93.")
    assert any("reckons only as it is unpickled" in one for one in found.unsafe)


@given(st.data())
def test_whatever_is_changed_it_ends_with_an_answer(data):
    whole = bytearray(data.draw(st.sampled_from(SPECIMENS)))
    for at in data.draw(st.lists(st.integers(0, min(len(whole), 1500) - 1), min_size=1, max_size=8)):
        whole[at] = data.draw(st.integers(0, 255))
    found = ours(bytes(whole), "a.pt", 1024)
    assert found.format or found.faults


@given(st.binary(max_size=400))
def test_any_pickle(tail):
    found = ours(b"\x80\2" + tail, "a.pt")
    assert found.format or found.faults


SPECIMENS = [
    saved({"a": torch.zeros(3), "b": [torch.eye(2)]}),
    saved({"a": torch.zeros(3), "b": [torch.eye(2)]}, **OLD),
    pickle.dumps({"a": 1, "b": [Own()]}),
]
