"""Finds by difference which choices a server shows, and what else it does in another way.

A part of the server's account is read, and served in this process. The same requests go to both.
A value of a choice is observed if the fewest aspects of the responses differ under it. What differs
even under the observed values is drift.
"""

import asyncio
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

import httpx2
from msgspec import Struct, json

from mock_server.choices import Choices, choice_table, profile_choices
from mock_server.decoding.json_values import JsonObject
from mock_server.fixture.load import ProfileFile
from mock_server.releases.fastgpt import PROFILES
from mock_server.store.objects import omit
from mock_server.text.wording import count_in_words
from mock_server.tools.comparison import KEY, Comparison, Contrasts
from mock_server.tools.drift import differences_in_words, new_differences
from mock_server.tools.object_kinds import is_folder
from mock_server.tools.verify_reader import VerifyReader
from mock_server.tools.verify_requests import (
    UNKNOWN_ID,
    Request,
    fullest_folder,
    reading_requests,
)

MAX_VALUE = 80
"""The most characters of a value in a report."""
NO_APP: JsonObject = {"id": UNKNOWN_ID, "chats": []}


class Drift(Struct):
    """A request that a server answers in another way, as a command, and what differs."""

    request: str
    differences: Contrasts


class Report(Struct):
    """What is found of a server."""

    profile: str
    """That of the baseline, else the nearest profile: the fewest of its values do not fit."""
    differing: JsonObject
    """For each choice whose value of the baseline or the profile does not fit, one that does."""
    observed: JsonObject
    not_observed: dict[str, list[Any]]
    """For each choice that is not observed the values that fit equally well."""
    drift: list[Drift]
    """With a baseline only what it lacks, each difference once."""
    seen: ProfileFile
    """The nearest profile and what differs from it: what a baseline keeps."""
    gone: list[str]
    """The differences of the baseline that the server no longer shows."""
    compared: int
    """How many requests were compared."""

    @property
    def is_one_profile(self) -> bool:
        """Whether anything is observed, and all that is observed is of one profile."""
        return bool(self.observed) and not self.differing


def verify_server(
    client: httpx2.Client,
    *,
    dataset: str | None = None,
    app: str | None = None,
    baseline: ProfileFile | None = None,
    key_env: str = "KEY",
    may_write: bool = False,
    log: Callable[[str], None],
    pause: float = 0.5,
) -> Report:
    """Compare a server with this mock, and with a baseline. Raises NotReadable, ServiceError.

    `key_env`: the variable with the API key, in commands that repeat a request.
    `pause`: the seconds before a request is repeated for the first time.
    """
    if baseline:
        dataset = dataset or baseline.dataset
        app = app or baseline.app
    reader = VerifyReader(client, pause, log)
    dataset_entry = reader.read_dataset(dataset)
    apps = reader.read_apps(app)
    document: JsonObject = {"datasets": [dataset_entry], "apps": apps}
    app_entry = [*apps, NO_APP][0]
    requests = [*reading_requests(app_entry, dataset_entry)]
    log(f"sending {len(requests)} requests")
    groups = [reader.send_all([it]) for it in requests]
    if may_write:
        log("pinning chats, and putting them back")
        groups.append(reader.pin_and_restore(app_entry))
    # The mock takes any key, unless the server refuses an unknown one.
    if groups[0].responses[0].aspects.get("code") != 200:
        document["keys"] = [{"key": KEY}]
    dataset_entry["collections"] = in_distinguishing_order(dataset_entry["collections"])
    log("comparing the answers with those of this mock under each choice")
    with asyncio.Runner() as runner:
        comparison = Comparison(document, groups, runner)
        return build_report(
            comparison, document, baseline, lambda it: it.curl_command(client, key_env)
        )


def in_distinguishing_order(collections: list[JsonObject]) -> list[JsonObject]:
    """The collections in an order that tells list_order=fixture from its other values.

    That is the order in which they come, or the reverse if they come by time or by name.
    """
    folder = fullest_folder(collections)
    items = [it for it in collections if it["parentId"] == folder]
    by_id = sorted(items, key=itemgetter("_id"))
    by_time = sorted(by_id, key=lambda it: it.get("updateTime", ""), reverse=True)
    by_name = sorted(by_id, key=itemgetter("name"))
    # Three collections may be in an order by chance.
    if len(items) > 3 and items in (by_time, by_name):
        return collections[::-1]
    return [*depth_first(collections, None)]


def depth_first(collections: list[JsonObject], folder: str | None) -> Iterator[JsonObject]:
    """Each collection before what is in it, as a fixture lists them."""
    for item in collections:
        if item["parentId"] == folder:
            yield item
            if is_folder(item):
                yield from depth_first(collections, item["_id"])


def build_report(
    comparison: Comparison,
    document: JsonObject,
    baseline: ProfileFile | None,
    command_of: Callable[[Request], str],
) -> Report:
    """What a comparison with the account of a document shows, beside a baseline if there is one."""
    best = comparison.nearest_choices()
    fitting = {name: comparison.fitting_values(name, best) for name in choice_table()}
    observed = {name: values[0] for name, values in fitting.items() if len(values) == 1}
    not_observed = {name: values for name, values in fitting.items() if len(values) > 1}
    release = PROFILES[comparison.profile].release
    of_release = [name for name, it in PROFILES.items() if it.release is release]
    nearest = min(of_release, key=lambda it: len(differing_values(fitting, profile_choices(it))))
    differing = differing_values(fitting, profile_choices(nearest))
    request_contrasts = [*comparison.differences(profile_choices(nearest, **differing))]
    seen = ProfileFile(
        profile=nearest,
        choices=differing,
        dataset=document["datasets"][0]["id"],
        app=next((it["id"] for it in document["apps"]), None),
        differences=differences_in_words(request_contrasts),
    )
    gone = []
    if baseline:
        nearest = comparison.profile = baseline.profile
        expected = profile_choices(nearest, **baseline.choices)
        differing = differing_values(fitting, expected)
        request_contrasts = [*comparison.differences(expected)]
        gone = sorted(baseline.differences.keys() - differences_in_words(request_contrasts))
        request_contrasts = [*new_differences(request_contrasts, baseline.differences)]
    drift = [
        Drift(command_of(request), contrasts)
        for request, contrasts in request_contrasts
        if contrasts
    ]
    return Report(
        nearest, differing, observed, not_observed, drift, seen, gone, len(request_contrasts)
    )


def differing_values(fitting: dict[str, list[Any]], choices: Choices) -> JsonObject:
    """For each choice whose value here does not fit, one that does."""
    differing = {}
    for name, values in fitting.items():
        if getattr(choices, name) not in values:
            differing[name] = values[0]
    return differing


def text_report(report: Report) -> str:
    lines = []
    for name, value in report.observed.items():
        lines.append(f"observed      {name} = {value} (spec {choice_table()[name].section})")
    for name, values in report.not_observed.items():
        fitting = " or ".join(map(str, values))
        value = getattr(profile_choices(report.profile), name)
        lines.append(f"not observed  {name}: {fitting} fit, {report.profile} has {value}")
    for drift in report.drift:
        lines.append(f"drift         {drift.request}")
        for name, difference in drift.differences.items():
            server = shortened_json(difference.server)
            mock = shortened_json(difference.mock)
            lines.append(f"              {name} is {server}, in the mock {mock}")
    lines += [f"gone          {it}" for it in report.gone]
    counts = f"{len(report.observed)} choices observed, {len(report.not_observed)} not"
    requests = count_in_words(report.compared, "request")
    lines.append(f"{counts}, {len(report.drift)} of {requests} with drift")
    differing = ", ".join(report.differing) or "none"
    # Those of a baseline are compared with its profile, whatever is the nearest now.
    differing = f"choices that differ from {report.profile}: {differing}"
    lines.append(f"nearest profile: {report.seen.profile}; {differing}")
    return "\n".join(lines)


def shortened_json(value: Any) -> str:
    """A value as JSON, a long one cut between its items."""
    text = json.encode(value).decode()
    if len(text) <= MAX_VALUE:
        return text
    cut = text[:MAX_VALUE]
    return f"{cut.rpartition(',')[0] or cut}..."


def json_report(report: Report | ProfileFile) -> str:
    return json.format(json.encode(report)).decode()


REPORTS = {"text": text_report, "json": json_report}


def profile_document(report: Report) -> JsonObject:
    """The nearest profile and the values that differ from it."""
    return {"profile": report.seen.profile, "choices": report.seen.choices}


def comment_of(report: Report) -> str:
    """The choices of a profile document of which the report does not know whether they fit."""
    unseen = omit(report.not_observed, report.seen.choices)
    return f"# not observed, so as in {report.seen.profile}: {', '.join(unseen)}\n"
