"""A client in the page: any operation, fields and key; and why something is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mock_server.fixture.source.files import shipped
from tests.e2e.chromium import BROWSER_TEST
from tests.e2e.console.browsing import AXE, DARK, PHONE, Console, serious
from tests.e2e.console.conftest import Visit
from tests.support import LIST

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = BROWSER_TEST
expect = pytest.importorskip("playwright.sync_api").expect
APP, CHAT = "65d8a1f0c3b2a94e7f106a01", "delivery-late"
DATASET, GUIDES = "6593e137231a2be9c5603ba7", "65b1c0de9d1448617cba7001"
TRY = "Try it"
DEEP: dict[str, Any] = {
    "datasets": [
        {
            "id": "d",
            "collections": [
                {
                    "_id": "a",
                    "name": "A",
                    "children": [{"_id": "b", "name": "b", "type": "folder"}],
                },
                {"_id": "file", "name": "File", "type": "file"},
                {"repeat": 10_000, "name": "Folder {n:05}", "type": "folder"},
            ],
        }
    ]
}


def form(console: Console, name: str = "listV2") -> Locator:
    """The form of an operation."""
    return console.page.get_by_role("form", name=name, exact=True)


def field(console: Console, label: str, name: str = "listV2") -> Locator:
    """One of its fields."""
    return form(console, name).get_by_label(label, exact=True)


def send(console: Console, name: str = "listV2") -> Any:
    """Send it; gives the body that came, as the journal has it."""
    before = console.admin("GET", "/journal")["total"]
    verb = "List" if name == "listV2" else "Send"
    form(console, name).get_by_role("button", name=verb, exact=True).click()
    link = console.part(TRY).locator(".marks-line a")
    expect(link).to_have_attribute("href", re.compile(rf"#/requests/{before + 1}$"))
    return console.admin("GET", "/journal")["entries"][-1]["request"]["body"]


def options(console: Console) -> Locator:
    """The operations that the open list offers."""
    return console.page.get_by_role("listbox", name="Operations").get_by_role("option")


def choose(console: Console, name: str) -> None:
    """Choose an operation by typing its name."""
    console.part(TRY).get_by_role("combobox", name="Operation").fill(name)
    option = options(console).filter(has=console.page.get_by_text(name, exact=True))
    option.first.click()
    expect(form(console, name)).to_be_visible()


def test_a_list_can_be_tried(console: Console) -> None:
    field(console, "searchText").fill("manual")
    send(console)
    answer = console.part(TRY).get_by_role("region", name="Answer")
    expect(answer).to_contain_text("Manual entries")
    expect(console.part(TRY)).to_contain_text("1 of 1 collections")
    (entry,) = console.admin("GET", "/journal")["entries"]
    assert (entry["operation"], entry["violations"]) == ("listV2", [])


def test_a_pin_can_be_tried(console: Console) -> None:
    choose(console, "updateHistory")
    field(console, "chatId", "updateHistory").select_option(CHAT)
    send(console, "updateHistory")
    expect(console.button("Pinned Where is my parcel?")).to_be_visible()
    chat = console.server.sandbox.chat(APP, CHAT)
    assert chat is not None
    assert chat.top


def test_a_related_route_can_be_tried_and_what_it_changes_is_seen(
    console: Console,
) -> None:
    console.admin("PUT", "/choices", {"choices": {"related_routes": "on"}})
    choose(console, "getHistories")
    form(console, "getHistories").get_by_text("More fields").click()
    field(console, "appId", "getHistories").select_option(APP)
    send(console, "getHistories")
    answer = console.part(TRY).get_by_role("region", name="Answer")
    expect(answer).to_contain_text("Where is my parcel?")
    choose(console, "delHistory")
    field(console, "chatId", "delHistory").select_option(CHAT)
    form(console, "delHistory").get_by_role("button", name="Send").click()
    expect(console.button("Pin Where is my parcel?")).to_have_count(0)
    assert console.server.sandbox.chat(APP, CHAT) is None
    entries = console.admin("GET", "/journal")["entries"]
    called = [each["operation"] for each in entries]
    assert called == ["getHistories", "delHistory"]


def test_any_operation_that_is_described_can_be_tried(visit: Visit) -> None:
    console = visit(path=None)
    document = console.client.get("/openapi.json").json()
    schema = {
        "properties": {
            "datasetId": {"type": "string"},
            "size": {"type": "integer"},
            "deep": {"type": "boolean"},
            "after": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "note": {"type": "string"},
        },
        "required": ["datasetId", "size"],
    }
    content = {"schema": schema, "examples": {"one": {"value": {"size": 3}}}}
    body = {"content": {"application/json": content}}
    document["paths"][LIST] = {"post": {"operationId": "a", "requestBody": body}}
    described = f"{console.server.url}/openapi.json"
    console.page.route(described, lambda route: route.fulfill(json=document))
    console.open()
    choose(console, "a")
    form(console, "a").get_by_text("More fields").click()
    field(console, "deep", "a").select_option("true")
    field(console, "When after is empty", "a").select_option("null")
    form(console, "a").get_by_role("button", name="Send").click()
    expect(console.rows).to_have_count(1)
    (entry,) = console.admin("GET", "/journal")["entries"]
    sent = {"datasetId": DATASET, "size": 3, "deep": True, "after": None}
    assert entry["request"]["body"] == sent
    expect(console.button("Fail next a", "Faults")).to_be_visible()


@pytest.mark.parametrize(
    ("fault", "shown"),
    [
        ({"kind": "error", "status": 502, "message": "Bad day."}, "Bad day."),
        ({"kind": "malformed_json"}, "This is no JSON."),
        # A browser asks again by itself where an old connection is closed.
        ({"kind": "empty", "times": 9}, "The server gave no answer."),
    ],
)
def test_a_failure_is_shown_as_what_it_is(
    console: Console, fault: dict[str, object], shown: str
) -> None:
    console.admin("POST", "/faults", fault)
    console.page.get_by_role("button", name="List", exact=True).click()
    expect(console.part(TRY)).to_contain_text(shown)


@pytest.mark.parametrize(
    ("mode", "sent"),
    [
        ("left out", {}),
        ("null: top level", {"parentId": None}),
        ('"": empty text', {"parentId": ""}),
    ],
)
def test_the_parent_is_sent_as_chosen(
    console: Console, mode: str, sent: dict[str, object]
) -> None:
    field(console, "parentId").select_option(label=mode)
    assert send(console) == {"offset": 0, "datasetId": DATASET} | sent


def test_the_parent_may_be_a_folder_that_is_picked(console: Console) -> None:
    console.button("Pick a folder", TRY).click()
    dialog = console.page.get_by_role("dialog", name="Choose a folder")
    dialog.get_by_role("treeitem", name="Guides").click()
    dialog.get_by_role("button", name="Choose").click()
    expect(form(console)).to_contain_text("Guides")
    assert send(console)["parentId"] == GUIDES
    expect(console.part(TRY)).to_contain_text("4 of 4 collections")


def test_the_parent_may_be_an_id_that_is_typed(console: Console) -> None:
    field(console, "parentId").select_option(label="a folder")
    field(console, "Id of the folder").fill(GUIDES)
    assert send(console)["parentId"] == GUIDES


def test_the_picked_top_level_is_null(console: Console) -> None:
    field(console, "parentId").select_option(label="left out")
    console.button("Pick a folder", TRY).click()
    tree = console.page.get_by_role("tree", name="Folders")
    tree.get_by_role("treeitem", name="Top level").dblclick()
    assert send(console)["parentId"] is None


def test_each_optional_field_can_be_left_out_or_be_empty(console: Console) -> None:
    assert "searchText" not in send(console)
    field(console, "When searchText is empty").select_option(label="empty text")
    assert send(console)["searchText"] == ""
    field(console, "searchText").fill("x")
    assert send(console)["searchText"] == "x"
    field(console, "When searchText is empty").select_option(label="left out")
    assert "searchText" not in send(console)


def test_a_field_that_is_not_documented_can_be_sent(console: Console) -> None:
    form(console).get_by_text("More fields").click()
    field(console, "any others, as JSON").fill('{"selectFolder": true}')
    assert send(console)["selectFolder"] is True
    expect(console.part(TRY)).to_contain_text("1 violation")


def test_keys_are_listed_with_their_levels(visit: Visit) -> None:
    console = visit(shipped("permissions.yaml"))
    key = field(console, "API key")
    names = ("owner", "manager", "writer", "reader", "outsider")
    levels = ("owner", "manage", "write", "read", "none")
    expect(key.locator("option")).to_have_text(
        [f"fastgpt-{n} · {level}" for n, level in zip(names, levels, strict=True)]
        + ["none", "another key …"]
    )
    key.select_option(label="fastgpt-outsider · none")
    send(console)
    (entry,) = console.admin("GET", "/journal")["entries"]
    assert (entry["member"], entry["answer"]["status"]) == ("tmb-outsider", 403)


def test_another_key_and_none_can_be_sent(console: Console) -> None:
    key = field(console, "API key")
    key.select_option(label="another key …")
    field(console, "Another API key").fill("my-own-key-1")
    send(console)
    key.select_option(label="none")
    send(console)
    first, second = console.admin("GET", "/journal")["entries"]
    assert first["key"].startswith("my-o")
    assert (second["key"], second["answer"]["status"]) == (None, 401)


def test_a_sandbox_has_keys_of_its_own(console: Console) -> None:
    made = console.admin("POST", "/sandboxes", {"name": "mine"})
    console.page.get_by_label("Sandbox").select_option("mine")
    key = field(console, "API key")
    expect(key).to_have_value(made["key"])
    form(console).get_by_role("button", name="List").click()
    expect(console.part(TRY)).to_contain_text("x-mock-sandbox: mine")
    console.page.get_by_label("Sandbox").select_option("default")
    expect(key).to_have_value("fastgpt-owner")
    expect(console.part(TRY)).not_to_contain_text("x-mock-sandbox")


def test_every_operation_is_in_one_list_the_documented_first(console: Console) -> None:
    document = console.client.get("/openapi.json").json()
    described = {
        each["operationId"]
        for methods in document["paths"].values()
        for each in methods.values()
    }
    console.part(TRY).get_by_role("combobox", name="Operation").click()
    names = options(console).locator("b").all_text_contents()
    assert set(names[:2]) == {"listV2", "updateHistory"}
    assert (set(names), len(names)) == (described, len(described))
    groups = console.page.get_by_role("listbox").get_by_role("group")
    expect(groups).to_have_count(2)
    expect(groups.first).to_have_accessible_name("Documented")


def test_an_operation_is_found_with_the_keyboard(console: Console) -> None:
    chooser = console.part(TRY).get_by_role("combobox", name="Operation")
    chooser.focus()
    keyboard = console.page.keyboard
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(form(console, "updateHistory")).to_be_visible()
    chooser.fill("application page")
    expect(options(console)).to_have_count(1)
    keyboard.press("Escape")
    expect(chooser).to_have_value("updateHistory")
    expect(console.page.get_by_role("listbox")).to_be_hidden()


def test_what_was_put_in_stays_for_each_operation(console: Console) -> None:
    field(console, "searchText").fill("kept")
    choose(console, "updateHistory")
    field(console, "top", "updateHistory").uncheck()
    choose(console, "listV2")
    expect(field(console, "searchText")).to_have_value("kept")
    choose(console, "updateHistory")
    expect(field(console, "top", "updateHistory")).not_to_be_checked()


def test_a_file_can_be_uploaded(console: Console) -> None:
    console.admin("PUT", "/choices", {"choices": {"related_routes": "on"}})
    choose(console, "localFile")
    upload: Any = {"name": "news.txt", "mimeType": "text/plain", "buffer": b"Good."}
    field(console, "file", "localFile").set_input_files(upload)
    form(console, "localFile").get_by_role("button", name="Send").click()
    expect(console.part(TRY)).to_contain_text("collectionId")
    everything = console.admin("GET", f"/datasets/{DATASET}/collections")["collections"]
    assert "news.txt" in [each["name"] for each in everything]


def test_an_answer_is_a_table_or_json(console: Console) -> None:
    send(console)
    answer = console.part(TRY).get_by_role("region", name="Answer")
    heads = answer.get_by_role("columnheader")
    expect(heads.first).to_have_text("name")
    documented = ["_id", "parentId", "tmbId", "type", "updateTime"]
    assert heads.all_text_contents()[1:6] == documented
    console.button("JSON", TRY).click()
    expect(answer).to_contain_text('"statusText": ""')
    expect(console.button("JSON", TRY)).to_have_attribute("aria-pressed", "true")
    console.button("Table", TRY).click()
    expect(answer.get_by_role("row")).to_have_count(9)


def test_a_folder_of_the_answer_is_opened_by_a_click(console: Console) -> None:
    send(console)
    console.part(TRY).get_by_role("button", name="Guides").click()
    expect(console.part(TRY)).to_contain_text("4 of 4 collections")
    expect(field(console, "Id of the folder")).to_have_value(GUIDES)
    body = console.admin("GET", "/journal")["entries"][-1]["request"]["body"]
    assert body == {"offset": 0, "datasetId": DATASET, "parentId": GUIDES}


def test_pages_are_turned(console: Console) -> None:
    field(console, "pageSize").fill("3")
    send(console)
    expect(console.button("Previous page")).to_be_disabled()
    for offset in ("3", "6"):
        console.button("Next page").click()
        expect(field(console, "offset")).to_have_value(offset)
    expect(console.part(TRY)).to_contain_text("2 of 8 collections")
    expect(console.button("Next page")).to_be_disabled()
    console.button("Previous page").click()
    expect(console.part(TRY)).to_contain_text("3 of 8 collections")


def test_an_answer_tells_status_time_headers_and_violations(console: Console) -> None:
    field(console, "pageSize").fill("99")
    send(console)
    for told in ("400", " ms", "x-mock-generation: 1", "#1 · 1 violation"):
        expect(console.part(TRY)).to_contain_text(told)


def test_the_violations_lead_to_the_request(console: Console) -> None:
    field(console, "pageSize").fill("99")
    send(console)
    console.part(TRY).get_by_role("link", name="1 violation").click()
    expect(console.drawer).to_contain_text("page_size_over_limit")


def test_why_install_is_not_found_at_the_root_is_one_click_away(
    console: Console,
) -> None:
    field(console, "searchText").fill("install")
    assert send(console)["parentId"] is None
    expect(console.part(TRY)).to_contain_text("0 of 0 collections")
    console.button("Why is this empty?").click()
    why = console.part(TRY).get_by_role("region", name="Why", exact=True)
    expect(why).to_contain_text("matches none of the 8 collections at the top level")
    stages = why.get_by_role("listitem")
    expect(stages).to_contain_text(["17 in all", "8 left, 9 out", "0 left, 8 out"])
    expect(stages.filter(has_text="8 left, 9 out")).to_have_class("cause")
    why.get_by_role("button", name="Leave out parentId").click()
    expect(console.part(TRY)).to_contain_text("1 of 1 collections")
    assert (
        "parentId"
        not in console.admin("GET", "/journal")["entries"][-1]["request"]["body"]
    )
    expect(field(console, "parentId")).to_have_value("omitted")


def test_a_remedy_may_be_another_choice(console: Console) -> None:
    console.admin("PUT", "/choices", {"choices": {"related_routes": "off"}})
    field(console, "searchText").fill("install")
    send(console)
    console.button("Why is this empty?").click()
    console.button("Choose search_scope=dataset").click()
    expect(console.part(TRY)).to_contain_text("1 of 1 collections")
    choices = console.admin("GET", "/choices")["choices"]
    assert (choices["search_scope"], choices["related_routes"]) == ("dataset", "off")


@pytest.mark.parametrize("wanted", ["Install", "16ef1ab2128760f9ca9d8c85"])
def test_why_an_item_is_missing_is_explained_by_name_or_id(
    console: Console, wanted: str
) -> None:
    send(console)
    console.button("Why is an item missing?").click()
    why = console.part(TRY).get_by_role("region", name="Why", exact=True)
    why.get_by_label("Name or _id of the item").fill(wanted)
    why.get_by_role("button", name="Explain").click()
    expect(why).to_contain_text("Guides / Install")
    expect(why.locator(".cause")).to_contain_text("Folder")
    why.get_by_role("button", name=f'Send parentId "{GUIDES}" (Guides)').click()
    expect(why).to_contain_text("is on the page: number 1 of the 4 that match")
    expect(console.part(TRY)).to_contain_text("4 of 4 collections")


def test_of_several_items_of_a_name_one_is_chosen(visit: Visit) -> None:
    twice = [
        {"_id": "in", "name": "In", "children": [{"_id": "x", "name": "Twin"}]},
        {"_id": "y", "name": "Twin"},
    ]
    console = visit({"datasets": [{"id": "d", "collections": twice}]})
    send(console)
    console.button("Why is an item missing?").click()
    console.page.get_by_label("Name or _id of the item").fill("Twin")
    console.page.keyboard.press("Enter")
    expect(console.button("Twin", TRY)).to_be_visible()
    console.button("In / Twin", TRY).click()
    expect(console.part(TRY)).to_contain_text("In / Twin")
    expect(console.part(TRY).locator(".cause")).to_contain_text("Folder")


def test_an_item_that_nobody_knows_is_said_to_be_unknown(console: Console) -> None:
    send(console)
    console.button("Why is an item missing?").click()
    console.page.get_by_label("Name or _id of the item").fill("nowhere")
    console.page.keyboard.press("Enter")
    expect(console.part(TRY)).to_contain_text('has no collection of the _id "nowhere"')
    expect(console.part(TRY)).to_contain_text("No setting shows it.")


@pytest.mark.skipif(not AXE, reason="needs npm: axe-core, and name it in AXE")
@pytest.mark.parametrize("look", [{}, DARK, PHONE])
def test_no_serious_hindrance_is_in_answers_explanations_and_choices(
    visit: Visit, look: dict[str, Any]
) -> None:
    console = visit(bypass_csp=True, **look)
    console.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    if look == PHONE:
        console.button("Requests").click()
    field(console, "searchText").fill("install")
    send(console)
    console.button("Why is this empty?").click()
    expect(console.button("Leave out parentId")).to_be_visible()
    form(console).get_by_text("More fields").click()
    console.part(TRY).get_by_role("combobox", name="Operation").click()
    assert serious(console) == []
    console.page.keyboard.press("Escape")
    console.button("Leave out parentId").click()
    expect(console.part(TRY).get_by_role("table")).to_be_visible()
    console.button("Pick a folder").click()
    expect(console.page.get_by_role("treeitem", name="Guides")).to_be_visible()
    assert serious(console) == []


def pick(console: Console, dataset: str) -> None:
    """Open the picker as the parts of the page do."""
    console.page.evaluate(
        "async (id) => {"
        "  const { pickFolder } = await import('/__admin/console/data/picker.js');"
        "  pickFolder(id).then((picked) => (window.picked = { picked }));"
        "}",
        dataset,
    )


def picked(console: Console) -> Any:
    """What has been picked; a list, as undefined is no JSON."""
    console.page.wait_for_function("window.picked")
    return console.page.evaluate(
        "'picked' in window.picked && window.picked.picked === undefined"
        " ? [] : [window.picked.picked]"
    )


def test_a_folder_is_picked_with_the_keyboard(visit: Visit) -> None:
    console = visit(DEEP)
    pick(console, "d")
    tree = console.page.get_by_role("tree")
    expect(tree.get_by_role("treeitem", name="Top level")).to_be_visible()
    expect(tree).to_be_focused()
    keyboard = console.page.keyboard
    keyboard.press("ArrowDown")
    keyboard.press("ArrowRight")
    row = tree.get_by_role("treeitem", name="A", exact=True)
    expect(row).to_have_attribute("aria-expanded", "true")
    keyboard.press("ArrowRight")
    inner = tree.get_by_role("treeitem", name="b", exact=True)
    expect(inner).to_have_attribute("aria-selected", "true")
    expect(inner).to_have_attribute("aria-level", "2")
    expect(console.page.get_by_role("dialog")).to_contain_text("A / b")
    keyboard.press("Enter")
    assert picked(console) == ["b"]


def test_a_picker_that_is_dismissed_gives_nothing(visit: Visit) -> None:
    console = visit(DEEP)
    pick(console, "d")
    tree = console.page.get_by_role("tree")
    expect(tree.get_by_role("treeitem", name="A", exact=True)).to_be_visible()
    expect(tree.get_by_role("treeitem", name="File")).to_have_count(0)
    console.page.keyboard.press("Escape")
    assert picked(console) == []
    expect(console.page.get_by_role("dialog")).to_have_count(0)


def test_ten_thousand_folders_are_no_burden(visit: Visit) -> None:
    console = visit(DEEP)
    console.asked.clear()
    pick(console, "d")
    items = console.page.get_by_role("treeitem")
    expect(items.nth(1)).to_be_visible()
    console.page.keyboard.press("End")
    expect(items.filter(has_text="Folder 10000")).to_be_visible()
    assert items.count() < 30
    assert len([url for url in console.asked if "type=folder" in url]) <= 3


def test_folders_are_found_by_name(visit: Visit) -> None:
    console = visit(DEEP)
    pick(console, "d")
    console.page.get_by_label("Filter by name").fill("09999")
    items = console.page.get_by_role("treeitem")
    expect(items).to_have_count(1)
    expect(items).to_have_text(re.compile("^Folder 09999"))
    console.page.get_by_label("Filter by name").press("Enter")
    (found,) = picked(console)
    path = f"/datasets/d/collections/{found}"
    assert console.admin("GET", path)["name"] == "Folder 09999"


def test_the_picker_opens_above_the_side_panel(console: Console) -> None:
    console.button("Where is my parcel?").click()
    expect(console.drawer).to_be_visible()
    pick(console, DATASET)
    console.page.get_by_role("treeitem", name="Guides").click()
    console.page.get_by_role("button", name="Choose", exact=True).click()
    assert picked(console) == [GUIDES]
    expect(console.drawer).to_be_visible()
