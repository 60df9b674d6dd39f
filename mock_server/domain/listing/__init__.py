"""Lists of collections: the request, the search and the page."""
