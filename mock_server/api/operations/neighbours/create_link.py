"""`collection/create/link`: make a collection of a page on the web."""

from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from mock_server.api.operations.neighbours import creation
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.creation import create_from_texts
from mock_server.domain.errors import InvalidField, describe_value
from mock_server.domain.limits import Limits
from mock_server.domain.records import Collection
from mock_server.domain.state import State


class CreateLinkBody(creation.CreationFields, kw_only=True):
    """The address of the page."""

    link: Annotated[str, Meta(min_length=1, max_length=Limits.name_chars)]


def create_link(
    state: State, caller: Caller, body: CreateLinkBody
) -> creation.CreatedView:
    """Make a collection of a page. Raises InvalidField, `creation.REFUSALS`."""
    if not is_url(body.link):
        got = describe_value(body.link)
        raise InvalidField(f"Expected an http or https URL, got {got} - at $.link")
    new = Collection("", body.link, type="link", raw_link=body.link)
    return creation.make_collection(state, caller, body, new, create_from_texts, [])


def is_url(text: str) -> bool:
    """Whether a text is the address of a page."""
    try:
        parts = urlsplit(text)
        # What is no number is found out when the port is looked at.
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_web = parts.scheme in ("http", "https")
    return is_web and has_host and text.isprintable() and " " not in text


LINK = neighbour(
    name="link",
    path="/api/core/dataset/collection/create/link",
    summary="Make a collection of a page on the web",
    body=CreateLinkBody,
    data=creation.CreatedView,
    refusals=creation.REFUSALS,
    perform=create_link,
    traits=["write"],
    since="4.6",
    modelled="A collection of type `link`, called by its URL. " + creation.MODELLED,
    differs="Nothing is fetched: the collection has no rows, and its name stays the "
    "URL. " + creation.DIFFERS,
)
