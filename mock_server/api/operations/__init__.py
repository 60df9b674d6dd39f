"""The operations that the server can serve; `table` lists them.

The module of an operation has all its parts: the type of its body, the choices that
tolerate violations, the call of the domain, and the encoding of the data.
"""
