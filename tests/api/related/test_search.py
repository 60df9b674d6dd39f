"""searchTest: lexical scores of the service's shape."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from mock_server.domain.datasets.texts import parts_of, score, tokens_of
from tests.api.related.world import DATASET, insert, related_routes, send
from tests.conftest import MakeApi
from tests.support import Api

SEARCH = "/api/core/dataset/searchTest"


def search(api: Api, text: str, **fields: Any) -> Any:
    """What is found of a text."""
    answer = send(api, "POST", SEARCH, {"datasetId": DATASET, "text": text, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def test_the_limit_counts_tokens(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    for n in range(5):
        insert(api, f"{n} " + "same words " * 8)
    assert len(search(api, "same words")["list"]) == 5
    assert len(search(api, "same words", limit=50)["list"]) == 3
    assert len(search(api, "same words", limit=1)["list"]) == 1


def test_a_search_that_finds_nothing_says_that_rows_are_in_training(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    api.admin("PUT", "/choices", {"choices": {"training": "stepped"}})
    text = {"datasetId": DATASET, "name": "News", "text": "We moved to Ulm."}
    send(api, "POST", "/api/core/dataset/collection/create/text", text)
    assert search(api, "Ulm")["list"] == []
    assert "the dataset has rows in training" in api.journal()[-1]["hint"]
    api.admin("POST", "/clock/advance", {"seconds": 5})
    assert len(search(api, "Ulm")["list"]) == 1


def test_without_a_text_parameters_were_missing_before_fields_were_checked(
    make_api: MakeApi,
) -> None:
    for version, told in (("4.14", "missingParams"), ("4.16", "zodError")):
        api = related_routes(make_api, version=version)
        answer = send(api, "POST", SEARCH, {"datasetId": DATASET, "text": ""})
        assert told in answer.text


def test_a_score_is_the_share_of_pairs_that_a_text_contains() -> None:
    assert parts_of("Pay NOW, a") == ("pa", "ay", "no", "ow", "a")
    assert score(parts_of("ab cd"), "xxabxx") == 0.5
    assert score(parts_of("退款政策"), "政策") == round(1 / 3, 4)
    assert score(parts_of("?!"), "?!") == 0
    assert len(parts_of("".join(map(chr, range(0x4E00, 0x4F00))))) == 64
    assert tokens_of("four") == 1
    assert tokens_of("退款") == 2


def test_a_longer_text_never_scores_less() -> None:
    parts = parts_of("a question of some length")
    texts = ["", "a", "a question", "a question of", "a question of some length"]
    scores = [score(parts, text) for text in texts]
    assert all(one <= other for one, other in pairwise(scores))
