from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import toys

from audit.config.load import Config, load_config

Load = Callable[..., Config]


@pytest.fixture(autouse=True)
def _toys(tmp_path_factory, monkeypatch):
    with toys.installed(tmp_path_factory.mktemp("site"), monkeypatch):
        yield


@pytest.fixture
def load(tmp_path) -> Load:
    """Write `audit.yaml` and the files it extends, and load it."""

    def write_and_load(text: str | bytes, files: dict[str, str] | None = None) -> Config:
        _write(tmp_path / "audit.yaml", text)
        for name, content in (files or {}).items():
            _write(tmp_path / name, content)
        return load_config(tmp_path)

    return write_and_load


def _write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
