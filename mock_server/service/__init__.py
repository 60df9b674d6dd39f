"""The real service, or any that claims its interface, from outside."""
