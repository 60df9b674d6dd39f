"""Lists all routes of the admin API, in the order of the OpenAPI document.

Only `app` imports this module, on demand, because importing all resources takes long.
"""

from mock_server.admin.resources import (
    apps,
    clock_choices,
    console,
    datasets,
    faults,
    health,
    holders,
    journal,
    sandboxes,
    state,
    why,
)

DESCRIBED = (
    *health.routes,
    *state.routes,
    *clock_choices.routes,
    *apps.routes,
    *holders.app_routes,
    *datasets.routes,
    *holders.dataset_routes,
    *why.routes,
    *faults.routes,
    *journal.routes,
    *sandboxes.routes,
    *console.schema_routes,
)
"""The routes in the OpenAPI document: all but the document and pages for browsers."""

ROUTES = (*DESCRIBED, *console.routes)
