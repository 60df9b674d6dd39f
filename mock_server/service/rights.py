"""The rights of a caller: names and numbers.

Spec 2.2; FastGPT 4.16, packages/global/support/permission/controller.ts.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, to_builtins

from mock_server.store.objects import Level

Rights = dict[str, Any]
"""Rights in the form of FastGPT: numbers, names, and texts that a person is shown."""
RightsKind = Literal["dataset", "app", "team"]


class Permission(Struct, rename="camel", frozen=True, kw_only=True):
    """The caller's rights on a collection (spec 2.2)."""

    value: int | UnsetType = UNSET
    """FastGPT sends a field `permission` in place of it."""
    is_owner: bool
    has_manage_per: bool
    has_write_per: bool
    has_read_per: bool

    @classmethod
    def of(cls, level: Level) -> "Permission":
        return cls(
            value=level,
            is_owner=level >= Level.OWNER,
            has_manage_per=level >= Level.MANAGE,
            has_write_per=level >= Level.WRITE,
            has_read_per=level >= Level.READ,
        )


class Role(Struct, rename="camel", frozen=True):
    """A role that a member can have; the number is a bit of `role` and of `permission`."""

    value: int
    name: str
    description: str = ""
    check_box_type: Literal["single", "multiple", "hidden"] = "single"


ROLES: dict[RightsKind, dict[str, Role]] = {
    "dataset": {
        "read": Role(4, "common:permission.read", "dataset:permission.des.read"),
        "write": Role(2, "common:permission.write", "dataset:permission.des.write"),
        "manage": Role(1, "common:permission.manager", "dataset:permission.des.manage"),
    },
    "app": {
        "read": Role(4, "app:permission.name.read", "app:permission.des.read"),
        "write": Role(2, "common:permission.write", "app:permission.des.write"),
        "manage": Role(1, "common:permission.manager", "app:permission.des.manage"),
        "readChatLog": Role(8, "app:permission.name.readChatLog", "", "multiple"),
    },
    "team": {
        "read": Role(4, "common:permission.common_member"),
        "write": Role(2, "common:permission.write", "", "hidden"),
        "manage": Role(1, "common:permission.manager"),
        "appCreate": Role(8, "account_team:permission_appCreate", "", "multiple"),
        "datasetCreate": Role(16, "account_team:permission_datasetCreate", "", "multiple"),
        "apikeyCreate": Role(32, "account_team:permission_apikeyCreate", "", "multiple"),
        "skillCreate": Role(64, "account_team:permission_skillCreate", "", "multiple"),
    },
}


def rights(kind: RightsKind, level: Level) -> Rights:
    """The rights of a level on an app, on a dataset with its collections, or in the team."""
    roles = ROLES[kind]
    permission = int(level)
    # A manager of an app may read its chat logs.
    if kind == "app" and level == Level.MANAGE:
        permission |= roles["readChatLog"].value
    is_owner = level == Level.OWNER
    view: Rights = {"role": int(level), "permission": permission, "isOwner": is_owner}
    numbers = {"owner": int(Level.OWNER)}
    for name, role in roles.items():
        numbers[name] = role.value
        # `readChatLog` becomes `hasReadChatLogPer`.
        word = name[0].upper() + name[1:]
        view[f"has{word}Per"] = permission & role.value != 0
        view[f"has{word}Role"] = level & role.value != 0
    return view | {"roleList": to_builtins(roles), "perList": numbers, "rolePerMap": {}}
