"""searchTest: lexical scores of the service's shape."""

from __future__ import annotations

from itertools import pairwise

from mock_server.domain.datasets.texts import parts_of, score, tokens_of


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
