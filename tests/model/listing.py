"""Lists of collections: that of spec 4.2, and its two older related routes."""

from __future__ import annotations

from typing import Any

from tests.model.answers import Refused, expected, in_words, quoted
from tests.model.base import Base, Page, Shape, holds, id_of, latest, paging
from tests.model.choices import remedies, served_with
from tests.model.records import READ, Fields, new_collection, permission, roles

APPEARED = "Appeared {}"


class Lists(Base):
    """What lists collections."""

    def list_v2(self, fields: Fields) -> Page:
        """Spec 4.2; the numbers have been read."""
        found = self.matching(fields, tags_are="any")
        return self.page(fields, found, fields["offset"], fields["pageSize"])

    def collection_list(self, fields: Fields) -> Page:
        number, size = fields.get("pageNum", 1), min(100, fields.get("pageSize", 10))
        found = self.matching(fields, tags_are="any")
        start, most = (0, 1000) if fields.get("simple") else ((number - 1) * size, size)

        def shape(page: Page, items: list[Fields]) -> Fields:
            shown = {"pageNum": number, "pageSize": size}
            return shown | {"data": items, "total": page.total}

        return self.page(fields, found, start, most, shape)

    def scroll_list(self, fields: Fields) -> Page:
        start, size = paging(fields, 30)
        found = self.matching(fields, tags_are="all", scope="folder")
        return self.page(fields, found, start, size)

    def page(
        self,
        fields: Fields,
        found: list[Fields],
        start: int,
        size: int,
        shape: Shape | None = None,
    ) -> Page:
        """A page of what has been found."""
        dataset = self.state["datasets"][fields["datasetId"]]
        is_extended = self.choices["item_fields"] == "extended"
        shown = roles if is_extended else permission
        allowed = {"permission": shown(self.level(dataset))}
        return Page(found, start, size, lambda it: self.item(it) | allowed, shape)

    def matching(
        self, fields: Fields, *, tags_are: str, scope: str | None = None
    ) -> list[Fields]:
        """The collections that are asked for, in order.

        `tags_are` says whether one of the tags is enough; `scope` stands in place of
        choice search_scope.
        """
        choices = (
            self.choices if scope is None else {**self.choices, "search_scope": scope}
        )
        dataset_id, text = fields["datasetId"], fields.get("searchText", "")
        dataset = self.state["datasets"].get(dataset_id)
        if dataset is None:
            what, got = "the id of a dataset", in_words(dataset_id)
            raise Refused(
                "no_dataset",
                expected(
                    what,
                    got,
                    "$.datasetId",
                    self.offered(self.state["datasets"], dataset_id),
                ),
            )
        collections, may_read = dataset["collections"], self.level(dataset) >= READ
        part = _part(fields, choices)
        is_known = part is None or part is _ANYWHERE or part in collections
        if not is_known and choices["parent_unknown"] == "not_found":
            hint = _hint(fields, choices) if may_read else ""
            what = f"null or the _id of a collection of dataset {quoted(dataset_id)}"
            if fields.get("parentId") == "":
                what = what.replace("null", "null for the top level,", 1)
            got = in_words(fields.get("parentId"))
            raise Refused("no_parent", expected(what, got, "$.parentId", hint))
        if not may_read:
            what = f"a key with read permission on dataset {quoted(dataset_id)}"
            raise Refused(
                "shut_dataset", expected(what, "a key without it", "$.datasetId")
            )
        found = [
            each
            for each in collections.values()
            if (part is _ANYWHERE or each["parentId"] == part)
            and _has(each, text, choices)
            and _is_tagged(each["tags"], fields.get("filterTags", []), tags_are)
            and (each["type"] == "folder" or not fields.get("selectFolder"))
        ]
        if choices["list_order"] == "fixture":
            return found
        if choices["list_order"] == "name":
            return sorted(sorted(found, key=id_of), key=lambda each: str(each["name"]))
        return latest(found)


_ANYWHERE: Any = object()


def _part(fields: Fields, choices: Fields) -> Any:
    """The folder that is asked for: None is the top level."""
    if fields.get("searchText") and choices["search_scope"] == "dataset":
        return _ANYWHERE
    if "parentId" not in fields:
        return _ANYWHERE if choices["parent_omitted"] == "any" else None
    if fields["parentId"] == "" and choices["parent_empty_string"] == "root":
        return None
    return fields["parentId"]


def _hint(fields: Fields, choices: Fields) -> str:
    """The choices that would serve a list of an unknown parent."""
    names = ["parent_unknown"]
    if fields["parentId"] == "":
        names.insert(0, "parent_empty_string")
    if fields.get("searchText"):
        names.append("search_scope")
    return served_with(*remedies(choices, *names))


def _has(each: Fields, text: str, choices: Fields) -> bool:
    """Whether a text is in a collection's name, or in one of its tags."""
    tags = each["tags"] if choices["search_fields"] == "name_and_tags" else []
    return any(holds(it, text) for it in [each["name"], *tags])


def _is_tagged(tags: list[str], wanted: list[str], tags_are: str) -> bool:
    if tags_are == "all":
        return set(wanted) <= set(tags)
    return not wanted or any(tag in tags for tag in wanted)


def appeared(fields: Fields, number: int) -> Fields:
    """A collection that a fault makes appear, where the request looks for some."""
    made = {"_id": f"appeared-{number}", "name": APPEARED.format(number)}
    return new_collection(made | {"parentId": fields.get("parentId") or None})
