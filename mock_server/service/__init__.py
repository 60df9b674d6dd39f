"""Clients of a real service: pull fixtures, import HAR files, check conformance."""
