"""Refusals that the API layer raises; those of the domain are in `domain.errors`."""

from mock_server.domain import errors as domain
from mock_server.domain.errors import refusal, row_of


class MethodNotAllowed(domain.Refusal):
    """The operation does not accept the method, but only `allowed_methods`."""

    row = row_of("405 methodNotAllowed")

    def __init__(self, allowed_methods: str, got: str, hint: str = "") -> None:
        super().__init__(f"the method {allowed_methods}", got, "method", hint)
        self.allowed_methods = allowed_methods


ForeignHost = refusal("ForeignHost", "421 foreignHost")
ForeignOrigin = refusal("ForeignOrigin", "403 foreignOrigin")
RouteNotFound = refusal("RouteNotFound", "404 routeNotFound")
CommercialRoute = refusal("CommercialRoute", "404 routeNotFound", "500 500 error")
MissingAuthorization = refusal(
    "MissingAuthorization", "401 unauthorized", "403 403 unAuthorization"
)
UnknownKey = refusal("UnknownKey", "401 unauthorized", "500 514 unAuthApiKey")
UnsupportedMediaType = refusal("UnsupportedMediaType", "415 unsupportedMediaType")
BodyTooLarge = refusal("BodyTooLarge", "413 bodyTooLarge")
BadJson = refusal("BadJson", "400 badJson", "400 400 error")
BadForm = refusal("BadForm", "400 badForm", "400 400 error")
RateLimitExceeded = refusal("RateLimitExceeded", "429 rateLimited")
FaultNotFound = refusal("FaultNotFound", "404 faultNotFound")
BadFixture = refusal("BadFixture", "400 badFixture")
ServerBusy = refusal("ServerBusy", "503 serverBusy")
