"""What all operations of the model need: who calls, what there is, pages of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from tests.model.answers import Refused
from tests.model.choices import Choices
from tests.model.records import (
    LEVELS,
    NONE,
    READ,
    TMB,
    WRITE,
    Fields,
    loaded,
    milliseconds,
    mode_of,
    new_collection,
    new_row,
    written,
)

Caller = Fields
"""`key`, `member`, `permission`, and `username` of who has logged in."""


class Page:
    """A part of a list, which faults may change before it is shown."""

    def __init__(
        self,
        matching: list[Any],
        offset: int,
        size: int,
        view: Callable[[Any], Fields],
        shape: Shape | None = None,
    ) -> None:
        self.matching, self.offset, self.size = matching, offset, size
        self.items = matching[offset : offset + size]
        self.total = len(matching)
        self._view, self._shape = view, shape

    def shown(self) -> Any:
        """The data of the answer."""
        items = [self._view(each) for each in self.items]
        if self._shape is not None:
            return self._shape(self, items)
        return {"list": items, "total": self.total}


Shape = Callable[[Page, list[Fields]], Any]
"""Makes the data of a page of the items that it shows."""


def made_id(number: int) -> str:
    """An id that a sandbox makes, by its number from 1 on."""
    digits = sha256(str(number).encode()).hexdigest()
    return f"{0xFF000000 + number:x}{digits}"[:24]


class Base:
    """What one sandbox holds, as one caller sees it."""

    caller: Caller
    choices: Choices

    def __init__(self, document: Fields) -> None:
        self.document = document
        self.state: Fields = loaded(document)

    @property
    def now(self) -> str:
        return written(self.state["clock"])

    @property
    def is_login(self) -> bool:
        return self.caller.get("username") is not None

    def new_id(self) -> str:
        """The next of the sandbox's own sequence, which a reset begins again."""
        self.state["last"] += 1
        return made_id(self.state["last"])

    def key_level(self) -> int:
        return LEVELS[self.caller.get("permission", "owner")]

    def level(self, held: Fields) -> int:
        """What the caller may do with an application or a dataset."""
        own = held["permissions"].get(self.caller["key"])
        return self.key_level() if own is None else LEVELS[own]

    def offered(self, held: Fields, wanted: str) -> str:
        """What a message adds to an unknown id: what has it, and ids to be read."""
        hints = [f"that is the id of {kind}" for kind in self._kinds_of(wanted)][:1]
        ids = [own for own, each in held.items() if self.level(each) >= READ]
        if ids:
            shown = ", ".join(f'"{each}"' for each in ids[:10])
            more = f" and {len(ids) - 10} more" if len(ids) > 10 else ""
            hints.append(f"there {'is' if len(ids) == 1 else 'are'} {shown}{more}")
        return f" ({'; '.join(hints)})" if hints else ""

    def _kinds_of(self, wanted: str) -> Iterator[str]:
        datasets = self.state["datasets"]
        if wanted in self.state["apps"]:
            yield "an app"
        if wanted in datasets:
            yield "a dataset"
        if any(wanted in each["collections"] for each in datasets.values()):
            yield "a collection"

    def app(self, fields: Fields, level: int) -> Fields:
        app: Fields | None = self.state["apps"].get(fields["appId"])
        if app is None:
            raise Refused("no_app")
        if self.level(app) < level:
            raise Refused("shut_app")
        return app

    def dataset(self, dataset_id: str, level: int) -> Fields:
        dataset: Fields | None = self.state["datasets"].get(dataset_id)
        if dataset is None:
            raise Refused("no_dataset")
        if self.level(dataset) < level:
            raise Refused("shut_dataset")
        return dataset

    def collection(self, collection_id: str, level: int) -> tuple[Fields, Fields]:
        for dataset in self.state["datasets"].values():
            if collection_id in dataset["collections"]:
                self.dataset(dataset["id"], level)
                return dataset, dataset["collections"][collection_id]
        raise Refused("no_collection")

    def collection_folder(self, dataset: Fields, parent: str | None) -> str | None:
        if not parent:
            return None
        self.check_collection_folder(parent)
        if parent not in dataset["collections"]:
            raise Refused("other_dataset")
        return parent

    def check_collection_folder(self, parent: str | None) -> None:
        datasets = self.state["datasets"].values()
        if parent and not any(parent in each["collections"] for each in datasets):
            raise Refused("no_parent")

    def collection_target(self, fields: Fields) -> tuple[Fields, str | None]:
        """The dataset and the folder where something new goes."""
        dataset = self.dataset(fields["datasetId"], NONE)
        parent = fields.get("parentId")
        self.check_collection_folder(parent)
        self.dataset(fields["datasetId"], WRITE)
        return dataset, self.collection_folder(dataset, parent)

    def below(self, dataset: Fields, collection_id: str) -> list[str]:
        """A collection, and all that is in it at any depth."""
        found = [collection_id]
        for above in found:
            for each in dataset["collections"].values():
                if each["parentId"] == above:
                    found.append(each["id"])
        return found

    def add_collection(self, dataset: Fields, fields: Fields) -> str:
        collection_id = self.new_id()
        dataset["collections"][collection_id] = new_collection(
            fields
            | {"_id": collection_id, "tmbId": self.caller.get("member") or TMB}
            | {"updateTime": self.now, "createTime": self.now}
        )
        dataset["rows"][collection_id] = []
        return collection_id

    def item(self, each: Fields, *, is_whole: bool = False) -> Fields:
        """A collection as lists show it (spec 2.2)."""
        hidden = {"id", "fileSize"}
        if not is_whole and self.choices["item_fields"] == "documented":
            hidden |= {"createTime", "hasError", "fileId", "rawLink"}
        if self.choices["tags_empty"] == "absent" and not each["tags"]:
            hidden.add("tags")
        training: Fields = {}
        count, errors = each["trainingAmount"], int(each["hasError"])
        if is_whole or self.choices["item_fields"] == "documented":
            pass
        elif self.choices["version"] == "4.14":
            hidden |= set() if count or errors else {"hasError"}
        else:
            status = "error" if errors else "ready"
            training = {"activeTrainingAmount": count, "finalErrorAmount": errors}
            training["slowestTrainingStatus"] = "running" if count else status
            if count:
                training["slowestTrainingMode"] = mode_of(each)
        view = {name: it for name, it in each.items() if name not in hidden}
        return {"_id": each["id"]} | view | training

    def row(self, row_id: str, level: int) -> tuple[Fields, Fields, Fields]:
        for dataset in self.state["datasets"].values():
            for collection_id, rows in dataset["rows"].items():
                for row in rows:
                    if row["id"] == row_id:
                        self.dataset(dataset["id"], level)
                        return dataset, dataset["collections"][collection_id], row
        raise Refused("no_row")

    def rows(self, dataset: Fields, collection_id: str) -> list[Fields]:
        rows = sorted(dataset["rows"][collection_id], key=id_of, reverse=True)
        return sorted(rows, key=lambda row: int(row["chunkIndex"]))

    def train(
        self,
        dataset: Fields,
        collection: Fields,
        given: list[Fields],
        *,
        is_text: bool = False,
        at_once: bool = False,
    ) -> list[str]:
        """Have rows come: at once, or after a second in the queue, one for parsing a
        text, and one for each 20 of them (choice training). Gives their ids.
        """
        now = self.state["clock"]
        rows = [
            new_row(each | {"_id": self.new_id(), "updateTime": self.now})
            for each in given
        ]
        ready = now + (2_000 if is_text else 1_000)
        job = {
            "dataset": dataset["id"],
            "collection": collection["id"],
            "parsed": ready if is_text else None,
            "rows": [
                (ready + 1_000 * (number // 20 + 1), row)
                for number, row in enumerate(rows)
            ],
        }
        if at_once or self.choices["training"] == "instant":
            dataset["rows"][collection["id"]] += rows
            collection["dataAmount"] += len(rows)
        elif is_text or rows:
            self.state["jobs"].append(job)
            collection["trainingAmount"] += 1 if is_text else len(rows)
        return [row["id"] for row in rows]

    def settle(self) -> None:
        """Have trained what is due."""
        now, left = self.state["clock"], []
        for job in self.state["jobs"]:
            dataset = self.state["datasets"].get(job["dataset"], {"collections": {}})
            collection = dataset["collections"].get(job["collection"])
            if collection is None:
                continue
            if job["parsed"] is not None and job["parsed"] <= now:
                collection["trainingAmount"] += len(job["rows"]) - 1
                job["parsed"] = None
            trained = [row for due, row in job["rows"] if due <= now]
            job["rows"] = job["rows"][len(trained) :]
            dataset["rows"][collection["id"]] += trained
            collection["dataAmount"] += len(trained)
            collection["trainingAmount"] -= len(trained)
            if job["rows"] or job["parsed"] is not None:
                left.append(job)
        self.state["jobs"] = left

    def forget_jobs(self, dataset: Fields, collection_id: str) -> None:
        """No longer train what a collection was to get."""
        gone = dataset["id"], collection_id
        jobs = self.state["jobs"]
        jobs = [it for it in jobs if (it["dataset"], it["collection"]) != gone]
        self.state["jobs"] = jobs


def paging(fields: Fields, most: int) -> tuple[int, int]:
    """Where a page starts and how long it is, by the service's shared parser."""
    if "pageSize" not in fields:
        return 0, 10
    size = min(page_number(fields, "pageSize"), most)
    if size == 0:
        raise Refused("params")
    start = page_number(fields, "offset")
    return start or max(0, page_number(fields, "pageNum") - 1) * size, size


def page_number(fields: Fields, name: str) -> int:
    value = as_number(fields.get(name) or 0)
    if type(value) not in (int, float) or not 0 <= value < 2**53:
        raise Refused("number")
    return int(value)


def as_number(value: Any) -> Any:
    """Digits in a text as a number, and 3.0 as 3."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def latest(items: list[Fields]) -> list[Fields]:
    """The latest first; ties by id."""
    items = sorted(items, key=id_of)
    return sorted(items, key=lambda each: str(each["updateTime"]), reverse=True)


def id_of(each: Fields) -> str:
    return str(each["id"])


def source_of(collection: Fields) -> Fields:
    """Where a collection comes from, as it is shown with what is in it."""
    source = collection.get("fileId") or collection.get("rawLink")
    return {} if source is None else {"sourceId": source}


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def holds(text: str, term: str) -> bool:
    """Whether a text has a term in it, case ignored."""
    return folded(term) in folded(text)


def moment(text: str | None, refused: str = "field") -> int | None:
    """Return a time in milliseconds, if given. Raises Refused of this kind."""
    if text is None:
        return None
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text):
        raise Refused(refused)
    return milliseconds(text)
