"""Folders of apps: the rules for the folder of an app."""

from mock_server.domain import folders
from mock_server.domain.access import Level
from mock_server.domain.call import APP, Call
from mock_server.domain.datasets.dataset_folders import (
    FolderCycle,
    FolderTooDeep,
    TeamForbidden,
)
from mock_server.domain.errors import Refusal, refusal
from mock_server.domain.objects.models import APP_FOLDERS, App

AppTooDeep: type[Refusal] = type("AppTooDeep", (FolderTooDeep,), {})
"""FolderTooDeep for apps: too many folders (limit `folder_depth`)."""
WrongFolder = refusal("WrongFolder", "400 wrongFolder", "500 500 error")

MOVE = (FolderCycle,)
"""Refusals that `check_move` raises besides INSERT."""
INSERT = (*APP, TeamForbidden, WrongFolder, AppTooDeep)
"""Refusals that `folder_for` and `check_place` raise."""
_AGENT_FOLDER, _TOOL_FOLDER = "folder", "toolFolder"
_FOLDER_TYPES = {
    **dict.fromkeys(("simple", "chatAgent", "advanced"), _AGENT_FOLDER),
    **dict.fromkeys(("plugin", "toolSet", "httpToolSet"), _TOOL_FOLDER),
}
"""The type of folder that a type of app needs; other apps may be in any folder."""


def folder_for(call: Call, parent_id: str | None, level: Level) -> App | None:
    """Return the folder with the id `parent_id`, or None for the top level.

    The caller needs `level` on the folder, or generally at the top level. Raises
    AppNotFound, AppForbidden, TeamForbidden.
    """
    if parent_id:
        return call.app(parent_id, level, "$.parentId")
    if call.caller.level < level:
        expected = f"a caller with {level.name.lower()} permission"
        raise TeamForbidden(expected, "one without it", "$.parentId")
    return None


def check_place(call: Call, app_type: str, parent: App | None, levels: int = 1) -> None:
    """Check that an app of type `app_type` may be in the folder `parent`.

    `levels` is the number of nested levels: the app, and those below it. Raises
    WrongFolder, AppTooDeep.
    """
    if parent is None:
        return
    required = _FOLDER_TYPES.get(app_type)
    if parent.type not in ((required,) if required else APP_FOLDERS):
        expected = (
            f"an app of type {required or _AGENT_FOLDER} for one of type {app_type}"
        )
        raise WrongFolder(expected, f"one of type {parent.type}", "$.parentId")
    limit = call.state.limits.folder_depth
    depth = len(folders.path_of(call.store.app, parent.id)) + levels - 1
    if depth > limit:
        expected = f"at most {limit} folders above an app"
        raise AppTooDeep(expected, str(depth), "$.parentId")


def check_type(call: Call, app: App, app_type: str) -> None:
    """Raise WrongFolder if the app contains apps and `app_type` is no folder."""
    contents = (each.parent_id == app.id for each in call.store.apps())
    if app_type not in APP_FOLDERS and any(contents):
        expected = "the type of a folder, for the app holds others"
        raise WrongFolder.of(app_type, expected, "$.type")


def check_move(call: Call, app: App, app_type: str, parent: App | None) -> None:
    """Check that an app may move to the folder `parent`. Raises INSERT, FolderCycle.

    The caller needs manage permission on the folder that the app leaves.
    """
    folder_for(call, app.parent_id, Level.MANAGE)
    path = [] if parent is None else folders.path_of(call.store.app, parent.id)
    if app.id in {each.id for each in path}:
        expected = "a folder that is not in this one"
        raise FolderCycle.of(path[-1].id, expected, "$.parentId")
    levels = {app.id: 1}
    for each in folders.descendants(call.store.apps(), app.id):
        levels[each.id] = levels[each.parent_id or ""] + 1
    check_place(call, app_type, parent, max(levels.values()))
