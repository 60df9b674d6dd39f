"""Lists of collections: what is asked for, and each stage to the page."""
