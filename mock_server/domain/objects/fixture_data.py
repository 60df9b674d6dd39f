"""The loaded data of fixtures, which all sandboxes of a server share."""

import re
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from itertools import chain
from operator import attrgetter

from msgspec import Struct, field
from msgspec.structs import force_setattr

from mock_server.domain.access import MIN_REDACTABLE_LENGTH, Caller, Share
from mock_server.domain.faults.definition import Definition
from mock_server.domain.messages import quoted
from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.folder_tree import LARGE_SIZE
from mock_server.domain.objects.index import Order
from mock_server.domain.objects.models import ApiKey, App, User
from mock_server.domain.objects.pending import Steps, compute, lists_of, pieces
from mock_server.domain.objects.rows import Job, RowPlace, places_of
from mock_server.domain.replies import StoredReply
from mock_server.domain.versions import Version

NEW_ID_START = "ff"
"""Start of all ids that sandboxes create."""
JobsKey = tuple[str, str]
"""The place of a job: the ids of a dataset and of a collection in it."""


class FixtureData(Struct, frozen=True, eq=False, weakref=True, dict=True):
    """The loaded data of fixtures. It never changes, so stores share it.

    `keys` are callers by declared API key; `users` may log in; `api_keys` were created
    by logins; `shares` are share links; `replies` are for completions; `jobs` are
    unfinished training; `faults` are in force from the start; `answers` are the static
    responses. `version` is the declared version of the service, `frozen_at` the
    declared time of a stopped clock (ms). `files` and `sha256` name the source; `size`
    is the estimated memory in bytes. `secrets` are the keys to redact, sorted.
    """

    apps: Mapping[str, App] = field(default_factory=dict)
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    keys: Mapping[str, Caller] = field(default_factory=dict)
    users: tuple[User, ...] = ()
    api_keys: Mapping[str, ApiKey] = field(default_factory=dict)
    shares: Mapping[str, Share] = field(default_factory=dict)
    replies: tuple[StoredReply, ...] = ()
    jobs: tuple[Job, ...] = ()
    faults: tuple[Definition, ...] = ()
    answers: tuple[Definition, ...] = ()
    version: Version | None = None
    frozen_at: int | None = None
    files: tuple[str, ...] = ()
    sha256: str = ""
    size: int = 0
    secrets: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        long_keys = [key for key in self.keys if len(key) >= MIN_REDACTABLE_LENGTH]
        # The way of msgspec to set a computed field of a frozen struct.
        force_setattr(self, "secrets", tuple(sorted(key.encode() for key in long_keys)))

    def warnings_under(self, version: Version) -> Iterator[str]:
        """Yield warnings of another declared version, and of variables in ids."""
        if self.version not in (None, version):
            advice = f"--choice version={self.version} serves that"
            declared = f"the fixture is for version {self.version}"
            yield f"{declared}, not {version} ({advice})"
        for each in (*self.keys, *self.apps, *self.datasets):
            if re.fullmatch(r"\$\w+|.*\$\{\w+\}.*", each):
                yield f"{quoted(each)} is taken literally: a fixture has no variables"

    @cached_property
    def _by_member(self) -> Mapping[str | None, Caller]:
        return {each.member: each for each in self.keys.values()}

    def caller_of(self, member: str | None) -> Caller:
        """Return the caller of a member's declared key, else one with all permissions.

        None also means all permissions.
        """
        return self._by_member.get(member or "", Caller("", member))

    @cached_property
    def jobs_by_collection(self) -> Mapping[JobsKey, tuple[Job, ...]]:
        """The unfinished jobs of training of each collection."""
        jobs: dict[JobsKey, list[Job]] = {}
        for job in self.jobs:
            jobs.setdefault((job.dataset_id, job.collection_id), []).append(job)
        return {place: tuple(each) for place, each in jobs.items()}

    @cached_property
    def row_places(self) -> Mapping[str, RowPlace]:
        """The places of all rows by id, found at the first use. Raises NotReady."""
        return compute(self, "row_places", places_of(self.datasets.values()))

    @cached_property
    def ids_of_sandboxes(self) -> Set[str]:
        """The ids that begin as those that sandboxes create. Raises NotReady.

        There are some only if the data was saved from a sandbox.
        """
        return compute(self, "ids", self._collect_ids())

    def _collect_ids(self) -> Steps[Set[str]]:
        datasets = self.datasets.values()
        trees = [dataset.tree.collections for dataset in datasets]
        with_ids = chain(
            trees,
            *(app.records.values() for app in self.apps.values()),
            *(dataset.rows.values() for dataset in datasets),
            (job.rows for job in self.jobs),
        )
        ids = map(attrgetter("id"), chain.from_iterable(with_ids))
        file_ids = map(attrgetter("file_id"), chain.from_iterable(trees))
        holder_ids = self.apps, self.datasets, self.api_keys
        found: set[str] = set()
        for _, chunk in pieces(chain(*holder_ids, ids, file_ids)):
            found.update(
                each for each in chunk if each and each.startswith(NEW_ID_START)
            )
            yield
        return found

    def prepare(self, order: Order) -> None:
        """Sort and fold all collections, so that no request has to wait."""
        for dataset in self.datasets.values():
            dataset.tree.prepare(order)

    def prepare_changes(self) -> None:
        """Find what each folder holds, as deletions and moves of folders need it.

        It may run in a thread beside a running server, because it has no long step.
        """
        for dataset in self.datasets.values():
            if isinstance(dataset.tree, Tree) and len(dataset.tree) >= LARGE_SIZE:
                dataset.tree.places("fixture", ())
                dataset.tree.has_level("", 0)

    def parts(self) -> Iterator[object]:
        """Yield all that is held, in lists and containers that are quick to free."""
        apps, datasets = self.apps.values(), self.datasets.values()
        for dataset in datasets:
            if isinstance(dataset.tree, Tree):
                yield from dataset.tree.parts()
        for owned in (
            *(app.records for app in apps),
            *(each.rows for each in datasets),
        ):
            yield from lists_of(chain.from_iterable(owned.values()))
            yield from lists_of(owned.values())
            yield owned
        # Last, and thus freed first, those that hold the others.
        for each in (*(app.chats for app in apps), self.apps, self.datasets):
            yield from lists_of(each.values())
            yield each

    def counts(self) -> dict[str, int]:
        """Return the numbers of datasets, collections and chats."""
        datasets, apps = self.datasets.values(), self.apps.values()
        return {
            "datasets": len(datasets),
            "collections": sum(len(dataset.tree) for dataset in datasets),
            "chats": sum(len(app.chats) for app in apps),
        }

    def contents(self) -> dict[str, int]:
        """Return `counts`, and the numbers of replies and static responses, if any.

        The number of apps is included if no app has chats.
        """
        counts = self.counts()
        apps = () if counts["chats"] else self.apps
        other_parts = {"apps": apps, "replies": self.replies, "responses": self.answers}
        return counts | {name: len(each) for name, each in other_parts.items() if each}
