"""What fixtures hold: objects that never change, ordered and searchable."""
