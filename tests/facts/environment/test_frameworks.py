"""Frameworks of a real environment, asked there: one that answers, one that crashes, one that hangs."""

from __future__ import annotations

import pytest
from support.engine import graph
from support.environments import environment, install, wheel

from audit.facts.environment import frameworks
from audit.facts.environment.frameworks import IMPORT, Frameworks
from audit.records.project import Environment

CUDA = """
__version__ = "2.7.1+cu126"
class version: cuda = "12.6"
class _C:
    class _cudnn:
        getCompileVersion = staticmethod(lambda: (9, 5, 1))
    _cuda_getArchFlags = staticmethod(lambda: "sm_75 sm_80 compute_90")
class _Device:
    name, major, minor, total_memory = "NVIDIA A100", 8, 0, 1 << 35
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 1)
    get_device_properties = staticmethod(lambda index: _Device)
    class nccl:
        version = staticmethod(lambda: (2, 21, 5))
class backends:
    class cuda:
        class matmul: allow_tf32 = False
    class cudnn:
        allow_tf32, benchmark, deterministic = True, False, False
        @staticmethod
        def version(): raise RuntimeError("cuDNN version incompatibility: found (9, 0, 0)")
def are_deterministic_algorithms_enabled(): return False
print("a banner that libraries like to print")
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def asking(body, **settings):
        python = environment(tmp_path / ".venv")
        install(python, str(wheel(tmp_path / "wheels", "torch", "2.7.1", body=body)))
        return graph().get(Frameworks(root=str(tmp_path), environment=Environment(**settings)))

    return asking


def test_each_question_is_answered_by_itself(asked):
    (said,) = asked(CUDA)
    assert (said.version, said.cuda, said.cudnn, said.nccl) == ("2.7.1+cu126", "12.6", "9.5.1", "2.21.5")
    assert said.archs == ("sm_75", "sm_80", "compute_90")
    assert [(one.name, one.capability) for one in said.devices] == [("NVIDIA A100", (8, 0))]
    assert said.cudnn_loaded == ""
    assert said.troubles == {"cudnn_loaded": "RuntimeError: cuDNN version incompatibility: found (9, 0, 0)"}


@pytest.mark.parametrize("body", ["import os; os.abort()", "raise ImportError('libcudart.so.12')", "print('{}')"])
def test_one_that_crashes_is_a_trouble_and_no_end(asked, body):
    (said,) = asked(body)
    assert said.version == "" or said.troubles
    assert IMPORT in said.troubles or "version" in said.troubles


def test_one_that_hangs_is_given_up(asked, monkeypatch):
    monkeypatch.setattr(frameworks, "SECONDS", 1.0)
    (said,) = asked("import time; time.sleep(600)")
    assert "did not answer" in said.troubles[IMPORT]


def test_one_that_may_not_be_imported_is_not(asked, tmp_path):
    body = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()"
    (said,) = asked(body, import_frameworks=False)
    assert "may not be imported" in said.troubles[IMPORT]
    assert not (tmp_path / "ran").exists()


def test_code_of_the_project_does_not_run_where_it_stands_on_pythonpath(asked, tmp_path, monkeypatch):
    asked(CUDA)
    (tmp_path / "sitecustomize.py").write_text(f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (said,) = graph().get(Frameworks(root=str(tmp_path), environment=Environment()))
    assert said.version == "2.7.1+cu126"
    assert not (tmp_path / "ran").exists()
