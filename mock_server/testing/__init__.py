"""The parts of the pytest plugin that are imported only once a test uses it."""
