"""All operations of the service, in the plainest Python that fits.

Nothing of the model is imported from the server: it is a second opinion, written from
the interface description and the documentation. Where the two differ, one is wrong.
"""

from __future__ import annotations

from tests.model.accounts import Accounts
from tests.model.chats import Chats
from tests.model.datasets import Datasets
from tests.model.listing import Lists
from tests.model.rows import Rows
from tests.model.sources import Sources


class Plain(Chats, Datasets, Lists, Sources, Rows, Accounts):
    """What one sandbox holds, and a method for each operation."""
