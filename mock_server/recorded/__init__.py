"""What was seen of a service becomes a fixture document."""
