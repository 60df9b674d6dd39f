"""Names and sentences in a language, of words that Faker makes up.

Faker takes up to 100 µs for each and fixtures have millions: some are drawn at the
start, and chance puts them together.
"""

from collections.abc import Callable, Mapping, Sequence

from faker import Faker

from mock_server.generating.chance import Chance
from mock_server.generating.words import WORDS, Forms, Kind

_DRAWN = 250


class Names:
    """Names for the records of one kind; `seed` and `locale` are a plan's."""

    def __init__(self, seed: int, locale: str) -> None:
        self.words = WORDS[locale]
        fake = Faker(self.words.faker)
        fake.seed_instance(seed)
        self._drawn: Mapping[Kind, Sequence[str]] = {
            "company": _some(fake.company),
            "person": _some(fake.name),
            "city": _some(fake.city),
            "job": _some(fake.job),
        }
        ends = self.words.full_stop
        said = _some(fake.sentence)
        self._sentences = [each.rstrip(".。") + ends for each in said]

    def company(self, chance: Chance, form: str) -> str:
        """A form with a company."""
        return form.format(chance.pick(self._drawn["company"]))

    def name(self, chance: Chance, forms: Forms, year: str = "") -> str:
        """One of the forms with a name."""
        form, kind = chance.pick(forms)
        return form.format(chance.pick(self._drawn[kind]), year=year)

    def text(self, chance: Chance, sentences: int = 1) -> str:
        """A text of so many sentences."""
        said = (chance.pick(self._sentences) for _ in range(sentences))
        return self.words.space.join(said)


def _some(make: Callable[[], str]) -> Sequence[str]:
    """Some texts, each once."""
    return [*dict.fromkeys(make() for _ in range(_DRAWN))]
