"""The resources of the admin API, one module for each, named like their URLs."""
