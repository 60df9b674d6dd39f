"""A client in the page: any operation, fields and key; and why something is missing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mock_server.fixture.source.files import shipped_path
from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.console import PIN, PINNED
from tests.e2e.pages.screen import APP, CHAT, DARK, GUIDES, HANDBOOK, PARCEL, PHONE
from tests.support import LIST

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
BASE = {"offset": 0, "datasetId": HANDBOOK}


def test_a_pin_can_be_tried(console: Console) -> None:
    form = console.trying.choose("updateHistory")
    form.field("chatId").select_option(CHAT)
    console.trying.send("updateHistory")
    console.shows(PINNED)
    assert console.top()


def test_a_related_route_can_be_tried_and_what_it_changes_is_seen(
    console: Console,
) -> None:
    console.choose(related_routes="on")
    form = console.trying.choose("getHistories")
    form.unfold("More fields")
    form.field("appId").select_option(APP)
    console.trying.send("getHistories")
    console.trying.answer.says(PARCEL)
    form = console.trying.choose("delHistory")
    form.field("chatId").select_option(CHAT)
    form.click("Send")
    console.lacks(PIN)
    assert console.top() is None
    called = [each["operation"] for each in console.entries()]
    assert called == ["getHistories", "delHistory"]


def test_any_operation_that_is_described_can_be_tried(visit: Visit) -> None:
    console = visit(path=None)
    document = console.client.get("/openapi.json").json()
    types = {"datasetId": "string", "size": "integer", "deep": "boolean"}
    properties: dict[str, Any] = {name: {"type": it} for name, it in types.items()}
    properties["after"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    properties["note"] = {"type": "string"}
    schema = {"properties": properties, "required": ["datasetId", "size"]}
    content = {"schema": schema, "examples": {"one": {"value": {"size": 3}}}}
    body = {"content": {"application/json": content}}
    document["paths"][LIST] = {"post": {"operationId": "a", "requestBody": body}}
    described = f"{console.server.url}/openapi.json"
    console.page.route(described, lambda route: route.fulfill(json=document))
    console.open()
    form = console.trying.choose("a")
    form.unfold("More fields")
    form.field("deep").select_option("true")
    form.field("When after is empty").select_option("null")
    form.click("Send")
    expect(console.rows).to_have_count(1)
    (entry,) = console.entries()
    sent = {"datasetId": HANDBOOK, "size": 3, "deep": True, "after": None}
    assert entry["request"]["body"] == sent
    console.faults.shows("Fail next listV2", "Fail next updateHistory")


def test_a_failure_is_shown_as_what_it_is(console: Console) -> None:
    for fault, shown in (
        ({"kind": "error", "status": 502, "message": "Bad day."}, "Bad day."),
        ({"kind": "malformed_json"}, "This is no JSON."),
        # A browser asks again by itself on each of its old connections.
        ({"kind": "empty", "times": 100}, "The server gave no answer."),
    ):
        console.fault(**fault)
        console.trying.form().click("List")
        console.trying.says(shown)


def test_the_parent_is_sent_as_it_is_chosen_picked_or_typed(console: Console) -> None:
    trying, parent = console.trying, console.trying.field("parentId")
    modes: dict[str, dict[str, Any]] = {
        "left out": {},
        "null: top level": {"parentId": None},
        '"": empty text': {"parentId": ""},
    }
    for mode, sent in modes.items():
        parent.select_option(label=mode)
        assert trying.send() == BASE | sent
    trying.click("Pick a folder")
    dialog = console.part("dialog", "Choose a folder")
    dialog.role("treeitem", "Guides", exact=False).click()
    dialog.click("Choose")
    trying.form().says("Guides")
    assert trying.send()["parentId"] == GUIDES
    trying.says("4 of 4 collections")
    parent.select_option(label="left out")
    trying.click("Pick a folder")
    console.role("treeitem", "Top level", exact=False).dblclick()
    assert trying.send()["parentId"] is None
    parent.select_option(label="a folder")
    trying.field("Id of the folder").fill(GUIDES)
    assert trying.send()["parentId"] == GUIDES


def test_each_optional_field_can_be_left_out_or_be_empty(console: Console) -> None:
    trying = console.trying
    empty = trying.field("When searchText is empty")
    assert "searchText" not in trying.send()
    empty.select_option(label="empty text")
    assert trying.send()["searchText"] == ""
    assert trying.searches("x")["searchText"] == "x"
    empty.select_option(label="left out")
    assert "searchText" not in trying.send()
    trying.form().unfold("More fields")
    trying.field("any others, as JSON").fill('{"selectFolder": true}')
    assert trying.send()["selectFolder"] is True
    trying.says("1 violation")


def test_keys_are_listed_with_their_levels(visit: Visit) -> None:
    console = visit(shipped_path("permissions.yaml"))
    key = console.trying.field("API key")
    levels = "owner · owner, manager · manage, writer · write, reader · read"
    listed = [f"fastgpt-{each}" for each in f"{levels}, outsider · none".split(", ")]
    listed += ["none", "another key …"]
    expect(key.locator("option")).to_have_text(listed)
    key.select_option(label="fastgpt-outsider · none")
    console.trying.send()
    (entry,) = console.entries()
    assert (entry["member"], entry["answer"]["status"]) == ("tmb-outsider", 403)


def test_another_key_and_none_can_be_sent(console: Console) -> None:
    key = console.trying.field("API key")
    key.select_option(label="another key …")
    console.trying.field("Another API key").fill("my-own-key-1")
    console.trying.send()
    key.select_option(label="none")
    console.trying.send()
    first, second = console.entries()
    assert first["key"].startswith("my-o")
    assert (second["key"], second["answer"]["status"]) == (None, 401)


def test_a_sandbox_has_keys_of_its_own(console: Console) -> None:
    made = console.admin("POST", "/sandboxes", {"name": "mine"})
    console.sandbox.select_option("mine")
    key = console.trying.field("API key")
    expect(key).to_have_value(made["key"])
    console.trying.form().click("List")
    console.trying.says("x-mock-sandbox: mine")
    console.sandbox.select_option("default")
    expect(key).to_have_value("fastgpt-owner")
    console.trying.never_says("x-mock-sandbox")


def test_every_operation_is_in_one_list_the_documented_first(console: Console) -> None:
    paths = console.client.get("/openapi.json").json()["paths"].items()
    # An address with a token is none to be tried: an answer gives it.
    routes = (methods for path, methods in paths if not path.endswith("/{token}"))
    described = {each["operationId"] for methods in routes for each in methods.values()}
    names = console.trying.offered.all_text_contents()
    assert set(names[:2]) == {"listV2", "updateHistory"}
    assert (set(names), len(names)) == (described, len(described))
    labels = "its => its.map((it) => it.label)"
    groups = console.trying.find("optgroup").evaluate_all(labels)
    assert groups == ["Documented", "Related routes"]


def test_an_operation_is_found_by_the_words_of_its_summary(console: Console) -> None:
    console.search("unpin session")
    console.option("updateHistory").click()
    console.trying.form("updateHistory").is_open()
    expect(console.trying.chooser).to_have_value("updateHistory")
    console.at("#/requests/try/updateHistory")


def test_what_was_put_in_stays_for_each_operation(console: Console) -> None:
    trying = console.trying
    trying.field("searchText").fill("kept")
    trying.choose("updateHistory").field("top").uncheck()
    expect(trying.choose("listV2").field("searchText")).to_have_value("kept")
    expect(trying.choose("updateHistory").field("top")).not_to_be_checked()


def test_a_file_can_be_uploaded(console: Console) -> None:
    console.choose(related_routes="on")
    form = console.trying.choose("localFile")
    upload: Any = {"name": "news.txt", "mimeType": "text/plain", "buffer": b"Good."}
    form.field("file").set_input_files(upload)
    form.click("Send")
    console.trying.answer.says("collectionId")
    found = console.admin("GET", f"/datasets/{HANDBOOK}/collections")["collections"]
    assert "news.txt" in [each["name"] for each in found]


def test_a_list_is_tried_and_answered_by_a_table_or_json(console: Console) -> None:
    trying = console.trying
    trying.searches("manual")
    trying.answer.says("Manual entries")
    trying.says("1 of 1 collections")
    (entry,) = console.entries()
    assert (entry["operation"], entry["violations"]) == ("listV2", [])
    trying.field("searchText").fill("")
    trying.send()
    heads = trying.answer.role("columnheader")
    expect(heads.first).to_have_text("name")
    names = heads.all_text_contents()
    assert names[:3] == ["name", "type", "tags"]
    ids = {"_id", "parentId", "tmbId", "externalFileId"}
    assert set(names[-4:]) == ids
    trying.click("JSON")
    trying.answer.says('"statusText": ""')
    expect(trying.button("JSON")).to_have_attribute("aria-pressed", "true")
    trying.click("Table")
    expect(trying.answer.role("row")).to_have_count(9)
    trying.role("button", "Guides", exact=False).click()  # a folder of the answer
    trying.says("4 of 4 collections")
    expect(trying.field("Id of the folder")).to_have_value(GUIDES)
    assert console.entries()[-1]["request"]["body"] == BASE | {"parentId": GUIDES}


def test_pages_are_turned(console: Console) -> None:
    trying = console.trying
    trying.field("pageSize").fill("3")
    trying.send()
    expect(trying.button("Previous page")).to_be_disabled()
    for offset in ("3", "6"):
        trying.click("Next page")
        expect(trying.field("offset")).to_have_value(offset)
    trying.says("2 of 8 collections")
    expect(trying.button("Next page")).to_be_disabled()
    trying.click("Previous page")
    trying.says("3 of 8 collections")


def test_an_answer_tells_its_facts_and_leads_to_the_request(console: Console) -> None:
    trying = console.trying
    trying.field("pageSize").fill("99")
    trying.send()
    trying.says("400", " ms", "x-mock-generation: 1", "#1 · 1 violation")
    trying.role("link", "1 violation", exact=False).click()
    console.drawer.says("page_size_over_limit")


def test_why_install_is_not_found_at_the_root_is_one_click_away(
    console: Console,
) -> None:
    trying = console.trying
    assert trying.searches("install")["parentId"] is None
    why = trying.asks_why()
    why.says("matches none of the 8 collections at the top level")
    stages = why.role("listitem")
    expect(stages).to_contain_text(["17 in all", "8 left, 9 out", "0 left, 8 out"])
    expect(stages.filter(has_text="8 left, 9 out")).to_have_class("cause")
    why.click("Leave out parentId")
    trying.says("1 of 1 collections")
    assert "parentId" not in console.entries()[-1]["request"]["body"]
    expect(trying.field("parentId")).to_have_value("omitted")


def test_a_remedy_may_be_another_choice(console: Console) -> None:
    console.choose(related_routes="off")
    console.trying.searches("install")
    console.trying.asks_why()
    console.click("Choose search_scope=dataset")
    console.trying.says("1 of 1 collections")
    choices = console.admin("GET", "/choices")["choices"]
    assert (choices["search_scope"], choices["related_routes"]) == ("dataset", "off")


@pytest.mark.parametrize("wanted", ["Install", "16ef1ab2128760f9ca9d8c85"])
def test_why_an_item_is_missing_is_explained_by_name_or_id(
    console: Console, wanted: str
) -> None:
    console.trying.send()
    console.click("Why is an item missing?")
    why = console.trying.why
    why.field("Name or _id of the item").fill(wanted)
    why.click("Explain")
    why.says("Guides / Install")
    expect(why.find(".cause")).to_contain_text("Folder")
    why.click(f'Send parentId "{GUIDES}" (Guides)')
    why.says("is on the page: number 1 of the 4 that match")
    console.trying.says("4 of 4 collections")


def test_of_several_items_of_a_name_one_is_chosen_and_of_none_it_is_said(
    visit: Visit,
) -> None:
    inner = {"_id": "in", "name": "In", "children": [{"_id": "x", "name": "Twin"}]}
    twice = [inner, {"_id": "y", "name": "Twin"}]
    console = visit({"datasets": [{"id": "d", "collections": twice}]})
    trying = console.trying
    trying.send()
    trying.asks_why("Twin")
    trying.shows("Twin")
    trying.click("In / Twin")
    trying.says("In / Twin")
    expect(trying.find(".cause")).to_contain_text("Folder")
    trying.send()
    trying.asks_why("nowhere")
    unknown = 'No dataset has a collection with the _id "nowhere"'
    trying.says(unknown, "No setting shows it.")


@pytest.mark.parametrize("look", [{}, DARK, PHONE])
def test_no_serious_hindrance_is_in_answers_explanations_and_choices(
    visit: Visit, look: dict[str, Any]
) -> None:
    console = visit(axe=True, **look)
    if look == PHONE:
        console.click("Requests")
    trying = console.trying
    trying.searches("install")
    trying.asks_why()
    console.shows("Leave out parentId")
    trying.form().unfold("More fields")
    console.click("Leave out parentId")
    trying.part("table").is_open()
    console.click("Pick a folder")
    expect(console.role("treeitem", "Guides", exact=False)).to_be_visible()
    console.hinders_nobody()


def pick(console: Console) -> None:
    """Open the picker from the form, whatever is open above that."""
    button = console.trying.button("Pick a folder")
    button.evaluate("it => it.click()")


def picked(console: Console) -> str:
    """The id of the folder that the form has once the picker is closed."""
    expect(console.find("dialog.picker")).to_have_count(0)
    return console.trying.field("Id of the folder").input_value()


@pytest.fixture
def deep(visit: Visit) -> Any:
    """The console of a dataset with 10,000 folders, and the picker above it."""
    console = visit(DEEP)
    expect(console.trying.field("datasetId")).to_have_value("d")
    console.asked.clear()
    pick(console)
    return console


def test_a_folder_is_picked_with_the_keyboard_or_none(deep: Console) -> None:
    tree = deep.part("tree")
    expect(tree.role("treeitem", "Top level", exact=False)).to_be_visible()
    expect(tree.root).to_be_focused()
    deep.press("ArrowDown", "ArrowRight")
    expect(tree.role("treeitem", "A")).to_have_attribute("aria-expanded", "true")
    deep.press("ArrowRight")
    inner = tree.role("treeitem", "b")
    expect(inner).to_have_attribute("aria-selected", "true")
    expect(inner).to_have_attribute("aria-level", "2")
    deep.dialog.says("A / b")
    deep.press("Enter")
    assert picked(deep) == "b"
    pick(deep)  # and dismissed
    expect(tree.role("treeitem", "A")).to_be_visible()
    expect(tree.role("treeitem", "File", exact=False)).to_have_count(0)
    deep.press("Escape")
    assert picked(deep) == "b"


def test_ten_thousand_folders_are_no_burden_and_found_by_name(deep: Console) -> None:
    items = deep.role("treeitem")
    expect(items.nth(1)).to_be_visible()
    deep.press("End")
    expect(items.filter(has_text="Folder 10000")).to_be_visible()
    assert items.count() < 30
    assert deep.asked_for("type=folder") <= 3
    name = deep.page.get_by_label("Filter by name")
    name.fill("09999")
    expect(items).to_have_count(1)
    expect(items).to_have_text(re.compile("^Folder 09999"))
    name.press("Enter")
    path = f"/datasets/d/collections/{picked(deep)}"
    assert deep.admin("GET", path)["name"] == "Folder 09999"


def test_the_picker_opens_above_the_side_panel(console: Console) -> None:
    expect(console.trying.field("datasetId")).to_have_value(HANDBOOK)
    console.opens(PARCEL)
    pick(console)
    console.role("treeitem", "Guides", exact=False).click()
    console.click("Choose")
    assert picked(console) == GUIDES
    console.drawer.is_open()


def test_an_empty_server_says_what_to_create_first(visit: Visit) -> None:
    console = visit({})
    console.stream.says("A dataset is needed first")
    console.stream.click("New dataset")
    console.drawer.add(name="First")
    console.collections.says("First")
    (dataset,) = console.state()["datasets"]
    assert dataset["updateTime"][:10] == console.admin("GET", "/clock")["now"][:10]


def test_the_focus_follows_a_remedy_to_the_answer(console: Console) -> None:
    trying = console.trying
    trying.searches("install")
    trying.asks_why().click("Leave out parentId")
    expect(trying.find(".answer .facts")).to_be_focused()
