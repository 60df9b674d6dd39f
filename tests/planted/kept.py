"""Bugs in what sandboxes keep: resets, isolation, the journal and what it hides."""

from __future__ import annotations

from tests.planted.bug import Bug

RESET = (
    Bug(
        "a reset leaves the journal",
        "domain/sandboxes/sandbox.py",
        (
            "with self._lock:\n"
            "            self._replace(self.state.journal.emptied())\n"
            "\n"
            "    def put_baseline"
        ),
        (
            "with self._lock:\n"
            "            self._replace(self.state.journal)\n"
            "\n"
            "    def put_baseline"
        ),
        "tests/admin/test_state.py::test_a_reset_brings_everything_back[asgi]",
    ),
    Bug(
        "a reset keeps the generation number",
        "domain/sandboxes/sandbox.py",
        "self.state = self._fresh(old.generation + 1, journal)",
        "self.state = self._fresh(old.generation, journal)",
        ("tests/consistency/test_reset.py::test_every_page_is_of_one_generation[40]"),
    ),
    Bug(
        "a reset does not bring the fixture's faults back",
        "domain/sandboxes/sandbox.py",
        "environment.seconds, memory, environment.limits, self.baseline.faults",
        "environment.seconds, memory, environment.limits",
        "tests/admin/test_starting_faults.py::test_they_fire_from_the_start_and_after_each_reset",
    ),
    Bug(
        "a reset leaves the choices",
        "domain/sandboxes/sandbox.py",
        ("profile, choices = self._start\n        environment"),
        (
            "profile, choices = self._start\n"
            "        if generation > 1:\n"
            "            profile, choices = self.state.profile, "
            "self.state.choices\n"
            "        environment"
        ),
        "tests/admin/test_state.py::test_a_reset_brings_everything_back[asgi]",
    ),
    Bug(
        "what is changed after a restore changes the snapshot",
        "domain/sandboxes/sandbox.py",
        "store, clock = snapshot.store.copy(), snapshot.clock.copy()",
        "store, clock = snapshot.store, snapshot.clock.copy()",
        (
            "tests/admin/test_state.py::test_a_snapshot_can_be_restored_again"
            "_after_changes[asgi]"
        ),
    ),
    Bug(
        "a request that a reset overtakes sees the old state",
        "api/application.py",
        (
            "if request.sandbox.state is not request.state:\n"
            "                    operation = self._readmit(request)"
        ),
        (
            "if request.sandbox is None:\n"
            "                    operation = self._readmit(request)"
        ),
        (
            "tests/consistency/test_reset.py::test_a_write_that_a_reset_overt"
            "akes_is_of_the_new_generation"
        ),
    ),
)
ISOLATION = (
    Bug(
        "a key whose sandbox is gone leads to the default one",
        "api/application.py",
        "if caller is None and key.startswith(ISSUED_KEY_PREFIX):",
        "if caller is None and not key:",
        (
            "tests/admin/test_sandboxes.py::test_the_key_of_a_sandbox_that_is"
            "_gone_is_unknown[asgi-documented]"
        ),
    ),
    Bug(
        "all sandboxes issue keys of one prefix",
        "domain/access.py",
        "_SANDBOX_DIGITS, _USER_DIGITS = 12, 8",
        "_SANDBOX_DIGITS, _USER_DIGITS = 0, 8",
        (
            "tests/domain/test_sandboxes.py::test_a_key_leads_to_its_sandbox_"
            "and_any_other_to_the_default"
        ),
    ),
    Bug(
        "a snapshot shares its changes with the sandbox",
        "domain/storage/overlay.py",
        "copy.changed = self.changed.copy()",
        "copy.changed = self.changed",
        "tests/domain/test_overlay.py::test_an_overlay_is_what_was_last_put",
    ),
    Bug(
        "idle sandboxes never end",
        "domain/sandboxes/registry.py",
        "return self.ends <= now",
        "return self.ends < 0",
        "tests/domain/test_sandboxes.py::test_an_idle_sandbox_ends[10]",
    ),
    Bug(
        "a sandbox ends while it is used",
        "domain/sandboxes/registry.py",
        ("        lease.ends = now + lease.ttl\n        return lease"),
        "        return lease",
        "tests/domain/test_sandboxes.py::test_use_keeps_a_sandbox",
    ),
    Bug(
        "a sandbox begins as the default one is now",
        "domain/sandboxes/registry.py",
        (
            "            choices or self.choices,\n"
            "            self._environment,\n"
            "            name=name"
        ),
        (
            "            choices or self.default.choices,\n"
            "            self._environment,\n"
            "            name=name"
        ),
        (
            "tests/domain/test_sandboxes.py::test_a_sandbox_begins_with_the_c"
            "hoices_of_the_start"
        ),
    ),
)
JOURNAL = (
    Bug(
        "entries that are dropped are not counted",
        "domain/journal.py",
        "self.dropped += 1",
        "self.dropped += 0",
        (
            "tests/domain/test_journal.py::test_the_latest_entries_are_kept_a"
            "nd_the_others_counted"
        ),
    ),
    Bug(
        "who follows misses an entry",
        "domain/journal.py",
        "count = max(0, self.next_seq - seq)",
        "count = max(0, self.next_seq - seq - 1)",
        (
            "tests/domain/test_journal.py::test_entries_are_read_from_a_numbe"
            "r_on[4-kept1]"
        ),
    ),
    Bug(
        "a refused request leaves no entry",
        "api/journaling.py",
        ("        journal.append(entry)\n"),
        ("        if refusal is None:\n            journal.append(entry)\n"),
        (
            "tests/admin/test_journal.py::test_every_request_has_one_entry_an"
            "d_admin_calls_have_none[asgi]"
        ),
    ),
    Bug(
        "bodies are kept whole",
        "api/journaling.py",
        "entry.sent = replace(sent, body=sent.body[:longest], is_cut=True)",
        "entry.sent = replace(sent, is_cut=True)",
        (
            "tests/admin/test_journal.py::test_long_bodies_are_cut_and_still_"
            "checked_whole[asgi]"
        ),
    ),
    Bug(
        "what a choice tolerates is no violation",
        "api/violations.py",
        "operation.check_method(method, _DOCUMENTED)",
        "operation.check_method(method, entry.choices)",
        ("tests/api/test_effects.py::test_the_effect_of_what_is_around_the_body[asgi]"),
    ),
    Bug(
        "an emptied journal counts from 1 again",
        "domain/journal.py",
        "return Journal(self.next_seq, self.listeners,",
        "return Journal(1, self.listeners,",
        (
            "tests/domain/test_journal.py::test_a_journal_that_is_emptied_cou"
            "nts_on_and_gives_its_memory_back"
        ),
    ),
)
REDACTION = (
    Bug(
        "the journal shows Authorization",
        "api/headers.py",
        "token|session|auth(?!or(?!i[sz]))|",
        "token|session|",
        (
            "tests/api/test_headers.py::test_a_block_holds_every_header_and_n"
            "o_credentials"
        ),
    ),
    Bug(
        "a key that is escaped for a URL is shown",
        "api/escapes.py",
        'rb"%(?:25)*([2-7][0-9a-fA-F])|',
        'rb"%(?:25)*(zz)|',
        "tests/api/test_redaction.py::test_a_secret_goes_however_it_is_escaped",
    ),
    Bug(
        "the admin token is shown",
        "api/redaction.py",
        "self.texts = _redactable(text.encode() for text in texts)",
        "self.texts: tuple[bytes, ...] = ()",
        "tests/api/test_redaction.py::test_a_secret_goes_however_it_is_escaped",
    ),
    Bug(
        "a key that a cut goes through is shown",
        "api/journaling.py",
        "self._cut(entry, longest + redaction.ESCAPED_KEY_BYTES)",
        "self._cut(entry, longest)",
        "tests/api/test_redaction.py::test_a_key_that_a_cut_goes_through_goes_whole[asgi]",
    ),
    Bug(
        "the password of a login is shown",
        "api/redaction.py",
        '_SHOWN_OF_LOGIN = {"username", "code"}',
        '_SHOWN_OF_LOGIN = {"username", "code", "password"}',
        (
            "tests/api/related/test_account.py::test_a_journal_keeps_neith"
            "er_password_nor_token[asgi-None]"
        ),
    ),
)
