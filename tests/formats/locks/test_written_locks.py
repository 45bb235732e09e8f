"""Lockfiles that the tools themselves wrote, of the project in `support/indexes.py`.

`written/` holds what uv 0.13.9 (`uv.lock`, and `pylock.toml` by `uv export`), Poetry 2.5.1, PDM 2.29.4 and pipenv
2026.10.3 locked against an index on loopback, whose address alone was changed; and what conda-lock 4.0.3 wrote of
packages that it was handed, as it needs a solver for more.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.checks.env._chosen import Wanted, choices, refusals
from audit.errors import CannotLook, FormatError
from audit.formats.locks.forms import reader

WRITTEN = Path(__file__).with_name("written")
ALL = sorted(path.name for path in WRITTEN.iterdir() if path.is_file())

LINUX = {
    "python_version": "3.12",
    "python_full_version": "3.12.1",
    "sys_platform": "linux",
    "os_name": "posix",
    "platform_machine": "x86_64",
}
OLD = {**LINUX, "python_version": "3.10", "python_full_version": "3.10.4"}
WINDOWS = {**LINUX, "sys_platform": "win32", "os_name": "nt"}
MAIN = {"first-one==2.5", "leaf==0.3", "loud==3.1", "second==2.0", "speaker==1.1"}


def lock(name):
    return reader(name)((WRITTEN / name).read_bytes(), name)


def chosen(name, markers=LINUX, **wanted):
    """What applies, each once."""
    said = [one for one in choices(lock(name), markers, Wanted(**wanted)) if one.applies]
    assert len({one.pin.name for one in said}) == len(said)
    return {f"{one.pin.name}{one.pin.specifier}" for one in said}


FORKED = ["uv.lock", "poetry.lock"]
GROUPED = [*FORKED, "pdm.lock"]


@pytest.mark.parametrize("name", [*GROUPED, "Pipfile.lock"])
def test_the_main_group_alone_applies_where_nobody_asks_for_more(name):
    assert chosen(name) == MAIN


@pytest.mark.parametrize("name", GROUPED)
def test_a_marker_of_another_system(name):
    assert chosen(name, WINDOWS) == MAIN | {"windows-only==1.0"}


@pytest.mark.parametrize("name", FORKED)
def test_of_two_versions_of_one_name_the_one_of_this_python_applies(name):
    assert chosen(name, OLD) == MAIN - {"first-one==2.5"} | {"first-one==1.5"}


@pytest.mark.parametrize("name", GROUPED)
def test_extras_and_groups_bring_in_what_is_theirs(name):
    assert chosen(name, extras=("graphs",)) == MAIN | {"plots==4.0"}
    assert chosen(name, groups=("dev",)) == MAIN | {"checker==5.0"}
    assert chosen(name, extras=("graphs",), groups=("dev",)) == MAIN | {"plots==4.0", "checker==5.0"}


def test_a_category_of_pipenv():
    assert chosen("Pipfile.lock", groups=("develop",)) == MAIN | {"checker==5.0"}
    assert chosen("Pipfile.lock", WINDOWS) == MAIN | {"windows-only"}, "pipenv does not pin what it cannot see"


def test_the_standard_form_lists_all_that_was_exported():
    assert chosen("pylock.toml") == MAIN | {"plots==4.0", "checker==5.0"}
    assert chosen("pylock.toml", OLD) == MAIN - {"first-one==2.5"} | {"first-one==1.5", "plots==4.0", "checker==5.0"}


@pytest.mark.parametrize("name", ["conda-lock.yml", "conda-linux-64.lock"])
def test_packages_of_conda_by_platform(name):
    listed = chosen(name, groups=("dev",))
    assert listed == {"checker==5.0", "first-one==2.5", "leaf==0.3", "speaker==1.1"}
    builds = {one.pin.name: one.pin.build for one in choices(lock(name), LINUX, Wanted()) if one.applies}
    assert (builds["first-one"], builds["leaf"], builds["speaker"]) == ("py311_0", "pyhd_0", "")
    assert "dev" not in lock(name).groups or chosen(name) == listed - {"checker==5.0"}


@pytest.mark.parametrize("name", ALL)
def test_every_pin_has_hashes_where_its_tool_wrote_them(name):
    assert [pin.name for pin in lock(name).pins if not pin.hashes and not pin.virtual] == (
        ["windows-only"] if name == "Pipfile.lock" else []
    )
    assert lock(name).oddities == ()


SHA = "641536cdc1f831b090ee7ddba3271b3bae24796f"


def sources(**wanted):
    """A workspace of uv's, with a package from each place that it knows, and two extras that exclude each other."""
    said = reader("uv.lock")((WRITTEN / "sources/uv.lock").read_bytes(), "uv.lock")
    return {one.pin.name: one.pin for one in choices(said, LINUX, Wanted(**wanted)) if one.applies}


def test_places_that_are_no_index():
    pins = sources()
    assert sorted(pins) == ["demo", "gitted", "leaf", "member", "plain", "urled", "wheeled"]
    assert (pins["gitted"].vcs.url, pins["gitted"].vcs.ref) == ("https://git.example/gitted", SHA)
    assert [name for name, pin in pins.items() if pin.own] == ["demo", "member", "plain"]
    assert [name for name, pin in pins.items() if pin.editable] == ["demo", "member"]
    assert pins["urled"].url == "https://index.example/simple/urled/urled-2.0-py3-none-any.whl"
    assert (pins["wheeled"].path, pins["wheeled"].folder) == ("wheels/wheeled-7.0-py3-none-any.whl", False)


def test_extras_that_exclude_each_other():
    assert sources(extras=("cpu",))["first-one"].version == "1.5"
    assert sources(extras=("gpu",))["first-one"].version == "2.5"


@pytest.mark.parametrize("name", GROUPED)
def test_what_was_asked_for_and_is_not_locked_is_told(name):
    (said,) = refusals(lock(name), LINUX, Wanted(groups=("dve",)))
    assert (said.kind, "no group dve" in said.message) == ("asked", True)
    assert list(refusals(lock(name), LINUX, Wanted(("graphs",), ("dev",)))) == []


@pytest.mark.parametrize("name", ["uv.lock", "pylock.toml", "poetry.lock", "pdm.lock"])
def test_a_python_that_the_lock_was_not_made_for_is_told(name):
    (said,) = refusals(lock(name), {**LINUX, "python_full_version": "3.8.1", "python_version": "3.8"}, Wanted())
    assert (said.kind, "3.8.1" in said.message) == ("python", True)


@pytest.mark.parametrize(
    ("name", "was", "now"),
    [
        ("uv.lock", "version = 1\n", "version = 2\n"),
        ("poetry.lock", 'lock-version = "2.1"', 'lock-version = "2.0"'),
        ("pdm.lock", 'lock_version = "4.5.1"', 'lock_version = "4.4"'),
        ("pdm.lock", '"inherit_metadata"', '"cross_platform"'),
        ("Pipfile.lock", '"pipfile-spec": 6', '"pipfile-spec": 7'),
        ("pylock.toml", 'lock-version = "1.0"', 'lock-version = "2.0"'),
        ("conda-lock.yml", "version: 1\n", "version: 2\n"),
    ],
)
def test_another_version_of_a_form_is_refused_with_what_to_do(name, was, now):
    text = (WRITTEN / name).read_text()
    assert was in text
    with pytest.raises(FormatError) as error:
        reader(name)(text.replace(was, now, 1).encode(), name)
    assert "lock" in error.value.hint


@pytest.mark.parametrize("name", ["pyproject.toml", "pixi.lock", "Cargo.lock", "package-lock.json"])
def test_what_is_no_lock_or_none_that_is_read_is_not_guessed_at(name):
    with pytest.raises(CannotLook, match="lock"):
        reader(name)


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(name, data):
    whole = (WRITTEN / name).read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 200))
    broken = whole[:start] + data.draw(st.binary(max_size=20)) + whole[start + length :]
    for each in (broken, data.draw(st.binary())):
        try:
            said = reader(name)(each, name)
        except FormatError:
            continue
        assert all(one.applies is not None or one.why for one in choices(said, LINUX, Wanted(("graphs",), ("dev",))))
        assert all(one.message for one in refusals(said, LINUX, Wanted()))


NESTED = "(" * 3000 + "os_name == 'x'" + ")" * 3000


def test_a_marker_nested_without_end_is_told_and_no_more():
    said = reader("requirements.txt")(f"a==1; {NESTED}\nb==1\n".encode(), "requirements.txt")
    assert [one.pin.name for one in choices(said, LINUX, Wanted())] == ["b"]
    assert len(said.oddities) == 1
    text = (WRITTEN / "poetry.lock").read_text().replace('sys_platform == \\"win32\\"', NESTED)
    (unclear,) = [one for one in choices(reader("poetry.lock")(text.encode(), "x"), LINUX, Wanted()) if one.why]
    assert (unclear.pin.name, unclear.applies) == ("windows-only", None)
    text = (WRITTEN / "pylock.toml").read_text().replace("sys_platform == 'win32'", NESTED)
    with pytest.raises(FormatError):
        reader("pylock.toml")(text.encode(), "x")


@pytest.mark.parametrize(
    ("marker", "extras", "holds"),
    [
        ("extra == 'a' and extra == 'b'", ("a",), False),
        ("extra == 'a' and extra == 'b'", ("a", "B"), True),
        ("'a' == extra", ("a",), True),
        ("extra != 'a'", ("b",), True),
        ("extra != 'a'", ("a", "b"), False),
    ],
)
def test_several_extras_hold_at_once(marker, extras, holds):
    said = reader("requirements.txt")(f"x==1; {marker}\n".encode(), "requirements.txt")
    assert [one.applies for one in choices(said, LINUX, Wanted(extras))] == [holds]


def test_an_environment_that_uv_did_not_lock_for_is_told():
    text = (WRITTEN / "uv.lock").read_text().replace("\n\n", "\nsupported-markers = [\"os_name == 'nt'\"]\n\n", 1)
    (said,) = refusals(reader("uv.lock")(text.encode(), "uv.lock"), LINUX, Wanted())
    assert (said.kind, "os_name" in said.message) == ("python", True)


def test_of_several_packages_that_an_edge_may_mean_none_is_guessed():
    text = (WRITTEN / "uv.lock").read_text()
    source = 'source = { registry = "https://index.example/simple" }'
    for version in ("1.5", "2.5"):
        text = text.replace(f'"first-one", version = "{version}", {source}', '"first-one"')
    forked = reader("uv.lock")(text.encode(), "uv.lock")
    assert [one.pin.version for one in choices(forked, LINUX, Wanted()) if one.pin.name == "first-one" and one.applies]
    cut = text.replace("resolution-markers", "forgotten")
    said = choices(reader("uv.lock")(cut.encode(), "x"), LINUX, Wanted())
    unclear = {one.pin.name: one.why for one in said if one.why}
    assert sorted(unclear) == ["demo", "first-one", "second"]
    assert "does not say which of 2" in unclear["first-one"]


def test_an_edge_to_a_package_that_is_not_in_the_lock_is_told():
    text = (WRITTEN / "uv.lock").read_text().replace('{ name = "second" }', '{ name = "gone" }', 1)
    said = choices(reader("uv.lock")(text.encode(), "x"), LINUX, Wanted())
    assert [(one.pin.name, one.why) for one in said if one.why] == [
        ("demo", "demo needs gone, which is not in the lock")
    ]
