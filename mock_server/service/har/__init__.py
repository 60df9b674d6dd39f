"""Imports a fixture from HAR 1.2 files, which browsers save."""
