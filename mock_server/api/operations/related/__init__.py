"""Related routes: routes of FastGPT that the spec does not show.

Each route is an operation, like the two of the spec, in the module of its subject.
`route` declares a route and gathers its fields; `fields` has the fields, and the
functions for pages and times, that many routes share. `table` lists all routes.
"""
