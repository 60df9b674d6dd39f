"""Below ASGI: uvicorn's server and protocols, with deadlines, strict framing and drain.

This package subclasses uvicorn's server and protocols and h11's buffer; what it uses of
their inside is named in `parts`. Both parsers must give the same result for any bytes:
what one of them refuses, or another server might read differently, is refused with
either.
"""
