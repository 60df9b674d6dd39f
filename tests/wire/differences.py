"""Where the two parsers may differ, and why: by name of the payload."""

from __future__ import annotations

ALLOWED = {
    "coding_upper_case": (
        "h11 hands the value of Transfer-Encoding on in lower case; both read the same "
        "body, and nothing but the journal shows the header"
    ),
    "length_many_zeros": (
        "h11 takes at most 20 digits of a Content-Length and refuses more with 400; "
        "zttp takes any number of leading zeros, which mean nothing"
    ),
}
