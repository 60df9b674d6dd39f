"""Plain data read as types: every mistake in it, in the words of all error messages.

Used by fixtures, operations and the admin API alike.
"""
