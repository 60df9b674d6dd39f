"""What the spec leaves open: the table of choices, and its profiles."""
