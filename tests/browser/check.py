"""Holds the live page against its promises in a real browser (Debian's Chromium, driven by Playwright).

    PYTHONPATH=tests python -m browser.check [--shots FOLDER] [--evaluations 9999] [--untimed]

It measures and prints: the first paint, how long a told value takes to be seen by two viewers, console errors, requests
to other hosts, and that hovering, opening a decision, moving a limit and losing the storage do what they should. Ends
with 1 if a promise is broken; --untimed: times are told, not judged, as on a machine that others use as well.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from browser import studies

SEEN = 1.0
"""Seconds from a tell to its sight, and to the first paint."""
SLOW = 120.0
"""Seconds that models may take on a busy machine."""
QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")
"""Chromium is to talk to nobody but the page."""
MOVED = "document.querySelector('input[data-name=stress]')"
RENEWED = f"{MOVED}.dataset.moved === 'yes' && document.getElementById('what-if-answer').className === ''"
SHOTS = (("light", 1600), ("dark", 1600), ("light", 400), ("dark", 400), ("light", 1000))


@contextmanager
def dashboard(path: Path) -> Iterator[str]:
    """The address of a dashboard of a study file, in a process of its own."""
    command = [sys.executable, "-m", "taut", "dashboard", str(path), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONUNBUFFERED="1"))
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield next(word for word in line.split() if word.startswith("http://"))
    finally:
        process.terminate()
        process.wait(20)


def wait(page: Page, until: str) -> None:
    """Until an expression is true in the page; asked from outside, because the page allows no script but its own."""
    end = time.monotonic() + SLOW
    while not page.evaluate(until):
        if time.monotonic() > end:
            raise TimeoutError(until)
        time.sleep(0.01)


class Trouble:
    """What a page must not do."""

    def __init__(self, page: Page, url: str) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        own = urlsplit(url).netloc
        page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda asked: self.foreign.append(asked.url) if urlsplit(asked.url).netloc != own else None)


def opened(browser: Browser, url: str, scheme: str = "light", width: int = 1200) -> tuple[Page, Trouble]:
    page = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}).new_page()  # type: ignore[arg-type]
    trouble = Trouble(page, url)
    page.goto(url)
    wait(page, "document.getElementById('live').className === 'on'")
    return page, trouble


def first_paint(page: Page) -> float:
    """Seconds from the request to the first content."""
    wait(page, "performance.getEntriesByName('first-contentful-paint').length > 0")  # written down a moment later
    entries = page.evaluate("performance.getEntriesByType('paint').map(e => [e.name, e.startTime])")
    return float(dict(entries)["first-contentful-paint"]) / 1000.0


def sight(pages: list[Page], study: Any, times: int) -> list[float]:
    """Seconds from the end of each tell until all pages show the value."""
    found = []
    for _ in range(times):
        asked = study.ask()
        told = {name: studies.values(asked.point)[name] for name in asked.functions}
        study.tell(asked, told)
        began = time.monotonic()
        wanted = f"document.getElementById('now').textContent.includes('suggestion {asked.number}')"
        for page in pages:
            wait(page, f"{wanted} && document.querySelector('#decision-{asked.number}') !== null")
        found.append(time.monotonic() - began)
    return found


def large(browser: Browser, folder: Path, evaluations: int) -> dict[str, Any]:
    """First paint and sight with very many evaluations stored; cheap suggestions, so that only the page is measured."""
    path, study = studies.large(folder, evaluations)
    storage, seen = study._storage, []
    with dashboard(path) as url:
        page, trouble = opened(browser, url)
        paint = first_paint(page)
        other, more = opened(browser, url)
        for number in range(len(study.suggestions) + 1, len(study.suggestions) + 6):
            point = {"width": 5.0 + number % 7, "height": 50.0}
            storage.add_suggestion(studies.Suggestion(number, point, ("mass",), 1.0))
            study.tell(number, {"mass": studies.values(point)["mass"]})
            began = time.monotonic()
            for each in (page, other):
                wait(each, f"document.getElementById('now').textContent.includes('suggestion {number}')")
            seen.append(time.monotonic() - began)
        page.context.close()
        other.context.close()
        errors, foreign = trouble.errors + more.errors, trouble.foreign + more.foreign
    return {"paint": paint, "seen": seen, "errors": errors, "foreign": foreign}


def small(browser: Browser, folder: Path, shots: Path | None) -> dict[str, Any]:
    """A running study: everything that one may do with the page."""
    path, study = studies.begin(folder, 60.0)
    for _ in range(18):
        studies.step(study)
    with dashboard(path) as url:
        page, trouble = opened(browser, url)
        wait(page, "!document.getElementById('answer').textContent.includes('computed')")
        wait(page, "!document.getElementById('boundaries').textContent.includes('computed')")
        done = {"hover": hover(page), "decision": decision(page), "what if": what_if(page)}
        done["fits a telephone"] = fits(browser, url)
        seen = sight([page], study, 2)
        page.evaluate("document.activeElement.blur()")
        time.sleep(SEEN)  # its part is renewed, and what would be best then is asked again
        wait(page, RENEWED)
        done["a moved limit stays"] = bool(page.evaluate(f"{MOVED}.value !== {MOVED}.dataset.limit"))
        done["a moved limit stays"] &= what_if_said(page)
        done["storage lost and found"] = lost(page, path)
        wait(page, "!document.getElementById('live').textContent.includes('behind')")
        if shots is not None:
            take(browser, url, shots)
        page.context.close()
    return {"done": done, "seen": seen, "errors": trouble.errors, "foreign": trouble.foreign}


def fits(browser: Browser, url: str) -> bool:
    """Nothing but tables is wider than a telephone, and those scroll by themselves."""
    page, _ = opened(browser, url, width=400)
    wait(page, "!document.getElementById('boundaries').textContent.includes('computed')")
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.context.close()
    return bool(wide <= 400)


def hover(page: Page) -> bool:
    page.locator("#progress circle[data-tip]").last.hover()
    return page.locator("#tip").is_visible() and "recommended" in (page.locator("#tip").text_content() or "")


def decision(page: Page) -> bool:
    entry = page.locator("#decisions details").nth(1)
    entry.locator("summary").click()
    return entry.get_attribute("open") is not None and "value per cost" in (entry.text_content() or "")


def what_if_said(page: Page) -> bool:
    wait(page, "document.getElementById('what-if-answer').textContent.includes('mass =')")
    return "better than now" in (page.locator("#what-if-answer").text_content() or "")


def what_if(page: Page) -> bool:
    page.locator("input[data-name=stress]").evaluate(
        "each => { each.value = each.max; each.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    return what_if_said(page)


def lost(page: Page, path: Path) -> bool:
    """The file of the study goes away and comes back."""
    place, away = path.with_name("bracket.db"), path.with_name("away.db")
    shutil.copy(place, away)
    place.write_bytes(b"no database any more " * 50)
    wait(page, "document.getElementById('live').className === 'off'")
    still = "mass" in (page.locator("#answer").text_content() or "")
    os.replace(away, place)
    wait(page, "document.getElementById('live').className === 'on'")
    return still


def take(browser: Browser, url: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for scheme, width in SHOTS:
        page, _ = opened(browser, url, scheme, width)
        wait(page, "!document.getElementById('slices').textContent.includes('computed')")
        page.screenshot(path=folder / f"{scheme}-{width}.png", full_page=True)
        page.screenshot(path=folder / f"{scheme}-{width}-top.png")


def judged(found: dict[str, Any]) -> list[str]:
    """The promises that were broken, but for times."""
    broken = [f"{part}: {kind}" for part in found for kind in ("errors", "foreign") if found[part][kind]]
    return broken + [what for what, fine in found["small"]["done"].items() if not fine]


def late(found: dict[str, Any]) -> list[str]:
    """What took longer than it may."""
    times = {f"{part}: seen": statistics.median(found[part]["seen"]) for part in found}  # one may meet a busy machine
    times["first paint"] = found["large"]["paint"]
    return [f"{what} after {seconds:.2f} s" for what, seconds in times.items() if seconds > SEEN]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--shots", type=Path)
    parser.add_argument("--evaluations", type=int, default=9_999)
    parser.add_argument("--untimed", action="store_true", help="times are told, not judged")
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no browser: install Debian's chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=QUIET)
        found = {"small": small(browser, Path(folder, "small"), given.shots)}
        found["large"] = large(browser, Path(folder, "large"), given.evaluations)
        browser.close()
    print(json.dumps(found, indent=2))
    broken = judged(found) + ([] if given.untimed else late(found))
    print("\n".join(f"BROKEN {each}" for each in broken) or "all promises kept")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
