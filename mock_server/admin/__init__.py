"""Serves the admin API under `/__admin`. Its errors always have the plain form."""
