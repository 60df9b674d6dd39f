"""Changes of datasets, collections and data rows."""
