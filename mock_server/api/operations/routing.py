"""Finds the operation at a path, or suggests a path that is likely meant."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import chain

from mock_server.api.errors import CommercialRoute, RouteNotFound
from mock_server.api.operations.known_routes import (
    known_route,
    known_routes,
    similar_route,
)
from mock_server.api.operations.nearest import (
    nearest_admin_path,
    nearest_path,
    words_of,
)
from mock_server.api.operations.operation import ADDRESS_END, Operation
from mock_server.domain import errors
from mock_server.domain.choices.reading import choices_hint, remedies
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.messages import cut, describe_value, did_you_mean, quoted

_COMMERCIAL_PREFIX = "/api/proApi/"
"""Start of the paths that the community edition forwards to the commercial one."""
_RELATED_ROUTE = "a route of the service that the spec does not show"
_OPENAI_HINT = "an SDK of OpenAI, set base_url=http://HOST:PORT/api/v1"
_MAX_REQUEST_CHARS = 100
"""Maximum length of a request (method and path) that a hint repeats."""
_PLAIN_REQUEST = re.compile(r"[A-Z]+ [\w/.%~-]+", re.ASCII)
_MAX_LISTED = 8
"""Maximum number of operations that a message lists."""
DESCRIPTION = "/openapi.json"
"""Path of the OpenAPI document of all operations."""
_LIST_HINT = f"GET {DESCRIPTION} lists all routes"
_UNKNOWN = "no version of FastGPT that this mock knows has this path"
_PATH_FIELDS = "path", "url", "uri", "urlPath", "urlPattern", "urlPathPattern"
_REQUEST_FIELDS = "request", "httpRequest", "method", *_PATH_FIELDS
"""Fields of other mock servers' stubs that select requests."""
_ID_ROUTE_WORDS = {"GET": ("detail",), "DELETE": ("delete", "del")}
_ID_ROUTE_WORDS |= dict.fromkeys(("PUT", "PATCH"), ("update",))
"""Last words of routes that take one object by its id, by the method of REST."""
PREFIX = "/__"
"""Start of the server's own paths; no path of FastGPT starts with it."""
RESPONSES = "/__admin/responses"
"""Path of the list of static responses."""


def is_served(operation: Operation, path: str, choices: Choices) -> bool:
    """Return whether the choices serve an operation at `path`, one of its paths."""
    if operation.related is not None and choices.related_routes != "on":
        return False
    if choices.version not in operation.versions:
        return False
    return path != operation.legacy_path or choices.legacy_paths == "on"


class Operations(Mapping[str, Operation]):
    """A table of operations by name, which can also be searched by path.

    Serving, faults, journal, conformance check and documentation use this table.
    """

    def __init__(
        self,
        rows: Iterable[Operation],
        load_rest: Callable[[], Iterable[Operation]] = tuple,
    ) -> None:
        """`load_rest` returns further rows; it is called when a lookup needs them.

        Importing these rows at once would slow down every start.
        """
        self._main_rows = {row.name: row for row in rows}
        self._load_rest = load_rest
        main_rows = self._main_rows.values()
        self.by_path = {row.path: row for row in main_rows if row.related is None}
        """The operation of each path of the spec."""
        # Cached, because comparing is slow, and clients repeat a wrong path.
        self._nearest_path = lru_cache(DEFAULT_LIMITS.cached_heads)(
            lambda path, method: nearest_path(
                path,
                self.names_by_path(),
                [each for each, row in self._by_any_path() if method in row.methods],
            )
        )

    @cached_property
    def _rows(self) -> dict[str, Operation]:
        return self._main_rows | {row.name: row for row in self._load_rest()}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {row.path: name for name, row in self._rows.items()}

    @cached_property
    def _at_older_paths(self) -> dict[str, Operation]:
        rows = self._rows.values()
        return {row.legacy_path: row.at_older_path() for row in rows if row.legacy_path}

    def __getitem__(self, name: str) -> Operation:
        return self._main_rows.get(name) or self._rows[name]

    def __contains__(self, name: object) -> bool:
        return name in self._main_rows or name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, path: str, method: str, choices: Choices) -> Operation:
        """Return the operation that is served at exactly this path (spec 4).

        Raises RouteNotFound with a suggestion.
        """
        operation = self.with_path(path)
        if operation is None or not is_served(operation, path, choices):
            raise self.unknown_route(path, method, choices)
        return operation

    def with_path(self, path: str) -> Operation | None:
        """Return the operation with this path, even if choices do not serve it."""
        names = self._names
        name = names.get(path) or names.get(path.rpartition("/")[0] + ADDRESS_END)
        return self._at_older_paths.get(path) if name is None else self[name]

    def rewrite_hint(
        self, name: str, fields: Mapping[str, object], *, takes_route: bool = False
    ) -> str:
        """Return a hint for a field of other mock servers: the `operation` to write.

        `name` is the field, with a value in `fields`: a path, a method, or an object
        with both, such as WireMock's `request`. Return "" if `name` is another field.
        `takes_route`: the operation may be a method and a path, too.
        """
        if name not in _REQUEST_FIELDS:
            return ""
        inner = fields.get(name)
        request = inner if isinstance(inner, Mapping) else fields
        paths = (
            request[each] for each in _PATH_FIELDS if isinstance(request.get(each), str)
        )
        path = str(next(paths, "/api/x")).partition("?")[0]
        route = f"{str(request.get('method', 'GET')).upper()} {path}"
        row = self.with_path(path)
        if row is None and not takes_route:
            example = quoted(next(iter(self)))
            return f' (write "operation": {example}, or the name of another operation)'
        # Texts of Python may hold lone surrogates, which UTF-8 cannot encode.
        target = row.name if row else cut(route).encode(errors="replace").decode()
        return f' (write "operation": {quoted(target)})'

    def owner_of(self, path: str) -> str:
        """Return a description of the owner of a path, under any choices, or ""."""
        if path in ("/", DESCRIPTION) or path.startswith(PREFIX):
            return "the server itself"
        operation = self.with_path(path)
        if operation is None:
            return ""
        kind = "related route" if operation.related else "operation"
        return f"{kind} {operation.name}"

    def names_by_path(self) -> dict[str, str]:
        """Return the names of all operations by path, with their older paths."""
        older = {path: row.name for path, row in self._at_older_paths.items()}
        return self._names | older

    def unknown_route(self, path: str, method: str, choices: Choices) -> errors.Refusal:
        """Return the refusal of a request whose path is not served; suggest a path."""
        if path.startswith(_COMMERCIAL_PREFIX) and choices.related_routes == "on":
            return _commercial_route(path, _answer_hint(method, path))
        served = [row for row in self.values() if is_served(row, row.path, choices)]
        expected = "a route that this mock serves"
        if len(served) <= _MAX_LISTED:
            expected = " or ".join(f"{row.method} {row.path}" for row in served)
        hint = self._hint(path, method, choices)
        got = f"{cut(method)} {quoted(cut(path))}"
        return RouteNotFound(expected, got, "path", hint)

    def check_name(
        self, name: str, place: str, allowed: str = "", responses: Collection[str] = ()
    ) -> None:
        """Raise InvalidField for an unknown name of an operation or response.

        `allowed` starts the message with other values; `responses` are the names
        of static responses.
        """
        if name not in self and name not in responses:
            expected = allowed + self._names_text()
            path = name.rpartition(" ")[2]
            at_path = self.with_path(path)
            if at_path is not None and not allowed:
                got = f"its path {quoted(path)} (write {quoted(at_path.name)})"
                raise errors.InvalidField("the name of an operation", got, place)
            if responses:
                count = len(responses)
                count_text = "the one" if count == 1 else f"one of the {count}"
                expected += f", or {count_text} of GET {RESPONSES}"
            known = [*self, *responses]
            row = at_path or self._by_words(path)
            if row is None and "/" in path and (best := self._nearest_path(path, "")):
                row = self.with_path(best)
            hint = did_you_mean(row.name if row else name, known)
            if not hint and " /" in name:
                hint = " (find its requests in the journal; respond(...) answers them)"
            got = describe_value(name) + hint
            raise errors.InvalidField(expected, got, place)

    def _by_words(self, name: str) -> Operation | None:
        """Return the operation that `createDataset` or `chat/completions` names."""
        words = words_of(name)
        for row in self.values():
            _, parent, last = row.path.rsplit("/", 2)
            if words in (words_of(row.name), words_of(f"{parent} {last}")):
                return row
        return None

    def _names_text(self) -> str:
        """Return the names for a message; if there are many, only those of the spec."""
        if len(self) <= _MAX_LISTED:
            return f"one of {', '.join(self)}"
        names = ", ".join(row.name for row in self.by_path.values())
        return f"one of {names} or the related routes of GET {DESCRIPTION}"

    def _by_any_path(self) -> Iterable[tuple[str, Operation]]:
        rows = ((row.path, row) for row in self._rows.values())
        return chain(rows, self._at_older_paths.items())

    def _route_by_id(
        self, folder: str, last: str, method: str
    ) -> tuple[Operation | None, str]:
        """Return the route, and its parameter, for a REST path that ends with an id.

        The path is `folder` and `last`. Only a word with digits counts as an id, so
        that no other path suggests a deletion.
        """
        words = _ID_ROUTE_WORDS.get(method, ()) if re.search("[0-9]", last) else ()
        for word in words:
            for parent in (folder, folder.removesuffix("s")):
                row = self.with_path(f"{parent}/{word}")
                name = next(iter(row.contract.names), "") if row else ""
                if name == "id" or name == f"{parent.rpartition('/')[2]}Id":
                    return row, name
        return None, ""

    def _with_doubled_end(self, path: str) -> Operation | None:
        """Return the operation whose path, with its end once more, is `path`."""
        for row in self.values():
            end = path.removeprefix(row.path)
            if end and end != path and row.path.endswith(end):
                return row
        return None

    def _hint(self, path: str, method: str, choices: Choices) -> str:
        """Return a hint for an unknown path: a choice, a similar path, or an answer."""
        match, answer_hint = self.with_path(path), _answer_hint(method, path)
        if match is not None and choices.version not in match.versions:
            text = f"a route of the service in version {' and '.join(match.versions)}"
            newer = known_routes()[path].successor if path in known_routes() else ""
            text = f"{text}, {choices_hint(f'version={match.versions[-1]}')}"
            return f"{text}; newer versions have {newer}" if newer else text
        if match is not None:
            prefix = f"{_RELATED_ROUTE}, " if match.related else ""
            names = ["related_routes"] if match.related else []
            names += ["legacy_paths"] if path == match.legacy_path else []
            # The request needs all of these choices, so join them by "and".
            return prefix + choices_hint(" and ".join(remedies(choices, *names)))
        route = known_route(path)
        if route is not None:
            return f"{route.sentence}; this mock does not implement it: {answer_hint}"
        if path.endswith("/v1/responses"):
            chat = self["completions"].path
            return f"the Responses API is not served, {chat} is; {answer_hint}"
        doubled = self._with_doubled_end(path)
        if doubled is not None and is_served(doubled, doubled.path, choices):
            hint = (
                f"did you mean {doubled.method} {doubled.path}? Its end is there twice"
            )
            is_chat = doubled.name == "completions"
            return f"{hint}; for {_OPENAI_HINT}" if is_chat else hint
        if path.endswith("/v1/models"):
            base = "" if path.startswith("/api/") else f"; for {_OPENAI_HINT}"
            return f"FastGPT has no list of models{base}; {answer_hint}"
        # Compare no long path: it is similar to no route.
        is_long = len(path) + len(method) > DEFAULT_LIMITS.cached_head_bytes
        admin = nearest_admin_path(path)
        best = None if is_long or admin else self._nearest_path(path, method)
        row = self.with_path(best) if best else None
        if row is None and not is_long:
            folder, _, last = path.rpartition("/")
            row, name = self._route_by_id(folder, last, method)
            if row is not None:
                best = f"{method} {row.path}?{name}={last}"
            if row is not None and method in ("PUT", "PATCH"):
                best = f"{row.method} {row.path} with the field {name}"
        if row is None and path == "/":
            return "the console is at /__admin/"
        if row is None:
            if admin:
                return f"did you mean {admin}? Paths are exact"
            similar = similar_route(path)
            if similar is not None:
                hint = f"did you mean {similar.path}? {similar.sentence}, this mock not"
                return f"{hint}; {_answer_hint(method, similar.path)}"
            return f"{_UNKNOWN}; {_LIST_HINT}; {answer_hint}"
        if best == row.legacy_path and choices.legacy_paths != "on":
            best = row.path
        difference = _difference(path, best or "")
        if best and best.startswith("/"):
            allowed = method in row.methods
            best = f"{method if allowed else f'{row.method}, not {method},'} {best}"
        hint = f"did you mean {best}?{difference}"
        if row.name == "completions" and not path.startswith("/api/v1/"):
            hint += f" For {_OPENAI_HINT}."
        if is_served(row, row.path, choices):
            return f"{hint} {_LIST_HINT}; `responses:` in a fixture file adds others"
        needed = " and ".join(remedies(choices, "related_routes"))
        return f"{hint} It is {_RELATED_ROUTE}, and needs the choice {needed}"


def _answer_hint(method: str, path: str) -> str:
    """Return a hint at the ways to script an answer for an unknown path."""
    request = f"{method} {path}"
    if len(request) > _MAX_REQUEST_CHARS or not _PLAIN_REQUEST.fullmatch(request):
        return "answer it by mock_server.respond(...), or by `responses:` of a fixture"
    # Clients of OpenAI's API expect no envelope.
    field = "json" if path.startswith(("/v1/", "/api/v1/")) else "data"
    call = f"mock_server.respond('{request}', {field}={{}}) in a test"
    command = (
        f"mock-server answer {request} --{field} '{{}}' (--url if not on port 8000)"
    )
    entry = f"responses: [{{method: {method}, path: {path}, {field}: {{}}}}]"
    return f"answer it by {call}, by {command}, or in a fixture by {entry}"


def _difference(path: str, similar: str) -> str:
    """Return a sentence on the difference of a path from the one that is meant."""
    if path.lower() == similar.lower():
        return " Paths are case-sensitive."
    if path.rstrip("/") == similar:
        return ' The path must end without "/".'
    if f"/api{path}" == similar:
        return " The path must begin with /api."
    if path == f"/api{similar}":
        return ' "/api" is there twice: check the base URL.'
    return ""


def _commercial_route(path: str, answers: str) -> Refusal:
    """Return the refusal of a commercial path, in FastGPT's words and with a hint."""
    segments = path.removeprefix(_COMMERCIAL_PREFIX).replace("/", ",")
    reason = f"未配置商业版链接: {cut(segments)}; only the commercial edition has it"
    return CommercialRoute.of(
        path, "a route of the community edition", "path", f"{reason}; {answers}"
    )
