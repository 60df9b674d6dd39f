"""All routes of the admin API, in the order in which documents list them.

Only `app` imports this module, on demand, as all resources take long to import.
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
"""Routes in the OpenAPI document: all except itself and pages for browsers."""

ROUTES = (*DESCRIBED, *console.routes)
