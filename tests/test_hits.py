"""What a test says that searches find."""

from typing import Any

import pytest
from account import Client, mentions, sha256_hex

from mock_server.control import Refused
from mock_server.fixture.load import load_fixture

DATA = [{"_id": "r1", "q": "Refund?", "a": "Ten days."}, {"_id": "r2", "q": "Open?"}]
PRICES = {"_id": "p", "name": "Prices", "forbid": True, "data": [{"_id": "r3", "q": "Cheap?"}]}
COLLECTIONS = [{"_id": "c", "name": "Guide", "rawLink": "http://a/b", "data": DATA}, PRICES]
FIXTURE = {
    "datasets": [
        {"id": "d", "collections": COLLECTIONS},
        {"id": "other", "collections": [{"name": "N", "data": [{"_id": "far", "q": "Far?"}]}]},
    ],
    "faults": [{"kind": "hits", "match": {"question": "declared"}, "rows": [{"row": "r2"}]}],
}
pytestmark = pytest.mark.served(fixture=FIXTURE)
WHERE = {"datasetId": "d", "collectionId": "c", "sourceName": "Guide", "sourceId": "http://a/b"}
ROW = {"id": "r1", "q": "Refund?", "a": "Ten days.", "chunkIndex": 0}
TIME = {"updateTime": "2024-01-01T00:00:00.000Z"}


def search(client: Client, text: str = "x", **more: Any) -> list[Any]:
    """All that a search finds."""
    body = {"datasetId": "d", "text": text} | more
    return list(client.data("POST", "/dataset/searchTest", body)["list"])


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [it["id"] for it in found]


def test_a_search_finds_the_given_rows_in_their_order(client, server):
    server.hits([{"row": "r2", "score": 0.25}, {"row": "r1", "score": 0.52}])
    second, first = search(client)
    assert first["score"] == [{"type": "embedding", "value": 0.52, "index": 1}]
    assert first == ROW | WHERE | TIME | {"score": first["score"]}
    assert second["id"] == "r2" and "a" not in second
    assert second["score"] == [{"type": "embedding", "value": 0.25, "index": 0}]


def test_a_given_row_has_the_form_of_one_that_is_compared(client, server):
    (compared,) = search(client, "Refund?")
    server.hits([{"row": "r1", "score": compared["score"][0]["value"]}])
    assert search(client, "Open?") == [compared]


def test_a_new_row_has_derived_ids(client, server):
    server.hits([{"q": "Rain?", "a": "No.", "score": 0.3}, {"q": "Snow?"}])
    rain, snow = search(client)
    own = {"datasetId": "d", "q": "Rain?", "a": "No.", "chunkIndex": 0, "sourceName": "hits"}
    own |= {"id": sha256_hex('["d","Rain?","No."]')[:24]}
    own |= {"collectionId": sha256_hex('["d","hits"]')[:24]}
    assert rain == TIME | own | {"score": [{"type": "embedding", "value": 0.3, "index": 0}]}
    assert (snow["collectionId"], snow["score"][0]["value"]) == (rain["collectionId"], 1)
    assert snow["id"] != rain["id"] and "a" not in snow


def test_the_scores_are_of_the_kinds_that_a_search_asks_for(client, server):
    server.hits([{"row": "r1", "score": 0.5}])
    (row,) = search(client, searchMode="mixedRecall", usingReRank=True)
    scores = [(it["type"], it["value"]) for it in row["score"]]
    given = [("embedding", 0.5), ("fullText", 0.5), ("reRank", 0.5)]
    assert scores == [*given, ("rrf", 1 / 61)]


def test_limit_and_similarity_do_not_count_for_given_rows(client, server):
    server.hits([{"row": "r1", "score": 0.2}, {"row": "r2", "score": 0.1}, {"row": "r3"}])
    assert ids(search(client, limit=0, similarity=0.9)) == ["r1", "r2", "r3"]


def test_a_limit_that_is_a_whole_number_stays_one(client):
    body = {"datasetId": "d", "text": "x", "limit": 5000, "similarity": 0}
    response = client.post("/api/core/dataset/searchTest", json=body)
    assert '"limit":5000,' in response.text and '"similarity":0,' in response.text


def test_no_rows_are_an_empty_result(client, server):
    with server.hits([]):
        assert search(client, "Refund?") == []
    assert ids(search(client, "Refund?")) == ["r1"]


def test_an_unknown_row_is_left_out_with_a_warning(client, server):
    with pytest.warns(UserWarning, match="row 'gone'"):
        server.hits([{"row": "gone"}, {"row": "r1"}])
    assert ids(search(client)) == ["r1"]


def test_a_row_of_another_dataset_is_left_out(client, server):
    server.hits([{"row": "far"}, {"row": "r1"}])
    assert ids(search(client)) == ["r1"]
    assert ids(search(client, datasetId="other")) == ["far"]


def test_a_row_is_shown_as_it_is_now(client, server):
    server.hits([{"row": "r1"}])
    client.data("PUT", "/dataset/data/update", {"dataId": "r1", "q": "New?"})
    assert search(client)[0]["q"] == "New?"
    client.data("DELETE", "/dataset/data/delete?id=r1")
    assert search(client) == []


def test_what_a_test_adds_goes_before_what_the_fixture_declares(client, server):
    assert ids(search(client, "declared")) == ["r2"]
    server.hits([{"row": "r1"}], times=1)
    server.hits([{"row": "r3"}], times=1)
    assert [ids(search(client, "declared")) for _ in range(4)] == [["r1"], ["r3"], ["r2"], ["r2"]]


def test_a_refused_search_uses_up_no_hits(client, server):
    server.hits([{"row": "r1"}], times=1)
    assert client.code("POST", "/dataset/searchTest", {"datasetId": "no", "text": "x"}) == 404
    assert ids(search(client)) == ["r1"]


def test_hits_that_have_to_fire_fail_their_block(server):
    message = r"^answer f\d+ .*hits"
    with pytest.raises(AssertionError, match=message), server.hits([], times=1):
        pass


def test_the_journal_names_hits_and_replies_that_fired(client, server):
    with server.hits([{"row": "r1"}]) as hits, server.reply("Yes.") as reply:
        search(client)
        assert server.last_call("searchTest")["rule"] == {"id": hits.id, "kind": "hits"}
        server.put_app({"id": "app"})
        client.complete()
        assert server.last_call("completions")["rule"] == {"id": reply.id, "kind": "reply"}


def test_placeholders_are_filled_in_new_rows(client, server):
    server.hits([{"q": "{{body.text}}?", "a": "{{count}}"}])
    (rain,) = search(client, "Rain")
    (snow,) = search(client, "Snow")
    assert (rain["q"], rain["a"]) == ("Rain?", "1")
    assert (snow["q"], snow["a"]) == ("Snow?", "2")


NO_ROWS = ({"score": 1}, {"row": "r1", "q": "x"}, {"row": "r1", "a": "x"})
WRONG = [(it, "row, q a") for it in NO_ROWS]
WRONG += [({"q": "x", "score": 1.5}, "1.5 $.rows[0].score"), ({"row": 5}, "5, $.rows[0].row")]
WRONG += [({"id": "r1"}, "'id' $.rows[0]")]


@pytest.mark.parametrize(("row", "facts"), WRONG)
def test_a_wrong_row_is_refused(server, row, facts):
    with pytest.raises(Refused) as caught:
        server.hits([row])
    assert mentions(caught.value, facts)


def test_a_fixture_names_all_that_is_wrong_with_hits(tmp_path):
    file = tmp_path / "fixture.yaml"
    file.write_text("faults:\n- {kind: hits, rows: [{q: 5}, {score: -1}, {q: a}]}\n", "utf-8")
    with pytest.raises(Exception, match=r"2:27: .* 5,.*\n.*2:39: .* -1"):
        load_fixture(file)
