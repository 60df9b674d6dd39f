"""How the console keeps up with 100,000 collections and 10,000 requests, in Chromium.

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
from tests.process import serving

COLLECTIONS, REQUESTS = 100_000, 10_000
SMALL = 100
FRAME_MS = 50  # three frames of a screen of 60 Hz
ROUNDS = 2
COMING = 2000
WIDE = {"width": 1280, "height": 900}
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
PATIENCE_MS = 120_000


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


def figures() -> Iterator[Figure]:
    """What is measured, and beside it the same with a hundred of each."""
    assert CHROMIUM is not None, "Expected chromium, got none (install it)"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
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
