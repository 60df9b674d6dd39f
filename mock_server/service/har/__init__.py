"""Makes a fixture from a HAR 1.2 file, as browsers save it."""
