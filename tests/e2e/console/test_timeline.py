"""The timeline: one mark for each request, and what can be done with them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, Console
from tests.e2e.console.conftest import Visit
from tests.e2e.console.strip import Strip, entry

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
DATASET = "6593e137231a2be9c5603ba7"
TEN = [entry(seq) for seq in range(1, 11)]
FAULT = {"id": "f1", "kind": "error"}
ALL = "10 requests in 9 s, 0 failed"


@pytest.fixture
def strip(console: Console) -> Strip:
    """A timeline without requests."""
    return Strip(console)


def test_each_request_has_a_mark(strip: Strip) -> None:
    drawn = strip.draw(*TEN).drawn
    assert (drawn["requests"], drawn["columns"]) == (10, 10)
    assert len(strip.heights) == 10


def test_requests_of_one_moment_share_a_mark(strip: Strip) -> None:
    drawn = strip.draw(entry(1, 0), entry(2, 0.001), entry(3, 60)).drawn
    assert (drawn["requests"], drawn["columns"]) == (3, 2)


def test_marks_have_the_colour_of_their_status(strip: Strip) -> None:
    statuses = {200: "good", 400: "warn", 503: "bad", 0: "text"}
    for seq, (status, name) in enumerate(statuses.items(), 1):
        strip.draw(entry(seq, status=status))
        assert strip.marks == set(strip.colours(name))
    strip.draw(*(entry(seq, status=status) for seq, status in enumerate(statuses)))
    assert strip.marks == set(strip.colours(*statuses.values()))


def test_a_failure_is_seen_among_a_thousand(strip: Strip) -> None:
    many = [entry(seq, seq / 1e6) for seq in range(1000)]
    strip.draw(*many, entry(1000, 0.001, status=503), entry(1001, 60))
    assert strip.marks == set(strip.colours("good", "bad"))


def test_the_longer_a_request_took_the_higher_is_its_mark(strip: Strip) -> None:
    took = [0.05, 0.5, 5, 50, 500, 5000, 500_000]
    strip.draw(*(entry(seq, durationMs=ms) for seq, ms in enumerate(took)))
    assert len(set(strip.heights)) == len(took)
    assert strip.heights == sorted(strip.heights)


def test_the_marks_follow_the_colour_scheme(strip: Strip) -> None:
    light = strip.draw(*TEN).marks
    before = strip.drawn["frames"]
    strip.page.emulate_media(color_scheme="dark")
    strip.page.wait_for_function("n => strip.drawn.frames > n", arg=before)
    dark = strip.draw(*TEN).marks
    assert dark == set(strip.colours("good")) != light


def test_dragging_zooms_into_what_was_dragged_over(strip: Strip) -> None:
    strip.draw(*TEN).drag(0.28, 0.61)
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^3 of 10 req"))
    assert strip.told == [[4, 5, 6]]
    assert strip.drawn["columns"] == 3


def test_a_drag_from_right_to_left_does_the_same(strip: Strip) -> None:
    strip.draw(*TEN).drag(0.61, 0.28)
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^3 of 10 req"))
    assert strip.told == [[4, 5, 6]]


def test_the_selection_is_seen_while_dragging_and_escape_ends_it(strip: Strip) -> None:
    strip.draw(*TEN).canvas.focus()
    strip.page.mouse.move(*strip.at(0.3))
    strip.page.mouse.down()
    strip.page.mouse.move(*strip.at(0.6))
    expect(strip.page.locator(".strip .chosen")).to_be_visible()
    strip.page.keyboard.press("Escape")
    expect(strip.page.locator(".strip .chosen")).to_be_hidden()
    strip.page.mouse.up()
    assert strip.told == []


@pytest.mark.parametrize("way", ["double click", "Escape", "button"])
def test_the_zoom_can_be_ended(strip: Strip, way: str) -> None:
    strip.draw(*TEN).drag(0.28, 0.61)
    everything = strip.console.button("Show all")
    expect(everything).to_be_visible()
    if way == "button":
        everything.click()
    elif way == "Escape":
        strip.canvas.press("Escape")
    else:
        strip.page.mouse.dblclick(*strip.at(0.5))
    expect(strip.canvas).to_have_attribute("aria-label", ALL)
    expect(everything).to_be_hidden()
    assert strip.told == [[4, 5, 6], None]


def test_a_pinch_on_a_touchpad_zooms_and_sideways_pans(strip: Strip) -> None:
    strip.draw(*TEN)
    strip.page.mouse.move(*strip.at(0.5))
    strip.page.keyboard.down("Control")
    strip.page.mouse.wheel(0, -300)
    strip.page.keyboard.up("Control")
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^4 of 10 req"))
    before = strip.drawn["from"]
    strip.page.mouse.wheel(200, 0)
    strip.page.wait_for_function("n => strip.drawn.from > n", arg=before)


def test_a_zoom_holds_as_requests_come(strip: Strip) -> None:
    strip.draw(*TEN).drag(0.28, 0.61)
    strip.draw(*TEN, entry(11), entry(12))
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^3 of 12 req"))


def test_a_zoom_ends_when_all_that_it_was_of_is_gone(strip: Strip) -> None:
    strip.draw(*TEN).drag(0.28, 0.61)
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^3 of 10 req"))
    strip.draw(entry(11), entry(12))
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^2 requests"))
    assert strip.told == [[4, 5, 6], None]


def test_a_click_picks_the_nearest_request(strip: Strip) -> None:
    strip.draw(*TEN)
    strip.page.mouse.click(*strip.at(0.345))
    strip.page.mouse.click(*strip.at(0.99))
    assert strip.told == [4, 10]


def test_the_nearest_request_is_told_about(strip: Strip) -> None:
    strip.draw(*TEN[:9], entry(10, status=0, fault=FAULT, durationMs=12.25))
    strip.page.mouse.move(*strip.at(0.98))
    expect(strip.label).to_have_text(
        "12:00:10.000 · #10 · listV2 · no answer · 12.3 ms · error"
    )
    strip.page.mouse.move(*strip.at(0.55))
    expect(strip.label).to_contain_text("#6")
    strip.page.mouse.move(0, 0)
    expect(strip.label).to_be_hidden()


@pytest.mark.parametrize("part", [0.01, 0.99])
def test_what_is_told_is_never_cut(visit: Visit, part: float) -> None:
    strip = Strip(
        visit(viewport={"width": 320, "height": 800}, path="/__admin/#/requests")
    )
    strip.draw(*TEN)
    strip.page.mouse.move(*strip.at(part))
    expect(strip.label).to_be_visible()
    box = strip.label.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320


def test_all_of_it_works_by_keyboard(strip: Strip) -> None:
    strip.draw(*TEN)
    strip.page.get_by_role("button", name="List", exact=True).focus()
    value = "aria-valuetext"
    strip.page.keyboard.press("Tab")
    strip.canvas.focus()
    for key, seq in {"End": 10, "ArrowLeft": 9, "Home": 1, "ArrowRight": 2}.items():
        strip.page.keyboard.press(key)
        expect(strip.canvas).to_have_attribute(value, re.compile(f"#{seq} "))
        expect(strip.label).to_contain_text(f"#{seq} ")
    for key in "++":
        strip.page.keyboard.press(key)
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^3 of 10 req"))
    strip.page.keyboard.press("Enter")
    assert strip.told[-1] == 2
    strip.page.keyboard.press("-")
    expect(strip.canvas).to_have_attribute("aria-label", re.compile("^5 of 10 req"))


def test_the_view_follows_the_keyboard(strip: Strip) -> None:
    strip.draw(*TEN).drag(0, 0.3)
    for _ in range(2):
        strip.canvas.press("End")
        expect(strip.label).to_contain_text("#10")
        strip.canvas.press("PageUp")
        expect(strip.label).to_contain_text("#9")
    strip.page.wait_for_function("() => told.at(-1)?.at(-1) === 10")


def test_a_fault_is_a_band_over_what_met_it(strip: Strip) -> None:
    met = [entry(seq, fault=FAULT) for seq in (4, 6)]
    (band,) = strip.draw(*TEN[:3], met[0], TEN[4], met[1], *TEN[6:]).drawn["bands"]
    assert band | FAULT == band
    assert (band["from"], band["to"]) == (met[0]["at"], met[1]["at"])


def test_an_armed_fault_is_a_band_to_the_end(strip: Strip) -> None:
    armed = {"id": "f2", "kind": "delay", "until": None}
    strip.draw(*TEN[:5], faults=[armed])
    (band,) = strip.draw(*TEN, faults=[armed]).drawn["bands"]
    assert (band["kind"], band["from"]) == ("delay", TEN[4]["at"])
    assert band["to"] == float("inf")
    assert strip.draw(*TEN).drawn["bands"] == []


def test_resets_stand_between_the_requests(strip: Strip) -> None:
    drawn = strip.draw(entry(1), entry(2), entry(3, generation=2)).drawn
    (reset,) = drawn["resets"]
    assert reset["generation"] == 2
    assert entry(2)["at"] < reset["place"] < entry(3)["at"]


@pytest.mark.parametrize("times", [[5, 5, 5, 5], [1, 2, 3, 1]], ids=["frozen", "back"])
def test_where_the_clock_tells_nothing_marks_stand_by_number(
    strip: Strip, times: list[int]
) -> None:
    drawn = strip.draw(*(entry(seq, at) for seq, at in enumerate(times, 1))).drawn
    assert not drawn["isByTime"]
    assert drawn["columns"] == 4
    expect(strip.canvas).to_have_attribute(
        "aria-label", re.compile("^4 requests by number")
    )


def test_by_number_a_part_can_be_chosen_too(strip: Strip) -> None:
    strip.draw(*(entry(seq, 5) for seq in range(1, 101))).drag(0.1, 0.3)
    name = re.compile("^(19|20|21|22) of 100 requests by number")
    expect(strip.canvas).to_have_attribute("aria-label", name)
    (chosen,) = strip.told
    assert 19 <= len(chosen) <= 22  # marks stand a few pixels from the ends


def test_a_clock_that_jitters_is_a_clock(strip: Strip) -> None:
    assert strip.draw(entry(1, 1), entry(2, 0.99), entry(3, 2)).drawn["isByTime"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "250 ms"),
        (9, "9 s"),
        (250, "4 min 10 s"),
        (7260, "2 h 1 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_its_name_sums_up(strip: Strip, seconds: float, text: str) -> None:
    strip.draw(entry(1, 0), entry(2, seconds, status=500))
    name = f"2 requests in {text}, 1 failed"
    expect(strip.canvas).to_have_attribute("aria-label", name)
    expect(strip.page.locator(".timeline [role=status]")).to_have_text(name)


def test_without_requests_it_says_so(strip: Strip) -> None:
    expect(strip.draw().canvas).to_have_attribute("aria-label", "No requests")
    for key in ("Home", "ArrowLeft", "PageUp", "+", "Enter", "Escape"):
        strip.canvas.press(key)
    assert strip.draw(entry(1)).drawn["requests"] == 1


def test_it_speaks_chinese(visit: Visit) -> None:
    strip = Strip(visit(locale="zh-CN")).draw(*TEN)
    expect(strip.canvas).to_have_attribute(
        "aria-label", "10 个请求，历时 9 秒，0 个失败"
    )


def test_however_often_it_is_asked_it_draws_once_a_frame(strip: Strip) -> None:
    before = strip.draw(*TEN).drawn["frames"]
    again = """async () => {
        for (let n = 0; n < 100; n += 1) strip.draw(mine);
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
    }"""
    strip.page.evaluate(again)
    assert strip.drawn["frames"] == before + 1


@pytest.mark.skipif(not AXE, reason="AXE names no axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_it(visit: Visit, scheme: str) -> None:
    strip = Strip(visit(color_scheme=scheme, bypass_csp=True)).draw(*TEN)
    strip.drag(0.2, 0.7)
    strip.canvas.press("Home")
    strip.page.add_script_tag(path=AXE)
    found: dict[str, Any] = strip.page.evaluate("axe.run('.timeline')")
    assert [each["id"] for each in found["violations"]] == []


def test_requests_of_clients_are_in_it(console: Console) -> None:
    strip = console.page.get_by_role("slider")
    console.list(DATASET)
    console.list(DATASET, pageSize=99)
    expect(strip).to_have_attribute(
        "aria-label", re.compile("^2 requests.*, 1 failed$")
    )
    strip.press("Home")
    strip.press("Enter")
    expect(console.drawer).to_contain_text("#1")
