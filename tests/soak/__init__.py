"""A server at work for long, with all that comes and goes, and what is left."""
