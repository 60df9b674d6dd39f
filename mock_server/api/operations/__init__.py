"""The operations of the service, one module for each; `table` lists them.

A module holds all that an operation is: its body and what each choice makes of one that
departs from the spec, the call of the domain, and the encoding of its data.
"""
