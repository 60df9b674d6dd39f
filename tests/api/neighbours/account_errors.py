"""What is refused of routes about accounts: rows of the table of errors."""

from hashlib import sha256

from tests.api.neighbours.world import ErrorCase

_CODE = ("preLogin", "GET", "/api/support/user/account/preLogin")
_LOGIN = ("loginByPassword", "POST", "/api/support/user/account/loginByPassword")
_WHO = ("tokenLogin", "GET", "/api/support/user/account/tokenLogin")
_FIELDS = {"username": "root", "password": "0" * 64, "code": "abcdef"}
_GIVEN = sha256(b"root 1767225600000").hexdigest()[:6]
"""The code that preLogin gives at the time of the world."""
_BAD = (400, 400, "error")

CASES = (
    ErrorCase(*_CODE, {}, *_BAD),
    ErrorCase(*_CODE, {"username": ""}, *_BAD),
    ErrorCase(*_LOGIN, {}, *_BAD),
    ErrorCase(*_LOGIN, _FIELDS | {"password": 1}, *_BAD),
    ErrorCase(*_LOGIN, _FIELDS, 400, 503004, "code_error"),
    ErrorCase(
        *_LOGIN,
        _FIELDS | {"code": _GIVEN},
        *(500, 503002, "account_psw_error"),
        first=(("GET", _CODE[2], {"username": "root"}),),
    ),
    ErrorCase(*_WHO, {}, 403, 403, "unAuthorization"),
)
