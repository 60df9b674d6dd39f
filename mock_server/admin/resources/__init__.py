"""The resources of the admin API, in modules named like their URLs."""
