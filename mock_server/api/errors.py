"""The table of errors: every refusal, and how each of the two forms puts it.

The spec shows no errors (7), so this table is the product's published choice
(`error_form`, `error_http_status`).
"""

from msgspec import Struct

from mock_server.domain import errors as domain


class RouteNotFound(domain.Refusal):
    """No operation has this path."""


class MethodNotAllowed(domain.Refusal):
    """The operation has another method."""

    def __init__(self, allow: str, got: str, hint: str = "") -> None:
        super().__init__(f"the method {allow}", got, "method", hint)
        self.allow = allow


class MissingAuthorization(domain.Refusal):
    """No Authorization header, or none that holds one bearer token."""


class UnknownKey(domain.Refusal):
    """A bearer token that is no key of the fixture."""


class UnsupportedMediaType(domain.Refusal):
    """A body that does not say it is JSON in UTF-8."""


class BodyTooLarge(domain.Refusal):
    """A body over the limit."""


class BadJson(domain.Refusal):
    """A body that is not one JSON object."""


class BadForm(domain.Refusal):
    """A body that is not one whole form in `multipart/form-data`."""


class ForeignHost(domain.Refusal):
    """An admin request for a host that is not this server's (DNS rebinding)."""


class ForeignOrigin(domain.Refusal):
    """An admin request that a web page of another origin has made."""


class RateLimitExceeded(domain.Refusal):
    """More requests with a key than a fault lets pass."""


class FaultNotFound(domain.Refusal):
    """The sandbox holds no fault of that id."""


class BadFixture(domain.Refusal):
    """A state or a record, given over the admin API, that cannot be loaded."""


class ServerBusy(domain.Refusal):
    """The server cannot do it now: all places are taken, or it is about to stop."""


class Form(Struct, frozen=True):
    """How an error looks: HTTP status (while it is mapped), code, statusText."""

    http: int
    code: int
    status_text: str


class ErrorRow(Struct, frozen=True):
    """One row of the table: the choice error_form takes the first or the second."""

    plain: Form
    service: Form


def _both(status: int, status_text: str) -> ErrorRow:
    form = Form(status, status, status_text)
    return ErrorRow(form, form)


# The service tells all mistakes in a body apart by their message alone.
_BAD_REQUEST = Form(400, 400, "error")
_FAILURE = Form(500, 500, "error")

ERRORS: dict[type[domain.Refusal], ErrorRow] = {
    ForeignHost: _both(421, "foreignHost"),
    ForeignOrigin: _both(403, "foreignOrigin"),
    RouteNotFound: _both(404, "routeNotFound"),
    MethodNotAllowed: _both(405, "methodNotAllowed"),
    MissingAuthorization: ErrorRow(
        Form(401, 401, "unauthorized"), Form(403, 403, "unAuthorization")
    ),
    UnknownKey: ErrorRow(
        Form(401, 401, "unauthorized"), Form(500, 514, "unAuthApiKey")
    ),
    UnsupportedMediaType: _both(415, "unsupportedMediaType"),
    BodyTooLarge: _both(413, "bodyTooLarge"),
    BadJson: ErrorRow(Form(400, 400, "badJson"), _BAD_REQUEST),
    BadForm: ErrorRow(Form(400, 400, "badForm"), _BAD_REQUEST),
    domain.InvalidField: ErrorRow(Form(400, 400, "invalidField"), _BAD_REQUEST),
    domain.AppNotFound: ErrorRow(
        Form(404, 404, "appNotFound"), Form(500, 502000, "appUnExist")
    ),
    domain.AppForbidden: ErrorRow(
        Form(403, 403, "forbidden"), Form(500, 502001, "unAuthApp")
    ),
    domain.ChatNotFound: ErrorRow(
        Form(404, 404, "chatNotFound"), Form(500, 504000, "unAuthChat")
    ),
    domain.RecordNotFound: ErrorRow(Form(404, 404, "recordNotFound"), _FAILURE),
    domain.DatasetNotFound: ErrorRow(
        Form(404, 404, "datasetNotFound"), Form(500, 501002, "unExistDataset")
    ),
    domain.DatasetForbidden: ErrorRow(
        Form(403, 403, "forbidden"), Form(500, 501004, "unAuthDataset")
    ),
    domain.ParentNotFound: ErrorRow(
        Form(404, 404, "parentNotFound"), Form(500, 501002, "unExistDataset")
    ),
    domain.CollectionForbidden: ErrorRow(
        Form(403, 403, "forbidden"), Form(500, 501005, "unAuthDatasetCollection")
    ),
    domain.RowNotFound: ErrorRow(Form(404, 404, "rowNotFound"), _FAILURE),
    domain.RowTaken: ErrorRow(Form(409, 409, "rowTaken"), _FAILURE),
    domain.TeamForbidden: ErrorRow(
        Form(403, 403, "forbidden"), Form(500, 500003, "unAuthTeam")
    ),
    domain.MissingParams: ErrorRow(
        Form(400, 400, "missingParams"), Form(500, 507004, "missingParams")
    ),
    domain.FolderTooDeep: ErrorRow(
        Form(400, 400, "folderTooDeep"), Form(500, 507006, "folderDepthLimit")
    ),
    domain.CollectionTooDeep: ErrorRow(
        Form(400, 400, "folderTooDeep"), Form(500, 507007, "folderDepthLimit")
    ),
    domain.FolderCycle: ErrorRow(
        Form(400, 400, "folderCycle"), Form(500, 507000, "invalidParams")
    ),
    domain.NothingListed: ErrorRow(Form(400, 400, "nothingListed"), _FAILURE),
    domain.FileNotFound: ErrorRow(
        Form(404, 404, "fileNotFound"), Form(404, 507002, "fileNotFound")
    ),
    domain.NoFile: ErrorRow(Form(400, 400, "noFile"), _FAILURE),
    domain.WrongFileType: ErrorRow(
        Form(400, 400, "wrongFileType"), Form(400, 510000, "InvalidUploadFileType")
    ),
    domain.WrongPassword: ErrorRow(
        Form(401, 401, "wrongPassword"), Form(500, 503002, "account_psw_error")
    ),
    domain.WrongLoginCode: ErrorRow(
        Form(400, 400, "wrongLoginCode"), Form(400, 503004, "code_error")
    ),
    RateLimitExceeded: _both(429, "rateLimited"),
    FaultNotFound: _both(404, "faultNotFound"),
    domain.CollectionNotFound: ErrorRow(
        Form(404, 404, "collectionNotFound"), Form(500, 501003, "unExistCollection")
    ),
    domain.SandboxNotFound: _both(404, "sandboxNotFound"),
    domain.SnapshotNotFound: _both(404, "snapshotNotFound"),
    domain.NameTaken: _both(409, "nameTaken"),
    domain.LimitReached: _both(409, "limitReached"),
    BadFixture: _both(400, "badFixture"),
    ServerBusy: _both(503, "serverBusy"),
}
