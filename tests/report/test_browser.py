"""The report in a real browser: headless Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from camobo.cost.budget import Budget
from camobo.insight.record import Record
from camobo.plot.style import shown, visible
from camobo.report import report
from tests.support.samples import PARTS, hostile_record, sample

pytest.importorskip("plotly", reason="reports need Plotly: pip install 'camobo[plot]'")
playwright = pytest.importorskip("playwright.sync_api", reason="driving a browser needs playwright")

CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card, for three objectives
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for all tests; Playwright gives it an empty profile and removes it afterwards."""
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield started
        started.close()


@dataclass(frozen=True)
class Visit:
    """An open report, its console messages and its requests."""

    page: Any
    url: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def drawn(self) -> int:
        """Scroll through the page, so that every figure is drawn, and count the figures."""
        figures = self.page.locator(".plot")
        for i in range(figures.count()):
            figures.nth(i).scroll_into_view_if_needed()
            figures.nth(i).locator(".main-svg").first.wait_for(state="attached")
        self.page.wait_for_timeout(100)
        return int(figures.count())

    def is_quiet(self) -> None:
        """No console message but remarks about the speed of WebGL, and no request but the page's own."""
        assert [line for line in self.messages if "ReadPixels" not in line and "willReadFrequently" not in line] == []
        assert [url for url in self.requests if url.split(":")[0] not in ("data", "blob")] == [self.url]


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Any]:
    contexts = []

    def opened(
        record: Record, *, title: str | None = None, width: dict[str, int] = DESKTOP, scheme: str = "light"
    ) -> Visit:
        path = report(record, tmp_path / "study.html", title=title)
        context = browser.new_context(viewport=width, color_scheme=scheme, accept_downloads=True)
        context.set_default_timeout(120_000)  # a busy machine is not a failure
        contexts.append(context)
        found = Visit(context.new_page(), path.as_uri())

        def refuse(dialog: Any) -> None:
            found.messages.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        found.page.on("console", lambda message: found.messages.append(f"{message.type}: {message.text}"))
        found.page.on("pageerror", lambda error: found.messages.append(f"error: {error}"))
        found.page.on("dialog", refuse)
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.goto(found.url)
        return found

    yield opened
    for context in contexts:
        context.close()


BUTTONS = {"Download plot", "Zoom", "Pan", "Reset axes", "Orbital rotation", "Reset camera to default"}


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 4, 12), (3, 2, 12)], ids=str)
def test_every_figure_is_drawn_with_a_silent_console_and_nothing_is_fetched(
    visit: Any, size: tuple[int, int, int]
) -> None:
    seen = visit(sample(*size))
    assert seen.drawn() == seen.page.locator("[data-figure]").count() > 2
    assert seen.page.locator(".plot .xtick, .plot canvas, .plot .annotation-text").count() > 0
    offered = seen.page.evaluate("[...document.querySelectorAll('.modebar-btn')].map((b) => b.dataset.title)")
    assert {title.split(" as")[0] for title in offered} <= BUTTONS  # nothing that would send data away
    seen.is_quiet()


def test_money_is_drawn_with_a_silent_console(visit: Any) -> None:
    record = sample(2, 3, 12)
    plan = replace(record.plan, budget=Budget(cost=900, unit="€ <b>"))
    paid = (replace(t, expected=12.0, cost=None if t.state.open else 9.0 + t.number) for t in record.trials)
    seen = visit(Record(plan, tuple(paid)))
    seen.drawn()
    drawn = seen.page.evaluate("[...document.querySelectorAll('.plot text')].map((t) => t.textContent)")
    assert {"money spent, € <b>", "paid, € <b>", "expected, € <b>", "share of the budget spent, %"} <= set(drawn)
    seen.is_quiet()


def test_a_study_without_trials_says_so(visit: Any) -> None:
    seen = visit(sample(2, 3, 0))
    seen.drawn()
    assert seen.page.get_by_text("No trial has been suggested or added yet.").is_visible()
    assert seen.page.get_by_text("No trial is complete yet").is_visible()
    seen.is_quiet()


def test_hovering_a_trial_shows_its_number_and_all_parameters(visit: Any) -> None:
    record = sample(2, 2, 12)
    seen = visit(record)
    seen.drawn()
    point = seen.page.locator(".plot").first.locator(".scatterlayer .trace:nth-child(3) .point").first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    seen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    label = seen.page.locator(".plot").first.locator(".hoverlayer .hovertext")
    label.wait_for(state="visible")
    text = label.first.text_content()
    (trial,) = [t for t in record.front if f"trial {t.number} · on the front" in text]
    for name, value in trial.params.items():
        assert f"{name}: {shown(value)}" in text
    seen.is_quiet()


@pytest.mark.parametrize("part", range(PARTS))
def test_fifty_hostile_strings_are_drawn_as_text_and_do_nothing(visit: Any, part: int) -> None:
    record, title, texts = hostile_record(part)
    seen = visit(record, title=title)
    seen.drawn()
    page = seen.page
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("Object.prototype.hurt") is None
    strange = "img, iframe, object, embed, link, base, form, input, template, plaintext, :is(a):not(.modebar-btn)"
    assert page.locator(strange).count() == 0
    assert page.locator("svg text [style*=color], svg text a, svg text tspan[style*=bold]").count() == 0
    body = page.evaluate("document.body.textContent")
    for text in texts:
        if "\ufeff" not in text:
            assert visible(text) in body, text
    drawn = page.evaluate("[...document.querySelectorAll('.plot text')].map((t) => t.textContent)")
    first = visible(next(iter(record.plan.objectives)))
    assert any(first[:27] in text for text in drawn)
    seen.is_quiet()


def test_on_a_phone_nothing_is_wider_than_the_screen(visit: Any) -> None:
    seen = visit(sample(5, 3, 12), width=PHONE)
    seen.drawn()
    assert seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    wide = "[...document.querySelectorAll('.plot')].filter((p) => p.scrollWidth > p.clientWidth + 1).length"
    assert seen.page.evaluate(wide) == 0
    seen.is_quiet()


def luminance(page: Any, expression: str) -> float:
    """The luminance of an rgb(…) colour that a page computes."""
    colour = page.evaluate(expression)
    red, green, blue = (int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


PAPER = "getComputedStyle(document.body).backgroundColor"
LETTERS = "getComputedStyle(document.querySelector('.plot .xtick text')).fill"


def test_page_and_figures_follow_light_and_dark(visit: Any) -> None:
    seen = visit(sample(2, 2, 12), scheme="dark")
    seen.drawn()
    assert luminance(seen.page, PAPER) < 0.2
    assert luminance(seen.page, LETTERS) > 0.7
    seen.page.emulate_media(color_scheme="light")
    seen.page.wait_for_function(f"() => !{LETTERS}.startsWith('rgb(2')")
    assert luminance(seen.page, PAPER) > 0.9
    assert luminance(seen.page, LETTERS) < 0.3
    seen.is_quiet()


def test_printing_draws_every_figure_even_those_never_scrolled_to(visit: Any) -> None:
    seen = visit(sample(2, 5, 8), scheme="dark")
    waiting = seen.page.locator(".plot:not(:has(.main-svg))").count()
    assert waiting > 0
    pages = seen.page.pdf(format="A4")
    assert pages.startswith(b"%PDF")
    assert seen.page.locator(".plot:not(:has(.main-svg))").count() == 0
    seen.is_quiet()


def test_a_figure_can_be_saved_as_a_picture(visit: Any) -> None:
    seen = visit(sample(2, 2, 12))
    figure = seen.page.locator(".plot").first
    figure.scroll_into_view_if_needed()
    figure.hover()
    with seen.page.expect_download() as saved:
        figure.locator('[data-title^="Download"]').click(force=True)
    assert saved.value.suggested_filename == "camobo.svg"
    seen.is_quiet()


def test_the_policy_stops_markup_that_was_not_escaped(visit: Any) -> None:
    """A second line of defence: even markup that was not escaped cannot run, style or fetch anything."""
    seen = visit(sample(1, 1, 5))
    seen.page.evaluate(
        """() => {
            document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='hurt=1'><p style='color:red'>p</p>");
            const script = document.createElement("script");
            script.textContent = "window.hurt = 2";
            document.body.append(script);
            const far = document.createElement("img");
            far.src = "http://127.0.0.1:9/x.png";
            document.body.append(far);
        }"""
    )
    seen.page.wait_for_timeout(200)
    assert seen.page.evaluate("window.hurt") is None
    assert seen.page.evaluate("getComputedStyle(document.querySelector('p:last-of-type')).color") != "rgb(255, 0, 0)"
    refused = [line for line in seen.messages if "Content Security Policy" in line]
    assert len(refused) >= 4
