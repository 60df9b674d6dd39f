"""Programs get their work done in each version of the service, over sockets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mock_server.domain.versions import VERSIONS
from tests.e2e.workflows import tools
from tests.e2e.workflows.clients import client_named
from tests.e2e.workflows.running import WORKFLOWS, run, served
from tests.e2e.workflows.service import Service
from tests.e2e.workflows.workflows import log_in
from tests.e2e.workflows.world import APP, DESK, KEY, PASSWORD, USER

in_each_version = pytest.mark.parametrize("version", VERSIONS)


@contextmanager
def desk(version: str, key: str | None = KEY) -> Iterator[tuple[Service, str]]:
    """A server of a version whose clock only ticks, through a client; its URL."""
    with (
        served("frozen", fixture=DESK, version=version) as (url, tick),
        client_named("httpx2", url, key) as client,
    ):
        yield Service(client, tick), url


@pytest.mark.parametrize("version", VERSIONS[:-1])
@pytest.mark.parametrize("name", WORKFLOWS)
def test_older_versions_get_the_same_work_done(name: str, version: str) -> None:
    run(name, "httpx2", "frozen", version=version)


@in_each_version
def test_a_help_desk_answers_rates_and_deletes(version: str) -> None:
    with desk(version) as (service, _):
        tools.help_desk(service, APP, version)


@in_each_version
def test_a_sync_tool_uploads_by_a_ticket_and_trains_again(version: str) -> None:
    with desk(version) as (service, _):
        tools.sync_tool(service, "Files", version)


@in_each_version
def test_a_created_key_works_at_once_and_a_deleted_one_no_more(version: str) -> None:
    with desk(version, key=None) as (service, url):

        @contextmanager
        def connect(key: str) -> Iterator[Service]:
            with client_named("httpx2", url, key) as client:
                yield Service(client, lambda: None)

        log_in(service, USER, PASSWORD)
        tools.key_manager(service, connect, version, APP)
