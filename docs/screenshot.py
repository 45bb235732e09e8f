"""Take the pictures of docs/images in a real browser: a report's top, and how it draws drift and clips.

python docs/screenshot.py [path of Chromium]
"""

from __future__ import annotations

import runpy
import shutil
import sys
import tempfile
from pathlib import Path

from msgspec.structs import replace
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from audit.api import Settings, hold
from audit.demo.faults import plant
from audit.demo.project import make
from audit.records.words import Trigger
from audit.sinks import html

HERE = Path(__file__).parent
IMAGES = HERE / "images"
EXAMPLES = HERE.parent / "examples"
SIZE = ViewportSize(width=1100, height=880)
CHROMIUM = "/usr/bin/chromium"
OVERVIEW = "figure.wide"
DRAWN = 1130
"""Pixels of the page from the overview on."""


def main(browser: str = CHROMIUM) -> None:
    """Make the projects, audit them, and look at the pages."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tool:
        window = tool.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        demo = make(Path(folder, "demo")).resolve()
        plant(demo)
        opened(window, demo).screenshot(path=IMAGES / "report.png")
        drift(opened(window, made(Path(folder, "diabetes"), "split_by_age.py")))
        clip(opened(window, made(Path(folder, "voice-commands"), "speak.py"), Trigger.NIGHTLY))


def made(project: Path, script: str) -> Path:
    """A copy of the example of that name, its data made."""
    shutil.copytree(EXAMPLES / project.name, project)
    runpy.run_path(str(project / script), run_name="__main__")
    return project.resolve()


def opened(browser: Browser, project: Path, on: Trigger = Trigger.LAUNCH) -> Page:
    """The page of an audit of the project."""
    report = hold(project, Settings(on=on)).report
    page = project / "report.html"
    page.write_bytes(html.render(replace(report, envelope=replace(report.envelope, host="workstation"))))
    window = browser.new_page(viewport=SIZE)
    window.goto(page.as_uri())
    return window


def drift(window: Page) -> None:
    """The overview of all columns, and the first that drifted."""
    box = window.locator(OVERVIEW).first.bounding_box() or {"y": 0.0}
    clip = {"x": 0, "y": box["y"] - 12, "width": SIZE["width"], "height": DRAWN}
    window.screenshot(path=IMAGES / "drift.png", full_page=True, clip=clip)  # type: ignore[arg-type]


def clip(window: Page) -> None:
    """The clip that came by telephone, over time."""
    shown = window.locator("figure:has(.clip)").last
    shown.evaluate("one => one.closest('details').open = true")
    shown.screenshot(path=IMAGES / "clip.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
