"""Answers in the console: listed, given next time, seen where they were given."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.e2e.pages import Console, Visit, expect
from tests.e2e.pages.screen import CLIPBOARD

PATH = "/api/x/y"


def ask(console: Console) -> str:
    """What the assistant says."""
    return str(console.complete().json()["choices"][0]["message"]["content"])


def test_an_answer_is_listed_without_an_end_and_removed(console: Console) -> None:
    console.fault("answer", operation=f"POST {PATH}", status=201)
    console.faults.row_says("answer · 201", f"POST {PATH}", "fired 0")
    expect(console.find(".armed time")).to_have_text("")
    console.client.post(PATH)
    console.faults.row_says("fired 1")
    console.click("Remove answer f1")
    console.faults.has(0)
    assert console.armed() == []


def test_a_path_that_nothing_serves_is_answered_next_time(console: Console) -> None:
    console.client.post(PATH)
    form = console.answers_next()
    for name, value in (("operation", f"POST {PATH}"), ("status", "200")):
        expect(form.field(name)).to_have_value(value)
    expect(form.field("json")).to_have_value("{}")
    form.add(status="202", json='{"a": [1]}')
    console.notices(f"An answer for POST {PATH} added.")
    console.drawer.is_gone()
    answer = console.client.post(PATH)
    assert (answer.status_code, answer.json()) == (202, {"a": [1]})
    assert console.client.post(PATH).status_code == 404


def test_without_times_an_operation_is_answered_so_until_the_reset(
    console: Console,
) -> None:
    console.list(parentId=None)
    form = console.answers_next()
    expect(form.field("operation")).to_have_value("listV2")
    answered = console.entries()[0]["answer"]["body"]
    form.add(times="")
    console.faults.has(1)
    (answer,) = console.armed()
    assert (answer["json"], answer["times"], answer["status"]) == (answered, None, 200)
    assert not any(answer["match"].values())


def test_the_next_completion_says_another_text(console: Console) -> None:
    said = ask(console)
    form = console.answers_next()
    expect(form.field("text")).to_have_value(said)
    form.add(text="One.\nTwo.")
    console.faults.row_says("reply", "1 left")
    assert [ask(console) for _ in range(2)] == ["One.\nTwo.", said]


def test_after_a_stream_the_text_is_left_to_write(console: Console) -> None:
    console.complete(stream=True)
    form = console.answers_next()
    expect(form.field("text")).to_have_value("")
    form.add(text="Friday.")
    console.drawer.is_gone()
    assert ask(console) == "Friday."


def test_a_body_that_was_cut_is_said_to_be(console: Console) -> None:
    console.fault("answer", operation=f"GET {PATH}", text="x" * 10_000, times=1)
    console.client.get(PATH)
    form = console.answers_next()
    form.says("The body was longer; the journal kept this part.")
    expect(form.field("text")).to_have_value("x" * 8192)


def test_a_mistake_is_said_beside_its_field(console: Console) -> None:
    console.client.post(PATH)
    form = console.answers_next()
    form.add(operation="POST api")
    form.says("Expected")
    expect(form.field("operation")).to_have_attribute("aria-invalid", "true")
    form.add(operation=f"POST {PATH}", json="{")
    form.says("This is no JSON")
    assert console.armed() == []
    assert console.refused == [(400, "/__admin/faults")]
    console.refused.clear()


def test_an_answer_that_can_never_fire_is_told(console: Console) -> None:
    console.client.post(PATH)
    console.fault("answer", operation=f"POST {PATH}", json={})
    console.answers_next().add()
    console.notices("can never fire: f1, added before")


def test_which_answer_was_given_is_told(console: Console) -> None:
    console.fault("answer", operation="listV2", json={})
    console.list()
    expect(console.rows.first.locator(".mark").first).to_have_text("answer")
    console.row_opens().says("Answer f1 was given here.")


def test_what_nothing_serves_is_copied_as_responses(visit: Visit) -> None:
    console = visit(permissions=CLIPBOARD)
    console.list()
    console.stream.lists(1)
    expect(console.button("Copy as responses")).to_be_hidden()
    for method, path in (("POST", PATH), ("HEAD", "/a%20b,c"), ("POST", PATH)):
        console.client.request(method, path)
    console.click("Copy as responses")
    expect(console.stream.root.get_by_text("Copied")).to_be_visible()
    text = console.clipboard()
    assert f"- {{method: POST, path: {PATH}, status: 200, json: {{}}}}\n" in text
    console.admin("PUT", "/state", console.state() | yaml.safe_load(text))
    assert console.client.get("/a%20b,c").json() == {}
    assert len(console.admin("GET", "/responses")["responses"]) == 2


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}])
def test_the_form_hinders_nobody(visit: Visit, options: dict[str, Any]) -> None:
    console = visit(axe=True, **options)
    console.fault("answer", operation=f"POST {PATH}", json={})
    console.client.post(PATH)
    console.client.post("/api/other")
    expect(console.rows).to_have_count(2)
    console.row_opens(1)
    console.hinders_nobody()
    console.drawer.click("Answer next …")
    console.drawer.field("status").wait_for()
    console.hinders_nobody()
