"""Apps and datasets, by the same functions: find, show and create them."""

from collections.abc import Container, Mapping
from typing import Any, TypeVar

from msgspec import UNSET, Struct, field

from mock_server.errors import TeamForbidden
from mock_server.service.call import Call
from mock_server.service.request_fields import (
    APP_AVATAR,
    MEMBER_AVATAR,
    ParentId,
    StructT,
    check_folder_depth,
    struct_from,
)
from mock_server.service.rights import Rights, rights
from mock_server.store.account import App
from mock_server.store.objects import (
    DEFAULT_TEAM,
    ROOT,
    Dataset,
    Level,
    Resource,
    fold_text,
    latest_first,
)

AppOrDataset = TypeVar("AppOrDataset", App, Dataset)


class Member(Struct, frozen=True):
    """The member of the team who made a dataset or an app."""

    name: str = "Owner"
    avatar: str = MEMBER_AVATAR
    status: str = "active"


class ResourceView(Struct, rename="camel", kw_only=True):
    """An app or a dataset."""

    id: str = field(name="_id")
    avatar: str
    name: str
    intro: str
    type: str
    inherit_permission: bool = True
    tmb_id: str
    update_time: str
    permission: Rights


class ListedResource(ResourceView, rename="camel", kw_only=True):
    """An app or a dataset in a list."""

    private: bool
    """Whether there is at most one collaborator."""
    source_member: Member = Member()


class ResourceDetails(ResourceView, rename="camel", kw_only=True):
    """An app or a dataset in detail."""

    parent_id: str | None
    team_id: str = DEFAULT_TEAM
    delete_time: str | None = None


def view(call: Call, view_type: type[StructT], resource: Resource, **fields: Any) -> StructT:
    """An app or a dataset as the caller sees it."""
    level = call.caller.level_on(resource)
    is_app = isinstance(resource, App)
    fields["permission"] = rights("app" if is_app else "dataset", level)
    if is_app:
        fields["avatar"] = resource.avatar or APP_AVATAR
    if issubclass(view_type, ListedResource):
        fields["private"] = len(resource.permissions) < 2
    return struct_from(view_type, resource, **fields)


def find_readable(
    call: Call,
    existing: Mapping[str, AppOrDataset],
    types: Container[str],
    parent_id: ParentId,
    search_key: str,
) -> list[AppOrDataset]:
    """The apps or datasets that the caller may read, the latest first.

    `types` limits their types, unless it is empty. With a `search_key`, their name or introduction
    contains it, in all folders; else `parent_id` limits them to a folder, unless it is UNSET.
    """
    needle = fold_text(search_key)
    resources = []
    for resource in existing.values():
        has_type = not types or resource.type in types
        is_in_folder = parent_id is UNSET or resource.parent_id == (parent_id or ROOT)
        is_selected = resource.has_text(needle) if search_key else is_in_folder
        if has_type and is_selected and call.caller.level_on(resource) >= Level.READ:
            resources.append(resource)
    return latest_first(resources)


def create(
    call: Call,
    resource_type: type[AppOrDataset],
    existing: Mapping[str, AppOrDataset],
    parent_id: ParentId,
    **fields: Any,
) -> str:
    """Make an app or a dataset of the caller. Returns its id. Raises TeamForbidden, LimitReached.

    The operation has checked before that the caller may write to the folder.
    """
    if not parent_id and call.caller.level < Level.OWNER:
        raise TeamForbidden("a key with OWNER permission")
    resource = resource_type(
        id=call.new_id(),
        parent_id=parent_id or ROOT,
        tmb_id=call.member,
        update_time=call.now(),
        permissions={call.caller.key: "owner"},
        **fields,
    )
    check_folder_depth(existing, resource)
    call.save(resource)
    return resource.id
