"""Bugs that are planted in a copy of the server, and the tests that catch them."""
