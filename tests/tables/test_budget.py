"""How much memory a column may take: the tightest of what the machine, its groups and the process's limits leave."""

import resource

import pytest

from audit.tables import budget as module
from audit.tables.budget import budget

GIB = 1 << 30
FREE = f"MemTotal: 99999999 kB\nMemAvailable: {GIB // 1024} kB\n"


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("", {}, GIB // 4),
        ("0::/a/b\n", {"/sys/fs/cgroup/a/memory.max": 400 << 20, "/sys/fs/cgroup/a/memory.current": 0}, 100 << 20),
        ("0::/a\n", {"/sys/fs/cgroup/a/memory.max": "max", "/sys/fs/cgroup/a/memory.current": 0}, GIB // 4),
        ("0::/../..\n", {"/sys/fs/cgroup/memory.max": 400 << 20, "/sys/fs/cgroup/memory.current": 0}, 100 << 20),
        (
            "4:cpu,memory:/a\n",
            {
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": 400 << 20,
                "/sys/fs/cgroup/memory/a/memory.usage_in_bytes": 200 << 20,
            },
            50 << 20,
        ),
        (
            "0::/a\n",
            {
                "/sys/fs/cgroup/a/memory.max": 400 << 20,
                "/sys/fs/cgroup/a/memory.current": 300 << 20,
                "/sys/fs/cgroup/a/memory.stat": f"anon 5\ninactive_file {100 << 20}\n",
            },
            50 << 20,
        ),
        ("3:cpu:/a\n", {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes": 1}, GIB // 4),
        ("0::/\n", {"/sys/fs/cgroup/memory.max": 1, "/sys/fs/cgroup/memory.current": 2}, 16 << 20),
    ],
    ids=["none", "above", "unlimited", "container", "version 1", "cache of files", "other", "exhausted"],
)
def test_the_tightest_limit_counts(monkeypatch, own, files, expected):
    told = {module._MEMORY: FREE, module._OWN: own, **{name: str(said) for name, said in files.items()}}
    monkeypatch.setattr(module, "_text", lambda file: told.get(file, ""))
    assert budget() == expected


def test_a_limit_of_address_space_counts(monkeypatch):
    told = {module._MEMORY: FREE, module._STATUS: f"VmSize: {1 << 10} kB\nVmData: odd\n"}
    limits = {resource.RLIMIT_AS: 201 << 20, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(module, "_text", lambda file: told.get(file, ""))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limits[kind], -1))
    assert budget() == 50 << 20
