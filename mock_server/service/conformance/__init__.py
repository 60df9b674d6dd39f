"""Whether a server keeps to the interface description, and what choices it shows."""
