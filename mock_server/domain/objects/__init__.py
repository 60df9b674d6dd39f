"""Objects of fixtures, which never change, ordered and searchable."""
