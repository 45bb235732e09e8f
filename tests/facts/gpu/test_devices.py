"""The real binding of NVML, on a library that the tests compile from what machines are said to have."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.engine import graph
from support.nvml import library, machine

from audit.facts.gpu import devices
from audit.facts.gpu.devices import Devices
from audit.formats.gpu import proc, smi

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """What is found on a machine of tests/machines, perhaps with a tool that says something."""

    def found(name, tool=""):
        monkeypatch.setenv("LD_LIBRARY_PATH", str(library(tmp_path / "lib", machine(name))))
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        (tmp_path / "bin").mkdir(exist_ok=True)
        if tool:
            (tmp_path / "bin/nvidia-smi").write_text(tool)
            (tmp_path / "bin/nvidia-smi").chmod(0o755)
        return graph().get(Devices())

    return found


def test_one_h200(seen):
    found = seen("synthetic-h200")
    assert (found.source, found.driver, found.cuda, found.trouble) == ("nvml", "580.65.06", "13.0", "")
    (one,) = found.devices
    assert (one.name, one.capability, one.memory_bytes) == ("NVIDIA H200", (9, 0), 150754820096)
    assert (one.mig, one.slices, one.persistence, one.ecc_uncorrected, one.retired_pages) == (False, (), True, 0, 0)
    assert (one.remap_failed, one.processes, one.throttled) == (False, 0, ())


def test_eight_of_which_one_is_sliced(seen):
    found = seen("synthetic-a100-mig")
    assert len(found.devices) == 8
    first = found.devices[0]
    assert [(one.profile, one.memory_bytes) for one in first.slices] == [
        ("3g.20gb", 20937965568),
        ("1g.5gb", 5100273664),
    ]
    assert all(one.mig is False and one.slices == () for one in found.devices[1:])


def test_what_a_laptop_does_not_support_is_none(seen):
    (one,) = seen("synthetic-laptop-rtx").devices
    assert (one.mig, one.ecc_uncorrected, one.retired_pages, one.remap_failed) == (None, None, None, None)
    assert (one.processes, one.throttled, one.memory_free_bytes) == (2, ("power",), 4000000000)


def test_old_cards_with_bad_memory(seen):
    ti, p100 = seen("synthetic-pascal").devices
    assert (ti.capability, p100.capability) == ((6, 1), (6, 0))
    assert (p100.ecc_uncorrected, p100.retired_pages) == (3, 12)


def test_a_card_that_supports_nothing_is_named_all_the_same(seen):
    (one,) = seen("synthetic-unsupported").devices
    assert one.name == "Quadro K2000"
    assert (one.memory_bytes, one.capability, one.processes) == (None, None, None)


FAILING = "#!/bin/sh\necho 'Failed to initialize NVML: Driver/library version mismatch'; exit 18\n"


def test_a_driver_that_does_not_answer_is_no_absent_driver(seen):
    found = seen("synthetic-mismatch", FAILING)
    assert (found.source, found.devices) == ("none", ())
    assert "mismatch" in found.trouble


def test_no_driver_is_an_answer(seen):
    found = seen("synthetic-no-driver")
    assert (found.source, found.driver, found.trouble) == ("none", "", "")


SMI = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <driver_version>535.104.05</driver_version><cuda_version>12.2</cuda_version>
  <gpu id="00000000:01:00.0"><product_name>NVIDIA A100-SXM4-40GB</product_name><uuid>GPU-1</uuid>
    <persistence_mode>Enabled</persistence_mode><mig_mode><current_mig>N/A</current_mig></mig_mode>
    <fb_memory_usage><total>40960 MiB</total><free>40000 MiB</free></fb_memory_usage></gpu>
</nvidia_smi_log>
"""


def test_the_tool_answers_where_the_library_hangs(seen, monkeypatch):
    monkeypatch.setattr(devices, "SECONDS", 1.0)
    found = seen("synthetic-hanging", f"#!/bin/sh\n/bin/cat <<'EOF'\n{SMI}EOF\n")
    assert (found.source, found.driver, found.cuda) == ("nvidia-smi", "535.104.05", "12.2")
    (one,) = found.devices
    assert (one.memory_bytes, one.persistence, one.mig) == (40960 << 20, True, None)


def test_a_tool_that_hangs_as_well_is_given_up(seen, monkeypatch):
    monkeypatch.setattr(devices, "SECONDS", 1.0)
    found = seen("synthetic-hanging", "#!/bin/sh\n/bin/sleep 600\n")
    assert found.devices == ()
    assert "did not answer" in found.trouble


@pytest.mark.parametrize("data", ["", "<a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><nvidia_smi_log/>", SMI[:-30]])
def test_what_the_tool_does_not_write_is_refused(data):
    with pytest.raises(Exception, match="nvidia-smi"):
        smi.parse(data.encode(), "nvidia-smi")


def test_the_module_that_the_kernel_loaded():
    said = (
        b"NVRM version: NVIDIA UNIX x86_64 Kernel Module  460.73.01  Thu Apr  1 21:40:36 UTC 2021\nGCC version: gcc 9\n"
    )
    assert proc.parse(said) == "460.73.01"
    said = b"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n"
    assert proc.parse(said) == "580.65.06"
    assert proc.parse(b"something else") == ""


def test_every_machine_names_its_source():
    for one in (Path(__file__).parents[2] / "machines").glob("synthetic-*.json"):
        assert machine(one.stem)["source"], one
