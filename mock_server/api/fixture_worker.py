"""What runs in a process that loads a fixture: `python -m` this module."""

from mock_server.api.served import ServedOperations
from mock_server.fixture.worker import main

if __name__ == "__main__":
    main(ServedOperations())
