"""NVIDIA's rules of compatibility, on combinations that people met."""

from __future__ import annotations

import pytest

from audit.measures.cuda import Coverage, arch, coverage, cudnn_fits, oldest_driver, version

OFFICIAL = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"


def on(device, *said):
    built = [arch(one) for one in " ".join(said).split()]
    assert None not in built
    return coverage(device, built)


@pytest.mark.parametrize(
    ("device", "built"),
    [
        ((8, 9), OFFICIAL),
        ((8, 6), "sm_80"),
        ((12, 1), "sm_120"),
        ((9, 0), "sm_90a"),
        ((10, 3), "sm_100f"),
    ],
)
def test_machine_code_runs_from_its_minor_version_on(device, built):
    assert on(device, built) is Coverage.BINARY


@pytest.mark.parametrize(
    ("device", "built"),
    [
        ((8, 6), "sm_90"),
        ((8, 0), "sm_86"),
        ((9, 0), "sm_80"),
        ((10, 3), "sm_100a"),
        ((12, 0), "sm_100f"),
        ((6, 1), f"{OFFICIAL} compute_120"),
        ((7, 0), f"{OFFICIAL} compute_120"),
        ((12, 0), "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"),
        ((12, 0), "compute_90a"),
        ((9, 0), ""),
    ],
)
def test_a_device_that_the_build_has_no_code_for(device, built):
    assert on(device, built) is Coverage.NONE


@pytest.mark.parametrize(
    ("device", "built"), [((10, 0), "sm_80 compute_90"), ((12, 0), "sm_80 sm_90 compute_90"), ((9, 0), "compute_90a")]
)
def test_ptx_is_compiled_for_newer_devices(device, built):
    assert on(device, built) is Coverage.PTX


def test_what_is_no_architecture():
    assert [arch(said) for said in ("sm_", "gfx90a", "sm_9", "compute_90b", "")] == [None] * 5
    assert arch("sm_90a") == ("sm", (9, 0), "a")
    assert arch("compute_120") == ("compute", (12, 0), "")


@pytest.mark.parametrize(
    ("driver", "cuda", "fits"),
    [
        ("410.104", "10.2", False),
        ("460.73.01", "11.1", True),
        ("535.104.05", "12.1", True),
        ("525.60.11", "12.4", False),
        ("580.65.06", "13.1", True),
        ("575.57.08", "13.0", False),
        ("396.26", "9.2", True),
    ],
)
def test_the_oldest_driver_for_a_build(driver, cuda, fits):
    assert (version(driver) >= oldest_driver(version(cuda))) is fits


def test_windows_has_drivers_of_its_own_and_an_unknown_cuda_has_none():
    assert oldest_driver((12, 4), windows=True) == (527, 41)
    assert oldest_driver((14, 0)) is None
    assert oldest_driver((7, 5)) is None


@pytest.mark.parametrize(
    ("compiled", "loaded", "fits"),
    [((8, 3, 2), (8, 0, 3), False), ((8, 5, 0), (8, 6, 0), True), ((8, 7, 0), (9, 0, 0), False)],
)
def test_a_library_may_be_newer_within_its_major_version(compiled, loaded, fits):
    assert cudnn_fits(compiled, loaded) is fits
