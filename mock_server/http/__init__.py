"""HTTP: requests and their bodies, responses, the protocol and the server."""
