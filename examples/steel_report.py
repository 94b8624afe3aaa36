"""Runs the steel example once and writes its report. Needs Plotly: `pip install '.[plot]'`.

    python examples/steel_report.py steel.html

With a second name it also takes the picture in docs/report.md, for which it needs Playwright and Debian's chromium:

    python examples/steel_report.py steel.html docs/report.png
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from steel import melt

from camobo.report import report


def picture(page: Path, target: str) -> None:
    """The top of the page as a PNG."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1120, "height": 985})
        view.goto(page.as_uri())
        view.locator(".plot .main-svg").first.wait_for()
        view.screenshot(path=target)
        browser.close()


def main() -> None:
    """Forty melts, then the report."""
    path = report(melt(1, "nickel > chromium"), sys.argv[1] if len(sys.argv) > 1 else "steel.html", title="Steel")
    print(f"wrote {path}")
    if len(sys.argv) > 2:
        picture(path.resolve(), sys.argv[2])


if __name__ == "__main__":
    main()
