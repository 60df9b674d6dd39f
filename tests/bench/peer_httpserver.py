"""Serves one answer with pytest-httpserver.

The arguments: the folder of the package, a port, a file with the answer.
"""

import json
import sys
import threading
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    method, path, body = json.loads(Path(sys.argv[3]).read_text())
    package = import_module("pytest_httpserver")
    server = package.HTTPServer(port=int(sys.argv[2]), threaded=True)
    answer = server.expect_request(path, method=method)
    answer.respond_with_data(body, content_type="application/json")
    server.start()
    threading.Event().wait()
