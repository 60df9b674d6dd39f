"""What runs in a process that loads a fixture: `python -m` this module."""

from mock_server.api.faults.reader import read_faults
from mock_server.fixture.worker import main

if __name__ == "__main__":
    main(read_faults)
