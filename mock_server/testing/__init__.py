"""The parts of the pytest plugin that need more than pytest."""
