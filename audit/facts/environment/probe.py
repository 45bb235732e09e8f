"""What an interpreter says of itself, as JSON: a script for the environment that is audited, Python 3.8 or later.

Started as `python -I -S -B probe.py` in an empty folder, so no `.pth` file, no `sitecustomize` and no module of the
project runs. `-S` keeps Python from entering a virtual environment, so `pyvenv.cfg` is read here (PEP 405), and the
module `site`, which `-S` leaves uncalled, is asked for the folders that it would add (Debian's differ).
"""

import json
import os
import platform
import site
import sys
from typing import Dict, List, Optional, Tuple

Settings = Dict[str, str]


def settings(executable: str) -> Tuple[Optional[str], Settings]:
    """The folder of the virtual environment that this interpreter belongs to, and its `pyvenv.cfg`."""
    here = os.path.dirname(os.path.abspath(executable))
    for folder in (here, os.path.dirname(here)):
        try:
            with open(os.path.join(folder, "pyvenv.cfg"), encoding="utf-8") as file:
                lines = [line.partition("=") for line in file.read(1 << 20).splitlines() if "=" in line]
        except (OSError, UnicodeDecodeError):
            continue
        return folder, {key.strip().lower(): value.strip() for key, _, value in lines}
    return None, {}


def folders(venv: Optional[str], said: Settings) -> List[str]:
    """Where distributions are looked for beside the standard library and the user's own folder."""
    base = [sys.base_prefix, sys.base_exec_prefix]
    if venv is None:
        return unique(site.getsitepackages(base))
    sys.prefix = sys.exec_prefix = venv  # what `site` does when it enters an environment
    found = site.getsitepackages([venv])
    if said.get("include-system-site-packages", "").lower() == "true":
        found += site.getsitepackages([venv, *base])
    return unique(found)


def unique(paths: List[str]) -> List[str]:
    """Each once, in order."""
    return list(dict.fromkeys(paths))


def user(venv: Optional[str], said: Settings) -> Optional[str]:
    """The user's own folder, where it takes part."""
    apart = venv is not None and said.get("include-system-site-packages", "").lower() != "true"
    foreign = hasattr(os, "geteuid") and (os.geteuid(), os.getegid()) != (os.getuid(), os.getgid())
    return None if apart or foreign else site.getusersitepackages()


def markers() -> Settings:
    """The environment of PEP 508."""
    full = sys.implementation.version
    release = "" if full.releaselevel == "final" else full.releaselevel[0] + str(full.serial)
    return {
        "implementation_name": sys.implementation.name,
        "implementation_version": "{}.{}.{}".format(*full[:3]) + release,
        "os_name": os.name,
        "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(),
        "platform_release": platform.release(),
        "platform_system": platform.system(),
        "platform_version": platform.version(),
        "python_full_version": platform.python_version(),
        "python_version": ".".join(platform.python_version_tuple()[:2]),
        "sys_platform": sys.platform,
    }


def main() -> None:
    """Say it."""
    venv, said = settings(sys.executable)
    base_prefix = sys.base_prefix
    print(  # noqa: T201 - the answer
        json.dumps(
            {
                "version": platform.python_version(),
                "implementation": platform.python_implementation(),
                "prefix": venv or sys.prefix,
                "base_prefix": base_prefix,
                "sites": folders(venv, said),
                "user_site": user(venv, said),
                "markers": markers(),
                "libc": " ".join(platform.libc_ver()).strip(),
            }
        )
    )


main()
