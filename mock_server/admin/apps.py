"""Apps with their chats: list, read, put and delete them."""

from itertools import chain

from mock_server.admin.route import AdminCall, PageQuery, route
from mock_server.decoding.json_values import JsonObject
from mock_server.fixture.dump import app_entry
from mock_server.fixture.merge import parse_app, parse_chat
from mock_server.rules.response_rules import rule_warnings
from mock_server.store.account import Chat


@route("GET", "/apps")
def get_apps(call: AdminCall) -> dict[str, list[JsonObject]]:
    """List the apps, with the number of their chats."""
    apps = call.store.apps.values()
    return {"apps": [{"id": it.id, "name": it.name, "chats": len(it.chats)} for it in apps]}


@route("GET", "/apps/{app}")
def get_app(call: AdminCall) -> JsonObject:
    """Read an app."""
    return app_entry(call.app, [*call.state.moment.declared.rules.values()])


@route("PUT", "/apps/{app}")
def put_app(call: AdminCall, body: JsonObject) -> JsonObject:
    """Create or replace an app, with its replies."""
    body = call.with_id_of_path(body, "id", "app")
    app, replies = parse_app(body, body["id"])
    # The new replies of the app replace its old ones, if there is room for them.
    declared = call.state.moment.declared.without_replies_of([app.id]).with_rules(replies)
    call.put_resource(app, call.store.apps)
    call.state.set_declared(declared)
    call.warnings += chain.from_iterable(map(rule_warnings, replies))
    return app_entry(app, replies)


@route("DELETE", "/apps/{app}")
def delete_app(call: AdminCall) -> dict[str, int]:
    """Remove an app with its chats and replies; a folder goes with all that is in it."""
    before = call.store
    call.state.set_store(before.without_resource(call.app))
    deleted_ids = before.apps.keys() - call.store.apps.keys()
    call.state.set_declared(call.state.moment.declared.without_replies_of(deleted_ids))
    return {"deleted": len(deleted_ids)}


@route("GET", "/apps/{app}/chats")
def get_chats(call: AdminCall, query: PageQuery) -> JsonObject:
    """List the chats of an app, in the fixture's order."""
    return query.page("chats", [*call.app.chats.values()])


@route("POST", "/apps/{app}/chats")
def post_chat(call: AdminCall, body: JsonObject) -> Chat:
    """Add a chat; a missing chatId is derived."""
    chat = parse_chat(body, call.app)
    call.set_put_status(chat.chat_id, call.app.chats, "chatId")
    call.save_resource(call.app.with_chats(chat), chat)
    return chat


@route("GET", "/apps/{app}/chats/{chat:path}")
def get_chat(call: AdminCall) -> Chat:
    """Read a chat."""
    return call.require_item("chat", call.app.chats)


@route("PUT", "/apps/{app}/chats/{chat:path}")
def put_chat(call: AdminCall, body: JsonObject) -> Chat:
    """Create or replace a chat."""
    return post_chat(call, call.with_id_of_path(body, "chatId", "chat"))


@route("DELETE", "/apps/{app}/chats/{chat:path}")
def delete_chat(call: AdminCall) -> dict[str, int]:
    """Remove a chat."""
    call.save_resource(call.app.without_chats([get_chat(call).chat_id]))
    return {"deleted": 1}
