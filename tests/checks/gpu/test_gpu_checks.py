"""The checks of devices, on what drivers and frameworks said where people went wrong."""

from __future__ import annotations

import pytest
from support.judging import named, summary, violations

from audit.checks.gpu.arch import Architecture
from audit.checks.gpu.driver import Driver
from audit.checks.gpu.libraries import Libraries
from audit.checks.gpu.present import Present
from audit.errors import NotApplicable
from audit.records.gpu import Device, Framework, FrameworkDevice, Gpus

OFFICIAL = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
NONE = Gpus(source="none")
MISMATCH = Gpus(source="none", loaded="535.104.05", trouble="RM has detected an NVML/RM version mismatch.")


def card(capability=(8, 0), name="NVIDIA A100-SXM4-40GB", index=0, **more):
    return Device(index=index, name=name, uuid=f"GPU-{index}", capability=capability, memory_bytes=40 << 30, **more)


def gpus(*devices, driver="535.104.05", **more):
    return Gpus(source="nvml", driver=driver, devices=devices, **more)


def torch(**said):
    return Framework(name="torch", version="2.7.1", **said)


SEES_ONE = torch(
    cuda="12.1",
    devices=(FrameworkDevice(name="NVIDIA A100", capability=(8, 0), memory_bytes=40 << 30),),
    archs=OFFICIAL,
)


def told(check, gpus, *frameworks):
    return list(check.evaluate(gpus, frameworks))


@pytest.mark.parametrize(
    ("capability", "archs", "kinds"),
    [
        ((8, 9), OFFICIAL, []),
        ((8, 6), ("sm_80",), []),
        ((9, 0), ("sm_90a",), []),
        ((8, 6), ("sm_90",), ["arch"]),
        ((10, 0), ("sm_80", "compute_90"), ["ptx"]),
        ((6, 1), (*OFFICIAL, "compute_120"), ["arch"]),
        ((7, 0), (*OFFICIAL, "compute_120"), ["arch"]),
    ],
)
def test_code_for_the_card(capability, archs, kinds):
    found = told(Architecture(), gpus(card(capability, "Some Card")), torch(archs=archs, available=True))
    assert [one.kind for one in violations(found)] == kinds
    for one in violations(found):
        assert "Some Card" in one.message
        assert ".".join(map(str, capability)) in one.message
        assert archs[0] in one.message


def test_a_build_that_says_nothing_of_its_code_makes_no_pass():
    (one,) = violations(told(Architecture(), gpus(card()), torch(troubles={"archs": "RuntimeError: no"})))
    assert one.unseen
    assert one.kind == "unasked"


@pytest.mark.parametrize(
    ("driver", "cuda", "kinds"),
    [
        ("410.104", "10.2", ["old"]),
        ("460.73.01", "11.1", []),
        ("535.104.05", "12.1", []),
        ("535.104.05", "14.0", ["unknown"]),
    ],
)
def test_the_driver_against_what_a_framework_was_built_for(driver, cuda, kinds):
    found = told(Driver(), gpus(card(), driver=driver, cuda="12.2"), torch(cuda=cuda))
    assert [one.kind for one in violations(found)] == kinds
    if kinds == ["old"]:
        assert violations(found)[0].message.startswith("driver 410.104 < 440.33 needed by CUDA 10.2")


def test_training_works_while_the_driver_does_not_answer():
    found = told(Present(), MISMATCH, SEES_ONE)
    assert named(found) == []
    assert summary(found) == "1 device: NVIDIA A100, by a framework's word alone"
    found = told(Driver(), MISMATCH, SEES_ONE)
    (one,) = violations(found)
    assert (one.kind, str(one.severity), one.unseen) == ("state", "warning", False)
    assert "mismatch" in one.message
    assert "driver 535.104.05" in summary(found)


def test_a_library_and_a_module_that_differ():
    found = told(Driver(), gpus(card(), driver="535.104.05", loaded="535.86.10"), torch(cuda="12.1"))
    assert [(one.kind, str(one.severity)) for one in violations(found)] == [("state", "warning")]


@pytest.mark.parametrize("check", [Present(), Driver(), Architecture()])
def test_without_a_device_there_is_nothing_to_judge(check):
    with pytest.raises(NotApplicable):
        told(check, NONE, torch(cuda="12.1", archs=OFFICIAL))


def test_no_device_where_one_is_required():
    (one,) = violations(told(Present(required=True), NONE))
    assert (one.kind, one.unseen, one.message) == ("missing", False, "0 devices, and 1 wanted; no driver is loaded")


def test_a_driver_that_says_nothing_and_no_framework_that_does_make_no_pass():
    (one,) = violations(told(Present(), MISMATCH, torch()))
    assert one.unseen
    (one,) = violations(told(Architecture(), MISMATCH, torch(archs=OFFICIAL)))
    assert one.unseen


def test_what_each_device_must_be():
    devices = card(index=0, mig=True), card((7, 0), "Tesla V100", 1, mig=False)
    check = Present(count=3, model="*A100*", min_memory_gib=41, min_capability="8.0", mig=False)
    assert named(told(check, gpus(*devices))) == [
        ("gpu:", "missing"),
        ("gpu:0", "memory"),
        ("gpu:0", "mig"),
        ("gpu:1", "capability"),
        ("gpu:1", "memory"),
        ("gpu:1", "model"),
    ]
    assert named(told(Present(count=2, min_capability="7.0"), gpus(*devices))) == []


@pytest.mark.parametrize(
    ("compiled", "loaded", "kinds"),
    [("8.3.2", "8.0.3", ["cudnn"]), ("8.5.0", "8.6.0", []), ("8.7.0", "9.0.0", ["cudnn"]), ("9.1.0", "9.1.0", [])],
)
def test_the_cudnn_that_is_loaded(compiled, loaded, kinds):
    found = list(Libraries().evaluate([torch(cudnn=compiled, cudnn_loaded=loaded)], ("/opt/site/libcudnn.so.8",)))
    assert [one.kind for one in violations(found)] == kinds
    for one in violations(found):
        assert all(said in one.message for said in (compiled, loaded, "/opt/site/libcudnn.so.8"))


def test_a_framework_that_fails_when_it_is_asked_names_both_versions_and_the_path():
    trouble = "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (8, 3, 2) but found (8, 0, 3)"
    framework = torch(cudnn="8.3.2", troubles={"cudnn_loaded": trouble})
    (one,) = violations(list(Libraries().evaluate([framework], ("/opt/site/libcudnn.so.8",))))
    assert (one.kind, one.unseen) == ("cudnn", False)
    assert all(said in one.message for said in ("8.3.2", "(8, 0, 3)", "/opt/site/libcudnn.so.8"))


def test_without_cudnn_there_is_nothing_to_judge_and_a_framework_that_crashes_makes_no_pass():
    with pytest.raises(NotApplicable):
        list(Libraries().evaluate([torch()], ()))
    (one,) = violations(list(Libraries().evaluate([torch(troubles={"import": "was killed by signal 11"})], ())))
    assert one.unseen
