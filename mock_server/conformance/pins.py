"""What a server makes of pins (spec 3, 4.1), and what can be seen of them."""

from functools import cached_property
from urllib.parse import urlencode

from mock_server.conformance.answer import Answer, NotObservable
from mock_server.conformance.asker import Asker
from mock_server.domain.limits import Limits

PATH = "/api/core/chat/history/updateHistory"
LEGACY_PATH = "/api/core/chat/updateHistory"
_SHOWN = "/api/core/chat/history/getHistories"
_DELETE = "/api/core/chat/history/delHistory"
_PAGE = 100


class Pins:
    """Pins one chat session, and puts it back as it was where that can be seen.

    `unknown` is a text that no application and no chat has as its id.
    """

    def __init__(
        self,
        asker: Asker,
        app: str | None,
        chat: str | None,
        unknown: str,
        limits: Limits,
        *,
        may_write: bool,
    ) -> None:
        self._asker, self._app, self.chat = asker, app, chat
        self.unknown, self._limits, self._may_write = unknown, limits, may_write
        self._former: bool | None = None
        self._is_changed = False
        self.last = False
        """What the last pin of the chat has set; false before the first one."""
        self._created: str | None = None

    def check(self) -> None:
        """Raises NotObservable where nothing may be pinned, or nothing is known."""
        if not self._may_write:
            raise NotObservable("needs --write")
        if self._app is None or self.chat is None:
            raise NotObservable("needs --app and --chat")

    def pin(self, **fields: object) -> Answer:
        """The answer to a pin of the chat; a field that is `...` is left out.

        Raises NotObservable where that may not be asked.
        """
        self.check()
        if not self._is_changed:
            self._former = self.top if self.is_shown else None
            self._is_changed = True
        whole = {"appId": self._app, "chatId": self.chat, "top": True, **fields}
        body = {name: value for name, value in whole.items() if value is not ...}
        answer = self._asker.ask("PUT", PATH, body)
        top, is_own = whole["top"], whole["chatId"] == self.chat
        if answer.is_success and is_own and isinstance(top, bool):
            self.last = top
        return answer

    def pinned(self, **fields: object) -> Answer:
        """The answer to a pin. Raises NotObservable if it is refused."""
        answer = self.pin(**fields)
        if not answer.is_success:
            raise NotObservable(f"got {answer.summary()} - at {answer.request}")
        return answer

    def pin_unknown(self) -> Answer:
        """The answer to a pin of a chat that there is not."""
        answer = self.pin(chatId=self.unknown, top=False)
        self._created = self.unknown if answer.is_success else None
        return answer

    @cached_property
    def refuses(self) -> bool:
        """Whether what cannot be carried out is refused: a pin without `appId`."""
        return self.pin(appId=...).is_refusal

    def check_refusing(self) -> None:
        """Raises NotObservable where to be served means nothing."""
        if not self.refuses:
            raise NotObservable("nothing is refused, not even a pin without appId")

    @cached_property
    def is_shown(self) -> bool:
        """Whether the pin state of the chat can be seen."""
        return self.top_of(self.chat) is not None

    @property
    def top(self) -> bool:
        """The pin state of the chat. Raises NotObservable where it is not shown."""
        found = self.top_of(self.chat)
        if found is None:
            raise NotObservable("the chat is not shown: getHistories is not served")
        return found

    def top_of(self, chat: str | None) -> bool | None:
        """The pin state of a chat; None if it is not shown."""
        for offset in range(0, self._limits.verify_chats, _PAGE):
            body = {"appId": self._app, "offset": offset, "pageSize": _PAGE}
            answer = self._asker.ask("POST", _SHOWN, body)
            found = answer.data.get("list") if answer.is_success else None
            rows = found if isinstance(found, list) else []
            for row in rows:
                if isinstance(row, dict) and row.get("chatId") == chat:
                    top = row.get("top")
                    return top if isinstance(top, bool) else None
            if len(rows) < _PAGE:
                break
        return None

    def restore(self) -> None:
        """Put back what was seen before the first pin, and delete what one made."""
        if self._former is not None and self.top != self._former:
            self.pin(top=self._former)
        if self._created is not None and self.is_shown:
            query = urlencode({"appId": self._app, "chatId": self._created})
            self._asker.ask("DELETE", f"{_DELETE}?{query}")
