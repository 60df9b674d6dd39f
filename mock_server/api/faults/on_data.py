"""Kinds that know the API: answers that are well formed and not true."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from mock_server.api.faults.definitions import Alter, PageDrift, WrongTotal
from mock_server.api.faults.hit import Hit
from mock_server.api.response import Response
from mock_server.domain.listing import ListV2, Page, doubled, drifted, miscounted


async def lost_write(hit: Hit) -> Response:
    """The answer of a pin that is not kept."""
    return hit.rehearse()


async def page_drift(hit: Hit) -> Response:
    """The page of a list that has changed meanwhile."""
    fault: PageDrift = hit.fault

    def distort(page: Page, request: ListV2) -> Page:
        inserted, removed = fault.insert or 0, fault.remove or 0
        return drifted(page, request, fault.at, inserted, removed)

    return hit.perform(distort)


async def duplicate_item(hit: Hit) -> Response:
    """The page with an item of the page before."""
    return hit.perform(doubled)


async def wrong_total(hit: Hit) -> Response:
    """The page with another total."""
    fault: WrongTotal = hit.fault
    return hit.perform(lambda page, _: miscounted(page, fault.by))


async def alter(hit: Hit) -> Response:
    """The page with other fields on every item."""
    fault: Alter = hit.fault
    answer = hit.perform()
    if answer.status != 200:
        return answer
    envelope: Any = msgspec.json.decode(answer.body)
    if envelope["code"] != 200:
        return answer
    for item in envelope["data"]["list"]:
        item.update(fault.changes)
        for name in fault.removals:
            item.pop(name, None)
    return replace(answer, body=msgspec.json.encode(envelope))
