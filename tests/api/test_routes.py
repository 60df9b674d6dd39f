"""Paths that no operation has."""

from __future__ import annotations

import re

import pytest

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices.choosing import choose

OFF = choose(choices={"related_routes": "off", "legacy_paths": "off"})
ON = choose(choices={"related_routes": "on"})
NEEDED = "does not show, and needs the choice related_routes=on)"


def hint(path: str, *, is_on: bool = False, method: str = "POST") -> str:
    return OPERATIONS.unknown_route(path, method, ON if is_on else OFF).message


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda it: it.name)
def test_the_path_of_every_operation_is_named_when_it_is_nearly_right(
    operation: Operation,
) -> None:
    path = operation.path
    method = "POST" if "POST" in operation.methods else f"{operation.method}, not POST,"
    named = f"{method} {path}"
    near = [
        f"{path}/",
        f"/{path}",
        path.replace("/", "//"),
        path.upper(),
        path.lower() + "/",
        path.removeprefix("/api"),
        f"/v1{path}",
        f"{path}%20",
        path[:-3] + path[-2:],
    ]
    for given in near:
        if OPERATIONS.with_path(given):
            continue
        for is_on in (False, True):
            said = hint(given, is_on=is_on)
            assert re.search(rf"\(did you mean {named}\? ", said), given
            is_off = operation.related is not None and not is_on
            assert said.endswith(NEEDED) == is_off


@pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
@pytest.mark.parametrize(
    "path",
    [
        "/api/core/chat/item/delete",
        "/api/core/app/del",
        "/api/core/dataset/detale",
        "/api/core/chat/feedback/update",
        "/api/core/dataset/collection/read",
    ],
)
def test_a_deletion_is_proposed_for_its_own_path_with_a_slip_only(
    path: str, method: str
) -> None:
    said = hint(path, is_on=True, method=method)
    assert not re.search(r"did you mean [^?]*/(batch)?(del|clear)", said)
    assert hint("/api/core/dataset/delet", is_on=True).count("/api/core/dataset/delete")
