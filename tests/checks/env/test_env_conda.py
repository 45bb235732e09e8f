"""What conda is asked for, held against its own records; its versions are not PEP 440's."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.environments import environment
from support.judging import figures, judge, named, summary, violations

from audit.checks.env._conda_version import fuzzy, matches
from audit.checks.env.lock import EnvLock
from audit.checks.env.pins import Pins
from audit.formats.locks import match_spec

RECORDS = (("python", "3.11.9", "hb806964_0"), ("numpy", "1.26.4", "py311h64a7726_0"), ("scipy", "1.13.0", "py311_0"))


@pytest.fixture
def held(tmp_path):
    """An environment of conda's with `RECORDS`, and what a rule says of an environment file in it."""
    interpreter = environment(tmp_path / ".venv")
    meta = tmp_path / ".venv/conda-meta"
    meta.mkdir()
    for name, version, build in RECORDS:
        said = {"name": name, "version": version, "build": build, "channel": "channel"}
        (meta / f"{name}-{version}-{build}.json").write_text(json.dumps(said))
    site = subprocess.check_output(
        [interpreter, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )

    def judged(*dependencies, check=None, pip=()):
        for one in pip:
            name, _, version = one.partition("==")
            info = tmp_path / site.strip() / f"{name}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = "".join(f"  - {one}\n" for one in dependencies)
        (tmp_path / "environment.yml").write_text(f"name: x\nchannels: [conda-forge]\ndependencies:\n{lines}")
        return judge(check or EnvLock(lock="environment.yml"), tmp_path)

    return judged


def told(found):
    return [(one.subject.partition("=")[2], one.kind, str(one.severity)) for one in violations(found)]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("python=3.11", [("python", "fuzzy", "warning")]),
        ("python==3.11", [("python", "version", "error")]),
        ("python==3.11.9", []),
        ("numpy=1.26.4=py311h64a7726_0", []),
        ("numpy=1.26.4=py311h0000000_0", [("numpy", "build", "error")]),
        ("numpy=1.26.4=py311*", []),
        ("numpy=1.2", [("numpy", "fuzzy", "warning"), ("numpy", "version", "error")]),
        ("scipy", [("scipy", "unpinned", "warning")]),
        ("conda-forge::numpy >=1.2,<2", [("numpy", "fuzzy", "warning")]),
        ("absent==1", [("absent", "missing", "error")]),
    ],
)
def test_one_equals_sign_is_a_prefix_and_two_are_exact(held, asked, expected):
    assert told(held(asked)) == expected


def test_the_part_for_pip_is_of_pep_440(held):
    assert told(held("{pip: [requests==2.31.0]}", pip=("requests==2.31.0",))) == []
    assert told(held("{pip: [requests==2.32, gone]}")) == [
        ("gone", "missing", "error"),
        ("requests", "version", "error"),
    ]


def test_an_environment_file_as_it_is_installed(held):
    found = held("python==3.11.9", "numpy==1.26.4", "{pip: [requests==2.31.0]}", pip=("requests==2.31.0", "other==1"))
    assert (told(found), summary(found)) == ([], "3 of 3 locked distributions installed as locked")
    assert figures(found)["installed"] == 5
    (wrong,) = violations(held("numpy==1.26.5"))
    assert wrong.repair == "conda env update --file environment.yml"


def test_what_cannot_be_understood_makes_no_pass(held):
    found = held("numpy==1.26.*", "numpy[track=1]", "[1]", "{pip: [a == == 1]}", "'1 2 3 4 !'")
    assert violations(found)
    assert all(one.unseen for one in violations(found))


def test_pins_says_what_an_environment_file_leaves_open(held):
    found = held("python=3.11", "python==3.11", "scipy", "{pip: [a]}", check=Pins(lock="environment.yml"))
    assert told(found) == [
        ("a", "unpinned", "error"),
        ("python", "fuzzy", "warning"),
        ("scipy", "unpinned", "warning"),
    ]


def test_a_list_of_urls_of_an_environment_without_conda(tmp_path):
    environment(tmp_path / ".venv")
    lock = "# platform: linux-64\n@EXPLICIT\nhttps://conda.example/c/noarch/leaf-0.3-pyhd_0.conda#" + "a" * 32 + "\n"
    (tmp_path / "explicit.txt").write_text(lock)
    found = judge(EnvLock(lock="explicit.txt"), tmp_path)
    assert named(found) == [("explicit.txt#package=leaf", "missing")]
    assert violations(found)[0].repair == "conda install --file explicit.txt"
    (tmp_path / "explicit.txt").write_text(f"{lock}not an address\n")
    assert ("explicit.txt#line=4", "line") in named(judge(EnvLock(lock="explicit.txt"), tmp_path))


@pytest.mark.parametrize(
    ("spec", "matching", "others"),
    [
        ("=1.2", ("1.2", "1.2.3", "1.2.0", "1.2a"), ("1.20", "1.3", "1")),
        ("1.2.*", ("1.2", "1.2.3"), ("1.20",)),
        ("=1.1.1", ("1.1.1", "1.1.1w"), ("1.1.10",)),
        ("==1.2", ("1.2", "1.2.0", "01.2"), ("1.2.1",)),
        (">=1.2,<2", ("1.2", "1.10", "2.0rc1", "2.0dev"), ("1.1", "2.0", "2.0post1")),
        ("==1.2|==1.3", ("1.3",), ("1.4",)),
        ("~=1.2.3", ("1.2.3", "1.2.10"), ("1.2.2", "1.3")),
        ("!=1.2.*", ("1.3",), ("1.2.3",)),
        (">1.0", ("1!0.5", "1.0.post1"), ("1.0", "1.0rc1")),
        ("=2.1.0+cu118", ("2.1.0+cu118", "2.1.0+cu118.1"), ("2.1.0", "2.1.0+cu121")),
        ("=2023", ("2023", "2023c"), ("2022",)),
        ("=2023c", ("2023c", "2023cd"), ("2023", "2023d")),
        ("*", ("1",), ()),
    ],
)
def test_versions_match_as_conda_matches_them(spec, matching, others):
    """Held against conda's own `VersionSpec` on 45,000 pairs when it was written."""
    assert [one for one in (*matching, *others) if matches(spec, one)] == list(matching)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("numpy", ("numpy", "", "")),
        ("numpy *", ("numpy", "", "")),
        ("numpy=1.26", ("numpy", "=1.26", "")),
        ("numpy 1.26", ("numpy", "==1.26", "")),
        ("numpy 1.26 py_0", ("numpy", "==1.26", "py_0")),
        ("numpy >= 1.2, <2", ("numpy", ">=1.2,<2", "")),
        ("numpy=1.2.*=py*", ("numpy", "1.2.*", "py*")),
        ("numpy =1.2 py_0", ("numpy", "==1.2", "py_0")),
        ("channel/linux-64::numpy==1.2", ("numpy", "==1.2", "")),
        ("numpy[version='>=1.2', build=py_0]", ("numpy", ">=1.2", "py_0")),
        ("python=3.11  # as elsewhere", ("python", "=3.11", "")),
    ],
)
def test_specifications_say_what_conda_reads_in_them(text, said):
    pin = match_spec.parse(text, "x")
    assert (pin.name, pin.specifier, pin.build) == said


@given(spec=st.text(st.sampled_from("0123abpostdev.*+!_|,=<>~- ")), version=st.text(st.sampled_from("012a.*+!_-")))
def test_any_version_is_matched_or_refused(spec, version):
    fuzzy(spec)
    with suppress(ValueError):
        assert matches(spec, version) in {True, False}
