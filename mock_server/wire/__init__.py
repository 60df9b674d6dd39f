"""The HTTP server below ASGI: uvicorn, with deadlines, strict checks and a clean stop.

This package subclasses uvicorn's server and protocols and h11's buffer; `parts` lists
the internal names that it uses. Both parsers (zttp and h11) must give the same result
for the same bytes. So both refuse bytes that one of them refuses, and bytes that
another server might read differently.
"""
