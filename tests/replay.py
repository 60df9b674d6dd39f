"""What two releases of FastGPT answered to the same requests, and what this server answers.

`recorded/answers.jsonl.gz` has a line for each request, in their order: its name, the seconds to
wait before it, the request, what to keep of its answer, and the answers of the releases. Messages
are left out. `<app>` stands for what was kept as `app`, `<id>` for other ids, `<time>` for times,
`<any>` for what differs from run to run. `recorded/unlike.yaml` has the names of the requests that
this server answers otherwise; `python tests/replay.py` writes it again.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import yaml
from account import LocalClient, events
from msgspec.structs import replace

from mock_server.releases import fastgpt
from mock_server.service.operations import OPERATIONS

Counts = dict[str, dict[str, dict[str, int]]]
FOLDER = Path(__file__).parent / "recorded"
PROFILES = {"4.14.10": "fastgpt-4.14", "4.16.0": "fastgpt-4.16"}
"""Release -> the profile that answers as it does."""
UNLIKE: dict[str, list[str]] = yaml.safe_load((FOLDER / "unlike.yaml").read_text("utf-8"))
"""Release -> the names of the requests that its profile answers otherwise."""
KEY = "fastgpt-recordedownerkey000000000000000000000000000000000"
MEMBER = "65422be6aa44b7da77729ec9"
ACCOUNT = {
    "keys": [{"key": KEY, "member": MEMBER}],
    "users": [{"username": "root", "password": "harness-root-1", "member": MEMBER}],
}
"""An account as it is after the first start of FastGPT."""
NAMES = {
    r'"\d{4}-\d\d-\d\dT[\d:.]+Z"': '"<time>"',
    r'"(?=[a-zA-Z]*\d)(?=[a-z\d]*[A-Z])(?:[a-zA-Z\d]{12}|[a-zA-Z\d]{16}|[a-zA-Z\d]{24})"': '"<id>"',
    r"\b[\da-f]{24}\b": "<id>",
    r"/imgs/avatar/\w+\.svg": "<avatar>",
    r'("dataset/[^"]*_)[a-zA-Z\d]{6}(\.[a-z]+")': r"\1<key>\2",
}
"""A pattern in the JSON of an answer -> what stands for it."""


def recorded() -> Iterator[dict[str, Any]]:
    """The requests, each with the answers of the releases that it was sent to."""
    with gzip.open(FOLDER / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def replay(release: str) -> dict[str, list[str]]:
    """The requests that this server answers otherwise than a release: name -> differences."""
    unlike = {}
    kept = {"key": KEY}
    with LocalClient(ACCOUNT, key=None, profile=PROFILES[release]) as client:
        client.control.clock.freeze()
        for row in recorded():
            if release not in row["answers"]:
                continue
            # No two writes have the same time, so that the order of lists is certain.
            state = client.sandboxes.default.state
            clock = state.moment.clock.advance(row.get("wait", 0.01))
            state.moment = replace(state.moment, clock=clock)
            client.cookies.clear()
            # A request names what earlier answers said.
            request = json.dumps(row["request"])
            for name, value in kept.items():
                request = request.replace(f"<{name}>", value)
            response = client.request(**json.loads(request))
            body = body_of(response)
            for name, path in row.get("keep", {}).items():
                value = value_at(body, path)
                if value:
                    kept[name] = value
            media_type = response.headers.get("content-type", "").partition(";")[0]
            answer = {"status": response.status_code, "type": media_type, "body": named(body, kept)}
            found = [*differences(row["answers"][release], answer)]
            if found:
                unlike[row["name"]] = found
    return unlike


def body_of(response: httpx2.Response) -> Any:
    """The JSON or the events of a response without messages, or None."""
    if "event-stream" in response.headers.get("content-type", "") and response.text:
        return joined([name, without_message(data)] for name, data in events(response))
    try:
        return without_message(response.json())
    except ValueError:
        return None


def without_message(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return {name: value for name, value in data.items() if name not in ("message", "zodError")}


def joined(stream: Iterable[list[Any]]) -> list[list[Any]]:
    """The events of a stream; the pieces of a text that follow each other become one."""
    whole: list[list[Any]] = []
    for name, data in stream:
        choice = choice_of(data)
        before = choice_of(whole[-1][1]) if whole and whole[-1][0] == name else {}
        texts = {"content", "reasoning_content"} & choice.get("delta", {}).keys()
        is_next = before.get("delta", {}).keys() == choice.get("delta", {}).keys()
        if texts and is_next and before["finish_reason"] == choice["finish_reason"]:
            for text in texts:
                before["delta"][text] += choice["delta"][text]
        else:
            whole.append([name, data])
    return whole


def choice_of(data: Any) -> dict[str, Any]:
    """The first choice of a chunk of a completion, or an empty one."""
    choices = data.get("choices") if isinstance(data, dict) else None
    return choices[0] if choices else {}


def value_at(body: Any, path: str) -> Any:
    """The value at a path such as `data.list.-1.dataId`, or None."""
    for step in path.split("."):
        try:
            body = body[int(step) if isinstance(body, list) else step]
        except (KeyError, IndexError, TypeError):
            return None
    return body


def named(body: Any, kept: dict[str, str]) -> Any:
    """A body in which names stand for ids and times."""
    text = json.dumps(body, ensure_ascii=False)
    for name, value in kept.items():
        # The code of a login is too short to be found.
        if len(value) >= 8:
            text = text.replace(value, f"<{name}>")
    for pattern, name in NAMES.items():
        text = re.sub(pattern, name, text)
    return json.loads(text)


def differences(expected: Any, given: Any, path: str = "$") -> Iterator[str]:
    """Where two values differ: in kind, in value, in length, or in fields that one lacks."""
    if expected == "<any>":
        return
    if isinstance(expected, dict) and isinstance(given, dict):
        for name in {**expected, **given}:
            if name not in given:
                yield f"{path}.{name} is missing, expected {expected[name]!r}"
            elif name not in expected:
                yield f"{path}.{name} is not expected, got {given[name]!r}"
            else:
                yield from differences(expected[name], given[name], f"{path}.{name}")
    elif isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        for index, (one, other) in enumerate(zip(expected, given, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif isinstance(expected, bool) != isinstance(given, bool) or expected != given:
        yield f"{path}: expected {expected!r}, got {given!r}"


def compared() -> Counts:
    """Operation -> release -> how many requests it was sent, and how many were answered alike."""
    names = {path: it.name for it in OPERATIONS for path in (it.path, it.older_path)}
    for profile in fastgpt.PROFILES.values():
        names |= {own: names[path] for own, path in profile.release.paths.items() if path}
    counts: Counts = {it.name: {} for it in OPERATIONS}
    for row in recorded():
        # A path that no operation has belongs to none.
        name = names.get(row["request"]["url"].rstrip("/"))
        for release in row["answers"] if name else ():
            count = counts[name].setdefault(release, {"alike": 0, "asked": 0})
            count["asked"] += 1
            count["alike"] += row["name"] not in UNLIKE[release]
    return {name: count for name, count in counts.items() if count}


def total(release: str) -> str:
    """How many of all requests to a release were answered alike."""
    asked = sum(release in row["answers"] for row in recorded())
    return f"{asked - len(UNLIKE[release])} of {asked}"


if __name__ == "__main__":
    names = {release: sorted(replay(release)) for release in PROFILES}
    (FOLDER / "unlike.yaml").write_text(yaml.safe_dump(names, allow_unicode=True), "utf-8")
