"""How much of what a made-up fixture is to hold; it needs no library that makes it."""

from msgspec import Struct

LOCALES = ("en", "zh")


class Plan(Struct, frozen=True):
    """So many datasets with so many collections each, nested in so many levels.

    `chats` are of the one application, `rows` of each collection that is no folder.
    """

    seed: int = 0
    datasets: int = 1
    collections: int = 100
    depth: int = 3
    chats: int = 10
    rows: int = 0
    locale: str = "en"

    @property
    def all_collections(self) -> int:
        """Collections of all datasets."""
        return self.datasets * self.collections

    @property
    def most_rows(self) -> int:
        """Data rows of all collections, if none were a folder."""
        return self.all_collections * self.rows
