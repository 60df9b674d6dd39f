"""The requests in FastGPT's documentation, in our words: those of test_routes have fewer fields."""

import pytest
from account import PIN
from test_routes import send

from mock_server.service.demo_ids import DEMO_CHAT, DEMO_COLLECTION, DEMO_DATASET
from mock_server.service.operations import OPERATIONS

pytestmark = pytest.mark.served(fixture="demo", profile="fastgpt-4.16")

PARTS = [{"type": "text", "text": "Who?"}, {"type": "image_url", "image_url": {"url": "an image"}}]
PARTS += [{"type": "file_url", "name": "a file", "url": "a link"}]
ASKED = [[{"role": "user", "content": it}] for it in ("Who?", PARTS, '{"one": "a", "two": 6}')]
ROOT = {"parentId": None}
CHUNKS = ROOT | {"trainingType": "chunk", "chunkSize": 512, "chunkSplitter": "", "qaPrompt": ""}
TEXT = ROOT | {"trainingType": "qa", "chunkSettingMode": "auto", "qaPrompt": "", "metadata": {}}
EXTERNAL = {"externalFileId": "222", "createTime": "2024-05-01T00:00:00.000Z", "tags": ["a", "b"]}
CHANGE = ROOT | EXTERNAL | {"name": "Own", "forbid": False}
SEARCH = {"UsingExtensionQuery": True, "ExtensionModel": "any", "ExtensionBg": ""}
PUSHED = {"trainingType": "chunk", "prompt": "Cut.", "billId": "a bill"}
INDEXES = [{"text": "i", "type": "default", "dataId": "d"}, {"text": "j", "type": "custom"}]
REQUESTS = [("completions", {"messages": ASKED[0], "responseChatItemId": "own", "detail": False})]
REQUESTS += [("completions", {"messages": it, "stream": True, "detail": True}) for it in ASKED]
REQUESTS += [("completions", {"messages": ASKED[1], "variables": {"uid": "u"}, "stream": False})]
REQUESTS += [("getHistories", {"pageSize": 20}), ("updateUserFeedback", {"userBadFeedback": "no"})]
REQUESTS += [("getPaginationRecords", {"loadCustomFeedbacks": True})]
REQUESTS += [("v2.createQuestionGuide", {"questionGuide": {"open": True, "model": "any"}})]
REQUESTS += [("dataset.create", ROOT | {"vectorModel": "v", "agentModel": "a", "vlmModel": "i"})]
REQUESTS += [("dataset.list", {"parentId": ""}), ("collection.create", ROOT | {"metadata": {}})]
REQUESTS += [("create.text", TEXT), ("create.link", TEXT | {"metadata": {"webPageSelector": "p"}})]
REQUESTS += [("localFile", CHUNKS | {"metadata": {}}), ("apiCollection", CHUNKS)]
REQUESTS += [("collection.update", CHANGE)]
REQUESTS += [
    ("listV2", {"searchText": ""}),
    ("pushData", PUSHED),
    ("data.list", {"searchText": ""}),
]
REQUESTS += [("data.update", {"a": "A", "indexes": INDEXES}), ("searchTest", {"similarity": 0})]
REQUESTS += [("searchTest", {f"datasetSearch{name}": it for name, it in SEARCH.items()})]


@pytest.mark.parametrize(("name", "fields"), REQUESTS)
def test_a_published_request_succeeds(client, name, fields):
    (operation,) = [it for it in OPERATIONS if it.name == name]
    response = send(client, operation, fields)
    assert response.status_code == 200, response.text


def test_published_requests_with_other_fields_than_our_examples_succeed(client):
    assert client.put(PIN, json=DEMO_CHAT | {"customTitle": "Own"}).status_code == 200
    change = CHANGE | {"datasetId": DEMO_DATASET}
    assert client.code("POST", "/dataset/collection/update", change) == 200
    ids = {"collectionIds": [DEMO_COLLECTION]}
    assert client.code("DELETE", "/dataset/collection/delete", ids) == 200
