"""The collections of a dataset: folders, pages, search."""

from __future__ import annotations

import pytest

from tests.e2e.pages import Demo, expect
from tests.e2e.pages.screen import PRODUCTS
from tests.support import LIST


def test_folders_lead_in_and_the_path_leads_out(app: Demo) -> None:
    app.has(8)
    app.folders("Guides", "Administration")
    expect(app.articles.first).to_contain_text("Users and permissions")
    path = app.part("navigation", "Folders")
    expect(path.root).to_have_text("All articlesGuidesAdministration")
    for folder, count in (("Guides", 4), ("All articles", 8)):
        path.role("button", folder, exact=False).click()
        app.has(count)
    app.folders("Empty folder")
    app.library.says("This folder is empty.")
    expect(app.button("Next")).to_be_disabled()


def test_a_long_folder_is_paged_by_ten(app: Demo) -> None:
    app.field("Dataset").select_option(PRODUCTS)
    app.folders("Products")
    expect(app.pager).to_have_text("1-10 of 25")
    expect(app.button("Previous")).to_be_disabled()
    for page in ("11-20 of 25", "21-25 of 25"):
        app.click("Next")
        expect(app.pager).to_have_text(page)
    app.has(5)
    expect(app.button("Next")).to_be_disabled()
    app.click("Previous")
    expect(app.pager).to_have_text("11-20 of 25")
    assert {body["pageSize"] for body in app.lists()} == {10}


def test_what_is_disabled_tagged_or_learning_is_shown_so(app: Demo) -> None:
    withdrawn = app.articles.filter(has_text="Price list 2023")
    expect(withdrawn.locator(".mark")).to_have_text("Disabled")
    expect(withdrawn.locator(".tag")).to_have_text("prices")
    feed = app.articles.filter(has_text="Release notes feed")
    expect(feed).to_contain_text("112 entries")
    expect(feed.locator(".mark")).to_have_text("Learning 5")


def test_a_search_asks_once_and_looks_into_all_folders(app: Demo) -> None:
    before = len(app.lists())
    app.page.clock.install()  # however long the keys take, there is no pause between
    app.page.clock.pause_at(4102444800)
    app.types("install")
    app.page.clock.resume()
    app.has(1)
    expect(app.articles).to_contain_text("Install")
    asked = app.lists()[before:]
    assert [body["searchText"] for body in asked] == ["install"]
    assert "parentId" not in asked[0]
    app.role("searchbox").fill("")
    app.has(8)


def test_a_search_without_results_says_so_and_can_be_taken_back(app: Demo) -> None:
    app.folders("Guides")
    app.types("nothing like it")
    app.library.says("No article or tag has")
    app.click("Clear the search")
    expect(app.articles.first).to_contain_text("Install")
    expect(app.role("searchbox")).to_have_value("")


def test_an_old_answer_never_replaces_a_newer_one(app: Demo) -> None:
    match = {"body": {"searchText": "in"}}
    app.fault("delay", ms=6_000, operation="listV2", match=match)
    with app.page.expect_event("requestfailed") as dropped:
        with app.page.expect_request(
            lambda it: '"searchText":"in"' in (it.post_data or "")
        ):
            app.types("in")
        app.types("stall")
        app.has(1)
    assert dropped.value.url.endswith(LIST)
    app.has(1)
    expect(app.articles).to_contain_text("Install")


def test_a_page_that_has_gone_gives_way_to_the_last_one(app: Demo) -> None:
    records = [{"name": f"Sheet {n:02}"} for n in range(11)]
    for count, page, *buttons in (
        (11, "11-11 of 11", "Reload", "Next"),
        (4, "1-4 of 4", "Reload"),
    ):
        dataset = {"id": "d", "name": "Sheets", "collections": records[:count]}
        app.admin("PUT", "/state", {"datasets": [dataset]})
        app.click(*buttons)
        expect(app.pager).to_have_text(page)


@pytest.mark.parametrize("preset", ["missing-fields", "null-fields", "unknown-types"])
def test_odd_items_do_not_break_the_list(app: Demo, preset: str) -> None:
    app.presets(preset)
    app.click("Reload")
    app.read_library()
    app.has(8)
    app.library.never_says("undefined", "null", "1970")
