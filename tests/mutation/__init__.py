"""Mutants of the lower floors, made by mutmut, and how many the tests kill."""
