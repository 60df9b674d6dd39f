"""The variables that an app declares: their defaults and their types, as in FastGPT 4.16."""

import pytest

pytestmark = pytest.mark.served(profile="fastgpt-4.16")

# A type, and (sent value, kept value) of variables of that type.
TYPES = [
    ("number", [("7", 7), (1.5, 1.5), (True, 1), ("", None), ("not a number", None)]),
    ("number", [(int("9" * 400), None), ([], None), (None, None)]),
    ("string", [(5, "5"), (["a"], '["a"]'), (None, None)]),
    ("boolean", [("TRUE", True), ("yes", False), (0, False), ([], True)]),
    ("object", [('{"a": 1}', {"a": 1}), ("x", {})]),
    ("arrayString", [('["a"]', ["a"]), (5, [5])]),
    (None, [("7", "7")]),
    (5, [("7", "7")]),
]


@pytest.mark.parametrize(("kind", "values"), TYPES)
def test_a_variable_has_the_type_that_its_app_declares(client, kind, values):
    variables = [{"key": "v", "valueType": kind}]
    client.control.put_app({"id": "app", "chatConfig": {"variables": variables}})
    for sent, kept in values:
        reply = client.complete(chatId="k", detail=True, variables={"v": sent}).json()
        assert reply["newVariables"] == {"v": kept}
        assert client.data("GET", "/chat/init?appId=app&chatId=k")["variables"] == {"v": kept}


def test_a_variable_that_was_not_sent_has_its_default(client):
    city = {"key": "city", "label": "City", "valueType": "string", "defaultValue": 5}
    variables = [city, {"key": "mood"}, {"key": ["x"], "defaultValue": 1}]
    client.control.put_app({"id": "app", "chatConfig": {"variables": variables}})
    for sent, shown in (({}, "5"), ({"City": "Bonn"}, "Bonn"), ({}, "Bonn")):
        reply = client.complete(chatId="k", detail=True, variables=sent).json()
        assert reply["newVariables"] == {"city": shown, "['x']": 1}
