"""The API layer: the operations of the spec and the related routes over HTTP.

It checks each request in this order: path, method, authorization, content type, size,
JSON, fields. Then the domain checks whether the objects exist and the caller may use
them, and changes the data.
"""
