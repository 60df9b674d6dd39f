"""Makes the OpenAPI documents; `python -m tests.openapi` writes both.

`public` makes the document of the operations and `admin` that of the admin API, from
the tables and types by which the server works; `examples` asks applications for the
responses that they show. Both documents are committed and served as they are, so a
server imports nothing of this package.

This module holds what the two documents share: their frame, the schemas of types, and
error responses.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from typing import Any

import msgspec

from mock_server import __version__
from mock_server.api.envelope import Failure
from mock_server.api.faults.table import KINDS, AddPreset
from mock_server.domain.errors import Refusal
from mock_server.fixture.document import Document

JSON = "application/json"
FAULT_TYPES = (*KINDS.values(), AddPreset)
"""The types of what may stand in a fixture's `faults`."""
TEXT = {"schema": {"type": "string"}}
NUMBER = {"schema": {"type": "integer"}}
BEARER = {"bearer": {"type": "http", "scheme": "bearer"}}
_LIMIT = ("Limit", "Remaining", "Reset")
# RFC 9110 15.5.2 and 15.5.6 demand those of 401 and 405; RFC 6585 4 names Retry-After.
_HEADERS: Mapping[int, Mapping[str, object]] = {
    401: {"WWW-Authenticate": {"schema": {"const": "Bearer"}}},
    405: {"Allow": TEXT},
    429: {"Retry-After": NUMBER} | {f"X-RateLimit-{each}": NUMBER for each in _LIMIT},
}
_NULL = {"type": "null"}
_MODULES = re.compile(r"mock_server\.[\w.]*\.")

JsonObject = dict[str, Any]


def frame(
    title: str, description: str, paths: JsonObject, components: JsonObject
) -> JsonObject:
    """An OpenAPI document of this version, whose requests carry a bearer token."""
    return {
        # Since 3.1 schemas are JSON Schema 2020-12, which is what msgspec makes.
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__, "description": description},
        # Relative: nobody knows the port when the document is committed.
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {"securitySchemes": BEARER, **components},
    }


def labels(chinese: str) -> JsonObject:
    """What the sentence of a row is in Chinese, as an extension; none if it has none.

    The console shows it instead of the English one.
    """
    return {"x-chinese": chinese} if chinese else {}


def query_parameters(schema: JsonObject) -> list[JsonObject]:
    """The fields of a struct with that schema as parameters of a query."""
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": each}
        for name, each in schema.get("properties", {}).items()
    ]


def encode(document: JsonObject) -> bytes:
    """A document as the JSON text that is committed."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def fixture_schema() -> JsonObject:
    """The JSON Schema (2020-12) of fixtures, with faults of all kinds."""
    references, definitions = msgspec.json.schema_components(
        FAULT_TYPES, ref_template="#/$defs/{name}"
    )
    for kind in KINDS.values():
        definitions[kind.__name__]["allOf"] = kind.rules()
    schema: JsonObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Fixture of the FastGPT mock server",
        **msgspec.json.schema(Document),
    }
    schema["$defs"] |= definitions
    faults = schema["$defs"]["Document"]["properties"]["faults"]
    faults["items"] = {"anyOf": list(references)}
    found: JsonObject = normalized(schema)
    return found


class Schemas:
    """The JSON Schemas of types.

    `components` holds the schemas of all structs by name; the others refer to them.
    `errors` holds the error responses that have been referred to.
    """

    def __init__(self, shapes: Iterable[Any]) -> None:
        """Each shape is a type, or a tuple of types of which any may come."""
        types = list(
            dict.fromkeys(each for shape in (*shapes, Failure) for each in _any(shape))
        )
        schemas, components = msgspec.json.schema_components(
            types, ref_template="#/components/schemas/{name}"
        )
        self.errors: dict[str, JsonObject] = {}
        self.components: JsonObject = _for_generators(normalized(components))
        plain = map(_for_generators, map(normalized, schemas))
        self._by_type = dict(zip(types, plain, strict=True))

    def component(self, struct: type) -> JsonObject:
        """The schema of a struct among `components`, to be completed by the caller."""
        # Not by the name of the struct: of namesakes, msgspec adds the modules.
        name = self._by_type[struct]["$ref"].rpartition("/")[2]
        found: JsonObject = self.components[name]
        return found

    def any_of(self, shape: Any) -> JsonObject:
        """The schema of a shape."""
        any_of: list[JsonObject] = [self._by_type[each] for each in _any(shape)]
        return any_of[0] if len(any_of) == 1 else {"anyOf": any_of}

    def content(
        self,
        shape: Any,
        media_types: Sequence[str] = (JSON,),
        examples: Mapping[str, object] | None = None,
    ) -> JsonObject:
        """A body of that shape in each of the media types; the examples are JSON."""
        schema = self.any_of(shape)
        content: JsonObject = {each: {"schema": schema} for each in media_types}
        if examples and JSON in content:
            content[JSON]["examples"] = examples
        return content

    def error_responses(
        self, refusals: Iterable[type[Refusal]], examples: Mapping[str, object]
    ) -> dict[str, JsonObject]:
        """The responses to refused requests by HTTP status, under choice
        error_form=plain; `examples` are by statusText.
        """
        names: dict[int, list[str]] = defaultdict(list)
        for refusal in refusals:
            form = refusal.row.plain
            if form.status_text not in names[form.http]:
                names[form.http].append(form.status_text)
        responses: dict[str, JsonObject] = {}
        for status, texts in sorted(names.items()):
            shown = {each: examples[each] for each in texts if each in examples}
            responses[str(status)] = {
                "description": ", ".join(texts),
                "headers": _HEADERS.get(status, {}),
                "content": self.content(Failure, examples=shown),
            }
        return responses

    def error_references(
        self, refusals: Iterable[type[Refusal]], examples: Mapping[str, object]
    ) -> JsonObject:
        """As `error_responses`, which many routes share: references to `errors`."""
        references: JsonObject = {}
        for status, response in self.error_responses(refusals, examples).items():
            # By what they say. The names of components hold no commas or spaces
            # (OpenAPI 3.1, Components Object).
            name = ".".join(sorted(response["description"].split(", ")))
            self.errors[name] = response
            references[status] = {"$ref": f"#/components/responses/{name}"}
        return references


def _any(shape: Any) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


def normalized(schema: Any) -> Any:
    """A schema, or several in a list or dict, as every Python and msgspec gives it."""
    if isinstance(schema, list):
        # msgspec 0.22 has changed the place of null in an anyOf.
        nulls_last = sorted(schema, key=lambda each: each == _NULL)
        return [normalized(each) for each in nulls_last]
    if not isinstance(schema, dict):
        return schema
    found = {_short(name): normalized(each) for name, each in schema.items()}
    if "$ref" in found:
        found["$ref"] = _short(found["$ref"])
    if isinstance(found.get("title"), str):
        found["title"] = _MODULES.sub("", found["title"])
    if isinstance(found.get("description"), str):
        # Before Python 3.13, docstrings keep the indentation of their source.
        found["description"] = cleandoc(found["description"])
    return found


def _for_generators(schema: Any) -> Any:
    """A schema that means the same, of which generators of clients make what compiles.

    They copy defaults into their code: those that are no single value of a plain type
    are left out, since a field that is left out means the same. A field that is always
    null has no type for some of them, but may have null as its one value.
    """
    if isinstance(schema, list):
        return [each if each == _NULL else _for_generators(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "null":
        return {"enum": [None]}
    found = {name: _for_generators(each) for name, each in schema.items()}
    if "default" in found and not _is_plain(found):
        del found["default"]
    return found


def _is_plain(schema: JsonObject) -> bool:
    """Whether the default of a schema is of a type that it has in every language."""
    types = [each for each in schema.get("anyOf", (schema,)) if each != _NULL]
    is_value = not isinstance(schema["default"], list | dict)
    return is_value and len(types) == 1 and types[0].get("format") != "date-time"


def _short(name: str) -> str:
    """The name of a component without the modules that generic types bring into it."""
    return _MODULES.sub("", name).rstrip("_") if _MODULES.search(name) else name
