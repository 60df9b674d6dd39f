"""All routes of the admin API, in the order in which documents list them.

They are behind one door, `app`, as all together take 40 ms to import.
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
"""What the OpenAPI document describes: not itself, nor a page for browsers."""

ROUTES = (*DESCRIBED, *console.routes)
