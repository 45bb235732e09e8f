"""Take docs/images/report.png: the top of the report on the demonstration's project, in a real browser.

python docs/screenshot.py [path of Chromium]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from msgspec.structs import replace
from playwright.sync_api import ViewportSize, sync_playwright

from audit.api import Settings, hold
from audit.demo.faults import plant
from audit.demo.project import make
from audit.sinks import html

PICTURE = Path(__file__).parent / "images" / "report.png"
SIZE = ViewportSize(width=1100, height=880)
CHROMIUM = "/usr/bin/chromium"


def main(browser: str = CHROMIUM) -> None:
    """Make the project, audit it, and look at the page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tool:
        project = make(Path(folder, "demo")).resolve()
        plant(project)
        report = hold(project, Settings()).report
        report = replace(report, envelope=replace(report.envelope, host="workstation"))
        page = Path(folder, "report.html")
        page.write_bytes(html.render(report))
        window = tool.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page(viewport=SIZE)
        window.goto(page.as_uri())
        PICTURE.parent.mkdir(exist_ok=True)
        window.screenshot(path=PICTURE)


if __name__ == "__main__":
    main(*sys.argv[1:])
