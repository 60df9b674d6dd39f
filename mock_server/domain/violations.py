"""What a request can do against the spec, whether or not a choice tolerates it."""

from __future__ import annotations

from msgspec import Struct


class Violation(Struct, frozen=True):
    """One departure from the spec.

    `name` is that of the choice that may tolerate it; where none can it is
    `invalid_field`, `missing_authorization` or `unknown_route`. `section` is the
    spec's, `path` the place in the request.
    """

    name: str
    section: str
    path: str
    message: str
