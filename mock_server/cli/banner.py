"""What a server says of itself when it starts."""

from __future__ import annotations

from mock_server.api.operations import OPERATIONS
from mock_server.fixture.load import Fixture


def banner(fixture: Fixture, url: str, profile: str, *, admin_open: bool) -> str:
    """A few lines: content, keys, a call to try, who may use the admin API."""
    counts = ", ".join(f"{count} {name}" for name, count in fixture.counts().items())
    files = ", ".join(fixture.files)
    keys = fixture.generation.keys
    admin = "open to whoever reaches this port" if admin_open else "needs the token"
    lines = [
        f"serving {counts} from {files}, profile {profile}",
        f"keys: {', '.join(keys) or 'any bearer key is accepted'}",
        f"admin: {url}/__admin {admin}",
        *_example(fixture, url),
    ]
    return "\n".join(lines)


def _example(fixture: Fixture, url: str) -> list[str]:
    key = next(iter(fixture.generation.keys), "fastgpt-demo")
    list_v2 = OPERATIONS[1]
    for dataset_id in fixture.generation.datasets:
        body = f'{{"offset": 0, "datasetId": "{dataset_id}", "parentId": null}}'
        return [
            f"try: curl -X {list_v2.method} {url}{list_v2.path} "
            f"-H 'Authorization: Bearer {key}' "
            f"-H 'Content-Type: application/json' -d '{body}'"
        ]
    return []
