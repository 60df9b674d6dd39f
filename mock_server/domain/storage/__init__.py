"""Changes of a sandbox on top of its fixture."""
