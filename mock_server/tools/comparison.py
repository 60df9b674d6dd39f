"""The responses of a server beside those of this mock, which serves the same account."""

import asyncio
from collections.abc import Iterator
from typing import Any, Self

import httpx2
from msgspec import Struct, ValidationError, convert, structs

from mock_server.choices import Choices, choice_table, profile_choices
from mock_server.decoding.json_values import JsonObject
from mock_server.fixture.load import load_fixture
from mock_server.releases.fastgpt import FASTGPT_4_16, PROFILES
from mock_server.releases.release import Release
from mock_server.sandbox import Sandboxes
from mock_server.service_application import Service
from mock_server.store.objects import pick
from mock_server.tools.real_responses import ListPage, ServerResponse
from mock_server.tools.verify_requests import Request

KEY = "fastgpt-verify"
"""The API key of the mock; that of the server stays out of it."""
VALUE_FIELDS = ("name", "type", "parentId", "tags", "top")
"""The fields of items whose values are compared; of other fields the kinds of values are."""
ABSENT = "absent"
"""The value of an aspect, or of a field, that is not there."""
KINDS = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}


class Contrast(Struct, frozen=True):
    """An aspect that differs: what the server sends, and what the mock sends."""

    server: Any
    mock: Any


Contrasts = dict[str, Contrast]


class ComparedResponse(Struct, frozen=True):
    """What is compared of a response: its aspects, and the fields of each item of a list."""

    aspects: JsonObject
    items: dict[str, JsonObject] = {}

    @classmethod
    def of(cls, response: httpx2.Response) -> Self:
        body = ServerResponse.of(response).body
        aspects: JsonObject = {"status": response.status_code}
        if body is None:
            return cls(aspects | {"body": response.text[:80]})
        aspects |= {
            "code": body.get("code"),
            "statusText": body.get("statusText"),
            "body": kind_of(body),
            "data": kind_of(body.get("data")),
        }
        try:
            page = convert(body.get("data"), ListPage)
        except ValidationError:
            return cls(aspects)
        items = {}
        ids = []
        for item in page.items:
            ids.append(str(item.get("chatId", item.get("_id"))))
            kinds = {name: kind_of(it) for name, it in item.items()}
            items[ids[-1]] = kinds | pick(item, VALUE_FIELDS)
        # Chats are sorted by time, and a pin takes the time from a clock.
        if any("chatId" in it for it in page.items):
            ids.sort()
        return cls(aspects | {"total": page.total, "ids": ids}, items)

    def differences(self, mock: Self) -> Contrasts:
        """The aspects that differ from the mock's; a field of items only for the first of them."""
        contrasts = differing(self.aspects, mock.aspects)
        for id, item in self.items.items():
            of_item = differing(item, mock.items.get(id, item))
            contrasts = {f"list.{name}": it for name, it in of_item.items()} | contrasts
        return contrasts


def kind_of(value: object) -> str:
    """The kind of a JSON value; of an object the names of its fields."""
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(value))}}}"
    return KINDS.get(type(value), "null")


def differing(server: JsonObject, mock: JsonObject) -> Contrasts:
    """The fields that are not the same."""
    contrasts = {}
    for name in server | mock:
        pair = Contrast(server.get(name, ABSENT), mock.get(name, ABSENT))
        if pair.server != pair.mock:
            contrasts[name] = pair
    return contrasts


class RequestGroup(Struct):
    """Requests that depend on each other, and the responses of the server."""

    requests: list[Request]
    responses: list[ComparedResponse]
    trials: list[tuple[Release, JsonObject, list[Contrasts]]] = []
    """What differs from the mock, by its release and the choices that its responses depend on."""


class Comparison:
    """A server beside this mock, which serves a document with the server's account.

    `runner`: the loop of the mock; a new one for each request would take longer than the request.
    """

    def __init__(
        self, document: JsonObject, groups: list[RequestGroup], runner: asyncio.Runner
    ) -> None:
        self.profile = "documented"
        """The profile whose release the mock has."""
        self._groups = groups
        self._runner = runner
        self._baseline = load_fixture(document)
        self._sandboxes = Sandboxes(self._baseline)
        self._mock = httpx2.AsyncClient(
            base_url="http://mock",
            headers={"Authorization": f"Bearer {KEY}"},
            transport=httpx2.ASGITransport(Service(self._sandboxes)),
        )

    def differences(self, choices: Choices) -> Iterator[tuple[Request, Contrasts]]:
        """Each request, and what differs from the mock under these choices."""
        for group in self._groups:
            yield from zip(group.requests, self._differences(group, choices), strict=True)

    def _differences(self, group: RequestGroup, choices: Choices) -> list[Contrasts]:
        """What differs under these choices, for each of the requests."""
        release = PROFILES[self.profile].release
        for tried_release, values, contrasts in group.trials:
            if tried_release is release and all(
                getattr(choices, name) == value for name, value in values.items()
            ):
                return contrasts
        read = set[str]()
        recording_choices = record_reads(choices, read)
        # The mock begins with the account as it was read.
        self._sandboxes.restart(self._baseline.with_choices(recording_choices, self.profile))
        responses = self._runner.run(self._mock_responses(group.requests))
        contrasts = list(map(ComparedResponse.differences, group.responses, responses))
        values = {name: getattr(choices, name) for name in choice_table() if name in read}
        group.trials.append((release, values, contrasts))
        return contrasts

    async def _mock_responses(self, requests: list[Request]) -> list[ComparedResponse]:
        """The responses of the mock to requests, one after the other."""
        return [ComparedResponse.of(await self._mock.send(it.to(self._mock))) for it in requests]

    def difference_count(self, choices: Choices) -> int:
        """How many aspects differ under these choices."""
        return sum(len(contrasts) for _, contrasts in self.differences(choices))

    def nearest_choices(self) -> Choices:
        """Choices under which few aspects differ: no other value of a single choice is better.

        The mock has the release of the profile under which the fewest differ.
        """
        distances = {}
        for name, profile in PROFILES.items():
            self.profile = name
            count = self.difference_count(profile_choices(name))
            # Of two that are as near, it is the one whose release has no table of its own.
            distances[name] = (count, profile.release != FASTGPT_4_16)
        self.profile = min(distances, key=distances.__getitem__)
        best = profile_choices(self.profile)
        last = None
        while last != best:
            last = best
            for name in choice_table():
                best = min([best, *variants(best, name).values()], key=self.difference_count)
        return best

    def fitting_values(self, name: str, choices: Choices) -> list[Any]:
        """The values of a choice under which the fewest aspects differ; the others stay."""
        counts = {value: self.difference_count(it) for value, it in variants(choices, name).items()}
        return [value for value, count in counts.items() if count == min(counts.values())]


def record_reads(choices: Choices, names: set[str]) -> Choices:
    """A copy of choices that adds the name of each choice that is read to `names`."""

    class NotedChoices(Choices, frozen=True):
        def __getattribute__(self, name: str) -> Any:
            names.add(name)
            return super().__getattribute__(name)

    return NotedChoices(**structs.asdict(choices))


def variants(choices: Choices, name: str) -> dict[Any, Choices]:
    """The choices with each value of one of them."""
    values = choice_table()[name].values
    return {value: structs.replace(choices, **{name: value}) for value in values}
