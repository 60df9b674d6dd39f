"""searchTest: lexical scores of the service's shape."""

from __future__ import annotations

from itertools import pairwise

from mock_server.domain.datasets import texts
from mock_server.domain.datasets.texts import parts_of, tokens_of
from mock_server.domain.objects.pending import complete


def score(question: str, text: str) -> float:
    return complete(texts.score(parts_of(question), text))


def test_a_score_is_the_share_of_pairs_that_a_text_contains() -> None:
    assert parts_of("Pay NOW, a") == ("pa", "ay", "no", "ow", "a")
    assert score("ab cd", "xxabxx") == 0.5
    assert score("退款政策", "政策") == round(1 / 3, 4)
    assert score("?!", "?!") == 0
    assert all(score("ab cd", "x" * at + "ab") == 0.5 for at in range(8_190, 8_194))
    assert len(parts_of("".join(map(chr, range(0x4E00, 0x4F00))))) == 64
    assert tokens_of("four") == 1
    assert tokens_of("退款") == 2


def test_a_longer_text_never_scores_less() -> None:
    longer = ["", "a", "a question", "a question of", "a question of some length"]
    scores = [score("a question of some length", text) for text in longer]
    assert all(one <= other for one, other in pairwise(scores))
