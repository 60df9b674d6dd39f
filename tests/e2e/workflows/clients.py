"""Client libraries behind one protocol, each with its defaults."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self
from urllib.parse import urlencode

import httpx2

from tests.support import PLAIN, SECONDS

AXIOS = os.environ.get("AXIOS", "")
NO_QUERY: Mapping[str, str] = {}
CURL_HAS_NO_ANSWER = (52, 56)
"""Exit codes of curl: an empty answer, a connection that failed while it was read."""


class Unanswered(Exception):
    """Nothing is known of what became of a request."""


class Request(NamedTuple):
    """A request: fields in the query or in a JSON body, or a form with a file."""

    method: str
    path: str
    query: Mapping[str, str] = NO_QUERY
    body: Any = None
    file: tuple[str, bytes] | None = None

    @property
    def form(self) -> dict[str, str]:
        """The part beside the file."""
        return {"data": json.dumps(self.body)}


class Answer(NamedTuple):
    """The status of an answer, and its body."""

    status: int
    text: str


class Client(Protocol):
    """Sends a request with the key and the cookies that it has; raises Unanswered."""

    def send(self, request: Request) -> Answer: ...


class Closing:
    """A client that ends with a context."""

    def close(self) -> None:
        """Let its connections go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Httpx(Closing):
    """The library `httpx2`."""

    def __init__(self, url: str, key: str | None, **options: Any) -> None:
        self._client = httpx2.Client(
            base_url=url,
            headers=authorization(key),
            timeout=SECONDS,
            verify=PLAIN,
            **options,
        )

    def close(self) -> None:
        self._client.close()

    def send(self, request: Request) -> Answer:
        try:
            answer = self._client.request(
                request.method, request.path, **options_of(request)
            )
        except httpx2.TransportError as error:
            raise Unanswered(request) from error
        return Answer(answer.status_code, answer.text)


class Requests(Closing):
    """The library `requests`."""

    def __init__(self, url: str, key: str | None) -> None:
        self._library: Any = import_module("requests")
        self._session = self._library.Session()
        self._session.headers.update(authorization(key))
        self._url = url

    def close(self) -> None:
        self._session.close()

    def send(self, request: Request) -> Answer:
        try:
            answer = self._session.request(
                request.method,
                self._url + request.path,
                timeout=SECONDS,
                **options_of(request),
            )
        except self._library.RequestException as error:
            raise Unanswered(request) from error
        # It takes text without a charset for Latin-1.
        return Answer(answer.status_code, answer.content.decode())


class Axios(Closing):
    """The library `axios`, in a Node process that is told what to send."""

    def __init__(self, url: str, key: str | None) -> None:
        self._process = subprocess.Popen(
            ["node", "axios.mjs", url, json.dumps(authorization(key))],
            cwd=Path(__file__).parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, request: Request) -> Answer:
        told = request._asdict()
        if request.file is not None:
            name, content = request.file
            told |= {"file": [name, b64encode(content).decode()], "form": request.form}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if answer["status"] is None:
            raise Unanswered(request, answer["text"])
        return Answer(answer["status"], answer["text"])

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class Curl(Closing):
    """The program `curl`, a process for each request."""

    def __init__(self, url: str, key: str | None) -> None:
        self._url = url
        self._headers = authorization(key)

    def send(self, request: Request) -> Answer:
        query = "?" + urlencode(request.query) if request.query else ""
        headers, content = dict(self._headers), b""
        command = [
            "curl",
            "-sS",
            "-X",
            request.method,
            self._url + request.path + query,
        ]
        command += ["-w", "\n%{http_code}", "--max-time", str(SECONDS)]
        if request.file is not None:
            name, content = request.file
            command += ["--form-string", f"data={request.form['data']}"]
            command += ["-F", f"file=@-;filename={name}"]
        elif request.body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(request.body).encode()
            command += ["--data-binary", "@-"]
        for header in headers.items():
            command += ["-H", ": ".join(header)]
        done = subprocess.run(command, input=content, capture_output=True)
        if done.returncode in CURL_HAS_NO_ANSWER:
            raise Unanswered(request, done.stderr)
        assert done.returncode == 0, done.stderr
        text, _, status = done.stdout.decode().rpartition("\n")
        return Answer(int(status), text)


def authorization(key: str | None) -> dict[str, str]:
    """The headers of a client with a key, or without one."""
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def options_of(request: Request) -> dict[str, Any]:
    """A request as `httpx2` and `requests` are told it."""
    if request.file is not None:
        return {"files": {"file": request.file}, "data": request.form}
    query = {"params": request.query} if request.query else {}
    return query if request.body is None else {**query, "json": request.body}


@contextmanager
def client_named(name: str, url: str, key: str | None) -> Iterator[Client]:
    """A client of a server, by the name of its library."""
    with MAKERS[name](url, key) as client:
        yield client


MAKERS: Mapping[str, Callable[[str, str | None], Any]] = {
    "httpx2": Httpx,
    "requests": Requests,
    "axios": Axios,
    "curl": Curl,
}
# Whether each is there, and what to install if it is not.
NEEDS = {
    "httpx2": (True, ""),
    "requests": (find_spec("requests"), "pip: requests"),
    "axios": (AXIOS, "npm: axios, and name it in AXIOS"),
    "curl": (shutil.which("curl"), "curl"),
}
