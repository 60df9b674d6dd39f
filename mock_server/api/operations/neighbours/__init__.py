"""Neighbours: routes of the service that the interface description does not show.

Each is an operation like the documented two, in a module of its own that is named after
its path. `neighbour` holds what they share: how their fields are read, how lists are
paged, and how answers are written.
"""
