"""A plain model of the whole service, and a machine that compares the two."""
