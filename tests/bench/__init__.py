"""Measurements: figures to look at, as ratios within one run. Not part of the tests."""
