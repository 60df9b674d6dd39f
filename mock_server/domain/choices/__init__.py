"""Choices: behaviours that the spec leaves open, and their profiles."""
