"""The limits of what a test starts: it fails, and the others go on."""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import httpx2
import pytest
from account import wait_until
from commands import run_command

from mock_server import MockServer


def test_a_browser_that_stalls_is_killed_and_the_next_test_has_a_new_one(chromium):
    with (
        pytest.raises(AssertionError, match="the browser has not ended within 3 s"),
        chromium.limited(3) as browser,
    ):
        page = browser.new_page()
        for process in chromium.processes("renderer"):
            os.kill(process, signal.SIGSTOP)
        page.evaluate("1 + 1")
    with chromium.limited() as browser:
        assert browser.new_page().evaluate("1 + 1") == 2


def test_a_command_that_hangs_is_killed_with_what_it_has_started():
    waiting = "import os, signal; os.fork(); signal.pause()"
    with pytest.raises(AssertionError, match=r"pause.* has not ended within 1 s"):
        run_command(sys.executable, "-c", waiting, seconds=1)


def test_a_server_whose_loop_is_held_up_says_so_when_it_is_closed():
    free = Event()
    server = MockServer({}).start()
    Thread(target=server.run, args=(free.wait,)).start()
    with pytest.raises(TimeoutError, match="loop is held up"):
        server.close()
    free.set()
    server.close()


def test_a_server_stops_while_a_function_waits(caplog):
    goes_on = Event()
    with ThreadPoolExecutor() as threads, MockServer({}) as server:
        waits = server.respond("GET /api/x", lambda request: goes_on.wait(20))
        response = threads.submit(httpx2.get, f"{server.url}/api/x", verify=False, timeout=20)
        wait_until(lambda: waits.fired)
        server.close()
        assert isinstance(response.exception(), httpx2.TransportError)
        goes_on.set()
    assert caplog.records == []
