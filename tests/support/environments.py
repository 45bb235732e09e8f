"""Small virtual environments, and the wheels that are installed in them by the real pip."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path


def wheel(folder: Path, name: str, version: str, requires: Sequence[str] = (), body: str = "") -> Path:
    """A wheel of one module, as a build back end writes it."""
    escaped = name.replace("-", "_")
    info = f"{escaped}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    files = {
        f"{escaped}.py": body or f"__version__ = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}\nText: no header\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{escaped}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def environment(folder: Path, python: str = sys.executable, *options: str) -> Path:
    """An empty virtual environment; its interpreter."""
    subprocess.run([python, "-m", "venv", "--without-pip", *options, str(folder)], check=True)
    return folder / "bin" / "python"


def with_pip(python: Path) -> Path:
    """The same, with the pip that its Python brings along."""
    line = [python, "-m", "ensurepip", "--upgrade", "--default-pip"]
    subprocess.run(line, check=True, capture_output=True)
    return python


def install(python: Path, *words: str) -> None:
    """The test's own pip installs into it, from files alone."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", "-q"]
    subprocess.run([*pip, "--disable-pip-version-check", "--root-user-action=ignore", *words], check=True)
