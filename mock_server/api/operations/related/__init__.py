"""Related routes: routes of the service that the interface description does not show.

Each is an operation like the documented two, in a module of its own that is named after
its path. `route` and `fields` hold what they share: how fields are read, how lists
are paged, and how responses are written.
"""
