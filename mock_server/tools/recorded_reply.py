"""The parts of a reply, as fixtures write them, from a recorded response.

Nodes and tools have results. These come as events, or all together in the order of the nodes.
"""

import re
from itertools import chain
from typing import Any

from msgspec import Struct

from mock_server.decoding.json_values import JsonObject, json_or_text
from mock_server.http.responses import sse_event
from mock_server.store.replies import as_text, can_be_answered

_BLOCK = re.compile(r".+?(?:(?:\r\n|\r(?!\n)|\n){2}|\Z)", re.DOTALL)
"""The text of an event, up to an empty line or to the end."""
_FIELD = re.compile(r"^(event|data)(?:: ?([^\r\n]*))?$", re.MULTILINE)


class RecordedReply(Struct):
    """Collects the parts of a reply from a stream, or from a response in one piece."""

    parts: list[JsonObject] = []
    tools: dict[str, JsonObject] = {}
    """The tools that were called, by the ids of the calls."""
    parts_with_result: set[int] = set()
    """The ids in memory of the parts whose result is known: parts may be equal."""

    def add_stream(self, text: str) -> None:
        """Add the parts of a stream; one without its end is cut."""
        is_whole = False
        # The fields of events are those of the HTML standard (9.2.6).
        for block in _BLOCK.findall(text.removeprefix("\ufeff")):
            fields = _FIELD.findall(re.sub(r"\r\n?", "\n", block))
            names = [value for field, value in fields if field == "event"]
            name = "".join(names[-1:])
            data = json_or_text("\n".join(value for field, value in fields if field == "data"))
            self.add_event(name, data, block)
            is_whole = is_whole or name == "error" or data == "[DONE]"
        if not is_whole:
            self.parts.append({"cut": True})
        # In a reply that ends, each node has a result; the rounds of an agent show a status alone.
        elif self.parts_with_result and self.parts[-1].keys() != {"error"}:
            for index, part in enumerate(self.parts):
                if part.keys() == {"node"} and id(part) not in self.parts_with_result:
                    status = {"status": "running", "name": part["node"]}
                    self.parts[index] = {"raw": sse_event(status, name="flowNodeStatus").decode()}

    def add_unstreamed(self, body: JsonObject) -> None:
        """Add the parts of a response in one piece."""
        message = body["choices"][0]["message"]
        values = message.get("content")
        # Values come only with `detail`.
        if not isinstance(values, list):
            values = [
                {"reasoning": {"content": message.get("reasoning_content")}},
                {"text": {"content": values}},
            ]
        for name, value in chain.from_iterable(it.items() for it in values):
            match name, value:
                case (("reasoning" | "text"), {"content": str(said)}):
                    self.parts += [{name: it} for it in pieces_of(said)]
                case "interactive", said:
                    self.parts.append({name: said})
                case "tools", [*tools]:
                    for tool in tools:
                        self.add_event("toolCall", {"tool": tool})
        self.add_results(body.get("responseData", []), 0)
        if "error" in body and not any("error" in it for it in self.parts):
            self.parts.append({"node": "not recorded", "error": body["error"]})

    def add_event(self, name: str, data: Any, block: str = "") -> None:
        """Add the part of an event; an event that no other part makes becomes a `raw` one."""
        match name, data:
            case "error", {"message": text, **more}:
                self.parts.append({"error": data if more else text})
            case (
                ("answer" | "message" | ""),
                {"choices": [{"delta": {"reasoning_content": str(text)}}]},
            ) if text:
                self.add_deltas("reasoningDeltas", text)
            case (("answer" | "message" | ""), {"choices": [{"delta": {"content": str(text)}}]}):
                self.add_deltas("deltas", text)
            case "fastAnswer", {"choices": [{"delta": {"content": str(text)}}]} if text[:1] == "\n":
                self.parts.append({"fast": text[1:]})
            case "flowNodeStatus", {"name": str(node)}:
                self.parts.append({"node": node})
            case "flowNodeResponse", {"moduleName": _}:
                self.add_results([data], len(self.parts), ("node", "error"))
            case "flowResponses", [*results]:
                self.add_results(results, 0, ("node", "error"))
            case "toolCall", {"tool": {"id": str(id), "toolName": str(tool), **more}}:
                self.tools[id] = {
                    "name": tool,
                    "params": more.get("params", ""),
                    "response": more.get("response", ""),
                    "id": id,
                    "avatar": str(more.get("toolAvatar") or ""),
                    "functionName": str(more.get("functionName") or ""),
                }
                self.parts.append({"tool": self.tools[id]})
            case "toolParams", {"tool": {"id": id, "params": str(text)}} if id in self.tools:
                self.tools[id]["params"] += text
            case "toolResponse", {"tool": {"id": id, "response": text}} if id in self.tools:
                self.tools[id]["response"] = text
            case "interactive", {"interactive": dict(asked)} if can_be_answered(asked):
                self.parts.append({"interactive": asked})
            # The server sends these without a part.
            case (
                (("chatTitle" | "workflowDuration"), _)
                | (_, "[DONE]")
                | (("answer" | "message" | ""), {"choices": [{"finish_reason": "stop"}]})
            ):
                pass
            case _:
                self.parts += [{"raw": it} for it in pieces_of(block)]

    def add_deltas(self, kind: str, text: str) -> None:
        """Add a text to the last part, if it is of this kind, else as a new part."""
        if not self.parts or kind not in self.parts[-1]:
            self.parts.append({kind: []})
        self.parts[-1][kind] += pieces_of(text)

    def add_results(
        self, results: list[JsonObject], free_index: int, left_out: tuple[str, ...] = ()
    ) -> None:
        """Put each result into the part of its node or tool, in the order of the nodes.

        The first of those that have no part gets one at this index, others after the one before:
        a part without the fields `left_out`. In a stream, such a node has not shown its status.
        """
        for result in results:
            new = result_part(result)
            indexes = [
                index
                for index, part in enumerate(self.parts)
                if node_name(part) == node_name(new) != ""
                and id(part) not in self.parts_with_result
            ]
            if indexes:
                self.parts[indexes[0]] |= new
            else:
                indexes = [free_index]
                hidden = {name: it for name, it in new.items() if name not in left_out}
                self.parts.insert(free_index, hidden)
            self.parts_with_result.add(id(self.parts[indexes[0]]))
            free_index = indexes[0] + 1


def pieces_of(text: str) -> list[str]:
    """A text cut between `{{`: in one piece, a placeholder such as `{{now}}` would be filled."""
    return re.split(r"(?<=\{)(?=\{)", text)


def node_name(part: JsonObject) -> str:
    """The name of a part's node; empty for another part."""
    return as_text(part.get("node"))


def result_part(result: JsonObject) -> JsonObject:
    """The part that makes a result."""
    # The results of parts that are no nodes have few fields.
    match result:
        case {"moduleName": "Dataset search", "quoteList": quotes, **rest} if len(rest) == 4:
            return {"quotes": quotes}
        case {"error": error} | {"errorText": error}:
            return {"node": result["moduleName"], "fields": result, "error": error}
    return {"node": result["moduleName"], "fields": result}
