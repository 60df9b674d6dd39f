"""The demo's apps reply in the language of the question, and quote what is there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.api.fixture_loading import load_fixture
from mock_server.fixture.source.files import shipped_path
from tests.api.related.world import send
from tests.conftest import MakeApi
from tests.support import Api

SUPPORT, MANUAL = APPS = tuple(load_fixture().apps.values())
ENGLISH = [
    "Hello",
    "I sent order 4711 back a week ago. Where is my refund?",
    "Where is my parcel?",
    "Is the battery covered?",
    "Do you ship to Norway?",
    "How do loops in a workflow end?",
    "Importing a CSV file fails.",
]
CHINESE = [
    "你好",
    "退款要多久？",
    "什么时候送到",
    "我的发票在哪里",
    "能换颜色吗？",
    "如何快速上手？",
    "API 密钥在哪里？",
]


@pytest.fixture
def demo(make_api: MakeApi) -> Api:
    return make_api(shipped_path("demo.yaml"), profile="deployed")


def ask(demo: Api, app: str, question: str) -> Any:
    messages = [{"role": "user", "content": question}]
    body = {"appId": app, "messages": messages, "detail": True}
    answer = send(demo, "POST", "/api/v1/chat/completions", body).json()
    return answer["choices"][0]["message"]["content"]


def is_chinese(text: str) -> bool:
    return any("一" <= each <= "鿿" for each in text)


@pytest.mark.parametrize("app", [each.id for each in APPS])
@pytest.mark.parametrize("question", ENGLISH + CHINESE)
def test_a_question_is_answered_in_its_language(
    demo: Api, app: str, question: str
) -> None:
    said = ask(demo, app, question)
    assert said != question
    assert is_chinese(said) is is_chinese(question)


def test_a_reply_depends_on_no_earlier_question(demo: Api) -> None:
    every = ENGLISH + CHINESE
    first = {each: ask(demo, SUPPORT.id, each) for each in every}
    assert len(set(first.values())) > len(every) / 2
    again = {each: ask(demo, SUPPORT.id, each) for each in reversed(every)}
    assert again == first


def quotes_of(app: Any) -> list[dict[str, Any]]:
    parts = [part for reply in app.replies for part in reply.all_parts]
    return [
        it for part in parts if part.quotes for it in json.loads(bytes(part.quotes))
    ]


@pytest.mark.parametrize("quote", quotes_of(SUPPORT) + quotes_of(MANUAL))
def test_a_quote_is_a_row_of_the_demo(demo: Api, quote: dict[str, Any]) -> None:
    path = "/api/core/dataset/data/detail"
    row = send(demo, "GET", path, {"id": quote["id"]}).json()["data"]
    assert {name: row[name] for name in quote} == quote
