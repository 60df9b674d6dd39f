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
            "a": row["a"],
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
        if not fields.get("text"):
            raise Refused("params")
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
        limit = int(min(fields.get("limit", 5000), 20_000))
        found = within(different(found), limit)
        mode = fields.get("searchMode", "embedding")
        re_rank = fields.get("usingReRank", False)

        def shape(_: Page, items: list[Fields]) -> Fields:
            more = {"usingSimilarityFilter": re_rank or mode == "embedding"}
            is_old = self.choices["version"] == "4.14"
            return (more if is_old else {}) | {
                "list": scored(items, mode, re_rank),
                "duration": "0.012s",
                "limit": limit,
                "searchMode": mode,
                "usingReRank": re_rank,
                "similarity": 0,
            }

        return Page(found, 0, 99 * (len(found) + 1), lambda each: each, shape)


SCORES = {
    "embedding": ["embedding"],
    "fullTextRecall": ["fullText"],
    "mixedRecall": ["embedding", "fullText"],
}


def different(found: list[Fields]) -> list[Fields]:
    """Those of which none before has the same letters; with their places."""
    seen: list[str] = []
    kept = []
    for place, each in enumerate(found):
        letters = re.sub(r"[\W_]", "", each["q"] + each.get("a", ""))
        if letters not in seen:
            kept.append(each | {"score": (each["score"], place, len(seen))})
            seen.append(letters)
    return kept


def within(found: list[Fields], limit: int) -> list[Fields]:
    """The first ones that have more than so many tokens together, of four bytes."""
    for number, each in enumerate(found):
        limit -= tokens(each)
        if limit < 0:
            return found[: number + 1]
    return found


def tokens(row: Fields) -> int:
    """The tokens of a row, of four bytes."""
    return sum((len(row.get(it, "").encode()) + 3) // 4 for it in ("q", "a"))


def scored(items: list[Fields], mode: str, re_rank: bool) -> list[Fields]:
    """What has been found, with its scores and the places that they give."""
    shown = []
    for each in items:
        value, place, kept = each["score"]
        kinds = [(kind, value, place) for kind in SCORES[mode]]
        rrf = ("rrf", 1 / (61 + place), place)
        if re_rank:
            rrf = ("rrf", 0.5 / (61 + place) + 0.5 / (61 + kept), kept)
        if mode == "mixedRecall":
            kinds.append(rrf)
        if re_rank:
            kinds.append(("reRank", value, kept))
            kinds += [rrf] * (mode != "mixedRecall")
        scores = [
            dict(zip(("type", "value", "index"), it, strict=True)) for it in kinds
        ]
        shown.append(each | {"score": scores})
    return shown


def parts_of(question: str) -> list[str]:
    """The pairs of neighbouring characters in the words of a question."""
    words = re.findall(r"[^\W_]+", folded(question))
    parts = [word[at : at + 2] for word in words for at in range(len(word) - 1 or 1)]
    return list(dict.fromkeys(parts))[:64]


def row_view(row: Fields) -> Fields:
    view = {name: row[name] for name in ("q", "chunkIndex", "updateTime")}
    return view | ({"a": row["a"]} if row["a"] else {})
