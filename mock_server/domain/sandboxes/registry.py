"""All sandboxes of a server, found by name or by API key, and deleted when idle.

There is no timer: each look-up of a sandbox deletes the sandbox if it has expired.
"""

from itertools import islice
from math import inf

from msgspec import Struct

from mock_server.domain import errors
from mock_server.domain.access import ISSUED_KEY_PREFIX, KeyRing, prefix_of
from mock_server.domain.choices.profiles import Profile
from mock_server.domain.choices.table import Choices
from mock_server.domain.clock import Environment
from mock_server.domain.errors import refusal
from mock_server.domain.journal import redacted_key
from mock_server.domain.memory import Memory
from mock_server.domain.messages import quoted
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.sandboxes.sandbox import Sandbox

SandboxNotFound = refusal("SandboxNotFound", "404 sandboxNotFound")
NameTaken = refusal("NameTaken", "409 nameTaken")

_UNSET = {redacted_key(each): each for each in ("undefined", "null", "None")}
"""What programs send for a key that is not set, by its redacted form."""
DEFAULT = "default"
"""Name of the sandbox that always exists."""
_DELETED_AT_ONCE = 100
"""Maximum number of expired sandboxes that one call deletes."""
_DELETED_BYTES = 8 * 1024 * 1024
"""Bytes after which such a call deletes no further one: to free them takes long."""


class Lease(Struct, eq=False):
    """A sandbox that expires after `ttl` seconds without use.

    `ends_at` is in seconds of the monotonic clock.
    """

    sandbox: Sandbox
    ttl: float
    ends_at: float

    def is_over(self, now: float) -> bool:
        """Return True if the sandbox has expired; `now` is in monotonic seconds.

        A pending delay or hang counts as use.
        """
        last_wait = now if self.sandbox.state.waits else self.sandbox.last_wait
        self.ends_at = max(self.ends_at, last_wait + self.ttl)
        return self.ends_at <= now


class Sandboxes:
    """The default sandbox of a server, and all sandboxes that clients created."""

    def __init__(
        self,
        baseline: FixtureData,
        profile: Profile,
        choices: Choices,
        environment: Environment,
    ) -> None:
        """Create the default sandbox."""
        self.limits = environment.limits
        self.memory = Memory(self.limits)
        """The memory budget of all sandboxes."""
        self.default = Sandbox(
            baseline, profile, choices, environment, memory=self.memory
        )
        self._environment = environment
        self._leases: dict[str, Lease] = {}
        # Names of sandboxes by the prefix of the keys that they issue.
        self._by_prefix: dict[str, str] = {}
        # Names by their redacted form, as journals keep keys.
        self._by_redacted: dict[str, str] = {}
        self._last_number = 0

    def get(self, name: str) -> Sandbox:
        """Return this sandbox and renew its lease. Raises SandboxNotFound."""
        sandbox = self.find(name)
        if sandbox is None:
            raise SandboxNotFound.of(name, "the name of a sandbox", "path")
        return sandbox

    def find(self, name: str) -> Sandbox | None:
        """Return this sandbox and renew its lease; None for an unknown name."""
        if name == DEFAULT:
            return self.default
        lease = self._renewed_lease(name)
        return None if lease is None else lease.sandbox

    def for_key(self, key: str) -> Sandbox | None:
        """Return the sandbox of an API key, and renew its lease.

        A key that no sandbox issued belongs to the default sandbox. For the key of a
        deleted sandbox, return None.
        """
        if not key.startswith(ISSUED_KEY_PREFIX):
            return self.default
        return self._issuer_of(key)

    def for_login(self, token: str) -> Sandbox | None:
        """Return the sandbox that issued a login token, or None; renew its lease."""
        return self._issuer_of(token.partition(":")[2])

    def for_token(self, token: str) -> Sandbox | None:
        """Return the sandbox that sealed a token, or None; renew its lease."""
        return self._issuer_of(token)

    def _issuer_of(self, key: str) -> Sandbox | None:
        lease = self._renewed_lease(self._by_prefix.get(prefix_of(key), ""))
        return None if lease is None else lease.sandbox

    def key_hint(self, redacted: str | None) -> str:
        """Return a hint if a redacted, undeclared key is the name of a sandbox.

        Return another hint for the text of a variable that is not set, and "" else.
        """
        key = redacted or ""
        name = self._by_redacted.get(key) or _UNSET.get(key)
        for start in ("$", "{{") if name is None else ():
            if key.startswith(start):
                return f"the key begins with {start}: is a variable not filled in?"
        if name is None or name in self.default.state.callers:
            return ""
        if key in _UNSET:
            return f"the key is the text {quoted(name)}: is a variable unset?"
        reason = f"is the name of a sandbox, not its key; the request went to {DEFAULT}"
        return f"{quoted(name)} {reason}"

    def all(self) -> list[Sandbox]:
        """Return the default sandbox, then all others, oldest first."""
        self._delete_expired()
        now, leases = self._environment.seconds(), self._leases.values()
        return [self.default, *(it.sandbox for it in leases if not it.is_over(now))]

    def expires_at(self, name: str) -> int | None:
        """Return the time (ms since 1970) when a sandbox expires; None for never."""
        lease = self._leases.get(name)
        if lease is None:
            return None
        seconds = lease.ends_at - self._environment.seconds()
        return self._environment.time_ns() // 1_000_000 + int(seconds * 1000)

    def ttl_of(self, name: str) -> float:
        """Return the seconds without use after which a sandbox expires, or infinity."""
        lease = self._leases.get(name)
        return inf if lease is None else lease.ttl

    def create(
        self,
        name: str | None = None,
        *,
        ttl: float | None = None,
        profile: Profile | None = None,
        choices: Choices | None = None,
        baseline: FixtureData | None = None,
    ) -> Sandbox:
        """Create a sandbox, which expires after `ttl` seconds without use.

        The defaults are a free name, the limit `sandbox_ttl`, and the default sandbox's
        baseline, start profile and start choices. Raises NameTaken, LimitReached.
        """
        name = self._free_name() if name is None else name
        self.check_free(name)
        if len(self._leases) >= self.limits.sandboxes:
            expected = f"at most {self.limits.sandboxes} sandboxes"
            raise errors.LimitReached(expected, "one more", "path", "delete some first")
        key_ring = KeyRing(self._environment.secret())
        sandbox = Sandbox(
            baseline or self.default.baseline,
            profile or self.default.start_profile,
            choices or self.default.start_choices,
            self._environment,
            name=name,
            key_ring=key_ring,
            memory=self.memory,
        )
        ttl = self.limits.sandbox_ttl if ttl is None else ttl
        self._leases[name] = Lease(sandbox, ttl, self._environment.seconds() + ttl)
        self._by_prefix[key_ring.prefix] = name
        self._by_redacted[redacted_key(name)] = name
        return sandbox

    def check_free(self, name: str) -> None:
        """Raise NameTaken if a sandbox has the name and has not expired."""
        self._delete_expired()
        lease, now = self._leases.get(name), self._environment.seconds()
        if lease is not None and lease.is_over(now):
            self.delete(name)
        if name == DEFAULT or name in self._leases:
            expected = "a name that no sandbox has"
            raise NameTaken.of(name, expected, "$.name")

    def delete(self, name: str) -> None:
        """Delete a sandbox; its API keys become invalid. Raises SandboxNotFound."""
        lease = self._leases.pop(name, None)
        if lease is None:
            expected = f"a sandbox other than {quoted(DEFAULT)}"
            raise SandboxNotFound.of(name, expected, "path")
        if lease.sandbox.key_ring is not None:
            del self._by_prefix[lease.sandbox.key_ring.prefix]
        self._by_redacted.pop(redacted_key(name), None)
        # Pending requests see that their state was replaced, and look again. Many
        # sandboxes may end at once, and an empty state takes the least time.
        lease.sandbox.put_baseline(FixtureData())
        for listener in tuple(lease.sandbox.listeners):
            listener()

    def _renewed_lease(self, name: str) -> Lease | None:
        """Renew and return the lease of this name; None if unknown or expired."""
        lease, now = self._leases.get(name), self._environment.seconds()
        if lease is None:
            return None
        if lease.is_over(now):
            self.delete(name)
            return None
        lease.ends_at = now + lease.ttl
        return lease

    def _delete_expired(self) -> None:
        """Delete some expired sandboxes: to delete a thousand at once takes long."""
        now, leases = self._environment.seconds(), self._leases.items()
        expired = (name for name, lease in leases if lease.is_over(now))
        size = 0
        for name in list(islice(expired, _DELETED_AT_ONCE)):
            size += self._leases[name].sandbox.size
            self.delete(name)
            if size > _DELETED_BYTES:
                break

    def _free_name(self) -> str:
        while True:
            self._last_number += 1
            name = f"sandbox-{self._last_number}"
            if name not in self._leases:
                return name
