"""What lies below ASGI: how long a request may take to arrive, how a server drains.

It subclasses uvicorn's protocols and server, which is why uvicorn is pinned.
"""
