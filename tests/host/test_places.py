"""Where a program may keep its own files."""

from __future__ import annotations

import pytest

from audit.host import places

MOUNTS = r"""
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 21 0:25 / /proc rw,nosuid - proc proc rw
40 21 0:44 /export/home /home rw shared:2 master:3 - nfs4 server:/export/home rw,vers=4.2
41 40 0:45 / /home/me/my\040data rw - fuse.sshfs me@host: rw
42 40 8:2 / /home/me/scratch rw - xfs /dev/sdb rw
43 42 0:46 / /home/me/scratch rw - tmpfs tmpfs rw
44 21 0:47 / /mnt/team\134share rw - cifs //server/share rw
this is no mount
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/srv/project", "ext4"),
        ("/homework", "ext4"),
        ("/home", "nfs4"),
        ("/home/me/project", "nfs4"),
        ("/home/me/my data/project", "fuse.sshfs"),
        ("/home/me/scratch", "tmpfs"),
        ("/mnt/team\\share/x", "cifs"),
    ],
)
def test_the_innermost_and_latest_mount_holds_a_path(path, kind):
    assert places.filesystem(path, MOUNTS) == kind


def test_unknown_where_there_is_no_such_table():
    assert places.filesystem("/srv", "") == ""


@pytest.mark.parametrize(
    ("path", "shared"), [("/home/x", True), ("/home/me/my data", True), ("/home/me/scratch", False), ("/srv", False)]
)
def test_networks_are_told_from_disks(monkeypatch, path, shared):
    monkeypatch.setattr(places, "_mounts", lambda: MOUNTS)
    monkeypatch.setattr(places.os.path, "realpath", lambda path: path)
    assert places.on_network(path) is shared


def test_this_machine_has_a_filesystem():
    assert places.filesystem("/proc", places._mounts()) == "proc"


@pytest.mark.parametrize("kind", ["cache", "state"])
def test_the_users_folders_are_where_the_user_wants_them(monkeypatch, kind):
    monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", "/srv/mine")
    assert getattr(places, f"{kind}_folder")() == "/srv/mine/reproaudit"


@pytest.mark.parametrize("ignored", ["", "relative/path"])
def test_else_below_the_home_folder(monkeypatch, ignored):
    monkeypatch.setenv("XDG_CACHE_HOME", ignored)
    monkeypatch.setenv("XDG_STATE_HOME", ignored)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(places.sys, "platform", "linux")
    assert places.cache_folder() == "/home/me/.cache/reproaudit"
    assert places.state_folder() == "/home/me/.local/state/reproaudit"
