"""Related routes: routes of the service that the spec does not show.

Each is an operation like the documented two, in a module named after its path.
`route` and `fields` are shared: how fields are read, how lists are paged, and how
responses are written.
"""
