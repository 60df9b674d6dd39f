"""A proxy in front of a real service: what passes is journalled, and may be saved."""
