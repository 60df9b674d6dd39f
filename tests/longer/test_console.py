"""The console in a browser."""

import pytest
from account import LIST, PIN, bearer
from look import LOOKS, Visit, check_look
from playwright.sync_api import Locator, Page, expect

from mock_server import Control, MockServer

APP = "65d8a1f0c3b2a94e7f106a01"
CHAT = "delivery-late"
DATASET = "6593e137231a2be9c5603ba7"
SENT = {"offset": 0, "pageSize": 50, "datasetId": DATASET}
pytestmark = pytest.mark.served(fixture="demo")


def console(visit: Visit, server: MockServer, query: str = "", **options: object) -> Page:
    page = visit(f"{server.url}/__admin/{query}", **options)
    expect(page.locator("#live.on")).to_be_visible()
    expect(page.locator("#rules")).to_be_visible()
    return page


def press(locator: Locator, by: str) -> None:
    """Activate what the mouse or the keyboard alone reaches."""
    if by == "mouse":
        return locator.click()
    page = locator.page
    for _ in range(150):
        if locator.evaluate("it => it === document.activeElement"):
            return page.keyboard.press("Enter")
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {locator}")


BY = pytest.mark.parametrize("by", ["mouse", "keyboard"])


def list_collections(server: MockServer) -> int:
    headers = bearer("any-key")
    return server.http.post(LIST, json=SENT | {"pageSize": 5}, headers=headers).status_code


@BY
def test_a_list_fails_in_two_steps(server, visit, by):
    demo = visit(f"{server.url}/demo/")
    expect(demo.locator("#library")).to_contain_text("Guides")
    page = console(visit, server)
    press(page.get_by_role("button", name="Fail it"), by)
    expect(page.locator("#rules")).to_contain_text("The next listV2 fails with 503.")
    press(demo.get_by_role("button", name="Refresh"), by)
    expect(demo.locator("#library")).to_contain_text("The service has a problem (503)")
    expect(page.locator(".entries")).to_contain_text("503")


@BY
def test_the_next_completion_is_answered_in_three_steps(server, visit, by):
    page = console(visit, server)
    field = page.get_by_label("The next reply in a chat says")
    press(field, by)  # Enter in an empty field sends nothing
    page.keyboard.type("It is raining.")
    press(page.get_by_role("button", name="Set the reply"), by)
    expect(page.locator("#rules .row")).to_have_count(1)
    demo = visit(f"{server.url}/demo/")
    press(demo.locator("#question"), by)
    demo.keyboard.type("The weather?")
    press(demo.get_by_role("button", name="Ask"), by)
    expect(demo.locator("#talk")).to_contain_text("It is raining.")


@BY
def test_a_chat_is_pinned_in_one_step(server, visit, by):
    page = console(visit, server)
    pin = page.get_by_role("button", name="Pin Where is my parcel?")
    press(pin, by)
    expect(pin).to_have_attribute("aria-pressed", "true")
    expect(pin).to_be_focused()
    assert server.chat(APP, CHAT).top
    assert len(server.chat(APP, CHAT).records) == 3


@BY
def test_the_clock_moves_in_two_steps(server, visit, by):
    server.clock.freeze("2026-01-01T00:00:00Z")
    page = console(visit, server)
    press(page.get_by_role("button", name="+1 day"), by)
    expect(page.locator("#clock")).to_contain_text("2026-01-02 00:00:00 UTC")
    expect(page.locator("#clock .said")).to_have_text("The clock was moved: +1 day.")


@pytest.mark.parametrize(("width", "height", "scheme", "locale"), LOOKS)
def test_the_console_looks_well(server, visit, width, height, scheme, locale):
    server.fault("error", times=3)
    server.http.post(LIST, json=SENT, headers=bearer("any-key"))
    server.snapshot("before")
    options = {"width": width, "height": height, "color_scheme": scheme, "locale": locale}
    page = console(visit, server, "?entry=1#control", **options)
    # A wide page shows all parts at once.
    parts = ("data", "requests", "control") if width < 600 else ("control",)
    for part in parts:
        page.goto(f"{server.url}/__admin/?entry=1#{part}")
        expect(page.locator(f"#{part} h2").first).to_be_visible()
        page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true")
        check_look(page)


def test_the_first_view_takes_six_requests(server, visit):
    page = console(visit, server)
    answered = "performance.getEntries().filter((it) => it.responseStatus)"
    files = page.evaluate(f"{answered}.map((it) => it.transferSize)")
    assert len(files) + 1 <= 6  # one is the stream, which does not end
    assert sum(files) <= 60 * 1024


def test_a_wrong_token_is_asked_for_again(visit):
    with MockServer(admin_token="letmein") as server:
        page = visit(f"{server.url}/__admin/")
        field = page.get_by_role("textbox", name="Admin token")
        field.fill("wrong")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("The token is wrong.")
        field.fill("letmein")
        field.press("Enter")
        expect(page.locator("#live.on")).to_be_visible()
        expect(page.locator("#apps")).to_contain_text("Customer support")
        assert page.evaluate("Object.keys(localStorage).length") == 0


def test_an_empty_server_is_filled(visit):
    with MockServer("empty") as server:
        page = console(visit, server)
        expect(page.locator("#data")).to_contain_text("There is no data yet.")
        add = page.locator("#new-dataset")
        add.locator("summary").click()
        add.get_by_label("id").fill("d")
        add.get_by_label("id").press("Enter")
        expect(page.locator("#dataset-d")).to_be_visible()
        page.get_by_text("New collection").click()
        page.locator("#new-collection-name").fill("<b>Guide</b>")
        page.locator("#new-collection-name").press("Enter")
        expect(page.locator("#datasets")).to_contain_text("<b>Guide</b>")
        assert [it.name for it in server.collections("d")] == ["<b>Guide</b>"]


def test_a_collection_is_renamed_disabled_and_deleted(server, visit):
    page = console(visit, server)
    page.locator("#datasets").get_by_label("More for Release notes feed").click()
    page.get_by_label("New name").locator("visible=true").fill("Feed")
    page.get_by_role("button", name="Rename").locator("visible=true").click()
    page.locator("#datasets").get_by_label("More for Feed").click()
    page.get_by_role("button", name="Disable").locator("visible=true").click()
    row = page.locator("#datasets .off", has_text="Feed")
    expect(row).to_contain_text("disabled")
    row.get_by_label("More for Feed").click()
    page.get_by_role("button", name="Delete").locator("visible=true").click()
    expect(row).to_have_count(0)
    expect(page.locator("#datasets .said")).to_have_text("Deleted: Feed.")


@pytest.mark.parametrize(("kind", "id"), [("chat", CHAT), ("app", APP), ("dataset", DATASET)])
def test_new_replaces_nothing(server, visit, kind, id):
    page = console(visit, server)
    page.locator(f"#new-{kind}-open").click()
    for field in page.locator(f"#new-{kind} input").all():
        field.fill(id)
    page.locator(f"#new-{kind}").get_by_role("button", name="Add").click()
    problem = page.locator(f"label:has(#new-{kind}-id) + .wrong")
    expect(problem).to_have_text("This id exists already. Choose another one.")
    expect(page.locator("#state")).to_contain_text("Data: as at the start")


def in_dialog(page: Page, name: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=name).click()


FULL = [f"chat-{CHAT}", APP, DATASET, "guides", "with-rows"]


@pytest.mark.parametrize("id", FULL)
def test_delete_asks_before_content_is_lost(server, visit, id):
    server.put_collection(DATASET, {"_id": "guides", "name": "G", "children": [{"name": "In"}]})
    server.put_collection(DATASET, {"_id": "with-rows", "name": "R", "data": [{"q": "?"}]})
    page = console(visit, server)
    menu = page.locator(f'[id="open-{id}"]')
    menu.click()
    for button in ("Cancel", "Delete"):
        expect(menu).to_have_count(1)
        page.locator(f'[id="menu-{id}"]').get_by_role("button", name="Delete").click()
        expect(page.get_by_role("dialog")).to_contain_text("and all that is in it?")
        check_look(page)
        in_dialog(page, button)
    expect(menu).to_have_count(0)


UPLOADS = [("datasets: [{id: d, collections: [{name: N, type: foldr}]}]", "fixture.yaml:1:50:")]
UPLOADS += [("apps: [{nam: x}]", "fixture.yaml:1:9:")]


def test_data_are_saved_as_a_fixture_and_loaded(visit, tmp_path):
    with MockServer(admin_token="letmein") as server:
        page = visit(f"{server.url}/__admin/")
        page.locator("#token input").fill("letmein")
        page.keyboard.press("Enter")
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a file").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        server.remove_app(APP)
        page.get_by_text("Load a file").click()
        saved = [(file.read_text("utf-8"), "The data of the file")]
        for text, said in [*UPLOADS, *saved]:
            file.write_text(text, "utf-8")
            page.get_by_label("Fixture, in YAML or JSON").set_input_files(file)
            page.get_by_role("button", name="Load").click()
            expect(page.locator("#fixture .said")).to_contain_text(said)
            page.locator("#load").evaluate("it => it.open = true")
            check_look(page)
        assert server.chat(APP, CHAT).title == "Where is my parcel?"


def test_ten_thousand_collections_open(visit):
    items = [{"repeat": 10_000, "name": "Article {n:05}"}]
    with MockServer({"datasets": [{"id": "d", "collections": items}]}) as server:
        page = console(visit, server)
        expect(page.locator("#datasets .pages")).to_contain_text("1 to 100 of 10000")
        page.get_by_text("Next page").click()
        expect(page.locator("#datasets")).to_contain_text("Article 00101")
        page.go_back()
        expect(page.locator("#datasets")).to_contain_text("Article 00001")


def test_a_reset_says_what_it_takes(server, visit):
    server.fault("error")
    server.remove_chat(APP, CHAT)
    page = console(visit, server)
    page.get_by_role("button", name="Reset all").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Rules that were added (1), requests")
    dialog.get_by_role("button", name="Cancel").click()
    assert len(server.rules) == 1
    page.get_by_role("button", name="Reset all").click()
    dialog.get_by_role("button", name="Reset").click()
    expect(page.locator("#state")).to_contain_text("Nothing is set to fail")
    assert server.chat(APP, CHAT).title == "Where is my parcel?"


def test_what_a_person_types_stays_while_data_change(server, visit):
    page = console(visit, server)
    page.get_by_label("More for Where is my parcel?").click()
    name = page.locator(f"#name-chat-{CHAT}")
    name.fill("Half a na")
    pin = {"appId": APP, "chatId": "thanks", "top": True}
    server.http.put(PIN, json=pin, headers=bearer("any-key"))
    pressed = page.get_by_role("button", name="Pin Thank you!")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(name).to_have_value("Half a na")
    expect(name).to_be_focused()


BROKEN = [('{"list": [', "This is not JSON: a quote or a bracket is not closed.")]
BROKEN += [('{"list": [1 2]}', "This is not JSON: look at line 1, column 13.")]


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_broken_json_is_not_sent(server, visit, text, problem):
    page = console(visit, server)
    page.get_by_text("Answer another operation").click()
    field = page.locator("#answer-data")
    field.fill(text)
    page.get_by_role("button", name="Set the answer").click()
    expect(page.locator("label:has(#answer-data) + .wrong")).to_have_text(problem)
    expect(field).to_be_focused()
    expect(field).to_have_value(text)
    assert server.rules == []


def test_an_error_stands_at_its_field(server, visit):
    page = console(visit, server)
    page.locator("#clock-now").fill("tomorrow")
    page.locator("#clock-now").press("Enter")
    expect(page.locator("label:has(#clock-now) + [role=alert]")).to_contain_text("tomorrow")
    expect(page.locator("#clock [role=alert]")).to_be_in_viewport()
    expect(page.locator("#clock-now")).to_have_value("tomorrow")
    page.locator("#clock-now").fill("2026-01-01T00:00:00Z")
    page.locator("#clock-now").press("Enter")
    expect(page.locator("#clock .said")).to_have_text("The clock was set to 2026-01-01T00:00:00Z.")
    expect(page.locator("[aria-invalid]")).to_have_count(0)


def test_a_call_is_held_and_released(server, visit):
    demo = visit(f"{server.url}/demo/")
    expect(demo.locator("#library")).to_contain_text("Guides")
    page = console(visit, server)
    page.get_by_role("button", name="Hold the next call").click()
    expect(page.locator("#rules")).to_contain_text("The next listV2 waits for its release.")
    demo.get_by_role("button", name="Refresh").click()
    page.get_by_role("button", name="Release 1 call").click()
    expect(page.locator("#rules .said")).to_have_text("1 call goes on.")
    expect(page.locator("#rules .row")).to_have_count(0)
    expect(page.locator(".entries")).to_contain_text("200")
    expect(page.locator("#state")).to_contain_text(", 0 with errors or violations")


def test_a_warning_stands_below_what_was_done(server, visit):
    page = console(visit, server)
    page.locator("#fail-operation").select_option("listV2")
    page.locator("#fail-kind").select_option(label="succeeds, but saves nothing")
    page.get_by_role("button", name="Fail it").click()
    expect(page.locator("#failing [role=alert]")).to_contain_text("The next listV2 succeeds")
    warning = "lost_write never fires on listV2, which changes no data"
    expect(page.locator("#failing .warned strong")).to_have_text(warning)
    check_look(page)


@pytest.mark.parametrize(
    ("operation", "kind", "times", "sentence"),
    [
        ("listV2", "fails with 503", "", "The next listV2 fails with 503."),
        ("*", "loses its connection", "", "each loses its connection. Two calls, as a browser"),
        ("*", "is not answered", "", "The next call of any operation is not answered."),
        ("listV2", "gets a wrong total", "3", "The next 3 calls of listV2: each gets a"),
        ("*", "takes at most 5 requests in 10 s", "", "any operation: at most 5 requests in 10 s"),
    ],
)
def test_a_fault_says_what_it_did(server, visit, operation, kind, times, sentence):
    page = console(visit, server)
    page.locator("#fail-operation").select_option(operation)
    page.locator("#fail-kind").select_option(label=kind)
    page.locator("#fail-times").fill(times)
    page.get_by_role("button", name="Fail it").click()
    expect(page.locator("#failing .said")).to_contain_text(sentence)
    expect(page.locator("#rules .row")).to_have_count(1)


def test_a_sentence_goes_when_it_is_true_no_more(server, visit):
    page = console(visit, server)
    for times, sentence in (("", "The next listV2 fails"), ("2", "The next 2 calls of listV2")):
        page.locator("#fail-times").fill(times)
        page.get_by_role("button", name="Fail it").click()
        expect(page.locator("#rules .row")).to_have_count(1)
        expect(page.locator("#failing .said")).to_contain_text(sentence)
        list_collections(server)
        expect(page.locator(".said")).to_have_count(0, timeout=5000)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_head_takes_a_fifth_of_a_phone_at_most(server, visit, locale):
    server.fault("error", times=2)
    list_collections(server)
    server.remove_chat(APP, CHAT)
    server.clock.freeze("2026-01-01T00:00:00Z")
    server.choices["list_order"] = "name"
    page = console(visit, server, width=390, height=844, locale=locale)
    expect(page.locator("#state .marked")).to_have_count(5)
    for item in page.locator("#state li").all():
        expect(item).to_be_in_viewport(ratio=1)
    assert page.get_by_role("tablist").bounding_box()["y"] <= 844 / 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_done_looks_well(server, visit, scheme):
    page = console(visit, server, width=390, color_scheme=scheme)
    page.get_by_role("button", name="Fail it").click()
    expect(page.locator("#failing .said")).to_be_visible()
    check_look(page)
    page.locator("#clock-now").fill("tomorrow")
    page.locator("#clock-now").press("Enter")
    expect(page.locator("#clock .wrong")).to_be_visible()
    check_look(page)


def test_what_was_done_is_said_in_its_place(server, visit):
    page = console(visit, server)
    page.get_by_role("button", name="offline").click()
    expect(page.locator("#failing .said")).to_have_text("Each call loses its connection.")
    expect(page.get_by_role("button", name="offline", pressed=True)).to_be_focused()
    page.get_by_role("button", name="Remove offline").click()
    expect(page.locator("#rules h2 + .said")).to_have_text("Removed: offline.")
    expect(page.locator("#rules h2 + .said")).to_be_focused()
    page.get_by_role("button", name="Pin Thank you!").click()
    pinned = page.locator("#apps .row", has_text="Thank you!")
    expect(pinned.locator(".said")).to_have_text("Pinned: it comes first in lists.")
    page.get_by_text("New dataset").click()
    page.locator("#new-dataset-id").fill("d9")
    page.locator("#new-dataset-id").press("Enter")
    expect(page.locator("#new-dataset + .said")).to_have_text("Added: d9.")
    page.get_by_role("button", name="Reset all").click()
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    expect(page.locator("#state .said")).to_have_text("All is as at the start.")
    expect(page.locator(".said")).to_have_count(1)


def test_a_server_that_is_gone_is_said_so(visit):
    with MockServer() as server:
        page = console(visit, server)
    page.get_by_role("button", name="Fail it").click()
    expect(page.locator("#failing .wrong")).to_have_text("The server does not answer.")


def test_a_server_that_is_back_is_not_said_to_be_gone(visit):
    with MockServer() as server:
        page = console(visit, server)
    expect(page.locator("#notice")).to_have_text("The server does not answer.")
    with MockServer(port=int(server.url.rpartition(":")[2])):
        expect(page.locator("#live.on")).to_be_visible()
        expect(page.locator("#notice")).to_be_hidden(timeout=100)


HIDE = """(isHidden) => {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_a_hidden_page_gives_its_stream_back(server, visit):
    page = console(visit, server)
    with page.expect_event("requestfailed", lambda it: it.url.endswith("/journal/stream")):
        page.evaluate(HIDE, True)
    with page.expect_request("**/journal/stream"):
        page.evaluate(HIDE, False)


def test_a_list_is_used_by_the_keyboard(server, visit):
    for name in ("one", "two"):
        server.snapshot(name)
    list_collections(server)
    page = console(visit, server)
    page.locator("#entry-1").press(" ")
    expect(page.locator("#entry-1")).to_have_attribute("aria-expanded", "true")
    page.locator("#forget-one").press("Enter")
    in_dialog(page, "Delete")
    expect(page.locator("#restore-two")).to_be_focused()


@pytest.mark.parametrize("name", ["Restore", "Clear the list"])
def test_what_cannot_be_undone_is_asked(server, visit, name):
    server.snapshot("before")
    server.remove_app(APP)
    list_collections(server)
    page = console(visit, server)
    page.get_by_role("button", name=name).click()
    in_dialog(page, "Cancel")
    expect(page.locator("#state")).to_contain_text("Data: changed since the start")
    assert len(server.journal) == 1
    page.get_by_role("button", name=name).click()
    in_dialog(page, name)
    expect(page.locator(".said")).to_be_visible()


def test_what_the_server_says_is_in_chinese(server, visit):
    server.http.post(LIST, json={"offset": 0, "datasetId": "no"}, headers=bearer("any-key"))
    page = console(visit, server, locale="zh-CN")
    expect(page.locator(".entry .name").last).to_contain_text("有 3 个知识库")
    page.locator("#fail-kind").select_option('{"kind": "lost_write"}')
    page.locator("#fail").click()
    warning = page.locator("#failing .warned strong")
    expect(warning).to_contain_text("lost_write 对 listV2 不会触发")
    page.locator("#clock-now").fill("x")
    page.locator("#clock-now").press("Enter")
    expect(page.locator("#clock .wrong")).to_contain_text("应为")


def test_tabs_turn_by_the_keyboard(server, visit):
    page = console(visit, server, width=390)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_text(["Data", "Requests", "Control"])
    expect(page.get_by_role("tab", selected=True)).to_have_text("Control")
    tabs.last.focus()
    for key, name in (("ArrowRight", "Data"), ("ArrowRight", "Requests"), ("ArrowLeft", "Data")):
        page.keyboard.press(key)
        expect(page.get_by_role("tab", selected=True)).to_have_text(name)
        expect(page.get_by_role("tabpanel")).to_have_accessible_name(name)
    assert page.url.endswith("#data")


def test_a_long_name_fits_on_a_phone(visit):
    name = "n" * 240
    chats = [{"chatId": name, "title": name}]
    folder = {"_id": name, "name": name, "tags": [name], "children": [{"name": name}]}
    document = {"apps": [{"id": name, "name": name, "chats": chats}]}
    document["datasets"] = [{"id": name, "name": name, "collections": [folder]}]
    with MockServer(document) as server:
        server.http.post("/__admin/sandboxes", json={"name": name[:64]})
        sandbox = Control(server.http, name[:64])
        sandbox.snapshot(name)
        server.http.post(f"/api/{name}", headers=bearer(sandbox.key))
        for part in ("data", "requests", "control"):
            query = f"?entry=1&sandbox={name[:64]}&folder={name}"
            page = visit(f"{server.url}/__admin/{query}#{part}", width=390)
            expect(page.locator(f"#{part} h2").first).to_be_visible()
            check_look(page)
            rows = page.locator(f"#{part} :is(.row, .path, .entry)").all()
            assert rows and all(it.bounding_box()["height"] < 100 for it in rows)
            page.locator(f"#{part} .name").last.hover()
            expect(page.locator(f'#{part} .name[title*="{name}"]')).to_have_count(1)


def test_a_sandbox_is_created_opened_and_deleted(server, visit):
    page = console(visit, server)
    page.locator("#new-sandbox-name").fill("mine")
    page.locator("#new-sandbox-name").press("Enter")
    page.locator("#sandbox-mine").click()
    expect(page.locator("#state")).to_contain_text("Sandbox: mine")
    page.get_by_role("button", name="Pin Where is my parcel?").click()
    expect(page.locator("#state")).to_contain_text("Data: changed")
    assert not server.chat(APP, CHAT).top
    page.get_by_text("Leave").click()
    page.locator("#end-mine").click()
    in_dialog(page, "Delete")
    expect(page.locator("#sandbox-mine")).to_have_count(0)


def test_a_sandbox_that_does_not_exist_leads_to_the_default_one(server, visit):
    sandbox = server.create_sandbox(name="gone")
    page = console(visit, server, "?sandbox=gone")
    sandbox.remove_sandbox()
    expect(page.get_by_role("alert")).to_contain_text("There is no sandbox “gone”")
    expect(page.locator("main > section[inert]")).to_have_count(4)
    check_look(page)
    page.get_by_role("link", name="Open the sandbox default").click()
    expect(page.locator("#state")).to_contain_text("Sandbox: default")
    expect(page.locator("#notice")).to_be_hidden()


def test_the_demo_of_a_sandbox_shows_its_data(server, visit):
    server.http.post("/__admin/sandboxes", json={"name": "mine"})
    server.remove_chat(APP, CHAT)
    page = console(visit, server, "?sandbox=mine")
    for name, number in (("Sandbox: mine", 1), ("Sandbox: default", 0)):
        expect(page.locator("#state")).to_contain_text(name)
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Demo").click()
        expect(opened.value).to_have_url(f"{server.url}/demo/")
        expect(opened.value.locator("#chats")).to_contain_text("Refund")
        expect(opened.value.get_by_text("Where is my parcel?")).to_have_count(number)
        if number:
            page.get_by_text("Leave").click()


def test_a_profile_and_a_choice_are_chosen(server, visit):
    page = console(visit, server)
    page.get_by_role("button", name="fastgpt-4.16").click()
    expect(page.locator("#state")).to_contain_text("Profile: fastgpt-4.16")
    page.locator("#all-choices-open").click()
    page.locator("#choice-list_order").select_option("name")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#state")).to_contain_text("Profile: fastgpt-4.16 + 1")
    assert server.choices["list_order"] == "name"


def test_the_language_is_kept_by_a_link(server, visit):
    page = console(visit, server)
    page.get_by_text("中文").click()
    expect(page.get_by_role("button", name="让它失败")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="让它失败")).to_be_visible()
