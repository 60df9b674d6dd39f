"""Values in the words of messages, and without secrets."""
