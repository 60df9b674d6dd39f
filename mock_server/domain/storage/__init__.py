"""What a sandbox changes of a fixture."""
