"""Data rows: listed, added, changed, removed, searched."""

from __future__ import annotations

import re
from typing import Any

from tests.model.answers import Refused
from tests.model.base import Base, Page, folded, holds, paging, source_of
from tests.model.records import OWNER, READ, TEAM, WRITE, Fields, index_texts


class Rows(Base):
    """What has to do with the rows of collections."""

    def data_list(self, fields: Fields) -> Page:
        start, size = paging(fields, 30)
        dataset, collection = self.collection(fields["collectionId"], READ)
        text = fields.get("searchText", "")
        rows = [
            row
            for row in self.rows(dataset, collection["id"])
            if holds(row["q"], text) or holds(row["a"], text)
        ]
        more = {"datasetId": dataset["id"], "collectionId": collection["id"]}
        if self.choices["version"] == "4.14":
            rows.sort(key=lambda row: (int(row["chunkIndex"]), row["id"]))
            more["teamId"] = TEAM

        def view(row: Fields) -> Fields:
            return {"_id": row["id"], "a": row["a"]} | row_view(row) | more

        return Page(rows, start, size, view)

    def push_data(self, fields: Fields) -> Any:
        dataset, collection = self.collection(fields["collectionId"], WRITE)
        pushed = [row for row in fields["data"] if row.get("q")]
        collection["updateTime"] = self.now
        self.train(dataset, collection, pushed)
        return {"insertLen": len(pushed)}

    def insert_data(self, fields: Fields) -> str:
        dataset, collection = self.collection(fields["collectionId"], WRITE)
        texts = fields["q"], fields.get("a") or ""
        for row in self.rows(dataset, collection["id"]):
            if (row["q"], row["a"]) == texts:
                raise Refused("row_taken")
        collection["updateTime"] = self.now
        new = {name: fields.get(name) for name in ("q", "a", "indexes")}
        return self.train(dataset, collection, [new], at_once=True)[0]

    def data_detail(self, fields: Fields) -> Any:
        dataset, collection, row = self.row(fields["id"], READ)
        texts = [("custom", text) for text in row["indexes"]]
        texts += [("default", row[name]) for name in ("q", "a") if row[name]]
        view = row_view(row) | {
            "id": row["id"],
            "teamId": TEAM,
            "datasetId": dataset["id"],
            "collectionId": collection["id"],
            "indexes": [
                {"type": kind, "dataId": f"{row['id']}-{number}", "text": text}
                for number, (kind, text) in enumerate(texts)
            ],
            "sourceName": collection["name"],
            "isOwner": self.level(dataset) == OWNER,
        }
        return view | source_of(collection)

    def data_update(self, fields: Fields) -> Any:
        _, collection, row = self.row(fields["dataId"], WRITE)
        row["q"] = fields.get("q") or row["q"]
        if fields.get("a") is not None:
            row["a"] = fields["a"]
        if fields.get("indexes") is not None:
            row["indexes"] = index_texts(fields["indexes"])
        row["updateTime"] = collection["updateTime"] = self.now
        if self.choices["version"] == "4.14":
            return None
        return {name: row[name] for name in ("q", "a") if row[name]}

    def data_delete(self, fields: Fields) -> str | None:
        dataset, collection, row = self.row(fields["id"], WRITE)
        dataset["rows"][collection["id"]].remove(row)
        collection["dataAmount"] = max(0, collection["dataAmount"] - 1)
        collection["updateTime"] = self.now
        return "success" if self.choices["version"] == "4.14" else None

    def search_test(self, fields: Fields) -> Page:
        """The best first, then by id."""
        dataset = self.dataset(fields["datasetId"], READ)
        parts, found = parts_of(fields["text"]), []
        for collection in dataset["collections"].values():
            for row in self.rows(dataset, collection["id"]):
                texts = folded("\n".join([row["q"], row["a"], *row["indexes"]]))
                shared = sum(part in texts for part in parts)
                if shared and not collection["forbid"]:
                    score = round(shared / len(parts), 4)
                    more = {
                        "datasetId": dataset["id"],
                        "sourceName": collection["name"],
                    }
                    more |= {"collectionId": collection["id"]} | source_of(collection)
                    if self.choices["version"] == "4.14":
                        more["tokens"] = tokens(row)
                    view = row_view(row) | {"id": row["id"]} | more
                    found.append(view | {"score": score})
        found.sort(key=lambda each: (-each["score"], each["id"]))
        found = within(found, fields.get("limit", 5000))
        mode = fields.get("searchMode", "embedding")
        re_rank = fields.get("usingReRank", False)

        def shape(_: Page, items: list[Fields]) -> Fields:
            return {
                "list": scored(items, [SCORES[mode]] + ["reRank"] * re_rank),
                "duration": "0.012s",
                "limit": fields.get("limit", 5000),
                "searchMode": mode,
                "usingReRank": re_rank,
                "similarity": 0,
            }

        return Page(found, 0, 99 * (len(found) + 1), lambda each: each, shape)


SCORES = {
    "embedding": "embedding",
    "fullTextRecall": "fullText",
    "mixedRecall": "rrf",
}


def within(found: list[Fields], limit: int) -> list[Fields]:
    """The first ones that have so many tokens together, of four bytes; at least one."""
    for number, each in enumerate(found):
        limit -= tokens(each)
        if limit < 0 and number > 0:
            return found[:number]
    return found


def tokens(row: Fields) -> int:
    """The tokens of a row, of four bytes."""
    return sum((len(row.get(it, "").encode()) + 3) // 4 for it in ("q", "a"))


def scored(items: list[Fields], kinds: list[str]) -> list[Fields]:
    """What has been found, with its scores and the place that they give."""
    return [
        each
        | {
            "score": [
                {"type": kind, "value": each["score"], "index": place} for kind in kinds
            ]
        }
        for place, each in enumerate(items)
    ]


def parts_of(question: str) -> list[str]:
    """The pairs of neighbouring characters in the words of a question."""
    words = re.findall(r"[^\W_]+", folded(question))
    parts = [word[at : at + 2] for word in words for at in range(len(word) - 1 or 1)]
    return list(dict.fromkeys(parts))[:64]


def row_view(row: Fields) -> Fields:
    view = {name: row[name] for name in ("q", "chunkIndex", "updateTime")}
    return view | ({"a": row["a"]} if row["a"] else {})
