"""Every error of every neighbour."""

from __future__ import annotations

from tests.api.neighbours import (
    account_errors,
    chats_errors,
    collections_errors,
    data_errors,
    datasets_errors,
    uploads_errors,
)

CASES = (
    *chats_errors.CASES,
    *datasets_errors.CASES,
    *collections_errors.CASES,
    *uploads_errors.CASES,
    *data_errors.CASES,
    *account_errors.CASES,
)
