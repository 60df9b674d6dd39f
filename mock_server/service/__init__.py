"""Clients of a real FastGPT service: pull fixtures, import HAR files, check rules."""
