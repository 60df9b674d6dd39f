"""What `mock-server --help` says of each command: how its own help begins.

They stand here so that no command has to be imported to tell them, which would take
five times as long.
"""

SENTENCES = {
    "serve": "Serve fixtures, or the shipped demo.",
    "init": "Write a fixture to start with and a conftest.py for pytest into a folder.",
    "generate": "Make up a fixture of any size.",
    "check": "Check that fixture files load together.",
    "schema": "Print the JSON Schema of fixture files.",
    "openapi": "Print the OpenAPI document.",
    "choices": "Show what the spec leaves open, or show and set it in a running "
    "server.",
    "healthcheck": "Ask a server on this machine if it is ready.",
    "wait": "Wait until a server is ready.",
    "reset": "Reset a running server to its baseline.",
    "state": "Print or replace the state of a server.",
    "journal": "Print, follow or verify what clients have sent.",
    "fault": "Add, list and remove the faults of a running server.",
    "snapshot": "Take, restore, list and delete snapshots of a running server.",
    "clock": "Show, freeze, run and advance the clock of a running server.",
    "sandbox": "Create, list, show and delete sandboxes of a running server.",
    "why": "Explain why a collection is not listed, or a page is empty.",
    "import": "Make fixtures of what other programs have recorded.",
    "pull": "Pull a fixture from a running service.",
    "verify": "Check any server against the interface description, and see its "
    "choices.",
    "record": "Pass requests on to a real service, and journal or save what passes.",
}
