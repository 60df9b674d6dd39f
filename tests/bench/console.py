"""How soon the console is seen, and how it keeps up with 100,000 collections and 10,000
requests, in Chromium.

It needs playwright and chromium, and takes about a minute.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.bench.figures import Figure
from tests.e2e.chromium import CHROMIUM, FLAGS
from tests.e2e.console.frames import STEPS, document, fill, watch
from tests.e2e.scripts import script
from tests.process import serving

COLLECTIONS, REQUESTS = 100_000, 10_000
SMALL = 100
FRAME_MS = 50  # three frames of a screen of 60 Hz
ROUNDS = 2
COMING = 2000
WIDE = {"width": 1280, "height": 900}
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
PATIENCE_MS = 120_000
SEEN = script("seen.js")
SLOW = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
"""1.6 Mbit/s and 150 ms."""
NEAR_SECONDS, FAR_SECONDS, KIB, FILES = 0.3, 1.5, 120, 8
VIEWS = 5


def measure(browser: Any, collections: int, requests: int) -> dict[str, Any]:
    """Times in ms by what was measured; for what goes on, the frames."""
    with tempfile.TemporaryDirectory() as folder:
        fixture = Path(folder) / "large.json"
        fixture.write_text(json.dumps(document(collections)))
        with serving(str(fixture), "--port=0") as (url, _):
            fill(url, requests)
            page = browser.new_page(viewport=WIDE)
            page.goto(f"{url}/__admin/")
            page.locator("#live.on").wait_for(timeout=PATIENCE_MS)
            found = {"live": page.evaluate("performance.now()")}
            page.locator(f'table[aria-rowcount="{requests + 1}"]').wait_for(
                timeout=PATIENCE_MS
            )
            found["all requests there"] = page.evaluate("performance.now()")
            found["first paint"] = page.evaluate(PAINTED)
            for name, step in STEPS.items():
                rounds = [watch(page, step) for _ in range(ROUNDS)]
                found[name] = min(rounds, key=lambda frames: frames.longest)
            sender = threading.Thread(target=fill, args=(url, COMING))
            sender.start()
            found[f"{COMING:,} requests come"] = watch(page, "() => {}")
            sender.join()
            page.close()
    return found


def seen(browser: Any, url: str, network: dict[str, int] | None) -> dict[str, Any]:
    """Open the console in a fresh profile; return what came, and when all was seen."""
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("Network.enable")
    if network:
        cdp.send("Network.emulateNetworkConditions", {"offline": False, **network})
    files: dict[str, int] = {}
    names: dict[str, str] = {}
    cdp.on(
        "Network.responseReceived",
        lambda it: names.update({it["requestId"]: it["response"]["url"]}),
    )
    cdp.on(
        "Network.loadingFinished",
        lambda it: files.update({it["requestId"]: it["encodedDataLength"]}),
    )
    page.add_init_script(SEEN)
    page.goto(f"{url}/__admin/")
    html = page.locator("html[data-seen]")
    html.wait_for(timeout=PATIENCE_MS)
    found = {"seconds": float(html.get_attribute("data-seen")) / 1000}
    kinds = {key: is_file(name) for key, name in names.items()}
    found["files"] = sum(kinds.values())
    found["calls"] = len(kinds) - found["files"]
    found["KiB"] = sum(files.get(key, 0) for key, own in kinds.items() if own) / 1024
    found["KiB of calls"] = sum(files.values()) / 1024 - found["KiB"]
    context.close()
    return found


def is_file(url: str) -> bool:
    """Whether an address is that of the page, or of what it is made of."""
    return url.endswith(("/__admin/", ".js", ".css", ".svg"))


def first_view(browser: Any) -> Iterator[Figure]:
    """How heavy the page is, and when it is there: the middle one of some times."""
    with serving("--port=0") as (url, _):
        seen(browser, url, None)  # the server joins and compresses what it serves
        near = [seen(browser, url, None) for _ in range(VIEWS)]
        far = [seen(browser, url, SLOW) for _ in range(VIEWS)]
    one = near[0]
    note = f"besides {one['calls']} calls of {one['KiB of calls']:.0f} KiB"
    yield Figure("files of the page", one["files"], "files", FILES, note=note)
    yield Figure("size of the page, compressed", one["KiB"], "KiB", KIB)
    for name, views, most in (
        ("first view", near, NEAR_SECONDS),
        ("first view at 1.6 Mbit/s and 150 ms", far, FAR_SECONDS),
    ):
        times = sorted(each["seconds"] for each in views)
        note = f"{times[0]:.2f} to {times[-1]:.2f} s"
        yield Figure(name, times[VIEWS // 2] * 1000, "ms", most * 1000, note=note)


def figures() -> Iterator[Figure]:
    """What is measured, and beside it the same with a hundred of each."""
    assert CHROMIUM is not None, "Expected chromium, got none (install it)"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield from first_view(browser)
        large = measure(browser, COLLECTIONS, REQUESTS)
        small = measure(browser, SMALL, SMALL)
        browser.close()
    for name, value in large.items():
        if isinstance(value, float | int):
            note = f"{SMALL} of each: {small[name]:.0f} ms"
            yield Figure(name, value, "ms", note=note)
            continue
        other = small[name]
        note = f"{SMALL} of each: {other.median:.1f} ms"
        yield Figure(f"{name}: median frame", value.median, "ms", FRAME_MS, note=note)
        note = f"{SMALL} of each: {other.longest:.0f} ms; {len(value.tasks)} long tasks"
        longest = round(value.longest)  # browsers tell tenths, which are rounded
        yield Figure(f"{name}: longest frame", longest, "ms", FRAME_MS, note=note)
