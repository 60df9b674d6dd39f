"""The conformance check: finds where a server breaks the spec, and its choices."""
