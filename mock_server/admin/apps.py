"""Apps with their chats: list, read, put and delete them."""

from typing import Any

from mock_server.admin.route import AdminCall, PageQuery, check_place, found, route, same_id
from mock_server.errors import AppNotFound, ChatNotFound
from mock_server.fixture.dump import app_entry
from mock_server.fixture.parse import parse_app, parse_chat
from mock_server.scripting.answers import ReplyRow
from mock_server.scripting.row import Row
from mock_server.scripting.script import Script, check_room
from mock_server.store.account import App, Chat

Fields = dict[str, Any]


@route("GET", "/apps")
def get_apps(call: AdminCall) -> dict[str, list[Fields]]:
    """List the apps, with the number of their chats."""
    apps = call.state.moment.store.apps.values()
    return {"apps": [{"id": it.id, "name": it.name, "chats": len(it.chats)} for it in apps]}


@route("GET", "/apps/{app}")
def get_app(call: AdminCall) -> Fields:
    """Read an app, as a fixture has it."""
    script = call.state.script
    script.retire()
    return app_entry(app_of(call), [it.row for it in script.declared])


@route("PUT", "/apps/{app}")
def put_app(call: AdminCall, body: Fields) -> Fields:
    """Create or replace an app, as a fixture has it; its replies last until the next reset."""
    id, state = call.path["app"], call.state
    same_id(body, "id", id)
    app, replies = parse_app(body, id)
    check_place(state.moment.store.apps, app)
    others = [it.row for it in state.script.declared if not is_of_app(it.row, id)]
    check_room(others + replies)
    call.status = 200 if id in state.moment.store.apps else 201
    remove_replies(state.script, id)
    state.script.declare(replies)
    state.set_store(state.moment.store.put(app).past(app))
    return app_entry(app, replies)


@route("DELETE", "/apps/{app}")
def delete_app(call: AdminCall) -> dict[str, int]:
    """Remove an app with its chats and replies; a folder goes with all that is in it."""
    state = call.state
    before = state.moment.store
    state.set_store(before.remove_app(app_of(call).id))
    gone = before.apps.keys() - state.moment.store.apps.keys()
    for id in gone:
        remove_replies(state.script, id)
    return {"deleted": len(gone)}


@route("GET", "/apps/{app}/chats")
def get_chats(call: AdminCall, query: PageQuery) -> Fields:
    """List the chats of an app, in the fixture's order."""
    return query.page("chats", [*app_of(call).chats.values()])


@route("POST", "/apps/{app}/chats", status=201)
def post_chat(call: AdminCall, body: Fields) -> Chat:
    """Add a chat, as a fixture has it; a missing chatId is derived as there."""
    app = app_of(call)
    chat = parse_chat(body, app)
    if chat.chat_id in app.chats:
        call.status = 200
    call.state.set_store(call.state.moment.store.put(app.put(chat)).past(chat))
    return chat


@route("GET", "/apps/{app}/chats/{id:path}")
def get_chat(call: AdminCall) -> Chat:
    """Read a chat."""
    return chat_of(call)


@route("PUT", "/apps/{app}/chats/{id:path}")
def put_chat(call: AdminCall, body: Fields) -> Chat:
    """Create or replace a chat, as a fixture has it."""
    app, id = app_of(call), call.path["id"]
    same_id(body, "chatId", id)
    chat = parse_chat(body | {"chatId": id}, app)
    call.status = 200 if id in app.chats else 201
    call.state.set_store(call.state.moment.store.put(app.put(chat)).past(chat))
    return chat


@route("DELETE", "/apps/{app}/chats/{id:path}")
def delete_chat(call: AdminCall) -> dict[str, int]:
    """Remove a chat."""
    call.state.set_store(call.state.moment.store.put(app_of(call).remove([chat_of(call).chat_id])))
    return {"deleted": 1}


def remove_replies(script: Script, app: str) -> None:
    """Take the replies that the fixture declares for an app out of force."""
    script.remove([it for it in script.declared if is_of_app(it.row, app)])


def is_of_app(row: Row, app: str) -> bool:
    """Whether a row is a reply of this app alone."""
    return isinstance(row, ReplyRow) and row.app == app


def app_of(call: AdminCall) -> App:
    """The app in the path. Raises AppNotFound."""
    return found(call.state.moment.store.apps, call.path["app"], AppNotFound, "the id of an app")


def chat_of(call: AdminCall) -> Chat:
    """The chat in the path. Raises AppNotFound, ChatNotFound."""
    return found(app_of(call).chats, call.path["id"], ChatNotFound, "a chatId of this app")
