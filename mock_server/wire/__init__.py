"""The server below ASGI: uvicorn's, with deadlines, strict framing and drain.

This package subclasses uvicorn's server and protocols and h11's buffer; `parts` lists
the internal names that it uses. Both parsers must give the same result for any bytes:
bytes that one of them refuses, or another server might read differently, are refused
with either.
"""
