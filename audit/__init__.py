"""Reproducibility audits of a machine-learning project's data and environment."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["AuditFailed", "Report", "__version__", "gate", "run"]


def __getattr__(name: str) -> Any:
    """Load what Python users call only when they call it, so that `import audit` costs next to nothing."""
    if name in {"run", "gate", "Report"}:
        from audit import api

        return getattr(api, name)
    if name == "AuditFailed":
        from audit.errors import AuditFailed

        return AuditFailed
    raise AttributeError(name)
