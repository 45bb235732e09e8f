from __future__ import annotations

import pytest
from support.git_projects import HERMETIC


@pytest.fixture(autouse=True)
def _hermetic(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of whoever runs the tests decide nothing."""
    for name, value in HERMETIC.items():
        monkeypatch.setenv(name, value)
