"""A rule that a test has added and can remove: a fault, an answer, a reply, or hits."""

from typing import Self

from mock_server.control.admin_client import Refused, path_to
from mock_server.control.journal import JournalControl
from mock_server.decoding.json_values import JsonObject
from mock_server.rules.match import brief_json

ANSWER_KINDS = ("answer", "reply", "hits")
"""The kinds of `respond`, `reply` and `hits`; all other kinds are faults."""
BLOCK_DEFAULTS = {"times": None}
"""The fields that a fault gets in a `with` block by default: it fires as often as it can."""

__tracebackhide__ = True  # see admin_client.py


class AddedRule:
    """A rule that was added: a fault, an answer, a reply, hits, or all faults of a preset.

    A `with` block removes the rule at its end. At its start a fault is added again, with a new
    id. The block fails if a fault, or an answer with `times`, never fired.
    """

    def __init__(self, control: JournalControl, fields: JsonObject) -> None:
        self._control = control
        self._fields = fields
        self._was_read = False
        """Whether the test has read `fired` or `held`."""
        self.is_answer = fields.get("kind") in ANSWER_KINDS
        self._add(fields)

    def _add(self, fields: JsonObject) -> None:
        added = self._control.call("POST", "/rules", fields)
        self.warning: str | None = added.get("warning")
        self.views: list[JsonObject] = added.get("rules", [added])  # a preset adds several
        self.is_removed = False
        self.id: str = self.views[0]["id"]

    @property
    def has_to_fire(self) -> bool:
        """Whether a test needs the rule to fire: a fault, or an answer with `times`."""
        return not self.is_answer or "times" in self._fields

    @property
    def is_settled(self) -> bool:
        """Whether the test has removed the rule, and looked before or after whether it fired."""
        return self.is_removed and self._was_read

    @property
    def fired(self) -> int:
        """How often the rule fired, or all faults of a preset; a fault in a block starts at 0."""
        self._was_read = True
        return self._count("fired")

    @property
    def held(self) -> int:
        """How many calls wait until the rule is removed."""
        self._was_read = True
        return self._count("held")

    def _count(self, name: str) -> int:
        """The number `fired` or `held` of the rule, or of all faults of a preset."""
        if not self.is_removed:
            self._call_each("GET")
        return sum(view[name] for view in self.views)

    @property
    def missed(self) -> str | None:
        """Why the rule did not fire on the nearest request; None if it has fired, or is gone."""
        try:
            if self._count("fired"):
                return None
        except Refused:
            return None
        return str(self.views[0]["missed"])

    def _call_each(self, method: str) -> None:
        """Read or remove the rule, or each fault of a preset."""
        self.views = [self._control.call(method, path_to("rules", it["id"])) for it in self.views]

    def remove(self) -> None:
        """Remove the rule: it does not fire any more."""
        self._call_each("DELETE")
        self.is_removed = True

    def __enter__(self) -> Self:
        # Answers and presets last long enough; any other fault would fire only once.
        if not self.is_answer and "preset" not in self._fields:
            self.remove()
            self._add(BLOCK_DEFAULTS | self._fields)
        return self

    def __exit__(self, error: object, *_: object) -> None:
        try:
            self.remove()
        except Refused as refused:
            # The block may have removed the rule, or reset the sandbox.
            if refused.status == 404:
                return
            raise
        if error is None and self.has_to_fire and self.fired == 0:
            raise AssertionError(
                f"{self} never fired in its block: {self.missed}\n{self._control.summary()}"
            )

    def __str__(self) -> str:
        word = "answer" if self.is_answer else "fault"
        return f"{word} {self.id} {brief_json(self._fields)}"
