"""Why a list shows a collection, or does not."""
