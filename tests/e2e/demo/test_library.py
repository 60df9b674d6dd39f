"""The collections of a dataset: folders, pages, search."""

from __future__ import annotations

import pytest

from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.demo.browsing import LIST_PATH, PRODUCTS, App

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect


def test_folders_lead_in_and_the_path_leads_out(app: App) -> None:
    expect(app.articles).to_have_count(8)
    app.folder("Guides")
    app.folder("Administration")
    expect(app.articles.first).to_contain_text("Users and permissions")
    path = app.page.get_by_role("navigation", name="Folders")
    expect(path).to_have_text("All articlesGuidesAdministration")
    path.get_by_role("button", name="Guides").click()
    expect(app.articles).to_have_count(4)
    path.get_by_role("button", name="All articles").click()
    expect(app.articles).to_have_count(8)


def test_a_long_folder_is_paged_by_ten(app: App) -> None:
    app.page.get_by_label("Dataset").select_option(PRODUCTS)
    app.folder("Products")
    status = app.page.locator(".pager").get_by_role("status")
    expect(status).to_have_text("1-10 of 25")
    expect(app.button("Previous")).to_be_disabled()
    app.button("Next").click()
    expect(status).to_have_text("11-20 of 25")
    app.button("Next").click()
    expect(status).to_have_text("21-25 of 25")
    expect(app.articles).to_have_count(5)
    expect(app.button("Next")).to_be_disabled()
    app.button("Previous").click()
    expect(status).to_have_text("11-20 of 25")
    assert {body["pageSize"] for body in app.lists()} == {10}


def test_what_is_disabled_tagged_or_learning_is_shown_so(app: App) -> None:
    withdrawn = app.articles.filter(has_text="Price list 2023")
    expect(withdrawn.locator(".mark")).to_have_text("Disabled")
    expect(withdrawn.locator(".tag")).to_have_text("prices")
    feed = app.articles.filter(has_text="Release notes feed")
    expect(feed).to_contain_text("112 entries")
    expect(feed.locator(".mark")).to_have_text("Learning 5")


def test_a_search_asks_once_and_looks_into_all_folders(app: App) -> None:
    before = len(app.lists())
    app.page.clock.install()  # however long the keys take, there is no pause between
    app.page.clock.pause_at(4102444800)
    app.search("install")
    app.page.clock.resume()
    expect(app.articles).to_have_count(1)
    expect(app.articles).to_contain_text("Install")
    asked = app.lists()[before:]
    assert [body["searchText"] for body in asked] == ["install"]
    assert "parentId" not in asked[0]
    app.page.get_by_role("searchbox").fill("")
    expect(app.articles).to_have_count(8)


def test_a_search_without_results_says_so_and_can_be_taken_back(app: App) -> None:
    app.folder("Guides")
    app.search("nothing like it")
    expect(app.part("Library")).to_contain_text("No article or tag has")
    app.button("Clear the search").click()
    expect(app.articles.first).to_contain_text("Install")
    expect(app.page.get_by_role("searchbox")).to_have_value("")


def test_an_old_answer_never_replaces_a_newer_one(app: App) -> None:
    match = {"body": {"searchText": "in"}}
    app.fault("delay", ms=6_000, operation="listV2", match=match)
    with app.page.expect_event("requestfailed") as dropped:
        with app.page.expect_request(
            lambda it: '"searchText":"in"' in (it.post_data or "")
        ):
            app.search("in")
        app.search("stall")
        expect(app.articles).to_have_count(1)
    assert dropped.value.url.endswith(LIST_PATH)
    expect(app.articles).to_have_count(1)
    expect(app.articles).to_contain_text("Install")


def test_an_empty_folder_says_so(app: App) -> None:
    app.folder("Empty folder")
    expect(app.part("Library")).to_contain_text("This folder is empty.")
    expect(app.button("Next")).to_be_disabled()


def test_a_page_that_has_gone_gives_way_to_the_last_one(app: App) -> None:
    names = [f"Sheet {n:02}" for n in range(11)]
    records = [{"name": name} for name in names]
    datasets = [{"id": "d", "name": "Sheets", "collections": records}]
    app.admin("PUT", "/state", {"datasets": datasets})
    app.button("Reload").click()
    app.button("Next").click()
    status = app.page.locator(".pager").get_by_role("status")
    expect(status).to_have_text("11-11 of 11")
    datasets[0]["collections"] = records[:4]
    app.admin("PUT", "/state", {"datasets": datasets})
    app.button("Reload").click()
    expect(status).to_have_text("1-4 of 4")


@pytest.mark.parametrize("preset", ["missing-fields", "null-fields", "unknown-types"])
def test_odd_items_do_not_break_the_list(app: App, preset: str) -> None:
    app.admin("POST", "/faults", {"preset": preset})
    app.button("Reload").click()
    app.page.locator("#library .panel[aria-busy=false]").wait_for()
    expect(app.articles).to_have_count(8)
    expect(app.part("Library")).not_to_contain_text("undefined")
    expect(app.part("Library")).not_to_contain_text("null")
    expect(app.part("Library")).not_to_contain_text("1970")
