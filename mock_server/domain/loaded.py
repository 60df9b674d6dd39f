"""What has been loaded into a store: its generation, and parts by themselves since."""

from mock_server.domain.generation import Generation
from mock_server.domain.rows import RowPlace


class Loaded:
    """A generation, and a generation for each application or dataset put since.

    The memory of a part is charged for as long as a store refers to it here.
    """

    def __init__(self, generation: Generation) -> None:
        self.apps: dict[str, Generation] = {}
        self.datasets: dict[str, Generation] = {}
        self._generation = generation

    def copy(self) -> "Loaded":
        """One that changes on its own."""
        copy = Loaded(self._generation)
        copy.apps, copy.datasets = self.apps.copy(), self.datasets.copy()
        return copy

    def has(self, own_id: str) -> bool:
        """Whether anything has been loaded with that id."""
        parts = self._generation, *self.datasets.values(), *self.apps.values()
        return any(part.has(own_id) for part in parts)

    def row_place(self, row_id: str) -> RowPlace | None:
        """Where a row was loaded, in a dataset that has not been replaced since."""
        for part in (*self.datasets.values(), self._generation):
            place = part.row_places.get(row_id)
            if place is not None:
                newest = self.datasets.get(place.dataset_id, self._generation)
                if newest is part:
                    return place
        return None
