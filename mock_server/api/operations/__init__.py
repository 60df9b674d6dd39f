"""The operations of the service, one module for each; `table` lists them.

A module has all parts of an operation: its body, the effect of each choice on
violations of the spec, the call of the domain, and the encoding of its data.
"""
