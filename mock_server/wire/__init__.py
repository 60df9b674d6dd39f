"""What lies below ASGI: what is a request, how long it may take, how a server drains.

It subclasses uvicorn's protocols and server, and h11's buffer, which is why these are
pinned. Both parsers are to make the same of any bytes: what one of them refuses, or
another server might read otherwise, is refused by both.
"""
