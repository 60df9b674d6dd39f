"""Bugs around the operations: faults, the guard of the admin API, an orderly end."""

from __future__ import annotations

from tests.planted.bug import Bug

FAULTS = (
    Bug(
        "a fault fires once more than it should",
        "domain/faults/firing.py",
        "return None if times is None else times - self.fired",
        "return None if times is None else times - self.fired + 1",
        (
            "tests/domain/test_faults.py::test_a_fault_fires_once_unless_it_s"
            "ays_otherwise"
        ),
    ),
    Bug(
        "a fault skips one request too many",
        "domain/faults/firing.py",
        "if index < wanted.skip:",
        "if index <= wanted.skip:",
        (
            "tests/domain/test_faults.py::test_a_fault_fires_once_unless_it_s"
            "ays_otherwise"
        ),
    ),
    Bug(
        "draws depend on what has fired before",
        "domain/faults/firing.py",
        ("drawn = draw(wanted.seed, self.id, index)\n        if drawn >="),
        ("drawn = draw(wanted.seed, self.id, self.fired)\n        if drawn >="),
        "tests/domain/test_faults.py::test_the_plan_is_what_then_happens",
    ),
    Bug(
        "of two faults the later one fires",
        "domain/faults/faults.py",
        "for fault in self._concerning(request):",
        "for fault in reversed(self._concerning(request)):",
        "tests/domain/test_faults.py::test_the_first_fault_that_fires_wins",
    ),
    Bug(
        "a fault with a key meets every key",
        "domain/faults/firing.py",
        "if key is not None and key not in request.keys:",
        "if key is not None and not request.keys:",
        (
            "tests/domain/test_faults.py::test_a_fault_fires_only_where_it_ma"
            "tches[fault4-False]"
        ),
    ),
    Bug(
        "a rate limit counts all keys together",
        "domain/faults/firing.py",
        "self.rate_limit.count(request.keys[0], now)",
        'self.rate_limit.count("", now)',
        (
            "tests/domain/test_faults.py::test_a_window_begins_with_its_first"
            "_request_and_is_each_keys_own"
        ),
    ),
    Bug(
        "an error after the operation comes instead of it",
        "api/faults/error.py",
        ("        await context.perform_if_after()\n"),
        "",
        (
            "tests/api/test_faults.py::test_only_phase_after_carries_the_oper"
            "ation_out[asgi-error-after-True]"
        ),
    ),
    Bug(
        "a truncated answer is whole",
        "api/faults/truncate.py",
        "kept = size // 2 if self.kept is None else min(self.kept, size - 1)",
        "kept = size",
        (
            "tests/wire/test_connection_faults.py::test_a_truncated_answer_en"
            "ds_short_of_its_length[fields0-26-zttp]"
        ),
    ),
    Bug(
        "a fault never runs out of time",
        "domain/faults/firing.py",
        "return self.ends <= now or (self.remaining == 0 and not self.resends)",
        "return self.remaining == 0 and not self.resends",
        "tests/domain/test_faults.py::test_a_fault_ends_with_its_ttl",
    ),
)
GUARD = (
    Bug(
        "any Host is taken",
        "admin/guard.py",
        'known = "." not in name or name in self._hosts',
        "known = True or name in self._hosts",
        "tests/admin/test_guard.py::test_no_route_answers_a_web_page_or_a_rebound_name",
    ),
    Bug(
        "an Origin only has to begin like ours",
        "admin/guard.py",
        'if origin.decode("latin-1").lower() not in own:',
        'if not origin.decode("latin-1").lower().startswith(own):',
        "tests/admin/test_guard.py::test_no_route_answers_a_web_page_or_a_rebound_name",
    ),
    Bug(
        "pages on other ports of this host may call",
        "admin/guard.py",
        'if site in (b"cross-site", b"same-site"):',
        'if site == b"cross-site":',
        "tests/admin/test_guard.py::test_no_route_answers_a_web_page_or_a_rebound_name",
    ),
    Bug(
        "the beginning of the token is enough",
        "admin/guard.py",
        "if not hmac.compare_digest(given, self._token.encode()):",
        "if not self._token.encode().startswith(given):",
        "tests/admin/test_guard.py::test_only_health_and_the_console_are_open_without_the_token",
    ),
    Bug(
        "the state needs no token",
        "admin/guard.py",
        'OPEN_PATHS = ("/health",)',
        'OPEN_PATHS = ("/health", "/state")',
        "tests/admin/test_guard.py::test_only_health_and_the_console_are_open_without_the_token",
    ),
)
DRAIN = (
    Bug(
        "a stop does not announce that connections close",
        "wire/server.py",
        'self.server_state.default_headers.append((b"connection", b"close"))',
        "pass",
        "tests/wire/test_drain.py::test_busy_connections_lose_no_request[zttp]",
    ),
    Bug(
        "a stop does not wait for requests under way",
        "wire/server.py",
        ("await self._until(lambda: not connections and not tasks, GRACE_SECONDS)"),
        "await self._until(lambda: not connections and not tasks, 0)",
        "tests/wire/test_drain.py::test_a_request_under_way_is_answered[zttp]",
    ),
    Bug(
        "a stop closes idle connections at once",
        "wire/server.py",
        "self._idle_seconds = 0.0 if embedded else IDLE_SECONDS",
        "self._idle_seconds = 0.0",
        "tests/wire/test_drain.py::test_what_comes_amid_a_stop_is_answered[zttp]",
    ),
    Bug(
        "a stop waits for streams without an end",
        "wire/server.py",
        ("        self._on_stop()\n        connections"),
        "        connections",
        "tests/admin/test_stream.py::test_open_streams_do_not_hold_up_a_stop",
    ),
)
