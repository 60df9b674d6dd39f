"""The documented operations over HTTP: one table of operations, one of errors.

Checks run in this order: path, method, authorization, content type, size, JSON, fields;
then the domain's existence, permission, effect. Responses are envelopes.
"""
