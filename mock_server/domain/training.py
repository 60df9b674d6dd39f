"""Training under way: a collection's data rows that nobody sees yet."""

from msgspec import Struct

from mock_server.domain.records import Row


class Job(Struct, frozen=True):
    """What is trained of a collection since a time in milliseconds.

    `rows` become the collection's once they are trained; unless `is_parsed`, the text
    that they are made from is still to be parsed.
    """

    dataset_id: str
    collection_id: str
    since: int
    is_parsed: bool
    rows: tuple[Row, ...]
