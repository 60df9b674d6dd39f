"""The documentation, held against the code: tables, snippets, links, names."""
