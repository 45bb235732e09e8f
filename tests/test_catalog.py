from __future__ import annotations

import sys

import pytest
from support import toys

from audit import catalog
from audit.errors import AuditError, ConfigError
from audit.records.check import Check


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of `sys.path` that distributions are installed into."""
    monkeypatch.syspath_prepend(tmp_path)
    toys.forget()
    yield tmp_path
    monkeypatch.undo()
    toys.forget()


def test_a_file_is_a_check_by_its_place():
    places = dict(catalog.built_in())
    assert places["dvc.hash"] == "audit.checks.dvc.hash"
    assert all(name == place.removeprefix("audit.checks.").replace("_", "-") for name, place in places.items())


def test_every_check_loads_and_has_a_page_in_four_parts():
    for name in catalog.built_in():
        check = catalog.load_check(name)
        page = catalog.page(name)
        assert issubclass(check, Check)
        assert catalog.summary(name).endswith("."), name
        assert [line for line in page.splitlines() if line.startswith("## ")] == [
            "## Why it matters",
            "## Example",
            "## How to fix",
        ], name


def test_a_plugin_s_check_is_one_like_any_other(site):
    toys.distribution(site, toys.CHECKS)
    assert catalog.load_check("toy.rate") is toys.Rate
    assert catalog.summary("toy.plain") == "Nothing is asked."
    assert set(catalog.checks()) == set(catalog.built_in()) | set(toys.CHECKS)


def test_an_unknown_check_is_told_the_nearest(site):
    toys.distribution(site, toys.CHECKS)
    with pytest.raises(ConfigError, match=r"^unknown check 'toy\.raet' \(did you mean 'toy\.rate'\?\)$"):
        catalog.load_check("toy.raet")


def test_one_distribution_that_is_found_twice_is_no_clash(site):
    toys.distribution(site, toys.CHECKS)
    toys.distribution(site, {"toy.plain": toys.CHECKS["toy.plain"]}, name="copy")
    assert catalog.load_check("toy.plain") is toys.Plain


CLASHES = {
    "a family of ours": (
        {"dvc.more": "support.toys:Plain"},
        "support.toys:Plain: a plugin claims the check 'dvc.more', whose family is built in",
    ),
    "a name of ours": (
        {"dvc.hash": "support.toys:Plain"},
        "support.toys:Plain: a plugin claims the check 'dvc.hash', whose family is built in",
    ),
    "a name of another plugin": (
        {"toy.plain": "support.toys:Rate"},
        "support.toys:Plain, support.toys:Rate: two plugins claim the check 'toy.plain'",
    ),
    "a name without a family": (
        {"plain": "support.toys:Plain"},
        "support.toys:Plain: a plugin's check is `family.name = module:Class`, not 'plain'",
    ),
    "a module without a class": (
        {"toy.other": "support.toys"},
        "support.toys: a plugin's check is `family.name = module:Class`, not 'toy.other'",
    ),
}


@pytest.mark.parametrize(("points", "message"), CLASHES.values(), ids=CLASHES)
def test_a_clash_is_a_hard_error(site, points, message):
    toys.distribution(site, toys.CHECKS)
    toys.distribution(site, points, name="rival")
    with pytest.raises(AuditError) as caught:
        catalog.checks()
    assert str(caught.value) == message


BROKEN = {
    "no such module": (
        "support.nowhere:Plain",
        "support.nowhere: the check 'toy.plain' cannot be imported: No module named 'support.nowhere'",
    ),
    "no such class": (
        "support.toys:Nobody",
        "support.toys:Nobody: the check 'toy.plain' is not one class derived from `audit.records.check.Check`",
    ),
    "no check": (
        "support.toys:Band",
        "support.toys:Band: the check 'toy.plain' is not one class derived from `audit.records.check.Check`",
    ),
}


@pytest.mark.parametrize(("place", "message"), BROKEN.values(), ids=BROKEN)
def test_a_plugin_that_is_broken_says_so(site, place, message):
    toys.distribution(site, {"toy.plain": place})
    with pytest.raises(AuditError) as caught:
        catalog.load_check("toy.plain")
    assert str(caught.value) == message


def test_folders_of_sys_path_that_are_not_there_do_not_matter(site, monkeypatch):
    toys.distribution(site, toys.CHECKS)
    (site / "not-a-folder").touch()
    (site / "empty-1.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(site / "gone"), str(site / "not-a-folder"), *sys.path])
    assert "toy.plain" in catalog.checks()
